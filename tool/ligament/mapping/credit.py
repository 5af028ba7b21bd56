# SPDX-License-Identifier: Apache-2.0
"""Credit of a topic in the pool: how many samples may be under way on each hop, and their memory.

One rule for all: a publisher's ring holds what is under way, and each subscription holds up to
`max_held` besides. What happens when the ring is full depends on both ends: keep-last overwrites
the oldest, keep-all makes the publisher wait (spec/wire/pool.md, section 11).
"""

from __future__ import annotations

from collections.abc import Mapping

from ligament.graph.model import End
from ligament.graph.qos import QoS
from ligament.mapping.model import Credit, Hop, Ring

LOANS = 2
"""Messages that a publisher may fill at once (pool::WriterOptions::max_loans)."""


def credit_of(
    ends: tuple[End, ...], containers: Mapping[str, str], bound_bytes: int | None
) -> Credit | None:
    """Return the credit of a topic whose ends are in the pool; None where one side is missing."""
    publishers = [e for e in ends if e.direction == "out"]
    subscriptions = [e for e in ends if e.direction == "in"]
    if not publishers or not subscriptions:
        return None
    held = sum(s.qos.max_held for s in subscriptions)
    rings = {p: max(p.qos.depth, deepest(ends)) for p in publishers}
    return Credit(
        rings=tuple(_ring(p, rings[p], held, bound_bytes) for p in publishers),
        hops=tuple(
            _hop(p, s, rings[p], containers.get(p.node) == containers.get(s.node, ""))
            for p in publishers
            for s in subscriptions
        ),
    )


def deepest(ends: tuple[End, ...]) -> int:
    """Return the largest depth of a topic's subscriptions; 0 without any."""
    return max((e.qos.depth for e in ends if e.direction == "in"), default=0)


def _ring(publisher: End, samples: int, held: int, bound_bytes: int | None) -> Ring:
    blocks = samples + LOANS + 1 + held
    memory = blocks * bound_bytes if bound_bytes else None
    return Ring(publisher.node, publisher.port, samples, blocks, memory)


def waits_for(publisher: QoS, subscription: QoS) -> bool:
    """Return whether a publisher waits for room with a subscription (back-pressure)."""
    return all(
        q.history == "keep_all" and q.reliability == "reliable" for q in (publisher, subscription)
    )


def _hop(publisher: End, subscription: End, ring: int, same_container: bool) -> Hop:
    held = subscription.qos.max_held
    keeps_all = subscription.qos.history == "keep_all"
    under_way = ring if keeps_all else min(ring, subscription.qos.depth)
    room = f"up to {under_way} sample{'s' * (under_way != 1)} under way and {held} held"
    if waits_for(publisher.qos, subscription.qos):
        rule, then = "back-pressure", "then the publisher waits, 100 ms at most"
        if same_container:
            rule = "own-executor"
            then = "then the oldest is overwritten: a publisher never waits for its own executor"
    else:
        rule, then = "keep-last", "then the oldest is overwritten and counted as lost"
    return Hop(
        publisher.node,
        subscription.node,
        subscription.port,
        under_way,
        held,
        rule,
        f"{room}; {then}",
    )
