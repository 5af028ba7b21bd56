# SPDX-License-Identifier: Apache-2.0
"""What the containers counted themselves: the last status line of each of their lives."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass
class NodeCounters:
    """Counts over all lives of the node's container."""

    cpu_ns: int = 0
    lost: int = 0
    expired: int = 0
    waits: int = 0
    overrun: int = 0
    deadline_missed: int = 0
    loans_failed: int = 0
    copies: int = 0
    bytes_copied: int = 0
    heap_allocs: int | None = None


@dataclass
class Counters:
    """Counts per node, and the memory of the processes where they told it."""

    nodes: dict[str, NodeCounters] = field(default_factory=dict)
    peak_memory_bytes: int | None = None

    def total(self, name: str) -> int:
        """A count over all nodes."""
        return sum(getattr(node, name) or 0 for node in self.nodes.values())


def status_events(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of a status.jsonl; one that cannot be read, or is cut, is passed over."""
    if not path.is_file():
        return
    with path.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            try:
                event = json.loads(line)
            except ValueError:
                continue
            if isinstance(event, dict):
                yield event


def read_counters(path: Path) -> Counters:
    """Read status.jsonl; a run without it counted nothing, and a cut last line is left out."""
    lives: dict[str, list[dict[str, Any]]] = {}
    for event in status_events(path):
        _take(lives.setdefault(event.get("container", ""), []), event)
    counters = Counters()
    for lines_of_lives in lives.values():
        told = [event for event in lines_of_lives if event]
        if peaks := [event["peak_rss_bytes"] for event in told if "peak_rss_bytes" in event]:
            # The lives of one container follow each other; containers are there at once.
            counters.peak_memory_bytes = (counters.peak_memory_bytes or 0) + max(peaks)
        for event in told:
            for node in event.get("nodes", []):
                earlier = counters.nodes.get(node["id"], NodeCounters())
                counters.nodes[node["id"]] = _sum(earlier, _node(node))
    return counters


def _take(lives: list[dict[str, Any]], event: dict[str, Any]) -> None:
    """Keep the last status line of each life; `ready` begins one, its counts start at zero."""
    if event.get("event") == "ready" or not lives:
        lives.append({})
    if event.get("event") == "status":
        lives[-1] = event


def _sum(one: NodeCounters, other: NodeCounters) -> NodeCounters:
    allocations = [n.heap_allocs for n in (one, other) if n.heap_allocs is not None]
    return NodeCounters(
        cpu_ns=one.cpu_ns + other.cpu_ns,
        lost=one.lost + other.lost,
        expired=one.expired + other.expired,
        waits=one.waits + other.waits,
        overrun=one.overrun + other.overrun,
        deadline_missed=one.deadline_missed + other.deadline_missed,
        loans_failed=one.loans_failed + other.loans_failed,
        copies=one.copies + other.copies,
        bytes_copied=one.bytes_copied + other.bytes_copied,
        heap_allocs=sum(allocations) if allocations else None,
    )


def _node(node: dict[str, Any]) -> NodeCounters:
    subscriptions, publishers = node.get("subscriptions", []), node.get("publishers", [])
    copiers = [*subscriptions, node.get("kernels", {})]
    return NodeCounters(
        cpu_ns=node.get("cpu_ns", 0),
        lost=sum(s.get("lost", 0) for s in subscriptions),
        expired=sum(s.get("expired", 0) for s in subscriptions),
        waits=sum(p.get("waits", 0) for p in publishers),
        overrun=sum(p.get("overrun", 0) for p in publishers),
        deadline_missed=sum(e.get("deadline_missed", 0) for e in (*publishers, *subscriptions)),
        loans_failed=sum(p.get("loans_failed", 0) for p in publishers),
        # What the host copied on the way to or from a device is a copy beside the transfer.
        copies=sum(c.get("copies", 0) + c.get("staged", 0) for c in copiers),
        bytes_copied=sum(c.get("bytes_copied", 0) + c.get("bytes_staged", 0) for c in copiers),
        heap_allocs=node.get("heap_allocs"),
    )
