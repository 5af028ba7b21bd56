# SPDX-License-Identifier: Apache-2.0
"""driving_polyfit: the points of kernels/lane_curve.hpp, of masks of any road and of none."""

from __future__ import annotations

import ctypes
import random
import struct
from dataclasses import dataclass, replace

import cocotb
import drive_bench
import image_bench
import numpy as np
import pytest
from drive_messages import Answer, ask, broken
from image_bench import Image, Pixels, doubles, fields, image
from stream import start

YELLOW, WHITE = 127, 255
MAX_WIDTH, RUNS = 256, 2048
NO_SIZE, NO_MASK, TOO_MANY_RUNS = 17, 34, 35


@dataclass(frozen=True)
class View:
    """The parameters of the node."""

    near_edge: float = 0.2
    far_edge: float = 0.8
    half_width: float = 0.5
    lane_width: float = 0.3
    stripe_width: float = 0.03
    points: int = 6


class _Picture(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("width", ctypes.c_int),
        ("height", ctypes.c_int),
        ("channels", ctypes.c_int),
    )


def expected(mask: Image, view: View) -> bytes:
    """x and y of each point, as float32."""
    pixels = np.ascontiguousarray(mask.pixels)
    picture = _Picture(pixels.ctypes.data, mask.width, mask.height, 1)
    lengths = doubles(
        [view.near_edge, view.far_edge, view.half_width, view.lane_width, view.stripe_width]
    )
    xy = (ctypes.c_float * 128)()
    library = image_bench.loaded(drive_bench.library())
    count = library.golden_polyfit(ctypes.byref(picture), lengths, view.points, xy)
    return bytes(xy)[: 8 * count]


def give_parameters(dut, view: View) -> None:
    for name in ("near_edge", "far_edge", "half_width", "lane_width", "stripe_width"):
        bits = struct.unpack("<Q", struct.pack("<d", getattr(view, name)))[0]
        getattr(dut, f"parameter_{name}_i").value = bits
    dut.parameter_points_i.value = view.points


def points_of(got: Answer) -> bytes:
    """As `expected`."""
    assert got.problem is None
    assert got.fields[2] == b"base_link"
    count = got.counts[3]
    assert got.length == 32 + 12 * count
    if count == 0:
        return b""
    assert got.fields[6] == bytes(4 * count)
    x, y = (np.frombuffer(got.fields[n], np.uint32) for n in (4, 5))
    return np.stack([x, y], 1).tobytes()


async def judge(dut, mask: Image, view: View, stall: float = 0.0) -> int:
    """Both agree; how many points there are."""
    got = await ask(dut, port_of(dut), fields(mask), stall, mask.width)
    assert points_of(got) == expected(mask, view), f"{mask.width}x{mask.height} {view}"
    assert got.stamp_ns == mask.stamp[0] * 10**9 + mask.stamp[1]
    return got.counts[3]


def port_of(_dut) -> str:
    return "s_axis"


def mask_of(pixels: Pixels) -> Image:
    height, width = pixels.shape
    return image_bench.with_pixels(image(width, height, "mono8"), pixels[:, :, None])


def stripes(width: int, height: int, dice: random.Random, of: str = "yw") -> Pixels:
    """Two stripes with a lane's distance, or one; bent, with gaps, and some paint beside them."""
    pixels = np.zeros((height, width), np.uint8)
    lane, broad = 0.3 * width, max(2.0, 0.03 * width)
    bend, slope, middle = dice.uniform(-0.4, 0.4) * width, dice.uniform(-0.5, 0.5), width / 2
    gap = dice.randint(0, height)
    for row in range(height):
        t = (row - height / 2) / height
        for colour, side in ((YELLOW, -1), (WHITE, 1)):
            if ("y" if colour == YELLOW else "w") not in of or (
                gap < row < gap + height // 6 and side < 0
            ):
                continue
            at = (
                middle
                + side * lane / 2
                + slope * t * width
                + bend * t * t
                + dice.uniform(-0.6, 0.6)
            )
            begin, end = int(at - broad / 2), int(at + broad / 2) + 1
            if begin >= 0 and end <= width:
                pixels[row, begin:end] = colour
    for _ in range(dice.randint(0, 12)):
        row, column = dice.randrange(height), dice.randrange(width)
        pixels[row : row + 3, column : column + dice.randint(1, 9)] = dice.choice(
            (YELLOW, WHITE, 60)
        )
    return pixels


async def begun(dut, view: View) -> None:
    give_parameters(dut, view)
    await start(dut)


@cocotb.test()
@cocotb.parametrize(stall=(0.0, 0.5))
async def follows_stripes(dut, stall):
    view = View()
    await begun(dut, view)
    dice = random.Random(5)
    seen = [await judge(dut, mask_of(stripes(100, 60, dice)), view, stall) for _ in range(6)]
    seen += [await judge(dut, mask_of(stripes(101, 45, dice, of)), view, stall) for of in "yw"]
    assert seen.count(view.points) > 5


@cocotb.test()
async def in_views_of_any_size(dut):
    dice = random.Random(8)
    for _ in range(8):
        view = View(
            near_edge=dice.uniform(0, 1), far_edge=dice.uniform(1.1, 3),
            half_width=dice.uniform(0.2, 2), lane_width=dice.uniform(0.05, 1.5),
            stripe_width=dice.uniform(0.005, 0.2), points=dice.choice((1, 2, 9, 64)),
        )  # fmt: skip
        await begun(dut, view)
        for _ in range(3):
            width, height = dice.randint(20, 250), dice.randint(2, 90)
            await judge(dut, mask_of(stripes(width, height, dice)), view)


@cocotb.test()
async def of_paint_that_is_no_lane(dut):
    view = View(stripe_width=0.05)
    await begun(dut, view)
    noise = np.random.default_rng(4)
    for size in ((40, 60), (33, 41), (1, 20), (2, 20), (60, 3)):
        for share in (0.0, 0.02, 0.3, 0.5):
            drawn = noise.random(size)
            pixels = np.where(drawn < share, YELLOW, np.where(drawn > 1 - share, WHITE, 0)).astype(
                np.uint8
            )
            wide = np.repeat(pixels, 4, axis=1)
            await judge(dut, mask_of(pixels), view)
            await judge(dut, mask_of(wide), view)
    await judge(dut, mask_of(np.full((30, 40), YELLOW, np.uint8)), view)


@cocotb.test()
async def refuses_and_goes_on(dut):
    view = View()
    await begun(dut, view)
    dice = random.Random(2)
    good = mask_of(stripes(100, 60, dice))
    lines = np.zeros((90, 200), np.uint8)
    lines[:, 4::8] = WHITE
    lines[:, 5::8] = WHITE
    refused = {
        NO_MASK: replace(good, encoding="8UC1"),
        NO_SIZE: image(MAX_WIDTH + 1, 4, "mono8"),
        TOO_MANY_RUNS: mask_of(lines),
    }
    await judge(dut, good, view)
    for reason, wrong in refused.items():
        got = await ask(dut, port_of(dut), fields(wrong), 0.1)
        assert got.problem == reason
        await judge(dut, good, view)
    beats = fields(good)
    for cut in sorted({min(n, len(beats) - 1) for n in (0, 5, 14, 40, 300, len(beats))}):
        got = await ask(dut, port_of(dut), [*beats[:cut], broken(10)], 0.1)
        assert got.problem == 10
        await judge(dut, good, view)


@cocotb.test()
async def forgets_at_reset(dut):
    view = View()
    await begun(dut, view)
    dice = random.Random(6)
    for cycles in (13, 400, 2500, 8000, 11000):
        await image_bench.interrupt(
            dut, {"s_axis": fields(mask_of(stripes(100, 60, dice)))}, cycles
        )
        await judge(dut, mask_of(stripes(80, 50, dice)), view)


@pytest.mark.parametrize("pixels", drive_bench.sweep([1], [8]))
def test_driving_polyfit(pixels):
    parameters = {"MAX_WIDTH": MAX_WIDTH, "RUNS": RUNS, "PIXELS": pixels}
    drive_bench.simulate_core("test_driving_polyfit", "polyfit", parameters)
