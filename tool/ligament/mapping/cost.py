# SPDX-License-Identifier: Apache-2.0
"""What moving a message costs, from what platform.yaml and graph.yaml declare.

The figures explain decisions and break ties; they are predictions, named as such, and measured
costs of a device come with that device. Time of one transfer = latency + bytes / bandwidth.
"""

from __future__ import annotations

from collections.abc import Iterable

from ligament.graph.model import Topic
from ligament.mapping.model import Cost
from ligament.mapping.platform import Device, Platform

BOUND = "declared bound of the topic"


def transfer_ns(platform: Platform, device: Device, size_bytes: int) -> tuple[float, str] | None:
    """Return the time of a message between pool and device, and the link; None if unknown."""
    if platform.pool_memory is None or (
        device.memory == platform.pool_memory and device.addresses_pool
    ):
        return None
    link = platform.link(device.name, platform.pool_memory)
    if link is None:
        return None
    return link.latency_ns + size_bytes / link.bandwidth_bytes_per_s * 1e9, link.text


def topic_costs(
    topic: Topic, platform: Platform, copies: Iterable[Device], crossings: int
) -> tuple[Cost, ...]:
    """Return the costs of one message of a topic: copies to and from devices, crossings, time."""
    devices = list(copies)
    costs = [
        Cost("boundary crossings per message", float(crossings), "crossings", "ends of the topic")
    ]
    if topic.bound_bytes is None:
        return tuple(costs)
    moved = float(topic.bound_bytes * len(devices))
    costs.append(Cost("payload bytes copied per message", moved, "bytes", BOUND))
    if topic.rate_hz:
        costs.append(
            Cost(
                "payload bytes copied per second",
                moved * topic.rate_hz,
                "bytes/s",
                f"{BOUND} and rate",
            )
        )
    times = [t for d in devices if (t := transfer_ns(platform, d, topic.bound_bytes))]
    if times:
        links = " and ".join(sorted({text for _, text in times}))
        costs.append(
            Cost(
                "link time per message",
                sum(t for t, _ in times),
                "ns",
                f"links {links} of platform.yaml, one transfer after the other",
            )
        )
    return tuple(costs)
