# SPDX-License-Identifier: Apache-2.0
"""driving_projection: bit by bit what GroundView::warp of kernels/ground_view.hpp makes."""

from __future__ import annotations

import os
from dataclasses import replace

import cocotb
import drive_bench
import image_bench
import pytest
from cocotb.utils import get_sim_time
from drive_bench import golden, grained, road
from image_bench import BROKEN_BEAT, Image, exchange, fields, image, with_pixels
from lane_bench import PERIOD_NS
from view_bench import NO_VIEWS, VIEWS, View, begin

NO_ENCODING, NO_SIZE, SHORT_ROWS, SHORT_DATA, NO_COLOUR, NO_VIEW = 16, 17, 18, 19, 29, 30


def expected(source: Image, view: View) -> Image:
    shape = (view.height, view.width, 3)
    return with_pixels(source, golden("projection", source.pixels, shape, *view.ground))


async def judge(dut, source: Image, view: View, stall: float = 0.0) -> None:
    got = await exchange(dut, fields(source), stall)
    assert got.image == expected(source, view), f"{source.width}x{source.height} {view}"


@cocotb.test()
@cocotb.parametrize(number=tuple(range(len(VIEWS))))
async def gives_the_bytes_of_the_kernel(dut, number):
    view = VIEWS[number]
    await begin(dut, view)
    await judge(dut, image(48, 36, "rgb8", seed=number), view)
    await judge(dut, image(48, 36, "bgr8", seed=number, gap=4), view, 0.3)
    await judge(dut, image(61, 33, "8UC3", seed=number), view)


@cocotb.test()
@cocotb.parametrize(stall=(0.0, 0.5))
async def shows_the_road(dut, stall):
    view = View(width=100, height=60)
    await begin(dut, view)
    for distance in (0.2, 2.5):
        scene = road(64, 48, "rgb8", distance)
        await judge(dut, scene, view, stall)
        await judge(dut, grained(scene, 5), view, stall)


@cocotb.test()
async def takes_as_many_pixels_per_cycle_as_it_is_built_for(dut):
    view = View(width=160, height=60)
    await begin(dut, view)
    pixels = int(os.environ["PIXELS"])
    source = image(96, 72, "rgb8")
    await exchange(dut, fields(source))  # makes the table
    before = get_sim_time("ns")
    await exchange(dut, fields(source))
    cycles = (get_sim_time("ns") - before) / PERIOD_NS
    # Of the picture at most the rows above and below the view come alone.
    assert 160 * 60 / pixels <= cycles <= (160 * 60 + 96 * 72 * 0.6) / pixels + 120


@cocotb.test()
async def refuses_with_one_beat_and_goes_on(dut):
    view = View()
    await begin(dut, view)
    good = image(24, 18, "rgb8")
    refused = {
        NO_ENCODING: replace(good, encoding="mono16"),
        NO_SIZE: replace(good, width=2**20),
        SHORT_ROWS: replace(good, step=71),
        SHORT_DATA: replace(good, data=good.data[:-1]),
        NO_COLOUR: image(24, 18, "rgba8"),
    }
    for reason, wrong in refused.items():
        got = await exchange(dut, fields(wrong), 0.2)
        assert (got.image, got.problem, got.beats) == (None, reason, 1)
        await judge(dut, good, view)
    got = await exchange(dut, fields(image(24, 18, "mono8")))
    assert (got.problem, got.beats) == (NO_COLOUR, 1)


@cocotb.test()
async def refuses_views_that_cannot_be(dut):
    for view in NO_VIEWS:
        await begin(dut, view)
        for _ in range(2):
            got = await exchange(dut, fields(image(24, 18, "rgb8")))
            assert (got.problem, got.beats) == (NO_VIEW, 1), view


@cocotb.test()
async def answers_broken_messages_with_broken(dut):
    view = View(width=32, height=20)
    await begin(dut, view)
    good = image(24, 18, "rgb8")
    beats = fields(good)
    for cut in sorted({0, 5, 14, 15, 30, len(beats) // 2, len(beats) - 1}):
        got = await exchange(dut, [*beats[:cut], BROKEN_BEAT], 0.2)
        assert got.problem == BROKEN_BEAT.data, f"cut {cut}"
        await judge(dut, good, view)


@cocotb.test()
async def forgets_at_reset(dut):
    view = View(width=32, height=20)
    await begin(dut, view)
    good = image(24, 18, "rgb8")
    for cycles in (12, 40, 500, 5000):
        await image_bench.interrupt(dut, {"s_axis": fields(good)}, cycles)
        await judge(dut, image(31, 12, "rgb8", seed=cycles), view)


@pytest.mark.parametrize("pixels", drive_bench.sweep([1], [2, 8], [4]))
def test_driving_projection(pixels):
    parameters = {"MAX_WIDTH": 128, "PIXELS": pixels}
    drive_bench.simulate_core("test_driving_projection", "projection", parameters)
