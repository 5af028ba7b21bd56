# SPDX-License-Identifier: Apache-2.0
"""image_rectify_resize: bit by bit cv::remap and then cv::resize, and the refusals of both."""

from __future__ import annotations

import ctypes
import struct
from dataclasses import replace

import cocotb
import image_bench
import pytest
from image_bench import BROKEN_BEAT, CHANNELS, Image, doubles, fields, golden, image
from lens import PHOTOGRAPHS, Lens, lens_fields, rectified, reset_amid, scaled
from stream import start

NO_ENCODING, NO_RESIZE, NO_INTERPOLATION, UNCALIBRATED, OTHER_SIZE = 16, 20, 21, 22, 24
SMALL = scaled(PHOTOGRAPHS, 0.1)


def expected(source: Image, lens: Lens, x: float, y: float) -> Image:
    channels = CHANNELS[source.encoding]
    arguments = (doubles(values) for values in lens.golden)
    whole = (source.height, source.width, channels)
    flat = golden("rectify", source.pixels, whole, *arguments)
    shape = (round(source.height * y), round(source.width * x), channels)
    factors = ctypes.c_double(x), ctypes.c_double(y)
    return image_bench.with_pixels(source, golden("resize", flat, shape, *factors))


async def begin(dut, x: float = 0.5, y: float = 0.5) -> None:
    dut.parameter_interpolation_i.value = 1
    dut.parameter_resize_interpolation_i.value = 1
    dut.parameter_use_scale_i.value = 1
    dut.parameter_width_i.value = (1 << 64) - 1
    dut.parameter_height_i.value = (1 << 64) - 1
    scale(dut, x, y)
    dut.s_axis_image.header.value = 999
    dut.s_axis_camera_info.header.value = 999
    await start(dut)


def scale(dut, x: float, y: float) -> None:
    dut.parameter_scale_width_i.value = int.from_bytes(struct.pack("<d", x), "little")
    dut.parameter_scale_height_i.value = int.from_bytes(struct.pack("<d", y), "little")


@cocotb.test()
@cocotb.parametrize(stall=(0.0, 0.4))
async def gives_the_bytes_of_opencv(dut, stall):
    await begin(dut)
    for encoding, x, y in (("rgb8", 0.5, 0.5), ("mono8", 0.3, 0.7), ("bgra8", 1.3, 0.9)):
        source = image(64, 48, encoding)
        scale(dut, x, y)
        got = await rectified(dut, fields(source), lens_fields(SMALL), stall)
        assert got.image == expected(source, SMALL, x, y)


@cocotb.test()
async def refuses_what_either_part_refuses(dut):
    await begin(dut)
    good = image(64, 48, "mono8")
    straight = replace(SMALL, d=())
    cases = (
        (replace(good, encoding="yuv422"), SMALL, 0.5, NO_ENCODING),
        (good, SMALL, 0.001, NO_RESIZE),
        (good, replace(SMALL, k=(0.0,) * 9), 0.5, UNCALIBRATED),
        (good, replace(SMALL, width=60), 0.5, OTHER_SIZE),
    )
    for source, lens, factor, problem in cases:
        scale(dut, factor, 0.5)
        got = await rectified(dut, fields(source), lens_fields(lens), 0.1)
        assert (got.problem, got.beats) == (problem, 1)
    scale(dut, 0.5, 0.5)
    beats, calibration = fields(good), lens_fields(SMALL)
    for cut in (0, 3, 14, 100):
        got = await rectified(dut, [*beats[:cut], BROKEN_BEAT], calibration)
        assert got.problem == BROKEN_BEAT.data
    for cut in (0, len(calibration) - 1):
        refused = replace(BROKEN_BEAT, data=10)  # by the node in front
        got = await rectified(dut, beats, [*calibration[:cut], refused])
        assert (got.problem, got.beats) == (10, 1)
    for lens in (straight, SMALL):
        got = await rectified(dut, fields(good), lens_fields(lens))
        assert got.image == expected(good, lens, 0.5, 0.5)
    for parameter in (dut.parameter_interpolation_i, dut.parameter_resize_interpolation_i):
        parameter.value = 2
        got = await rectified(dut, fields(good), lens_fields(SMALL))
        assert got.problem == NO_INTERPOLATION
        parameter.value = 1


@cocotb.test()
async def forgets_at_reset(dut):
    await begin(dut)
    lens = lens_fields(SMALL)
    for cycles in (10, 60, 500, 2500):
        await reset_amid(dut, image(64, 48, "rgb8"), SMALL, cycles)
        good = image(64, 48, "mono8", seed=cycles)
        got = await rectified(dut, fields(good), lens)
        assert got.image == expected(good, SMALL, 0.5, 0.5)


@pytest.mark.parametrize("pixels", [1, 4])
def test_image_rectify_resize(pixels):
    parameters = {"LINES": 32, "MAX_WIDTH": 128, "PIXELS": pixels}
    image_bench.simulate_core("test_image_rectify_resize", "rectify_resize", parameters)
