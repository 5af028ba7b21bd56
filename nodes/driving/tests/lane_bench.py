# SPDX-License-Identifier: Apache-2.0
"""What the benches of the cores that look for a lane share: colours, pictures, many frames."""

from __future__ import annotations

import ctypes
import random
import struct
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import cocotb
import drive_bench
import image_bench
import numpy as np
from cocotb.triggers import with_timeout
from image_bench import Beat, Image, Port

BLUE_FIRST = {"rgb8": 0, "bgr8": 1, "8UC3": 1}
#: Of the clock that `start` gives.
PERIOD_NS = 10
#: Yellow and white paint, ground, and what lies at the edges of the ranges.
PAINTS = ((210, 180, 30), (230, 230, 225), (70, 70, 75), (105, 105, 105), (0, 0, 0), (80, 60, 52))


@dataclass(frozen=True)
class Range:
    """Of a colour; the defaults are those of yellow."""

    hue_from: int = 35
    hue_to: int = 75
    saturation_from: int = 90
    saturation_to: int = 255
    value_from: int = 80

    @property
    def ends(self) -> tuple[int, ...]:
        """As drive_golden.cpp has them."""
        hues = (self.hue_from, self.hue_to)
        return (*hues, self.saturation_from, self.saturation_to, self.value_from)


YELLOW = Range()
WHITE = Range(0, 360, 0, 70, 105)
#: Ranges that pass through red, have one hue, everything, nothing.
RANGES = (
    (YELLOW, WHITE),
    (Range(330, 40, 0, 255, 0), Range(0, 0, 0, 10, 1)),
    (Range(0, 360, 0, 255, 0), Range(360, 359, 1, 255, 255)),
    (Range(180, 240, 60, 200, 30), Range(20, 20, 0, 255, 0)),
)


def request_colours(dut, yellow: Range, white: Range) -> None:
    """Set the parameters of both ranges."""
    for name, colour in (("yellow", yellow), ("white", white)):
        for end in ("hue_from", "hue_to", "saturation_from", "saturation_to", "value_from"):
            getattr(dut, f"parameter_{name}_{end}_i").value = getattr(colour, end)


def ends_of(yellow: Range, white: Range) -> ctypes.Array[ctypes.c_int]:
    """Both as an argument of drive_golden.cpp."""
    return (ctypes.c_int * 10)(*yellow.ends, *white.ends)


def bits(value: float) -> int:
    """A double, as a register has it."""
    return int.from_bytes(struct.pack("<d", value), "little")


def painted(width: int, height: int, encoding: str, seed: int) -> Image:
    """Runs of paint, of all lengths; below a row often lies almost the same."""
    dice = random.Random(seed)
    rows: list[list[tuple[int, int, int]]] = []
    while len(rows) < height:
        if rows and dice.random() < 0.7:
            moved = dice.choice((-1, 0, 1))
            rows.append([rows[-1][min(max(i + moved, 0), width - 1)] for i in range(width)])
            continue
        row: list[tuple[int, int, int]] = []
        while len(row) < width:
            row += [dice.choice(PAINTS)] * dice.choice((1, 2, 3, 5, 8, 13, 20))
        rows.append(row[:width])
    return as_image(np.array(rows, np.uint8), encoding)


def as_image(pixels: image_bench.Pixels, encoding: str) -> Image:
    """An image of pixels in rgb."""
    height, width, _ = pixels.shape
    if BLUE_FIRST[encoding]:
        pixels = pixels[:, :, ::-1]
    return image_bench.with_pixels(image_bench.image(width, height, encoding), pixels)


def ground(
    width: int, height: int, encoding: str, distance: float, aside: Sequence[float], stripes: int
) -> Image:
    """The road from above; `aside`: how far the robot is off the lane's middle, and turned."""
    nothing = np.zeros((1, 1, 3), np.uint8)
    where = (ctypes.c_double(v) for v in (distance, *aside))
    pixels = drive_bench.golden("road_above", nothing, (height, width, 3), *where, stripes)
    return as_image(pixels, encoding)


async def one_after_another(
    dut,
    frames: Sequence[Sequence[Beat]],
    stall: float,
    receive: Callable[[Port], Awaitable[object]],
) -> list[object]:
    """Send all frames without a pause but for stalls, and take as many answers."""
    tx, rx = Port(dut, "s_axis", stall, 1), Port(dut, "m_axis", stall, 2)
    dut.s_axis.header.value = image_bench.HEADER_REST | 999

    async def send() -> None:
        for frame in frames:
            await tx.send(frame)

    sending = cocotb.start_soon(send())
    got = [await with_timeout(receive(rx), 50, "ms") for _ in frames]
    await with_timeout(sending, 50, "ms")
    return got
