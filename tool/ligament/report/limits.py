# SPDX-License-Identifier: Apache-2.0
"""The cores' streams, and what holds their designs back, in words.

A core is the reason in the cycles in which an input waits for it, though it waits for no message
itself, and for nobody to take what it says (`full`). So a core in front of a slow one is not blamed
for it. Where no core is the reason, the way from or to memory may be, or a topic between cores.
Where nobody waits for another, a stream that moves a beat in most cycles is as fast as it can be.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from typing import Any

from ligament.report.tables import count_of, entries_of, lives_of

LEAST_SHARE = 0.1
"""Of the design's cycles; below it, nothing is said to keep another one waiting."""
NEAR = 0.9
"""Of the slowest core's share: another one with so much is named, too."""
LEAST_BUSY = 0.5
"""The same of the beats of a stream: below it, its width does not matter."""

_COUNTS = ("beats", "stalls", "gaps")


@dataclass
class Design:
    """The cores of one device, over all lives of their container."""

    cycles: int = 0
    full: dict[str, int] = field(default_factory=dict)
    streams: dict[tuple[str, str, str], dict[str, Any]] = field(default_factory=dict)

    def add(self, node: str, told: Mapping[str, Any]) -> None:
        """A node's `hardware` in the last status line of a life."""
        self.full[node] = self.full.get(node, 0) + count_of(told, "full")
        for stream in entries_of(told, "streams"):
            port, way = str(stream.get("port")), "in" if stream.get("direction") == "in" else "out"
            row = self.streams.setdefault(
                (node, way, port),
                {"node": node, "port": port, "direction": way, "memory": False}
                | dict.fromkeys(_COUNTS, 0),
            )
            row["memory"] = stream.get("memory") is True
            for what in _COUNTS:
                row[what] += count_of(stream, what)

    def share(self, cycles: int) -> float:
        """Of its cycles."""
        return cycles / self.cycles if self.cycles else 0.0


@dataclass(frozen=True)
class Limit:
    """What may hold a design back, and for which share of its cycles."""

    share: float
    kind: str
    node: str
    port: str


def limits_of(status: Path) -> dict[str, Any]:
    """`streams` and `designs` of a variant's `hardware`; empty where containers do not tell."""
    designs: dict[str, Design] = {}
    for life in lives_of(status):
        turned: dict[str, int] = {}  # each node tells the cycles of its whole design
        for node in entries_of(life.last, "nodes"):
            told = node.get("hardware")
            if not isinstance(told, dict) or _counts_nothing(told):
                continue
            if isinstance(device := told.get("device"), str):
                turned[device] = count_of(told, "design_cycles")
                designs.setdefault(device, Design()).add(str(node.get("id")), told)
        for device, cycles in turned.items():
            designs[device].cycles += cycles
    if not designs:
        return {}
    return {
        "streams": [row for name in sorted(designs) for row in _rows(designs[name])],
        "designs": [limit_of(name, designs[name]) for name in sorted(designs)],
    }


def _counts_nothing(told: Mapping[str, Any]) -> bool:
    """Whether it is on a board, which has no counts of cycles and streams."""
    return not told.get("streams") and not count_of(told, "design_cycles")


def limit_of(device: str, design: Design) -> dict[str, Any]:
    """What holds it back: `kind` (core, memory, topic, stream, none), where, its share, `text`."""
    found = _slowest([*_cores(design), *_memory(design)])
    if found.share < LEAST_SHARE:
        found = _slowest([found, *_topics(design)])
    waited = found.share
    if waited < LEAST_SHARE:
        found = _slowest([found, *_busy(design)])
    limits = found.share >= LEAST_SHARE
    near = _nearly(found, design) if limits and found.kind == "core" else ""
    return {
        "device": device,
        "cycles": design.cycles,
        "kind": found.kind.split()[0] if limits else "none",
        "node": found.node if limits else None,
        "port": found.port if limits else None,
        "share": found.share,
        "text": f"{device}: {_words(found) + near if limits else _nothing(waited)}",
    }


def _nearly(found: Limit, design: Design) -> str:
    """Other cores that are as slow, but for some of the cycles: a faster one alone gains little."""
    others = [c for c in _cores(design) if c.node != found.node and c.share >= NEAR * found.share]
    return "".join(f"; that of {c.node} nearly as much ({100 * c.share:.0f} %)" for c in others)


def _rows(design: Design) -> list[dict[str, Any]]:
    """The streams, with the shares in which a beat passed, in which one waited, and none came."""
    return [
        {
            **row,
            "busy": design.share(row["beats"]),
            "stalled": design.share(row["stalls"]),
            "missing": design.share(row["gaps"]),
        }
        for row in design.streams.values()
    ]


def _slowest(limits: list[Limit]) -> Limit:
    none = Limit(0.0, "none", "", "")
    return max(limits, key=lambda limit: (limit.share, limit.node, limit.port), default=none)


def _cores(design: Design) -> Iterable[Limit]:
    for node, full in design.full.items():
        inputs = [s for s in design.streams.values() if (s["node"], s["direction"]) == (node, "in")]
        if inputs:
            fullest = max(inputs, key=lambda stream: stream["stalls"])
            yield Limit(design.share(full), "core", node, fullest["port"])


def _memory(design: Design) -> Iterable[Limit]:
    for stream in design.streams.values():
        way = stream["direction"]
        waits = stream["gaps"] if way == "in" else stream["stalls"]
        if stream["memory"]:
            yield Limit(design.share(waits), f"memory {way}", stream["node"], stream["port"])


def _topics(design: Design) -> Iterable[Limit]:
    for stream in design.streams.values():
        if stream["direction"] == "out" and not stream["memory"]:
            yield Limit(design.share(stream["stalls"]), "topic", stream["node"], stream["port"])


def _busy(design: Design) -> Iterable[Limit]:
    for stream in design.streams.values():
        if (share := design.share(stream["beats"])) >= LEAST_BUSY:
            yield Limit(share, f"stream {stream['direction']}", stream["node"], stream["port"])


def _percent(share: float) -> str:
    return f"{100 * share:.0f} % of the time"


def _words(limit: Limit) -> str:
    share = _percent(limit.share)
    if limit.kind == "core":
        kept = f"it kept its input {limit.port} waiting {share}"
        return f"the core of {limit.node} is the slowest: {kept}"
    if limit.kind == "memory in":
        return (
            f"the way from memory is the slowest: input {limit.port} of {limit.node} waited "
            f"{share} for the rest of a message"
        )
    if limit.kind.startswith("stream"):
        way = f"{limit.kind.removeprefix('stream ')}put {limit.port} of {limit.node}"
        return (
            f"its width is the limit: {way} moved a beat {share}, and nobody waited for another; "
            "cores for more pixels per cycle have wider streams"
        )
    behind = "the way to memory" if limit.kind == "memory out" else "the topic behind it"
    return (
        f"{behind} is the slowest: output {limit.port} of {limit.node} waited {share} to be taken"
    )


def _nothing(waited: float) -> str:
    return (
        "no core, topic or way to memory kept another one waiting for more than "
        f"{ceil(100 * waited)} % of the time; the rest is the latency of memory, registers and "
        "cores"
    )
