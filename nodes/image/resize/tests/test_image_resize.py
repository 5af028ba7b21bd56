# SPDX-License-Identifier: Apache-2.0
"""image_resize: bit by bit what cv::resize makes, at any factor, with stalls; what is refused."""

from __future__ import annotations

import ctypes
import os
import struct
from dataclasses import replace

import cocotb
import image_bench
import pytest
from cocotb.utils import get_sim_time
from image_bench import CHANNELS, Image, exchange, fields, golden, image, with_pixels
from stream import start

NO_ENCODING, NO_SIZE, SHORT_ROWS, SHORT_DATA, NO_RESIZE, NO_INTERPOLATION = range(16, 22)
ALL_ONES = (1 << 64) - 1
#: Of the clock that `start` gives.
PERIOD_NS = 10


def request(dut, x: float = 0.0, y: float = 0.0, width: int = -1, height: int = -1) -> None:
    """By factors, or without them to a size; -1: as it is."""
    dut.parameter_interpolation_i.value = 1
    dut.parameter_use_scale_i.value = int(x > 0)
    dut.parameter_scale_width_i.value = int.from_bytes(struct.pack("<d", x), "little")
    dut.parameter_scale_height_i.value = int.from_bytes(struct.pack("<d", y), "little")
    dut.parameter_width_i.value = width & ALL_ONES
    dut.parameter_height_i.value = height & ALL_ONES


def expected(source: Image, x: float, y: float) -> Image:
    # Python rounds halves to even, as cv::resize does.
    shape = (round(source.height * y), round(source.width * x), CHANNELS[source.encoding])
    factors = ctypes.c_double(x), ctypes.c_double(y)
    return with_pixels(source, golden("resize", source.pixels, shape, *factors))


async def judge(dut, source: Image, x: float, y: float, stall: float = 0.0) -> None:
    request(dut, x, y)
    got = await exchange(dut, fields(source), stall)
    assert got.image == expected(source, x, y), f"{source.width}x{source.height} by {x}, {y}"


@cocotb.test()
@cocotb.parametrize(encoding=tuple(CHANNELS))
async def gives_the_bytes_of_opencv_in_each_encoding(dut, encoding):
    await start(dut)
    await judge(dut, image(40, 30, encoding), 0.5, 0.5)
    await judge(dut, image(40, 30, encoding, seed=2), 0.3, 0.7)


@cocotb.test()
@cocotb.parametrize(stall=(0.2, 0.8))
async def waits_for_its_neighbours(dut, stall):
    await start(dut)
    for x, y in ((0.5, 0.5), (0.4, 1.0), (1.7, 0.6)):
        await judge(dut, image(25, 14, "rgb8"), x, y, stall)


@cocotb.test()
async def gives_the_bytes_of_opencv_at_any_factor(dut):
    await start(dut)
    factors = (0.1, 0.333, 0.37, 0.499, 0.5, 0.501, 0.7, 0.9, 0.999, 1.0, 1.01, 1.5, 2.0, 3.3)
    for number, x in enumerate(factors):
        # The other factor differs, and sides are odd and even.
        y = factors[(5 * number + 3) % len(factors)]
        await judge(dut, image(33 + number % 3, 11 + number % 2, "mono8", seed=number), x, y)


@cocotb.test()
async def takes_the_mean_at_borders_of_odd_sides(dut):
    await start(dut)
    for width, height in ((7, 7), (9, 5), (8, 7), (7, 8), (3, 3), (2, 2), (7, 2), (2, 7)):
        await judge(dut, image(width, height, "rgb8"), 0.5, 0.5)


@cocotb.test()
async def rounds_wide_rows_as_floats_are_rounded(dut):
    await start(dut)
    for x in (0.37, 0.63, 1.13, 0.7):
        await judge(dut, image(1021, 3, "mono8"), x, 0.5)
    # 145 * 0.7 is 101.5 in double precision, and a little less in truth.
    await judge(dut, image(145, 5, "mono8"), 0.7, 0.7)


@cocotb.test()
async def resizes_to_a_size(dut):
    await start(dut)
    for width, height in ((20, 15), (13, 40), (-1, 7), (64, -1), (-1, -1)):
        source = image(40, 30, "bgr8")
        request(dut, width=width, height=height)
        shape = (height if height > 0 else 30, width if width > 0 else 40, 3)
        zero = ctypes.c_double(0)
        wanted = golden("resize", source.pixels, shape, zero, zero)
        got = await exchange(dut, fields(source))
        assert got.image == with_pixels(source, wanted)


@cocotb.test()
async def drops_what_lies_behind_rows_and_hands_on_all_other_fields(dut):
    await start(dut)
    for gap in (1, 5, 8, 21):
        await judge(dut, image(30, 9, "rgb8", gap=gap), 0.5, 0.5, 0.1)
    source = replace(
        image(16, 8, "mono8"), frame_id="", stamp=(2**32 - 1, 999_999_999), bigendian=1
    )
    await judge(dut, source, 0.5, 0.5)
    longer = replace(source, frame_id="a/frame-id.of" * 4, data=source.data + b"behind the rows")
    await judge(dut, longer, 0.5, 0.5)
    await judge(dut, replace(source, frame_id="8 bytes."), 0.5, 0.5)


@cocotb.test()
async def refuses_with_one_beat_and_goes_on(dut):
    await start(dut)
    good = image(24, 10, "rgb8")
    half, tenth = (0.5, 0.5), (0.01, 0.5)
    cases = (
        (replace(good, encoding="bayer_rggb8"), half, NO_ENCODING),
        (replace(good, encoding="mono16"), half, NO_ENCODING),
        (replace(good, encoding=""), half, NO_ENCODING),
        (replace(good, width=0), half, NO_SIZE),
        (replace(good, height=0), half, NO_SIZE),
        (replace(good, width=2**31), half, NO_SIZE),
        (replace(good, step=71), half, SHORT_ROWS),
        (replace(good, data=good.data[:-1]), half, SHORT_DATA),
        (replace(good, data=b""), half, SHORT_DATA),
        (good, tenth, NO_RESIZE),
        (good, (2000.0, 1.0), NO_RESIZE),
        (good, (1e-6, 1e6), NO_RESIZE),
    )
    for source, factors, problem in cases:
        request(dut, *factors)
        got = await exchange(dut, fields(source), 0.2)
        assert (got.problem, got.beats) == (problem, 1), source.encoding
        await judge(dut, good, *half)
    request(dut, *half)
    dut.parameter_interpolation_i.value = 2
    assert (await exchange(dut, fields(good))).problem == NO_INTERPOLATION


@cocotb.test()
async def answers_broken_messages_with_broken(dut):
    await start(dut)
    good = image(24, 10, "rgb8")
    beats = fields(good)
    request(dut, 0.5, 0.5)
    for cut in (0, 1, 6, 13, 14, 20, 2 * len(beats) // 3, len(beats) - 2, len(beats) - 1):
        got = await exchange(dut, [*beats[:cut], image_bench.BROKEN_BEAT], 0.2)
        assert got.problem == image_bench.BROKEN_BEAT.data, cut
        await judge(dut, good, 0.5, 0.5)


@cocotb.test()
async def forgets_at_reset(dut):
    await start(dut)
    request(dut, 0.5, 0.5)
    await image_bench.interrupt(dut, {"s_axis": fields(image(24, 10, "rgb8"))}, 120)
    await judge(dut, image(17, 9, "mono8"), 0.5, 0.5)


@cocotb.test()
async def takes_as_many_pixels_per_cycle_as_it_is_built_for(dut):
    await start(dut)
    pixels = int(os.environ["PIXELS"])
    for factor in (0.5, 1.0):
        request(dut, factor, factor)
        before = get_sim_time("ns")
        await exchange(dut, fields(image(64, 48, "rgb8")))
        cycles = (get_sim_time("ns") - before) / PERIOD_NS
        # Two rows in front, and a few cycles per row of the result.
        rows = 48 * factor
        assert 64 * 48 / pixels <= cycles <= 64 * 50 / pixels + 300 + 6 * rows


@pytest.mark.parametrize(
    ("width", "pixels"), [(1920, 1), (1024, 1), (1920, 2), (1028, 4), (1024, 8)]
)
def test_image_resize(width, pixels):
    parameters = {"MAX_WIDTH": width, "PIXELS": pixels}
    image_bench.simulate_core("test_image_resize", "resize", parameters)
