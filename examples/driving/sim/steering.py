# SPDX-License-Identifier: Apache-2.0
"""The simplest driver: finds the stripes in one row of pixels, and a red lamp in the upper part.

It is here to try the simulator without a graph, and shows what the graphs have to do better.
"""

from __future__ import annotations

import math

import numpy as np

from sim.shape import CAMERA_AHEAD, CAMERA_HEIGHT, CAMERA_PITCH_DEG, Look, focal_length
from sim.track import LANE_WIDTH
from sim.weather import Picture

#: Ground distance of the row, ahead of the camera.
AHEAD = 0.17
SPEED = 0.2
#: Pixels of a lit lamp, in a picture of 640 x 480, from which it counts.
LAMP_PIXELS = 40


class Steering:
    """From pictures to commands."""

    def __init__(self, width: int, height: int) -> None:
        self._focal = focal_length(Look(width=width, height=height))
        pitch = math.radians(CAMERA_PITCH_DEG)
        down = math.atan2(CAMERA_HEIGHT, AHEAD) - pitch
        self._row = min(height - 1, round(height / 2 + self._focal * math.tan(down)))
        self._depth = AHEAD * math.cos(pitch) + CAMERA_HEIGHT * math.sin(pitch)
        self._middle = width / 2
        self._lamp = LAMP_PIXELS * width * height / (640 * 480)
        self.turn = 0.0

    def __call__(self, picture: Picture) -> tuple[float, float]:
        """Return the speed and the turn for what is seen."""
        row = picture[self._row].astype(int)
        red, blue = row[:, 0], row[:, 2]
        yellow = (red > 110) & (red - blue > 60)
        white = (blue > 130) & (red > 130)
        sides = []
        if yellow.any():
            sides.append(self._lateral(yellow, last=True) - LANE_WIDTH / 2)
        if white.any():
            sides.append(self._lateral(white, last=False) + LANE_WIDTH / 2)
        ahead = AHEAD + CAMERA_AHEAD
        if sides:
            lateral = sum(sides) / len(sides)
            self.turn = SPEED * 2 * lateral / (ahead**2 + lateral**2)
        return (0.0, 0.0) if self.sees_red(picture) else (SPEED, self.turn)

    def _lateral(self, mask: np.ndarray, last: bool) -> float:
        """Return how far left the stripe's middle is: of the run of pixels next to the middle."""
        columns = np.nonzero(mask)[0]
        runs = np.split(columns, np.nonzero(np.diff(columns) > 3)[0] + 1)
        run = runs[-1] if last else runs[0]
        return float(-(run.mean() + 0.5 - self._middle) * self._depth / self._focal)

    def sees_red(self, picture: Picture) -> bool:
        """Return whether a red lamp is lit."""
        part = picture[: picture.shape[0] // 4].astype(int)
        lit = (part[..., 0] > 170) & (part[..., 1] < 90) & (part[..., 2] < 90)
        return int(lit.sum()) >= self._lamp
