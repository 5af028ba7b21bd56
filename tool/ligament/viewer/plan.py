# SPDX-License-Identifier: Apache-2.0
"""Places seen from above: what messages of ROS 2's common types draw, by the frame they are in.

No transform between frames is looked up: what is in one frame is drawn together, and each frame
has its own picture.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

#: Points of a line or cloud that are kept; marks of a topic.
MOST_POINTS, MOST_MARKS = 2000, 200
#: Metres between two points of a path that is made of poses.
STEP_M = 0.02
_FLOATS = {7: "f4", 8: "f8"}
_ADD, _DELETE, _DELETE_ALL = 0, 2, 3
_LINES = {4: "line", 5: "pieces", 6: "points", 7: "points", 8: "points"}
Drawn = dict[str, Any]


def pose_of(pose: Any) -> tuple[float, float, float] | None:
    """Return x, y and the heading of a pose; None where it is no number."""
    q = pose.orientation
    yaw = math.atan2(2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z))
    place = (pose.position.x, pose.position.y, yaw)
    return place if all(map(math.isfinite, place)) else None


def moved(before: Drawn | None, pose: Any) -> Drawn | None:
    """Return what one more pose draws: the way so far, and the pose at its end."""
    place = pose_of(pose)
    if place is None:
        return before
    way = list(before["points"]) if before else []
    x, y = round(place[0], 3), round(place[1], 3)
    if not way or math.hypot(way[-1][0] - x, way[-1][1] - y) >= STEP_M:
        way.append((x, y))
    return {"kind": "way", "points": way[-MOST_POINTS:], "pose": place}


def line(places: Iterable[Any], closed: bool = False) -> Drawn:
    """Return a line through places, of many a part."""
    points = [(p.x, p.y) for p in places]
    if len(points) == 1:
        return {"kind": "points", "points": kept(points)}
    return {"kind": "line", "points": kept(points), "closed": closed}


def cloud(message: Any) -> Drawn | None:
    """Return the points of a cloud; None where its x and y cannot be read."""
    fields = {f.name: (f.offset, _FLOATS.get(f.datatype)) for f in message.fields}
    count, step = message.width * message.height, message.point_step
    (at_x, kind_x), (at_y, kind_y) = fields.get("x", (0, None)), fields.get("y", (0, None))
    if kind_x is None or kind_x != kind_y or message.is_bigendian:
        return None
    size = np.dtype(kind_x).itemsize
    if step < max(at_x, at_y) + size or count * step > len(message.data):
        return None
    rows = np.frombuffer(message.data, np.uint8, count * step).reshape(count, step)
    rows = rows[:: max(1, -(-count // MOST_POINTS))]
    x, y = (
        np.ascontiguousarray(rows[:, at : at + size]).view("<" + kind_x)[:, 0].astype(float)
        for at in (at_x, at_y)
    )
    return {"kind": "points", "points": kept(list(zip(x.tolist(), y.tolist(), strict=True)))}


def scan(message: Any) -> Drawn:
    """Return where the rays of a scan end."""
    ranges = np.asarray(message.ranges, float)
    angles = message.angle_min + message.angle_increment * np.arange(len(ranges))
    seen = np.isfinite(ranges) & (ranges >= message.range_min) & (ranges <= message.range_max)
    x, y = ranges * np.cos(angles), ranges * np.sin(angles)
    return {"kind": "points",
            "points": kept(list(zip(x[seen].tolist(), y[seen].tolist(), strict=True)))}  # fmt: skip


def grid(message: Any) -> Drawn | None:
    """Return where an occupancy grid lies; its cells are an image of their own."""
    info, origin = message.info, pose_of(message.info.origin)
    size = (info.width * info.resolution, info.height * info.resolution)
    if origin is None or not all(math.isfinite(s) and s > 0 for s in size):
        return None
    return {"kind": "grid", "origin": origin, "size": size, "points": []}


def marked(before: Drawn | None, markers: Sequence[Any]) -> Drawn:
    """Return the marks of a topic after some more markers."""
    marks = dict(before["marks"]) if before else {}
    for marker in markers:
        key = f"{marker.ns}/{marker.id}"
        if marker.action == _DELETE_ALL:
            marks.clear()
        elif marker.action == _DELETE:
            marks.pop(key, None)
        elif marker.action == _ADD and (drawn := _mark(marker)) is not None:
            marks[key] = drawn
            if len(marks) > MOST_MARKS:
                marks.pop(next(iter(marks)))
    return {"kind": "marks", "marks": marks, "points": []}


def _mark(marker: Any) -> Drawn | None:
    place = pose_of(marker.pose)
    width = marker.scale.x
    levels = [marker.color.r, marker.color.g, marker.color.b, marker.color.a]
    if place is None or not all(map(math.isfinite, [width, *levels])):
        return None
    red, green, blue = (round(255 * min(max(level, 0.0), 1.0)) for level in levels[:3])
    drawn = {"colour": f"#{red:02x}{green:02x}{blue:02x}", "width": width}
    if marker.type not in _LINES:
        return drawn | {"kind": "dot", "points": [place[:2]]}
    cos, sin = math.cos(place[2]), math.sin(place[2])
    points = [
        (place[0] + cos * p.x - sin * p.y, place[1] + sin * p.x + cos * p.y) for p in marker.points
    ]
    return drawn | {"kind": _LINES[marker.type], "points": kept(points)}


def kept(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return points that are numbers, to the millimetre, of many a part."""
    step = max(1, -(-len(points) // MOST_POINTS))
    return [
        (round(x, 3), round(y, 3))
        for x, y in points[::step]
        if math.isfinite(x) and math.isfinite(y)
    ]
