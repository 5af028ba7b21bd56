# SPDX-License-Identifier: Apache-2.0
"""image_threshold: bit by bit what cv::threshold makes, for each type and encoding."""

from __future__ import annotations

import ctypes
from dataclasses import replace

import cocotb
import image_bench
import pytest
from image_bench import BROKEN_BEAT, CHANNELS, Image, exchange, fields, header_of, image
from stream import start

NO_ENCODING, SHORT_DATA, PADDED_ROWS = 16, 19, 27
#: cv::ThresholdTypes, and the order of the parameter's choices.
TYPES = 5


async def judge(dut, source: Image, numbers: tuple[int, int, int], stall: float = 0.0) -> None:
    level, maximum, kind = numbers
    dut.parameter_threshold_i.value = level
    dut.parameter_maximum_i.value = maximum
    dut.parameter_type_i.value = kind
    shape = (source.height, source.width, CHANNELS[source.encoding])
    wanted = image_bench.golden("threshold", source.pixels, shape, *map(ctypes.c_int, numbers))
    got = await exchange(dut, fields(source), stall, header=header_of(source))
    assert got.image == image_bench.with_pixels(source, wanted), f"{source.encoding} {numbers}"


@cocotb.test()
@cocotb.parametrize(stall=(0.0, 0.5))
async def gives_the_bytes_of_opencv(dut, stall):
    await start(dut)
    for kind in range(TYPES):
        for number, encoding in enumerate(CHANNELS):
            source = image(13, 5, encoding, seed=kind * 10 + number)
            await judge(dut, source, (100 + number, 250 - kind, kind), stall)
        for level, maximum in ((0, 255), (255, 255), (254, 1), (127, 0)):
            await judge(dut, image(32, 16, "mono8", seed=kind), (level, maximum, kind), stall)


@cocotb.test()
async def refuses_and_goes_on(dut):
    await start(dut)
    good = image(16, 9, "rgb8")
    refused = {
        NO_ENCODING: replace(good, encoding="mono16"),
        SHORT_DATA: replace(good, data=good.data[:-1]),
        PADDED_ROWS: image(16, 9, "mono8", gap=3),
    }
    for reason, wrong in refused.items():
        got = await exchange(dut, fields(wrong), 0.2, header=header_of(wrong))
        assert (got.image, got.problem) == (None, reason)
        await judge(dut, good, (127, 255, 0))
    beats = fields(good)
    for cut in sorted({min(n, len(beats) - 1) for n in (0, 5, 14, 30, len(beats))}):
        got = await exchange(dut, [*beats[:cut], BROKEN_BEAT], 0.1, header=header_of(good))
        assert (got.image, got.problem) == (None, BROKEN_BEAT.data)
        await judge(dut, good, (90, 200, 3))


@cocotb.test()
async def forgets_at_reset(dut):
    await start(dut)
    for cycles in (10, 20, 60, 120):
        await image_bench.interrupt(dut, {"s_axis": fields(image(31, 17, "rgba8"))}, cycles)
        await judge(dut, image(24, 8, "mono8", seed=cycles), (127, 255, 0))


@pytest.mark.parametrize("pixels", [1, 4, 8])
def test_image_threshold(pixels):
    image_bench.simulate_core("test_image_threshold", "threshold", {"PIXELS": pixels})
