# SPDX-License-Identifier: Apache-2.0
"""What is painted: the ground with the lane, walls of buildings; and PNG files without a library.

Pictures are arrays of height, width, 3, of red, green and blue.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.track import LANE_WIDTH, STRIPE_WIDTH, Track

Picture = NDArray[np.uint8]

GROUND = (62, 62, 66)
YELLOW = (228, 186, 36)
WHITE = (236, 236, 236)
#: Metres of ground around the track's outermost points.
MARGIN = 0.6
#: How large a spot of worn paint is.
SPOT = 0.02


@dataclass(frozen=True)
class Wear:
    """What is wrong with the markings and the light on the ground."""

    worn: float = 0.0
    """The part of the markings that is gone, 0 to 1."""
    shadows: float = 0.0
    """How much light shadows take away, 0 to 1."""
    missing: tuple[float, float] = (0.0, 0.0)
    """Along the lane, from and to: one stripe is not there."""
    missing_side: str = "left"


@dataclass(frozen=True)
class Area:
    """The rectangle of ground that is there."""

    left: float
    bottom: float
    width: float
    height: float

    @classmethod
    def of(cls, track: Track) -> Area:
        """Return it, with a margin around the track."""
        points = np.array(track.outline())
        low, high = points.min(axis=0) - MARGIN, points.max(axis=0) + MARGIN
        return cls(*(float(v) for v in low), *(float(v) for v in high - low))


def texel_for(columns: int) -> float:
    """Return the metres of a texel of the ground: what pictures of so many columns can show."""
    return min(1.024 / columns, 0.004)


def ground(track: Track, wear: Wear, seed: int, texel: float) -> Picture:
    """Return the ground as seen from above, its top row at the greatest y."""
    area, rng = Area.of(track), np.random.default_rng(seed)
    columns, rows = round(area.width / texel), round(area.height / texel)
    x = area.left + (np.arange(columns) + 0.5) * texel
    y = area.bottom + (np.arange(rows)[::-1] + 0.5) * texel
    grain = rng.normal(0.0, 5.0, (rows, columns)).astype(np.float32)
    picture = np.array(GROUND, np.float32) + grain[..., None]
    worn = _worn(rng, (rows, columns), wear.worn, texel)
    for left, picked in _bands(track, x, y, texel):
        along, lateral = left
        for side, colour in ((1.0, YELLOW), (-1.0, WHITE)):
            paint = _paint(lateral - side * LANE_WIDTH / 2, texel) * worn[picked]
            if wear.missing_side == ("left" if side > 0 else "right"):
                first, last = wear.missing
                paint = np.where((along >= first) & (along < last), 0.0, paint)
            part = picture[picked]
            picture[picked] = part + paint[:, None] * (np.array(colour, np.float32) - part)
    if wear.shadows > 0:
        picture *= 1.0 - wear.shadows * _shadows(rng, x, y)[..., None]
    return np.clip(picture, 0, 255).astype(np.uint8)


def _bands(track: Track, x, y, texel):  # type: ignore[no-untyped-def]
    """Yield what is near stripes, by bands of rows: (along, lateral), and the pixels' indices."""
    coarse = 8
    reach = LANE_WIDTH / 2 + STRIPE_WIDTH + coarse * texel * 1.5
    for first in range(0, len(y), 256):
        rows = y[first : first + 256]
        grid_x, grid_y = np.meshgrid(x[coarse // 2 :: coarse], rows[coarse // 2 :: coarse])
        _, far = track.locate_all(grid_x, grid_y)
        near = np.abs(far) < reach
        near = near.repeat(coarse, axis=0).repeat(coarse, axis=1)
        mask = np.zeros((len(rows), len(x)), bool)
        height, width = min(mask.shape[0], near.shape[0]), min(mask.shape[1], near.shape[1])
        mask[:height, :width] = near[:height, :width]
        row, column = np.nonzero(mask)
        yield track.locate_all(x[column], rows[row]), (row + first, column)


def _paint(offset, texel):  # type: ignore[no-untyped-def]
    """Return how much of each pixel a stripe covers."""
    return np.clip(0.5 + (STRIPE_WIDTH / 2 - np.abs(offset)) / texel, 0.0, 1.0)


def _worn(rng: np.random.Generator, shape: tuple[int, int], part: float, texel: float):  # type: ignore[no-untyped-def]
    """Return what is left of paint: spots of some centimetres are gone."""
    if part <= 0:
        return np.ones(shape, np.float32)
    spot = round(SPOT / texel)
    coarse = rng.random((shape[0] // spot + 2, shape[1] // spot + 2))
    fine = coarse.repeat(spot, axis=0).repeat(spot, axis=1)[: shape[0], : shape[1]]
    mixed = 0.7 * fine + 0.3 * rng.random(shape)
    return np.where(mixed < np.quantile(mixed, min(part, 1.0)), 0.12, 1.0).astype(np.float32)


def _shadows(rng: np.random.Generator, x, y):  # type: ignore[no-untyped-def]
    """Return 0 in the light to 1 in the shadow: some bands across the ground, with soft borders."""
    dark = np.zeros((len(y), len(x)), np.float32)
    for _ in range(6):
        angle = rng.uniform(0, np.pi)
        middle_x, middle_y = rng.uniform(x[0], x[-1]), rng.uniform(y[-1], y[0])
        across = (x[None, :] - middle_x) * np.sin(angle) - (y[:, None] - middle_y) * np.cos(angle)
        half = rng.uniform(0.05, 0.2)
        dark = np.maximum(dark, np.clip((half - np.abs(across)) / 0.02, 0.0, 1.0))
    return dark


def wall(rng: np.random.Generator, size: int = 256) -> Picture:
    """Return a building's wall: bricks, windows of many greys and blues, stains.

    Nothing has the colours of lamps and stripes: a detector that goes by colour alone is enough.
    """
    base = rng.uniform(90, 190) * np.array([1.0, rng.uniform(0.86, 0.95), rng.uniform(0.74, 0.9)])
    picture = np.ones((size, size, 3)) * base
    rows, columns = np.mgrid[:size, :size]
    joints = (rows % 16 == 0) | ((columns + 12 * (rows // 16 % 2)) % 24 == 0)
    picture[joints] *= 0.75
    for top in range(24, size - 40, 72):
        for left in range(20, size - 36, 64):
            blue = rng.uniform(1.0, 1.6)
            pane = rng.uniform(15, 150) * np.array([1.0, 1.0 + (blue - 1) / 3, blue])
            picture[top : top + 40, left : left + 32] = pane
            picture[top + 18 : top + 21, left : left + 32] = 190
            picture[top : top + 40, left + 15 : left + 18] = 190
    picture += rng.normal(0, 22, (size // 8, size // 8, 1)).repeat(8, axis=0).repeat(8, axis=1)
    return np.clip(picture, 0, 255).astype(np.uint8)


def png(picture: Picture, level: int = 6) -> bytes:
    """Return a PNG file."""
    return png_animation([picture], 1, level)


def png_animation(pictures: Sequence[Picture], per_second: int, level: int = 6) -> bytes:
    """Return an animated PNG, which every browser plays; one picture alone is an ordinary PNG."""
    height, width, _ = pictures[0].shape
    chunks = [_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))]
    number = 0
    if len(pictures) > 1:
        chunks.append(_chunk(b"acTL", struct.pack(">II", len(pictures), 0)))
    for index, picture in enumerate(pictures):
        data = zlib.compress(_rows(picture), level)
        if len(pictures) > 1:
            place = struct.pack(">IIIIIHHBB", number, width, height, 0, 0, 1, per_second, 0, 0)
            chunks.append(_chunk(b"fcTL", place))
            number += 1
        if index == 0:
            chunks.append(_chunk(b"IDAT", data))
        else:
            chunks.append(_chunk(b"fdAT", struct.pack(">I", number) + data))
            number += 1
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks) + _chunk(b"IEND", b"")


def _rows(picture: Picture) -> bytes:
    """Return the bytes of a PNG's rows: each is the difference to the one above (filter 2)."""
    height, width, channels = picture.shape
    flat = picture.reshape(height, width * channels)
    above = np.vstack([np.zeros((1, width * channels), np.uint8), flat[:-1]])
    return np.hstack([np.full((height, 1), 2, np.uint8), flat - above]).tobytes()


def _chunk(name: bytes, data: bytes) -> bytes:
    body = name + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))
