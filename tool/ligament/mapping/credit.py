# SPDX-License-Identifier: Apache-2.0
"""Credit of a topic in the pool: how many samples may be in flight on each hop, and their memory.

One rule for all: a publisher's ring holds what is in flight, and each subscription holds up to
`max_held` besides. What happens when the ring is full depends on both ends: keep-last overwrites
the oldest, keep-all makes the publisher wait (spec/wire/pool.md, section 11).
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace
from types import MappingProxyType

from ligament.graph.model import End
from ligament.graph.qos import QoS
from ligament.mapping.model import Credit, Gateway, Hop, MappedTopic, Ring

LOANS = 2
"""Messages that a publisher may fill at once (pool::WriterOptions::max_loans)."""

PATIENCE_MS = 100
"""How long a publisher waits for a subscription that does not move (max_blocking_ns)."""

SIMULATED_PATIENCE_MS = 60_000
"""The same where a subscription's device is simulated and its clock stands still: while that turns,
host time says nothing about it."""

IN_GATEWAY = 6
"""Samples that a gateway holds besides those in flight: four that hardware has been told of, one
that waits in front of it, and the one that comes."""

IN_DESIGN = 2
"""The same of a design's entry: one that waits in front of it, and the one that comes."""

AT_EXIT = 2
"""Messages that an exit's publisher lends memory for, besides those in flight: one that is told
of, and the one that comes. Of topics with a smaller bound than LEAST_IN_PLACE (device_rooms.hpp),
or none, messages are copied instead."""
LEAST_IN_PLACE = 64 * 1024

IN_PYTHON = 4
"""Samples that a subscription of rmw_ligament_cpp may hold (spec/wire/rmw.md, section 4)."""

IN_CORE = 10
"""Samples of an input that a core's container holds: eight wait, one is sent and one comes."""

IN_EMULATION = 5
"""Samples that a core that runs natively holds of an input: they wait for the others of their set,
and one comes."""


def driven_ends(ends: tuple[End, ...], held: Mapping[str, int]) -> tuple[End, ...]:
    """Return the ends with what the drivers of nodes on FPGAs hold, by node."""

    def holds(end: End) -> int:
        return max(end.qos.max_held, held.get(end.node, 0) if end.direction == "in" else 0)

    return tuple(replace(end, qos=replace(end.qos, max_held=holds(end))) for end in ends)


def gateway_ends(
    topic: MappedTopic, gateway: Gateway, hardware: Set[str], in_flight: int
) -> tuple[tuple[End, ...], Mapping[End, int]]:
    """Return the ends in the pool of a topic with a gateway, and the loans of its publisher.

    All ends in hardware are one publisher and one subscription there, of one node.
    """
    held = in_flight + IN_GATEWAY
    ends = [end for end in topic.ends if end.node not in hardware]
    loans: dict[End, int] = {}
    for direction, qos in (("out", gateway.publisher), ("in", gateway.subscription)):
        if qos is not None:
            inside = (e for e in topic.ends if e.node in hardware and e.direction == direction)
            port = min(inside, key=lambda end: end.node != gateway.node).port
            ends.append(
                End(gateway.node, port, direction, replace(qos, max_held=max(qos.max_held, held)))
            )
    for end in ends:
        if end.node == gateway.node and end.direction == "out":
            loans[end] = gateway.rooms
    return tuple(ends), loans


def credit_of(
    ends: tuple[End, ...],
    containers: Mapping[str, str],
    bound_bytes: int | None,
    loans: Mapping[End, int] = MappingProxyType({}),
    patience_ms: int = PATIENCE_MS,
) -> Credit | None:
    """Return the credit of a topic whose ends are in the pool; None where one side is missing."""
    publishers = [e for e in ends if e.direction == "out"]
    subscriptions = [e for e in ends if e.direction == "in"]
    if not publishers or not subscriptions:
        return None
    held = sum(s.qos.max_held for s in subscriptions)
    rings = {p: max(p.qos.depth, deepest(ends)) for p in publishers}
    return Credit(
        rings=tuple(
            _ring(p, rings[p], loans.get(p, LOANS) + held, bound_bytes) for p in publishers
        ),
        hops=tuple(
            _hop(p, s, rings[p], _then(p, s, containers, patience_ms))
            for p in publishers
            for s in subscriptions
        ),
    )


def deepest(ends: tuple[End, ...]) -> int:
    """Return the largest depth of a topic's subscriptions; 0 without any."""
    return max((e.qos.depth for e in ends if e.direction == "in"), default=0)


def _ring(publisher: End, samples: int, taken: int, bound_bytes: int | None) -> Ring:
    blocks = samples + 1 + taken
    memory = blocks * bound_bytes if bound_bytes else None
    return Ring(publisher.node, publisher.port, samples, blocks, memory)


def waits_for(publisher: QoS, subscription: QoS) -> bool:
    """Return whether a publisher waits for room with a subscription (back-pressure)."""
    return all(
        q.history == "keep_all" and q.reliability == "reliable" for q in (publisher, subscription)
    )


def _then(
    publisher: End, subscription: End, containers: Mapping[str, str], patience_ms: int
) -> tuple[str, str]:
    """Return what happens at the limit: the rule and the rest of a sentence."""
    if not waits_for(publisher.qos, subscription.qos):
        return "keep-last", "then the oldest is overwritten and counted as lost"
    if containers.get(publisher.node) == containers.get(subscription.node, ""):
        rule = "own-executor"
        return rule, "then the oldest is overwritten: a publisher never waits for its own executor"
    standing = " while its clock stands still" if patience_ms == SIMULATED_PATIENCE_MS else ""
    return "back-pressure", f"then the publisher waits, {patience_ms} ms at most{standing}"


def _hop(publisher: End, subscription: End, ring: int, then: tuple[str, str]) -> Hop:
    held = subscription.qos.max_held
    keeps_all = subscription.qos.history == "keep_all"
    under_way = ring if keeps_all else min(ring, subscription.qos.depth)
    room = f"up to {under_way} sample{'s' * (under_way != 1)} in flight and {held} held"
    rule, text = then
    return Hop(
        publisher.node,
        subscription.node,
        subscription.port,
        under_way,
        held,
        rule,
        f"{room}; {text}",
    )
