# SPDX-License-Identifier: Apache-2.0
"""driving_lane_planner: bit by bit kernels/stripes.hpp, then GroundView::warp_nearest."""

from __future__ import annotations

import os
from dataclasses import replace

import cocotb
import drive_bench
import image_bench
import lane_bench
import pytest
import view_bench
from cocotb.utils import get_sim_time
from drive_bench import grained, road
from image_bench import BROKEN_BEAT, Answer, Image, exchange, fields, image, with_pixels
from lane_bench import BLUE_FIRST, PERIOD_NS, RANGES, Range, painted
from view_bench import NO_VIEWS, VIEWS, View

NO_ENCODING, NO_SIZE, NO_COLOUR, NO_VIEW = 16, 17, 29, 30


async def begin(dut, view: View, colours: tuple[Range, Range] = RANGES[0]) -> None:
    lane_bench.request_colours(dut, *colours)
    await view_bench.begin(dut, view)


def expected(source: Image, view: View, colours: tuple[Range, Range] = RANGES[0]) -> Image:
    given = (*view.ground, lane_bench.ends_of(*colours), BLUE_FIRST[source.encoding])
    shape = (view.height, view.width, 1)
    pixels = drive_bench.golden("lane_planner", source.pixels, shape, *given)
    return with_pixels(replace(source, bigendian=0), pixels, "mono8")


async def judge(dut, source: Image, view: View, stall: float = 0.0) -> None:
    got = await exchange(dut, fields(source), stall)
    assert got.image == expected(source, view), f"{source.width}x{source.height} {view}"


@cocotb.test()
@cocotb.parametrize(number=tuple(range(len(VIEWS))))
async def gives_the_bytes_of_the_cpu(dut, number):
    view = VIEWS[number]
    await begin(dut, view)
    await judge(dut, painted(48, 36, "rgb8", number), view)
    await judge(dut, painted(48, 36, "bgr8", number), view, 0.3)
    await judge(dut, painted(61, 33, "8UC3", number), view)
    await judge(dut, painted(3, 2, "rgb8", number), view)


@cocotb.test()
@cocotb.parametrize(number=tuple(range(1, len(RANGES))))
async def takes_any_range_of_colours(dut, number):
    await begin(dut, VIEWS[0], RANGES[number])
    for source in (painted(60, 40, "rgb8", number), image(60, 40, "bgr8", number, gap=5)):
        got = await exchange(dut, fields(replace(source, frame_id="", bigendian=1)))
        want = expected(replace(source, frame_id=""), VIEWS[0], RANGES[number])
        assert got.image == want


@cocotb.test()
@cocotb.parametrize(stall=(0.0, 0.5))
async def shows_the_road(dut, stall):
    view = View(width=100, height=60)
    await begin(dut, view)
    for distance in (0.2, 2.5):
        scene = road(64, 48, "rgb8", distance)
        assert len(set(expected(scene, view).data)) == 3
        await judge(dut, scene, view, stall)
        await judge(dut, grained(scene, 5), view, stall)


async def image_of(port: image_bench.Port) -> Answer:
    return await image_bench.answer(port)


@cocotb.test()
@cocotb.parametrize(stall=(0.0, 0.2))
async def takes_frame_after_frame(dut, stall):
    view = View(width=72, height=44)
    await begin(dut, view)
    frames = [
        replace(painted(64, 48, "rgb8", k), frame_id="f" * (3 * k), stamp=(k, k)) for k in range(5)
    ]
    frames += [painted(50, 40, "bgr8", 3), frames[1]]
    got = await lane_bench.one_after_another(dut, [fields(f) for f in frames], stall, image_of)
    for number, (one, frame) in enumerate(zip(got, frames, strict=True)):
        assert one.image == expected(frame, view), number


@cocotb.test()
async def takes_as_many_pixels_per_cycle_as_it_is_built_for(dut):
    pixels = int(os.environ["PIXELS"])
    for view, size in (
        (View(width=160, height=60), (96, 72)),
        (View(width=64, height=40), (128, 40)),
    ):
        await begin(dut, view)
        beats = fields(painted(*size, "rgb8", 1))
        await lane_bench.one_after_another(dut, [beats], 0.0, image_of)  # makes the table
        before = get_sim_time("ns")
        await lane_bench.one_after_another(dut, [beats] * 6, 0.0, image_of)
        cycles = (get_sim_time("ns") - before) / PERIOD_NS
        pictures, views = size[0] * size[1] / pixels, view.width * view.height / pixels
        most = max(pictures, views)
        if pictures * pixels > int(dut.CLASSES.value):  # else a picture waits for the view before
            most = pictures + views
        # The first picture comes before its view; and about 30 beats of each message are no pixels.
        assert 6 * max(pictures, views) <= cycles <= 6 * (most + 40) + pictures + 200


@cocotb.test()
async def refuses_with_one_beat_and_goes_on(dut):
    view = VIEWS[0]
    await begin(dut, view)
    good = painted(48, 36, "rgb8", 1)
    cases = (
        (image(20, 10, "mono8"), NO_COLOUR),
        (image(20, 10, "rgba8"), NO_COLOUR),
        (replace(good, encoding="rgb16"), NO_ENCODING),
        (replace(good, height=0, data=b""), NO_SIZE),
    )
    for source, problem in cases:
        got = await exchange(dut, fields(source), 0.1)
        assert (got.problem, got.beats) == (problem, 1)
        await judge(dut, good, view)


@cocotb.test()
async def refuses_what_no_camera_sees(dut):
    for view in NO_VIEWS:
        await begin(dut, view)
        for _ in range(2):
            got = await exchange(dut, fields(image(20, 10, "rgb8")))
            assert got.problem == NO_VIEW, view


@cocotb.test()
async def answers_broken_messages_with_broken(dut):
    view = VIEWS[0]
    await begin(dut, view)
    good = painted(48, 36, "rgb8", 1)
    beats = fields(good)
    for cut in (0, 8, 14, 100, 200, 300, len(beats) - 1):
        got = await exchange(dut, [*beats[:cut], BROKEN_BEAT], 0.1)
        assert got.problem == BROKEN_BEAT.data, cut
        await judge(dut, good, view)


@cocotb.test()
async def answers_a_broken_one_between_others(dut):
    view = View(width=72, height=44)
    await begin(dut, view)
    good = painted(64, 48, "rgb8", 1)
    beats = fields(good)
    frames = [beats, [*beats[: len(beats) * 2 // 3], BROKEN_BEAT], beats, beats]
    got = await lane_bench.one_after_another(dut, frames, 0.0, image_of)
    assert [one.image == expected(good, view) for one in got] == [True, False, True, True]


@cocotb.test()
async def forgets_at_reset(dut):
    view = VIEWS[0]
    await begin(dut, view)
    for cycles in (10, 5000, 29000, 30500):
        await image_bench.interrupt(dut, {"s_axis": fields(painted(48, 36, "rgb8", 2))}, cycles)
        await judge(dut, painted(48, 36, "rgb8", 1), view)


@pytest.mark.parametrize(
    ("classes", "width", "pixels"),
    drive_bench.sweep(
        [(8192, 128, 4)],
        [(262144, 2048, 1), (512, 128, 2), (1024, 128, 8)],
        [(512, 128, 1)],
    ),
)
def test_driving_lane_planner(classes, width, pixels):
    parameters = {"CLASSES": classes, "MAX_WIDTH": width, "PIXELS": pixels}
    drive_bench.simulate_core("test_driving_lane_planner", "lane_planner", parameters)
