# SPDX-License-Identifier: Apache-2.0
"""Messages of many shapes, and how they differ from a view."""

from __future__ import annotations

from typing import Any

import numpy as np
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Path
from sensor_msgs.msg import LaserScan, PointCloud2, PointField
from std_msgs.msg import Float64MultiArray, MultiArrayDimension

from ligament.views.copies import to_message


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
    return [cloud, matrix, path, scan, LaserScan()]


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
    if isinstance(found, list):
        if len(wanted) != len(found):
            return f": {len(wanted)} {len(found)}"
        return next(filter(None, map(_difference, wanted, found)), "")
    return "" if wanted == found else f": {wanted!r} {found!r}"
