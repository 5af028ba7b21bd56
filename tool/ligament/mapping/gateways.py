# SPDX-License-Identifier: Apache-2.0
"""Gateways: the ends in the pool that all nodes in hardware of a topic share, and their memory.

However many nodes of an FPGA publish or subscribe, a topic with a gateway has one publisher and one
subscription in the pool for them (spec/device/gateway.md). So they must ask for the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import replace

from ligament.errors import Problem, listing
from ligament.graph.model import End, Node, Topic
from ligament.graph.qos import QoS
from ligament.mapping.model import Gateway
from ligament.mapping.platform import Device
from ligament.mapping.transports import Choice

#: What hardware may leave in front of a message: up to the boundary that its body begins at.
BOUNDARY_BYTES = 64


def gateway_problems(
    topics: Mapping[str, Topic],
    nodes: Mapping[str, Node],
    devices: Mapping[str, Device],
    choices: Mapping[str, Choice],
) -> Iterator[Problem]:
    """Yield what stands against the gateways of a variant."""
    for name, topic in sorted(topics.items()):
        if "gateway" not in choices[name].transports:
            continue
        ends = [end for end in topic.ends if devices[end.node].kind == "fpga"]
        places = {(nodes[end.node].host, devices[end.node].name) for end in ends}
        if len(places) > 1:
            found = sorted(f"{fpga} of {host}" if host else fpga for host, fpga in places)
            text = f"'{name}' has a gateway and ends on the FPGAs {listing(found)}"
            way = "shm, dds" if len({host for host, _ in places}) > 1 else "shm"
            hint = f"transports: {{{name}: [{way}]}} in the variant"
            yield Problem("gateway-devices", text, topic.at, "ends on one FPGA", hint)
        for direction, what in (("out", "publishers"), ("in", "subscriptions")):
            asked = {_asked(end.qos) for end in ends if end.direction == direction}
            if len(asked) > 1:
                yield Problem(
                    "gateway-qos",
                    f"'{name}' has {what} in hardware that differ in quality of service, and its "
                    f"gateway is one of the {what} in the pool for all of them",
                    topic.at,
                    expected="the same for all but depth and max_held",
                )


def gateway_of(topic: Topic, hardware: Set[str], in_flight: int) -> Gateway:
    """Return the gateway of a topic that has one."""
    ends = [end for end in topic.ends if end.node in hardware]
    publishers = [end for end in ends if end.direction == "out"]
    subscriptions = [end for end in ends if end.direction == "in"]
    rooms = in_flight * len(publishers) + 1 if publishers else 0
    return Gateway(
        node=min(end.node for end in ends),
        publisher=_qos(publishers),
        subscription=_qos(subscriptions),
        rooms=rooms,
        room_bytes=(topic.bound_bytes or 0) + BOUNDARY_BYTES,
        text=(
            f"{len(publishers)} publishers and {len(subscriptions)} subscriptions in hardware are "
            "one of each in the pool, at most"
        ),
    )


def _asked(qos: QoS) -> QoS:
    """What must be the same; of depths the largest serves all."""
    return replace(qos, depth=1, max_held=1)


def _qos(ends: list[End]) -> QoS | None:
    if not ends:
        return None
    depth = max(end.qos.depth for end in ends)
    held = max(end.qos.max_held for end in ends)
    return replace(ends[0].qos, depth=depth, max_held=held)
