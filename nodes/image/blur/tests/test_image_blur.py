# SPDX-License-Identifier: Apache-2.0
"""image_blur: bit by bit what cv::GaussianBlur makes, at borders and of tiny images too."""

from __future__ import annotations

import ctypes
import os
from dataclasses import replace

import cocotb
import image_bench
import pytest
from cocotb.triggers import with_timeout
from cocotb.utils import get_sim_time
from image_bench import (
    BROKEN_BEAT,
    CHANNELS,
    Image,
    Port,
    exchange,
    fields,
    golden,
    image,
)
from stream import start

NO_ENCODING = 16
#: Of the clock that `start` gives.
PERIOD_NS = 10


async def judge(dut, source: Image, size: int, stall: float = 0.0) -> None:
    dut.parameter_size_i.value = size
    shape = (source.height, source.width, CHANNELS[source.encoding])
    wanted = golden("blur", source.pixels, shape, ctypes.c_int(size))
    got = await exchange(dut, fields(source), stall)
    assert got.image == image_bench.with_pixels(source, wanted), (
        f"{source.width}x{source.height} by {size}"
    )


@cocotb.test()
@cocotb.parametrize(size=(3, 5, 7))
async def gives_the_bytes_of_opencv(dut, size):
    await start(dut)
    for encoding in ("mono8", "rgb8", "bgra8"):
        await judge(dut, image(31, 17, encoding), size)
    await judge(dut, image(30, 12, "bgr8", gap=4), size, 0.2)
    await judge(dut, image(12, 10, "mono8"), size, 0.7)


@cocotb.test()
async def mirrors_what_is_beyond_the_border_of_tiny_images(dut):
    await start(dut)
    for size in (3, 5, 7):
        for width, height in ((1, 1), (1, 9), (9, 1), (2, 2), (3, 2), (2, 5), (4, 3), (3, 3)):
            await judge(dut, image(width, height, "mono8"), size)


@cocotb.test()
async def mirrors_wherever_in_a_word_the_border_lies(dut):
    await start(dut)
    for width in range(5, 28):
        await judge(dut, image(width, 4, "rgb8", seed=width), 7, 0.1 * (width % 3))


@cocotb.test()
async def reads_a_row_before_another_takes_its_place(dut):
    """The input never rests, the output for longer than a row takes."""
    await start(dut)
    for width, size in ((2, 3), (3, 7), (9, 5), (11, 3)):
        source = image(width, 40, "rgb8", seed=width)
        dut.parameter_size_i.value = size
        tx, rx = Port(dut, "s_axis"), Port(dut, "m_axis", 0.9, width)
        dut.s_axis.header.value = image_bench.HEADER_REST
        sending = cocotb.start_soon(tx.send(fields(source)))
        got = await with_timeout(image_bench.answer(rx), 50, "ms")
        await with_timeout(sending, 50, "ms")
        wanted = golden("blur", source.pixels, (40, width, 3), ctypes.c_int(size))
        assert got.image == image_bench.with_pixels(source, wanted), f"{width} by {size}"


@cocotb.test()
async def takes_as_many_pixels_per_cycle_as_it_is_built_for(dut):
    await start(dut)
    pixels = int(os.environ["PIXELS"])
    dut.parameter_size_i.value = 5
    before = get_sim_time("ns")
    await exchange(dut, fields(image(40, 60, "rgb8")))
    cycles = (get_sim_time("ns") - before) / PERIOD_NS
    # Three rows in front, and a few cycles for what is in front of the pixels.
    assert 40 * 60 / pixels <= cycles <= 40 * 63 / pixels + 80


@cocotb.test()
async def refuses_and_goes_on(dut):
    await start(dut)
    good = image(16, 9, "rgb8")
    dut.parameter_size_i.value = 5
    got = await exchange(dut, fields(replace(good, encoding="mono16")))
    assert (got.problem, got.beats) == (NO_ENCODING, 1)
    beats = fields(good)
    for cut in sorted({min(n, len(beats) - 1) for n in (5, 14, 30, len(beats))}):
        got = await exchange(dut, [*beats[:cut], BROKEN_BEAT], 0.1)
        assert got.problem == BROKEN_BEAT.data, cut
        await judge(dut, good, 5)


@cocotb.test()
async def forgets_at_reset(dut):
    await start(dut)
    dut.parameter_size_i.value = 5
    for cycles in (10, 20, 90, 400):
        await image_bench.interrupt(dut, {"s_axis": fields(image(31, 17, "rgb8"))}, cycles)
        await judge(dut, image(24, 8, "mono8", seed=cycles), 5)


@pytest.mark.parametrize("pixels", [1, 2, 4, 8])
def test_image_blur(pixels):
    image_bench.simulate_core("test_image_blur", "blur", {"MAX_WIDTH": 40, "PIXELS": pixels})
