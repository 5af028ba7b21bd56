# SPDX-License-Identifier: Apache-2.0
"""driving_projection: bit by bit what GroundView::warp of kernels/ground_view.hpp makes."""

from __future__ import annotations

import ctypes
import os
import struct
from dataclasses import dataclass, replace

import cocotb
import drive_bench
import image_bench
import pytest
from cocotb.triggers import ClockCycles
from cocotb.utils import get_sim_time
from drive_bench import golden, grained, road
from image_bench import BROKEN_BEAT, Image, exchange, fields, image, with_pixels
from stream import start

NO_ENCODING, NO_SIZE, SHORT_ROWS, SHORT_DATA, NO_COLOUR, NO_VIEW = 16, 17, 18, 19, 29, 30
#: Of the clock that `start` gives.
PERIOD_NS = 10


@dataclass(frozen=True)
class View:
    """The node's parameters; the defaults are those of its manifest, but for a smaller view."""

    near_edge: float = 0.2
    far_edge: float = 0.8
    half_width: float = 0.5
    camera_height: float = 0.14
    camera_ahead: float = 0.05
    camera_pitch: float = 25.0
    camera_fov: float = 80.0
    width: int = 64
    height: int = 40


VIEWS = (
    View(),
    View(near_edge=0.1, far_edge=4.0, half_width=3.0, width=33, height=50),  # with black corners
    View(camera_pitch=-3.5, near_edge=0.3, far_edge=9.0, half_width=0.2, width=17, height=16),
    View(camera_pitch=88.0, camera_height=1.7, near_edge=0.0, width=40, height=31),
    View(camera_fov=31.5, camera_ahead=-0.31, near_edge=1.0, far_edge=1.5, width=16, height=23),
    View(camera_fov=169.0, half_width=40.0, far_edge=77.7, camera_height=3.0, width=29, height=19),
    View(camera_pitch=-44.0, near_edge=0.4, far_edge=0.5, width=20, height=16),  # sky: black
    View(half_width=0.02, near_edge=0.29, far_edge=0.31, width=31, height=18),  # enlarged
)


def request(dut, view: View) -> None:
    for name in ("near_edge", "far_edge", "half_width"):
        getattr(dut, f"parameter_{name}_i").value = bits(getattr(view, name))
    for name in ("height", "ahead", "pitch", "fov"):
        getattr(dut, f"parameter_camera_{name}_i").value = bits(getattr(view, f"camera_{name}"))
    dut.parameter_width_i.value = view.width
    dut.parameter_height_i.value = view.height


def bits(value: float) -> int:
    return int.from_bytes(struct.pack("<d", value), "little")


def expected(source: Image, view: View) -> Image:
    edges = (ctypes.c_double * 3)(view.near_edge, view.far_edge, view.half_width)
    mount = (view.camera_height, view.camera_ahead, view.camera_pitch, view.camera_fov)
    shape = (view.height, view.width, 3)
    pixels = golden("projection", source.pixels, shape, edges, (ctypes.c_double * 4)(*mount))
    return with_pixels(source, pixels)


async def begin(dut, view: View) -> None:
    """Parameters are constant from reset on."""
    request(dut, view)
    await start(dut)


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
    await begin(dut, View())
    for view in (
        View(near_edge=0.8, far_edge=0.8),
        View(near_edge=0.9, far_edge=0.8),
        View(near_edge=0.0, camera_ahead=1.0),
    ):
        dut.rst_i.value = 1
        request(dut, view)
        await ClockCycles(dut.clk_i, 4)
        dut.rst_i.value = 0
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
        assert got.image is None, f"cut {cut}"
        await judge(dut, good, view)


@cocotb.test()
async def forgets_at_reset(dut):
    view = View(width=32, height=20)
    await begin(dut, view)
    good = image(24, 18, "rgb8")
    for cycles in (12, 40, 500, 5000):
        await image_bench.interrupt(dut, {"s_axis": fields(good)}, cycles)
        await judge(dut, image(31, 12, "rgb8", seed=cycles), view)


@pytest.mark.parametrize("pixels", drive_bench.sweep([1, 4], [2, 8]))
def test_driving_projection(pixels):
    parameters = {"MAX_WIDTH": 128, "PIXELS": pixels}
    drive_bench.simulate_core("test_driving_projection", "projection", parameters)
