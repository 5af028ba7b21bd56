# SPDX-License-Identifier: Apache-2.0
"""The lane's centre line: a closed row of straight lines and arcs, and where a point lies on it.

Lengths are metres, angles radians. The drive goes round with the yellow stripe on its left.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

#: Between the centres of the two stripes, and how wide a stripe is (TurtleBot3 AutoRace's track).
LANE_WIDTH = 0.30
STRIPE_WIDTH = 0.03
#: Corners of the track with the radius that each is rounded with: x, y, radius. The one in the
#: middle of the upper side is the curve to the right.
CORNERS = (
    (0.0, 0.0, 0.45),
    (2.4, 0.0, 0.45),
    (2.4, 1.7, 0.45),
    (1.7, 1.7, 0.45),
    (1.2, 0.95, 0.40),
    (0.7, 1.7, 0.45),
    (0.0, 1.7, 0.45),
)
#: Where the drive begins, of the first straight line, which leads to the traffic light.
START_X = 0.55


@dataclass(frozen=True)
class Pose:
    """A place and a direction on the ground."""

    x: float
    y: float
    yaw: float


@dataclass(frozen=True)
class Place:
    """A point as the lane sees it: how far along, and how far left of the centre line."""

    along: float
    lateral: float


@dataclass(frozen=True)
class Piece:
    """A straight line (curvature 0) or an arc (positive: a curve to the left)."""

    x: float
    y: float
    yaw: float
    curvature: float
    length: float

    def at(self, along: float) -> Pose:
        """Return the pose on the centre line."""
        if self.curvature == 0.0:
            return Pose(
                self.x + along * math.cos(self.yaw), self.y + along * math.sin(self.yaw), self.yaw
            )
        yaw = self.yaw + along * self.curvature
        radius = 1.0 / self.curvature
        return Pose(
            self.x + radius * (math.sin(yaw) - math.sin(self.yaw)),
            self.y - radius * (math.cos(yaw) - math.cos(self.yaw)),
            yaw,
        )

    def locate(self, x: Array, y: Array) -> tuple[Array, Array, Array]:
        """Return of points: how far along this piece, how far left of it, the squared distance."""
        if self.curvature == 0.0:
            cos, sin = math.cos(self.yaw), math.sin(self.yaw)
            raw = (x - self.x) * cos + (y - self.y) * sin
            left = (y - self.y) * cos - (x - self.x) * sin
        else:
            radius = 1.0 / self.curvature
            dx = x - (self.x - radius * math.sin(self.yaw))
            dy = y - (self.y + radius * math.cos(self.yaw))
            # The angle from the arc's middle: the jump from -pi to pi is then opposite to the arc.
            middle = (
                self.yaw + self.curvature * self.length / 2 - math.copysign(math.pi / 2, radius)
            )
            angle = np.arctan2(dy, dx) - middle
            angle = (angle + math.pi) % (2 * math.pi) - math.pi
            raw = self.length / 2 + angle * radius
            left = math.copysign(1.0, radius) * (abs(radius) - np.hypot(dx, dy))
        along = np.clip(raw, 0.0, self.length)
        return along, left, left**2 + (raw - along) ** 2


class Track:
    """A closed centre line. `along` counts from where the drive begins."""

    def __init__(self, corners: Sequence[tuple[float, float, float]] = CORNERS) -> None:
        self.pieces = _rounded(corners)
        self._ends = np.cumsum([piece.length for piece in self.pieces])
        self.length = float(self._ends[-1])
        self._offset = 0.0
        self._offset = self.locate(START_X, 0.0).along

    def at(self, along: float, lateral: float = 0.0) -> Pose:
        """Return the pose of the centre line, or beside it."""
        along = (along + self._offset) % self.length
        index = min(int(np.searchsorted(self._ends, along, side="right")), len(self.pieces) - 1)
        piece = self.pieces[index]
        pose = piece.at(along - (float(self._ends[index]) - piece.length))
        return Pose(
            pose.x - lateral * math.sin(pose.yaw), pose.y + lateral * math.cos(pose.yaw), pose.yaw
        )

    def locate(self, x: float, y: float) -> Place:
        """Return where a point lies."""
        along, lateral = self.locate_all(np.array([x]), np.array([y]))
        return Place(float(along[0]), float(lateral[0]))

    def locate_all(self, x: Array, y: Array) -> tuple[Array, Array]:
        """Return of each point: how far along, and how far left of the nearest piece."""
        nearest = np.full(x.shape, np.inf)
        along, lateral = np.zeros(x.shape), np.full(x.shape, np.inf)
        for end, piece in zip(self._ends, self.pieces, strict=True):
            own_along, own_left, squared = piece.locate(x, y)
            near = squared < nearest
            nearest = np.where(near, squared, nearest)
            along = np.where(near, own_along + (end - piece.length), along)
            lateral = np.where(near, own_left, lateral)
        return (along - self._offset) % self.length, lateral

    def outline(self, step: float = 0.02, lateral: float = 0.0) -> list[tuple[float, float]]:
        """Return points along the line, to draw it."""
        count = math.ceil(self.length / step)
        poses = (self.at(self.length * i / count, lateral) for i in range(count))
        return [(pose.x, pose.y) for pose in poses]


def _rounded(corners: Sequence[tuple[float, float, float]]) -> list[Piece]:
    """Return lines and arcs along a closed polygon whose corners are rounded."""
    count = len(corners)
    yaws, lengths = [], []
    for i, (x, y, _) in enumerate(corners):
        to_x, to_y, _ = corners[(i + 1) % count]
        yaws.append(math.atan2(to_y - y, to_x - x))
        lengths.append(math.hypot(to_x - x, to_y - y))
    turns = [(yaws[i] - yaws[i - 1] + math.pi) % (2 * math.pi) - math.pi for i in range(count)]
    cuts = [abs(math.tan(turn / 2)) * corners[i][2] for i, turn in enumerate(turns)]
    pieces = []
    for i, (x, y, _) in enumerate(corners):
        after = (i + 1) % count
        length = lengths[i] - cuts[i] - cuts[after]
        if length < 0:
            raise ValueError(f"the corners {i} and {after} are too near for their radii")
        cos, sin = math.cos(yaws[i]), math.sin(yaws[i])
        pieces.append(Piece(x + cuts[i] * cos, y + cuts[i] * sin, yaws[i], 0.0, length))
        end, radius = pieces[-1].at(length), corners[after][2]
        curvature = math.copysign(1.0 / radius, turns[after])
        pieces.append(Piece(end.x, end.y, end.yaw, curvature, abs(turns[after]) * radius))
    return pieces
