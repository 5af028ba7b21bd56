# SPDX-License-Identifier: Apache-2.0
"""The graph's quality of service for the ends of a node: it is stronger than the code's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rclpy.duration import Duration
from rclpy.qos import (
    DurabilityPolicy,
    HistoryPolicy,
    LivelinessPolicy,
    QoSProfile,
    ReliabilityPolicy,
)

Choose = Callable[[str, Any], Any]
"""From a topic as the node writes it, and the QoS that it asks for, to the QoS that it gets."""

_POLICIES: dict[str, Any] = {
    "history": HistoryPolicy,
    "reliability": ReliabilityPolicy,
    "durability": DurabilityPolicy,
    "liveliness": LivelinessPolicy,
}
_DURATIONS = {
    "deadline_ms": "deadline",
    "lifespan_ms": "lifespan",
    "liveliness_lease_ms": "liveliness_lease_duration",
}


def profile_of(wanted: Mapping[str, Any], ring: int = 0) -> QoSProfile:
    """A port's complete QoS as rclpy's; a volatile publisher keeps at least `ring` samples."""
    named: dict[str, Any] = {
        key: getattr(policy, str(wanted[key]).upper()) for key, policy in _POLICIES.items()
    }
    for key, name in _DURATIONS.items():
        if wanted[key]:
            named[name] = Duration(nanoseconds=round(wanted[key] * 1e6))
    depth = int(wanted["depth"])
    if wanted["durability"] == "volatile":
        depth = max(depth, ring)
    return QoSProfile(depth=depth, **named)
