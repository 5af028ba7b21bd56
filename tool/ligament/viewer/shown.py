# SPDX-License-Identifier: Apache-2.0
"""What of a message is shown, by its type: the one place to add a type to the viewer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ligament.viewer import plan
from ligament.viewer.pictures import File, file_of_compressed, file_of_grid, file_of_image

Draw = Callable[[plan.Drawn | None, Any], plan.Drawn | None]
Values = Callable[[Any], list[float]]


@dataclass(frozen=True)
class Shown:
    """How a type is shown: as a file, in a plan, as values over time; or as several of them."""

    file: Callable[[Any], File | None] | None = None
    draw: Draw | None = None
    values: Values | None = None
    names: tuple[str, ...] = ()
    #: A line for people, of messages that are about something else.
    text: Callable[[Any], str] | None = None


def _twist(message: Any) -> list[float]:
    return [message.linear.x, message.angular.z]


def _value(message: Any) -> list[float]:
    return [float(message.data)]


def _diagnostics(message: Any) -> str:
    parts = []
    for status in message.status[:8]:
        pairs = ", ".join(f"{pair.key} {pair.value}" for pair in status.values[:12])
        parts.append(f"{status.name}: {status.message}{f' ({pairs})' if pairs else ''}")
    return "; ".join(parts)


_TWIST = ("speed (m/s)", "turn (rad/s)")
_NUMBERS = ("Bool", "Byte", "Float32", "Float64", "Int8", "Int16", "Int32", "Int64",
            "UInt8", "UInt16", "UInt32", "UInt64")  # fmt: skip

#: By type of message.
SHOWN: dict[str, Shown] = {
    "sensor_msgs/msg/Image": Shown(file=file_of_image),
    "sensor_msgs/msg/CompressedImage": Shown(file=file_of_compressed),
    "nav_msgs/msg/OccupancyGrid": Shown(file=file_of_grid, draw=lambda _, m: plan.grid(m)),
    "nav_msgs/msg/Odometry": Shown(draw=lambda old, m: plan.moved(old, m.pose.pose)),
    "geometry_msgs/msg/PoseStamped": Shown(draw=lambda old, m: plan.moved(old, m.pose)),
    "geometry_msgs/msg/PoseWithCovarianceStamped": Shown(
        draw=lambda old, m: plan.moved(old, m.pose.pose)
    ),
    "nav_msgs/msg/Path": Shown(draw=lambda _, m: plan.line(p.pose.position for p in m.poses)),
    "geometry_msgs/msg/PolygonStamped": Shown(draw=lambda _, m: plan.line(m.polygon.points)),
    "sensor_msgs/msg/PointCloud2": Shown(draw=lambda _, m: plan.cloud(m)),
    "sensor_msgs/msg/LaserScan": Shown(draw=lambda _, m: plan.scan(m)),
    "visualization_msgs/msg/Marker": Shown(draw=lambda old, m: plan.marked(old, [m])),
    "visualization_msgs/msg/MarkerArray": Shown(draw=lambda old, m: plan.marked(old, m.markers)),
    "geometry_msgs/msg/Twist": Shown(values=_twist, names=_TWIST),
    "geometry_msgs/msg/TwistStamped": Shown(values=lambda m: _twist(m.twist), names=_TWIST),
    **{f"std_msgs/msg/{name}": Shown(values=_value, names=("value",)) for name in _NUMBERS},
    "std_msgs/msg/String": Shown(text=lambda m: str(m.data)[:300]),
    "diagnostic_msgs/msg/DiagnosticArray": Shown(text=_diagnostics),
}


def frame_of(message: Any) -> str:
    """Return the frame that a message's places are in."""
    if hasattr(message, "header"):
        return str(message.header.frame_id)
    markers = getattr(message, "markers", None)
    return str(markers[0].header.frame_id) if markers else ""
