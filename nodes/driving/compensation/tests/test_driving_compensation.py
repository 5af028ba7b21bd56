# SPDX-License-Identifier: Apache-2.0
"""driving_compensation: bit by bit what kernels/compensation.hpp makes, frame behind frame."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from dataclasses import replace

import cocotb
import drive_bench
import image_bench
import numpy as np
import pytest
from cocotb.triggers import with_timeout
from cocotb.utils import get_sim_time
from drive_bench import coloured, golden, grained, road
from image_bench import BROKEN_BEAT, Image, Port, exchange, fields, header_of, image, with_pixels
from stream import start

MAX_PIXELS = 1920
NO_ENCODING, NO_SIZE, SHORT_ROWS, SHORT_DATA, NO_COLOUR = 16, 17, 18, 19, 29
#: Of the clock that `start` gives.
PERIOD_NS = 10


def options(dut, clip: int = 5, least: int = 48) -> None:
    dut.parameter_clip_permille_i.value = clip
    dut.parameter_minimum_spread_i.value = least


def expected(source: Image, clip: int = 5, least: int = 48) -> Image:
    shape = (source.height, source.width, 3)
    order = int(source.encoding != "rgb8")
    return with_pixels(source, golden("compensation", source.pixels, shape, order, clip, least))


async def judge(dut, source: Image, stall: float = 0.0, clip: int = 5, least: int = 48) -> None:
    options(dut, clip, least)
    got = await exchange(dut, fields(source), stall)
    assert got.image == expected(source, clip, least), f"{source.width}x{source.height} {clip}"


async def send_all(dut, sources: Sequence[Image], stall: float = 0.0) -> list[image_bench.Answer]:
    """One behind the other, as a stream brings them: each with its own header."""
    tx, rx = Port(dut, "s_axis", stall, 1), Port(dut, "m_axis", stall, 2)

    async def send() -> None:
        for number, source in enumerate(sources):
            dut.s_axis.header.value = header_of(source) ^ number << 64
            await tx.send(fields(source))

    sending = cocotb.start_soon(send())
    got = [await with_timeout(image_bench.answer(rx), 50, "ms") for _ in sources]
    await with_timeout(sending, 50, "ms")
    return got


@cocotb.test()
@cocotb.parametrize(stall=(0.0, 0.5))
async def gives_the_bytes_of_the_kernel(dut, stall):
    await start(dut)
    for encoding in ("rgb8", "bgr8", "8UC3"):
        await judge(dut, image(32, 12, encoding), stall)
        await judge(dut, image(31, 17, encoding, seed=4, gap=5), stall)
    for seed in range(3):
        await judge(dut, road(48, 36, "rgb8", 0.4 * seed, lamp=seed), stall)
        await judge(dut, grained(road(48, 36, "bgr8", 0.4 * seed), seed), stall)


@cocotb.test()
async def finds_the_ends_of_any_histogram(dut):
    await start(dut)
    dice = random.Random(7)
    for seed in range(40):
        levels = sorted(dice.sample(range(256), dice.choice((1, 2, 3, 9, 60, 256))))
        width, height = dice.randint(1, 24), dice.randint(1, 12)
        clip, least = dice.choice((0, 1, 5, 100, 333, 499)), dice.choice((1, 2, 48, 255, 256))
        source = coloured(width, height, dice.choice(("rgb8", "bgr8")), levels, seed)
        await judge(dut, source, 0.0, clip, least)


@cocotb.test()
async def rounds_every_spread_as_the_kernel(dut):
    """A grey image whose levels are 0 and n: each spread has a table of its own."""
    await start(dut)
    for spread in range(1, 256):
        grey = np.array([0, spread, *dice_levels(spread)], np.uint8)
        pixels = np.repeat(grey[None, :, None], 3, axis=2)
        await judge(dut, with_pixels(image(grey.size, 1, "rgb8"), pixels), 0.0, 0, 1)


def dice_levels(spread: int) -> list[int]:
    dice = random.Random(spread)
    return [dice.randint(0, spread) for _ in range(22)]


@cocotb.test()
async def what_is_exactly_the_limit_is_no_outlier(dut):
    """1000 pixels with n of them at each end: n permille are outliers, n - 1 are not."""
    await start(dut)
    for count in (1, 5, 60):
        grey = np.array([10] * count + [100] * (1000 - 2 * count) + [240] * count, np.uint8)
        pixels = np.repeat(grey.reshape(20, 50, 1), 3, axis=2)
        for clip in (count - 1, count):
            await judge(dut, with_pixels(image(50, 20, "rgb8"), pixels), 0.0, clip, 1)


@cocotb.test()
@cocotb.parametrize(stall=(0.0, 0.4))
async def frames_follow_each_other(dut, stall):
    await start(dut)
    options(dut)
    # Sizes differ, so that frames lie anywhere in the ring; the largest fills it.
    sizes = [(48, 40), (48, 40), (7, 3), (40, 48), (1, 1), (33, 20), (48, 40), (8, 30)]
    sources = [
        replace(image(*size, "rgb8" if n % 2 else "bgr8", seed=n), frame_id="camera" * (n % 4))
        for n, size in enumerate(sizes)
    ]
    got = await send_all(dut, sources, stall)
    for number, (source, answer) in enumerate(zip(sources, got, strict=True)):
        assert answer.image == expected(source), f"frame {number}"
        image_bench.check_header(answer.header ^ number << 64, answer.image)


@cocotb.test()
async def a_frame_leaves_while_the_next_one_comes(dut):
    await start(dut)
    options(dut)
    pixels = int(os.environ["PIXELS"])
    sources = [image(48, 40, "rgb8", seed=n) for n in range(6)]
    before = get_sim_time("ns")
    await send_all(dut, sources)
    cycles = (get_sim_time("ns") - before) / PERIOD_NS
    # One more for the first to come; the table, and what is in front of pixels, for each.
    assert cycles <= 7 * (48 * 40 / pixels) + 6 * (256 + 514 + 80)


@cocotb.test()
async def refuses_and_goes_on(dut):
    await start(dut)
    good = image(16, 9, "rgb8")
    refused = {
        NO_ENCODING: replace(good, encoding="mono16"),
        NO_SIZE: image(49, 40, "rgb8"),
        SHORT_ROWS: replace(good, step=47),
        SHORT_DATA: replace(good, data=good.data[:-1]),
    }
    options(dut)
    for reason, wrong in refused.items():
        got = await exchange(dut, fields(wrong), 0.3)
        assert (got.image, got.problem, got.beats) == (None, reason, 1)
        await judge(dut, good)
    for encoding in ("mono8", "rgba8", "8UC4"):
        got = await exchange(dut, fields(image(12, 5, encoding)))
        assert (got.image, got.problem, got.beats) == (None, NO_COLOUR, 1)
        await judge(dut, good)


@cocotb.test()
async def forgets_what_is_broken(dut):
    """Of a frame that breaks nothing is counted, and nothing kept, while the one before leaves."""
    await start(dut)
    options(dut)
    good = image(40, 40, "rgb8", seed=3)
    beats = fields(good)
    for cut in sorted({0, 5, 14, 15, 20, len(beats) // 3, len(beats) - 2, len(beats) - 1}):
        tx, rx = Port(dut, "s_axis", 0.1, cut + 1), Port(dut, "m_axis", 0.1, cut + 2)
        dut.s_axis.header.value = header_of(good)
        sending = cocotb.start_soon(tx.send([*beats, *beats[:cut], BROKEN_BEAT, *beats]))
        got = [await with_timeout(image_bench.answer(rx), 50, "ms") for _ in range(3)]
        await with_timeout(sending, 50, "ms")
        assert [a.image for a in got] == [expected(good), None, expected(good)], f"cut {cut}"
        assert got[1].problem == BROKEN_BEAT.data, f"cut {cut}"


@cocotb.test()
async def forgets_at_reset(dut):
    await start(dut)
    options(dut)
    for cycles in (10, 60, 300, 700, 1500, 2600):
        await image_bench.interrupt(dut, {"s_axis": fields(image(40, 30, "rgb8"))}, cycles)
        await judge(dut, image(24, 8, "bgr8", seed=cycles))


@pytest.mark.parametrize("pixels", drive_bench.sweep([4], [2, 8], [1]))
def test_driving_compensation(pixels):
    parameters = {"MAX_PIXELS": MAX_PIXELS, "PIXELS": pixels}
    drive_bench.simulate_core("test_driving_compensation", "compensation", parameters)
