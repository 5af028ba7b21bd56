# SPDX-License-Identifier: Apache-2.0
"""What a SLAM tells of the drive: taken from its topics, and written into the log beside the truth.

Lines of the log, in the order in which they come; `t` is the simulated time of the picture:
`estimate` (x, y, yaw: a pose in the map's frame), `map` (keyframes, points, loops_closed, matched),
and at the end one `map_end` with the last map from above (points, keyframes, in its own frame).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Path
from rclpy.node import Node
from sensor_msgs.msg import PointCloud2

from sim.drive import FIRST_S

#: Points of the map that are kept: a page stays small.
MOST_POINTS = 3000
COUNTS = ("keyframes", "points", "loops_closed", "matched")


class Estimates:
    """Subscriptions of one node; `write` puts a line into the log."""

    def __init__(self, node: Node, write: Callable[..., None]) -> None:
        self._write = write
        self._cloud: Any = None
        self._path: Any = None
        self.stamp_ns = -1
        """Of the newest pose."""
        self._all = [
            node.create_subscription(PoseStamped, "/slam/pose", self._pose, 10),
            node.create_subscription(DiagnosticArray, "/slam/status", self._status, 10),
            node.create_subscription(PointCloud2, "/slam/points", self._points, 1),
            node.create_subscription(Path, "/slam/keyframes", self._keyframes, 1),
        ]

    def _pose(self, message: Any) -> None:
        self.stamp_ns = max(self.stamp_ns, nanoseconds(message.header.stamp))
        place, turn = message.pose.position, message.pose.orientation
        yaw = 2 * math.atan2(turn.z, turn.w)
        if math.isfinite(place.x + place.y + yaw):
            self._write("estimate", t=time_of(message), x=place.x, y=place.y, yaw=yaw)

    def _status(self, message: Any) -> None:
        for status in message.status:
            told = {pair.key: pair.value for pair in status.values}
            counts = {name: int(told[name]) for name in COUNTS if told.get(name, "").isdecimal()}
            if counts:
                self._write("map", t=time_of(message), **counts)

    def _points(self, message: Any) -> None:
        self._cloud = message

    def _keyframes(self, message: Any) -> None:
        self._path = message

    def close(self) -> None:
        """Write the last map."""
        if self._cloud is None and self._path is None:
            return
        poses = self._path.poses if self._path is not None else []
        keyframes = [(pose.pose.position.x, pose.pose.position.y) for pose in poses]
        points = points_of(self._cloud) if self._cloud is not None else []
        self._write("map_end", points=finite(points), keyframes=finite(keyframes))


def nanoseconds(stamp: Any) -> int:
    """Return a stamp as one number."""
    return int(stamp.sec * 1_000_000_000 + stamp.nanosec)


def time_of(message: Any) -> float:
    """Return the simulated time since the first frame."""
    return (nanoseconds(message.header.stamp) - FIRST_S * 1_000_000_000) / 1e9


def points_of(cloud: Any) -> list[tuple[float, float]]:
    """Return x and y of a cloud's points, of many a part; none where x and y are no float32."""
    at = {field.name: field.offset for field in cloud.fields if field.datatype == 7}
    step, count = cloud.point_step, cloud.width * cloud.height
    if not {"x", "y"} <= at.keys() or step < max(at["x"], at["y"]) + 4:
        return []
    if count * step > len(cloud.data):
        return []
    rows = np.frombuffer(cloud.data, np.uint8, count * step).reshape(count, step)
    rows = rows[:: -(-count // MOST_POINTS) or 1]
    x, y = (
        np.ascontiguousarray(rows[:, at[name] : at[name] + 4]).view(np.float32)[:, 0]
        for name in ("x", "y")
    )
    return list(zip(x.tolist(), y.tolist(), strict=True))


def finite(points: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the places that are numbers, to the millimetre."""
    return [(round(x, 3), round(y, 3)) for x, y in points if math.isfinite(x + y)]
