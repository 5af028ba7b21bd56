# SPDX-License-Identifier: Apache-2.0
"""image_convert: bit by bit what cv::cvtColor makes, for each pair of encodings."""

from __future__ import annotations

import ctypes
import os

import cocotb
import image_bench
import pytest
from cocotb.utils import get_sim_time
from image_bench import BROKEN_BEAT, CHANNELS, exchange, fields, golden, image, with_pixels
from stream import start

NO_CONVERSION = 26
#: Of the clock that `start` gives.
PERIOD_NS = 10
#: In the order of the parameter's choices, which is what the register holds.
ENCODINGS = ("mono8", "rgb8", "bgr8", "rgba8", "bgra8")
#: cv::ColorConversionCodes; BGR is OpenCV's own order.
CODES = {
    ("bgr8", "bgra8"): 0, ("rgb8", "rgba8"): 0, ("bgra8", "bgr8"): 1, ("rgba8", "rgb8"): 1,
    ("bgr8", "rgba8"): 2, ("rgb8", "bgra8"): 2, ("rgba8", "bgr8"): 3, ("bgra8", "rgb8"): 3,
    ("bgr8", "rgb8"): 4, ("rgb8", "bgr8"): 4, ("bgra8", "rgba8"): 5, ("rgba8", "bgra8"): 5,
    ("bgr8", "mono8"): 6, ("rgb8", "mono8"): 7, ("mono8", "bgr8"): 8, ("mono8", "rgb8"): 8,
    ("mono8", "bgra8"): 9, ("mono8", "rgba8"): 9, ("bgra8", "mono8"): 10, ("rgba8", "mono8"): 11,
}  # fmt: skip


@cocotb.test()
@cocotb.parametrize(stall=(0.0, 0.5))
async def gives_the_bytes_of_opencv(dut, stall):
    await start(dut)
    for number, wanted in enumerate(ENCODINGS):
        dut.parameter_encoding_i.value = number
        for encoding in ENCODINGS:
            source = image(23, 7, encoding, seed=number, gap=number)
            pixels = source.pixels
            if encoding != wanted:
                shape = (7, 23, CHANNELS[wanted])
                code = ctypes.c_int(CODES[encoding, wanted])
                pixels = golden("convert", source.pixels, shape, code)
            got = await exchange(dut, fields(source), stall)
            assert got.image == with_pixels(source, pixels, wanted), f"{encoding} to {wanted}"


@cocotb.test()
async def refuses_what_has_no_colours_and_goes_on(dut):
    await start(dut)
    dut.parameter_encoding_i.value = 1
    for encoding in ("8UC1", "8UC3", "8UC4"):
        got = await exchange(dut, fields(image(9, 5, encoding)))
        assert (got.problem, got.beats) == (NO_CONVERSION, 1)
    good = image(9, 5, "rgb8")
    beats = fields(good)
    for cut in (4, 14, len(beats) - 1):
        got = await exchange(dut, [*beats[:cut], BROKEN_BEAT])
        assert got.problem == BROKEN_BEAT.data, cut
        assert (await exchange(dut, beats)).image == with_pixels(good, good.pixels)


@cocotb.test()
async def forgets_at_reset(dut):
    await start(dut)
    dut.parameter_encoding_i.value = 1
    good = image(24, 8, "rgb8")
    for cycles in (10, 20, 60, 120):
        await image_bench.interrupt(dut, {"s_axis": fields(image(31, 17, "rgba8"))}, cycles)
        assert (await exchange(dut, fields(good))).image == with_pixels(good, good.pixels)


@cocotb.test()
async def takes_each_length_of_a_row(dut):
    """Rows that end in each lane, and in which pixels lie across beats."""
    await start(dut)
    dut.parameter_encoding_i.value = 1
    for width in range(1, 19):
        for encoding in ("mono8", "rgb8", "bgra8"):
            source = image(width, 3, encoding, seed=width, gap=width % 5)
            pixels = source.pixels
            if encoding != "rgb8":
                code = ctypes.c_int(CODES[encoding, "rgb8"])
                pixels = golden("convert", source.pixels, (3, width, 3), code)
            got = await exchange(dut, fields(source), 0.2, seed=width)
            assert got.image == with_pixels(source, pixels, "rgb8"), (width, encoding)


@cocotb.test()
async def takes_as_many_pixels_per_cycle_as_it_is_built_for(dut):
    await start(dut)
    dut.parameter_encoding_i.value = 4
    source = image(64, 32, "rgba8")
    before = get_sim_time("ns")
    await exchange(dut, fields(source))
    cycles = (get_sim_time("ns") - before) / PERIOD_NS
    pixels = int(os.environ["PIXELS"])
    assert 64 * 32 / pixels <= cycles <= 64 * 32 / pixels + 100


@pytest.mark.parametrize("pixels", [1, 2, 4, 8])
def test_image_convert(pixels):
    image_bench.simulate_core("test_image_convert", "convert", {"PIXELS": pixels})
