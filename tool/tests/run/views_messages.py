# SPDX-License-Identifier: Apache-2.0
"""Messages of many shapes, and how they differ from a view."""

from __future__ import annotations

from typing import Any

import numpy as np
from geometry_msgs.msg import Point32, PolygonStamped, Pose, PoseArray, PoseStamped
from nav_msgs.msg import Path
from sensor_msgs.msg import LaserScan, PointCloud2, PointField
from std_msgs.msg import Float64MultiArray, MultiArrayDimension

from ligament.views.copies import to_message
from ligament.views.records import Records


def filled() -> list[Any]:
    """Messages with arrays that are not of bytes, and with lists of messages."""
    cloud = PointCloud2(height=1, width=100, point_step=12, row_step=1200, is_dense=True)
    cloud.fields = [PointField(name=n, offset=4 * i, datatype=7, count=1)
                    for i, n in enumerate("xyz")]  # fmt: skip
    cloud.data = np.arange(300, dtype=np.float32).tobytes()
    matrix = Float64MultiArray(data=np.arange(12.0))
    matrix.layout.dim = [MultiArrayDimension(label="rows", size=3, stride=12)]
    path = Path(poses=[PoseStamped() for _ in range(5)])
    path.poses[3].pose.position.x = 0.5
    scan = LaserScan(ranges=np.arange(7, dtype=np.float32), angle_max=0.5)
    # Behind names of all lengths, so at all places.
    poses = [PoseArray(poses=[Pose() for _ in range(n)]) for n in range(4)]
    for number, message in enumerate(poses):
        message.header.frame_id = "n" * number
        for place, pose in enumerate(message.poses):
            pose.position.x, pose.orientation.z = float(place), 0.5
    polygon = PolygonStamped()
    polygon.header.frame_id = "odd"
    polygon.polygon.points = [Point32(x=float(n), z=0.5) for n in range(5)]
    return [cloud, matrix, path, scan, LaserScan(), *poses, polygon]


def as_arguments(message: Any) -> dict[str, Any]:
    """The fields of a message for `views.loan`."""
    return {name: getattr(message, name) for name in message.get_fields_and_field_types()}


def difference(message: Any, view: Any) -> str:
    """The first field that differs; empty: none does. Looks at all there is."""
    if (fault := _first_difference(message, view)) or to_message(view) == message:
        return fault
    return "copy"


def _first_difference(message: Any, view: Any) -> str:
    for name in message.get_fields_and_field_types():
        wanted, found = getattr(message, name), getattr(view, name)
        if fault := _difference(wanted, found):
            return f"{name}{fault}"
    return ""


def _difference(wanted: Any, found: Any) -> str:
    if hasattr(wanted, "SLOT_TYPES"):
        inner = _first_difference(wanted, found)
        return f".{inner}" if inner else ""
    if isinstance(found, np.ndarray):
        if found.dtype == np.uint8 and isinstance(wanted, list):
            wanted = np.frombuffer(b"".join(wanted), np.uint8)
        is_equal = np.array_equal(np.asarray(wanted, found.dtype), found)
        is_safe = found.dtype == np.bool_ or not found.flags.writeable
        return "" if is_equal and is_safe else f": {wanted} {found} {is_safe}"
    if isinstance(found, Records):
        positions = [e.to_message() for e in found]
        if positions != wanted or len(found.array()) != len(wanted):
            return f": {wanted}"
    if isinstance(found, (list, Records)):
        if len(wanted) != len(found):
            return f": {len(wanted)} {len(found)}"
        return next(filter(None, map(_difference, wanted, found)), "")
    return "" if wanted == found else f": {wanted!r} {found!r}"
