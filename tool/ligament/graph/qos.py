# SPDX-License-Identifier: Apache-2.0
"""Quality of service: ROS 2's defaults, how declarations add up, which ends match (DDS)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

_LIVELINESS_STRENGTH = {"automatic": 0, "manual_by_topic": 1}


@dataclass(frozen=True)
class QoS:
    """The quality of service of one end, complete. Durations of 0 mean none, as in ROS 2."""

    history: str = "keep_last"
    depth: int = 10
    reliability: str = "reliable"
    durability: str = "volatile"
    liveliness: str = "automatic"
    deadline_ms: float = 0
    lifespan_ms: float = 0
    liveliness_lease_ms: float = 0
    max_held: int = 2

    def to_json(self) -> dict[str, Any]:
        """Return the plain form."""
        return asdict(self)


def merge(*layers: Mapping[str, Any]) -> QoS:
    """Return the QoS that declarations give together; a later layer wins field by field."""
    known = {f.name for f in fields(QoS)}
    merged: dict[str, Any] = {}
    for layer in layers:
        merged.update({k: v for k, v in layer.items() if k in known})
    return QoS(**merged)


def incompatibility(offered: QoS, requested: QoS) -> str:
    """Return why a publisher's offer does not meet a subscription's request, or an empty string."""
    if requested.reliability == "reliable" and offered.reliability == "best_effort":
        return "the subscription asks for reliable, the publisher offers best_effort"
    if requested.durability == "transient_local" and offered.durability == "volatile":
        return "the subscription asks for transient_local, the publisher offers volatile"
    if requested.deadline_ms and (
        not offered.deadline_ms or offered.deadline_ms > requested.deadline_ms
    ):
        return (
            f"the subscription asks for a deadline of {requested.deadline_ms:g} ms, "
            f"the publisher offers {_duration(offered.deadline_ms)}"
        )
    if _LIVELINESS_STRENGTH[requested.liveliness] > _LIVELINESS_STRENGTH[offered.liveliness]:
        wanted, given = requested.liveliness, offered.liveliness
        return f"the subscription asks for liveliness {wanted}, the publisher offers {given}"
    lease, granted = requested.liveliness_lease_ms, offered.liveliness_lease_ms
    if lease and (not granted or granted > lease):
        return (
            f"the subscription asks for a liveliness lease of {lease:g} ms, "
            f"the publisher offers {_duration(granted)}"
        )
    return ""


def _duration(value: float) -> str:
    return f"{value:g} ms" if value else "none"
