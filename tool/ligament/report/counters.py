# SPDX-License-Identifier: Apache-2.0
"""What the containers counted themselves: the last status line of each."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass
class NodeCounters:
    """Counts since the node's container started."""

    cpu_ns: int = 0
    lost: int = 0
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


def read_counters(path: Path) -> Counters:
    """Read status.jsonl; a run without it counted nothing, and a cut last line is left out."""
    last: dict[str, dict[str, Any]] = {}
    if path.is_file():
        with path.open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                try:
                    event = json.loads(line)
                except ValueError:
                    continue
                if event.get("event") == "status":
                    last[event.get("container", "")] = event
    counters = Counters()
    for event in last.values():
        if "peak_rss_bytes" in event:
            counters.peak_memory_bytes = (counters.peak_memory_bytes or 0) + event["peak_rss_bytes"]
        for node in event.get("nodes", []):
            counters.nodes[node["id"]] = _node(node)
    return counters


def _node(node: dict[str, Any]) -> NodeCounters:
    subscriptions = node.get("subscriptions", [])
    return NodeCounters(
        cpu_ns=node.get("cpu_ns", 0),
        lost=sum(s.get("lost", 0) for s in subscriptions),
        loans_failed=sum(p.get("loans_failed", 0) for p in node.get("publishers", [])),
        copies=sum(s.get("copies", 0) for s in subscriptions),
        bytes_copied=sum(s.get("bytes_copied", 0) for s in subscriptions),
        heap_allocs=node.get("heap_allocs"),
    )
