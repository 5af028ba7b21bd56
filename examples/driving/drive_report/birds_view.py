# SPDX-License-Identifier: Apache-2.0
"""The ground from above, of a kept picture: beside it in the animation.

The formulas are those of nodes/driving/kernels/ground_view.hpp, with the nearest pixel: it is for
eyes, and no part of the graph.
"""

from __future__ import annotations

import math

import numpy as np
from sim.shape import CAMERA_AHEAD, CAMERA_FOV_DEG, CAMERA_HEIGHT, CAMERA_PITCH_DEG
from sim.weather import Picture

#: What is shown: ahead of the robot's centre, and to each side, in metres.
NEAR, FAR, HALF_WIDTH = 0.20, 0.80, 0.40
GAP = 4


def beside(picture: Picture) -> Picture:
    """Return a picture with its view from above to the right of it."""
    height = picture.shape[0]
    gap = np.full((height, GAP, 3), 255, np.uint8)
    return np.hstack([picture, gap, from_above(picture)])


def from_above(picture: Picture) -> Picture:
    """Return the ground, the far edge at the top; black where the picture does not show it."""
    height, width, _ = picture.shape
    columns = round(height * 2 * HALF_WIDTH / (FAR - NEAR))
    ahead = np.linspace(FAR, NEAR, height)[:, None] - CAMERA_AHEAD
    left = np.linspace(HALF_WIDTH, -HALF_WIDTH, columns)[None, :]
    focal = width / 2 / math.tan(math.radians(CAMERA_FOV_DEG) / 2)
    sin, cos = math.sin(math.radians(CAMERA_PITCH_DEG)), math.cos(math.radians(CAMERA_PITCH_DEG))
    depth = ahead * cos + CAMERA_HEIGHT * sin
    row = (height - 1) / 2 + focal * (CAMERA_HEIGHT * cos - ahead * sin) / depth
    column = (width - 1) / 2 - focal * left / depth
    rows = np.broadcast_to(np.rint(row).astype(int), column.shape)
    places = np.rint(column).astype(int)
    seen = (rows >= 0) & (rows < height) & (places >= 0) & (places < width)
    view = np.zeros((height, columns, 3), np.uint8)
    view[seen] = picture[rows[seen], places[seen]]
    return view
