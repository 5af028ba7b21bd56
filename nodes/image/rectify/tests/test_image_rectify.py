# SPDX-License-Identifier: Apache-2.0
"""image_rectify: bit by bit what cv::remap makes of the calibration's map; refused lenses."""

from __future__ import annotations

from dataclasses import replace

import cocotb
import image_bench
import pytest
from image_bench import BROKEN_BEAT, CHANNELS, Image, doubles, fields, image, with_pixels
from lens import IDENTITY, PHOTOGRAPHS, Lens, lens_fields, rectified, reset_amid, scaled
from stream import start

NO_INTERPOLATION, UNCALIBRATED, NO_MODEL, OTHER_SIZE, TOO_BENT = range(21, 26)

#: A tenth of the demo's camera.
SMALL = scaled(PHOTOGRAPHS, 0.1)


def expected(source: Image, lens: Lens) -> Image:
    shape = (source.height, source.width, CHANNELS[source.encoding])
    arguments = (doubles(values) for values in lens.golden)
    return with_pixels(source, image_bench.golden("rectify", source.pixels, shape, *arguments))


async def begin(dut) -> None:
    dut.parameter_interpolation_i.value = 1
    dut.s_axis_image.header.value = 999
    dut.s_axis_camera_info.header.value = 999
    await start(dut)


async def judge(dut, source: Image, lens: Lens, stall: float = 0.0, late: bool = False) -> None:
    got = await rectified(dut, fields(source), lens_fields(lens), stall, late)
    assert got.problem is None, f"{got.problem} for {lens}"
    assert got.image == expected(source, lens), lens


@cocotb.test()
@cocotb.parametrize(encoding=("mono8", "bgr8", "rgba8"))
async def gives_the_bytes_of_opencv_in_each_layout(dut, encoding):
    await begin(dut)
    await judge(dut, image(64, 48, encoding), SMALL)


@cocotb.test()
@cocotb.parametrize(stall=(0.2, 0.7))
async def waits_for_its_neighbours(dut, stall):
    await begin(dut)
    await judge(dut, image(64, 48, "rgb8"), SMALL, stall)
    await judge(dut, image(64, 48, "rgb8", gap=3), SMALL, stall, late=True)


@cocotb.test()
async def follows_any_lens_within_its_bound(dut):
    await begin(dut)
    source = image(64, 48, "rgb8")
    lenses = (
        replace(SMALL, d=(0.3, 0.05, -0.01, 0.02, -0.1)),  # pincushion
        replace(SMALL, d=(-0.4, 0.2, 0.0, 0.0)),
        replace(SMALL, d=(0.0, 0.0, 0.05, -0.04, 0.0)),  # tangential alone
        replace(SMALL, d=(-0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), model="rational_polynomial"),
        # Another projection: a part of the image, magnified, and one that shows what is outside.
        replace(SMALL, p=(80.0, 0, 20.5, 3.0, 0, 85.0, 30.25, 0, 0, 0, 1, 0)),
        replace(SMALL, p=(35.0, 0, 33.0, 0, 0, 33.5, 23.0, 0, 0, 0, 1, 0)),
        replace(SMALL, binning=(1, 1), region=(0, 0, 48, 64), frame_id=""),
    )
    for lens in lenses:
        await judge(dut, source, lens)


@cocotb.test()
async def hands_on_images_of_a_lens_without_distortion(dut):
    await begin(dut)
    source = image(33, 9, "rgb8", gap=2)
    for lens in (replace(SMALL, d=()), replace(SMALL, d=(0.0,) * 5, model="unknown")):
        got = await rectified(dut, fields(source), lens_fields(lens), 0.2)
        assert got.image == with_pixels(source, source.pixels)
    await judge(dut, image(64, 48, "mono8"), SMALL)


@cocotb.test()
async def refuses_with_one_beat_and_goes_on(dut):
    await begin(dut)
    good = image(64, 48, "mono8")
    turned = (0.99, 0.1, 0.0, -0.1, 0.99, 0.0, 0.0, 0.0, 1.0)
    cases = (
        (replace(SMALL, k=(0.0,) * 9), UNCALIBRATED),
        (replace(SMALL, model="equidistant", d=SMALL.d[:4]), NO_MODEL),
        (replace(SMALL, d=SMALL.d[:3]), NO_MODEL),
        (replace(SMALL, d=(*SMALL.d, 0.1, 0.0, 0.0), model="rational_polynomial"), NO_MODEL),
        (replace(SMALL, r=turned), NO_MODEL),
        (replace(SMALL, r=tuple(-v for v in IDENTITY)), NO_MODEL),
        (replace(SMALL, binning=(2, 1)), NO_MODEL),
        (replace(SMALL, region=(1, 0, 48, 63)), NO_MODEL),
        (replace(SMALL, region=(0, 0, 24, 64)), NO_MODEL),
        (replace(SMALL, p=(53.0, 1.0, *SMALL.p[2:])), NO_MODEL),
        (replace(SMALL, width=65), OTHER_SIZE),
        (replace(SMALL, height=47), OTHER_SIZE),
        (replace(SMALL, d=(33.0, 0.0, 0.0, 0.0)), TOO_BENT),
        (replace(SMALL, p=(31.0, *SMALL.p[1:])), TOO_BENT),
    )
    for lens, problem in cases:
        got = await rectified(dut, fields(good), lens_fields(lens), 0.1)
        assert (got.problem, got.beats) == (problem, 1), lens
    await judge(dut, good, SMALL)
    dut.parameter_interpolation_i.value = 0
    got = await rectified(dut, fields(good), lens_fields(SMALL))
    assert got.problem == NO_INTERPOLATION


@cocotb.test()
async def gives_up_a_lens_that_bends_beyond_its_rows(dut):
    await begin(dut)
    # With 8 rows held, the smallest of the benches.
    if int(dut.LINES.value) > 8:
        return
    steep = replace(SMALL, d=(-0.9, 0.4, 0.0, 0.0))
    for lens in (steep, replace(SMALL, d=(2.0, 0.0, 0.0, 0.0))):
        got = await rectified(dut, fields(image(64, 48, "mono8")), lens_fields(lens))
        assert got.problem == TOO_BENT
    await judge(dut, image(64, 48, "mono8"), SMALL)


@cocotb.test()
async def answers_broken_messages_with_broken(dut):
    await begin(dut)
    good = image(64, 48, "mono8")
    beats, lens = fields(good), lens_fields(SMALL)
    for cut in (0, 8, 14, 40, len(beats) - 1):
        got = await rectified(dut, [*beats[:cut], BROKEN_BEAT], lens, 0.1)
        assert got.problem == BROKEN_BEAT.data, cut
    for cut in (0, 10, len(lens) - 1):
        refused = replace(BROKEN_BEAT, data=10)  # by the node in front
        got = await rectified(dut, beats, [*lens[:cut], refused], 0.1)
        assert (got.problem, got.beats) == (10, 1), cut
    await judge(dut, good, SMALL)


@cocotb.test()
async def forgets_at_reset(dut):
    await begin(dut)
    for cycles in (10, 60, 500, 2500):
        await reset_amid(dut, image(64, 48, "rgb8"), SMALL, cycles)
        await judge(dut, image(64, 48, "mono8", seed=cycles), SMALL)


@pytest.mark.parametrize(
    ("lines", "width", "pixels"), [(64, 1280, 1), (8, 64, 1), (8, 64, 2), (64, 1280, 4), (8, 64, 8)]
)
def test_image_rectify(lines, width, pixels):
    parameters = {"LINES": lines, "MAX_WIDTH": width, "PIXELS": pixels}
    image_bench.simulate_core("test_image_rectify", "rectify", parameters)
