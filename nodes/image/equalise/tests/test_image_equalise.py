# SPDX-License-Identifier: Apache-2.0
"""image_equalise: bit by bit what cv::equalizeHist makes, of any histogram."""

from __future__ import annotations

import random
from dataclasses import replace

import cocotb
import image_bench
import numpy as np
import pytest
from cocotb.utils import get_sim_time
from image_bench import BROKEN_BEAT, Image, exchange, fields, header_of, image, with_pixels
from stream import start

MAX_PIXELS = 1024
CYCLE_NS = 10  # of stream.start
NO_ENCODING, NO_SIZE, SHORT_ROWS, SHORT_DATA, PADDED_ROWS, NO_GREY = 16, 17, 18, 19, 27, 28


async def send(dut, source: Image, stall: float = 0.0) -> image_bench.Answer:
    return await exchange(dut, fields(source), stall, header=header_of(source))


async def judge(dut, source: Image, stall: float = 0.0) -> None:
    shape = (source.height, source.width, 1)
    got = await send(dut, source, stall)
    assert got.image == with_pixels(source, image_bench.golden("equalise", source.pixels, shape))


def drawn(width: int, height: int, levels: list[int], seed: int) -> Image:
    """An image of these grey levels alone, some much more often than others."""
    dice = random.Random(seed)
    weights = [dice.random() ** 4 + 1e-3 for _ in levels]
    data = bytes(dice.choices(levels, weights, k=width * height))
    return replace(image(width, height, "mono8"), data=data)


@cocotb.test()
@cocotb.parametrize(stall=(0.0, 0.5))
async def gives_the_bytes_of_opencv(dut, stall):
    await start(dut)
    await judge(dut, image(32, 32, "mono8"), stall)
    await judge(dut, image(31, 17, "8UC1", seed=4), stall)
    dice = random.Random(7)
    for seed in range(12):
        levels = sorted(dice.sample(range(256), dice.choice((2, 3, 9, 60, 256))))
        width, height = dice.randint(1, 31), dice.randint(1, 31)
        await judge(dut, drawn(width, height, levels, seed), stall)


@cocotb.test()
async def every_number_of_pixels_has_a_scale_of_its_own(dut):
    """The quotient 255 / n and its products are rounded as floats are, n by n."""
    await start(dut)
    for count in range(2, 130):
        # One pixel of the first level, so n = count - 1; sums of all values come up.
        levels = bytes((7 * i) % 255 + 1 for i in range(count - 1))
        await judge(dut, replace(image(count, 1, "mono8"), data=b"\0" + levels))


@cocotb.test()
async def an_image_of_one_level_stays_as_it_is(dut):
    await start(dut)
    for level in (0, 1, 200, 255):
        for size in ((1, 1), (3, 1), (8, 1), (9, 2), (32, 32)):
            pixels = np.full((size[1], size[0], 1), level, np.uint8)
            await judge(dut, with_pixels(image(*size, "mono8"), pixels))


@cocotb.test()
async def needs_less_than_a_cycle_per_pixel_beside_its_table(dut):
    await start(dut)
    for levels in ([3, 250], list(range(256))):
        source = drawn(32, 32, levels, 5)
        began = get_sim_time("ns")
        await judge(dut, source)
        spent = (get_sim_time("ns") - began) / CYCLE_NS
        # The bench has pauses of its own, so this is no measure of both passes.
        assert spent <= 1024 + 1100


@cocotb.test()
async def refuses_and_goes_on(dut):
    await start(dut)
    good = image(16, 9, "mono8")
    refused = {
        NO_ENCODING: replace(good, encoding="mono16"),
        NO_SIZE: image(33, 32, "mono8"),
        SHORT_ROWS: replace(good, step=15),
        SHORT_DATA: replace(good, data=good.data[:-1]),
        PADDED_ROWS: image(16, 9, "mono8", gap=3),
        NO_GREY: image(8, 8, "rgb8"),
    }
    for reason, wrong in refused.items():
        for stall in (0.0, 0.4):
            got = await send(dut, wrong, stall)
            assert (got.image, got.problem) == (None, reason)
            await judge(dut, good)
    empty = replace(good, width=0, height=0, step=0, data=b"")
    assert (await send(dut, empty)).problem == NO_SIZE
    beats = fields(good)
    assert beats[-1] == image_bench.DONE_BEAT
    for cut in sorted({min(n, len(beats) - 1) for n in (0, 5, 14, 20, len(beats))}):
        got = await exchange(dut, [*beats[:cut], BROKEN_BEAT], 0.1, header=header_of(good))
        assert (got.image, got.problem) == (None, BROKEN_BEAT.data)
        await judge(dut, good)


@cocotb.test()
async def a_reset_within_an_image_leaves_nothing_of_it(dut):
    await start(dut)
    good = image(32, 16, "mono8", seed=3)
    for cycles in (13, 20, 60, 200, 600, 1240):
        await image_bench.interrupt(dut, {"s_axis": fields(good)}, cycles)
        await judge(dut, image(24, 8, "mono8", seed=cycles))


@pytest.mark.parametrize("pixels", [1, 4, 8])
def test_image_equalise(pixels):
    parameters = {"MAX_PIXELS": MAX_PIXELS, "PIXELS": pixels}
    image_bench.simulate_core("test_image_equalise", "equalise", parameters)
