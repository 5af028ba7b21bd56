# SPDX-License-Identifier: Apache-2.0
"""What a topic in the pool needs when some end is on a device that is no processor.

Devices get the memory of a topic once, before the first message: so its size must be declared. And
nobody on a device tells a publisher how far it has come: so it cannot be waited for, but behind a
gateway.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ligament.errors import Location, Problem
from ligament.graph.model import End, Topic
from ligament.graph.qos import QoS
from ligament.mapping.platform import Device
from ligament.mapping.transports import Choice

#: Kinds of device whose nodes take part in the pool by code of the host.
ON_HOST = ("cpu", "mcu")


def device_problems(
    topics: Mapping[str, Topic], devices: Mapping[str, Device], choices: Mapping[str, Choice]
) -> Iterator[Problem]:
    """Yield what the device topics of a variant lack."""
    kinds = {node: device.kind for node, device in devices.items()}
    for name, topic in sorted(topics.items()):
        if {"shm", "queue"} & set(choices[name].transports):
            waits = "gateway" in choices[name].transports
            case = Case(name, topic.ends, topic.bound_bytes, waits)
            yield from topic_problems(case, kinds, topic.at)


def firmware_problems(
    topics: Mapping[str, Topic], devices: Mapping[str, Device]
) -> Iterator[Problem]:
    """Yield the wishes of ports that the protocol of microcontrollers cannot carry."""
    for topic in topics.values():
        for end in topic.ends:
            wish = unsayable(end.qos)
            if wish and end.node in devices and devices[end.node].kind == "mcu":
                yield Problem(
                    "qos-unsupported",
                    f"port '{end.port}' of '{end.node}' asks for {wish}, which a microcontroller "
                    f"cannot have ('{end.node}' is on {devices[end.node].name})",
                    topic.at,
                    expected="history: keep_last with a depth, and automatic liveliness",
                    hint="set the QoS of the port in the graph, or place the node elsewhere",
                )


def unsayable(qos: QoS) -> str:
    """Return what of a QoS DDS-XRCE cannot say; empty: it can say all of it."""
    if qos.history == "keep_all":
        return "history: keep_all"
    return f"liveliness: {qos.liveliness}" if qos.liveliness != "automatic" else ""


@dataclass(frozen=True)
class Case:
    """A topic in the pool. `waits`: a gateway takes what comes, and makes publishers wait."""

    name: str
    ends: tuple[End, ...]
    bound_bytes: int | None
    waits: bool


def topic_problems(topic: Case, kinds: Mapping[str, str], at: Location | None) -> Iterator[Problem]:
    """Yield what one topic in the pool lacks; `kinds` says on what kind of device each node is."""
    foreign = [end for end in topic.ends if kinds.get(end.node, "cpu") not in ON_HOST]
    if foreign and topic.bound_bytes is None:
        end = foreign[0]
        yield Problem(
            "bound-missing",
            f"'{topic.name}' has an end on a device of kind {kinds[end.node]} ('{end.node}') and "
            "no declared bound: its memory is made and given to the device before the first "
            "message",
            at,
            expected=f"`topics: {{{topic.name}: {{bound_bytes: N}}}}` in the graph; N: bytes of "
            "the largest message",
        )
    for end in foreign:
        if end.qos.history == "keep_all" and not topic.waits:
            yield Problem(
                "qos-unsupported",
                f"port '{end.port}' of '{end.node}' asks for history keep_all, which a "
                f"device of kind {kinds[end.node]} cannot have: it makes no publisher wait",
                at,
                expected="history: keep_last",
                hint="use keep_last with a depth",
            )
