# SPDX-License-Identifier: Apache-2.0
"""From status lines to what is shown: rates between the last two lines of each container.

Numbers come from other processes through a file: what is no count counts as none.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ligament.report.tables import count_of, entries_of

SCHEMA = "ligament/top/1"
SILENT_NS = 3_000_000_000
STUCK_NS = 5_000_000_000
MOST_ERRORS = 5

_UNDELIVERED = ("lost", "expired", "invalid", "loans_failed", "overrun")

Key = tuple[str, str]
"""Node and topic."""


@dataclass
class _Container:
    """What a container said of itself: its last two status lines, and how it is."""

    name: str
    state: str = "starting"
    before: dict[str, Any] = field(default_factory=dict)
    last: dict[str, Any] = field(default_factory=dict)

    @property
    def elapsed_ns(self) -> int:
        """Between the two lines; 0: there is no rate yet."""
        before, last = count_of(self.before, "t_ns"), count_of(self.last, "t_ns")
        return last - before if 0 < before < last else 0


class Top:
    """Takes events in, gives out what is to be shown."""

    def __init__(self) -> None:
        self._containers: dict[str, _Container] = {}
        self._done: set[str] = set()
        self._errors: deque[str] = deque(maxlen=MOST_ERRORS)
        self._edge: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {}

    def take(self, events: Iterable[dict[str, Any]]) -> None:
        """Take in status lines in the order in which they were written."""
        for event in events:
            name = event["container"]
            container = self._containers.setdefault(name, _Container(name))
            match event["event"]:
                case "ready":  # a new life: its counts begin at zero
                    self._containers[name] = _Container(name, "running")
                case "status":
                    container.before, container.last = container.last, event
                    if container.state in ("starting", "stopped"):
                        container.state = "running"
                case "stopped":
                    container.state = "stopped"
                case "done":
                    self._done.add(str(event.get("node", "")))
                case "error":
                    origin = event.get("node") or name
                    self._errors.append(f"{origin}: {event.get('text', '')}")
                case "edge":
                    _, last = self._edge.get(name, ({}, {}))
                    self._edge[name] = (last, event)
                    container.state = "running"

    def snapshot(self, now_ns: int, run: dict[str, Any], unreadable: int) -> dict[str, Any]:
        """Everything at this moment, in the form of spec/run/top.schema.json."""
        running = run.get("state") == "running"
        containers = [self._container(c, now_ns, running) for c in self._sorted()]
        return {
            "schema": SCHEMA,
            "graph": str(run.get("graph", "")),
            "variant": str(run.get("variant", "")),
            "run_id": str(run.get("run_id", "")),
            "state": str(run.get("state", "unknown")),
            "containers": containers,
            "topics": self._topics(),
            "cores": self._cores(),
            "edge": [entry for name in sorted(self._edge) for entry in self._carried(name)],
            "done": sorted(self._done),
            "errors": list(self._errors),
            "unreadable_lines": unreadable,
        }

    def _sorted(self) -> list[_Container]:
        return [self._containers[name] for name in sorted(self._containers)]

    def _container(self, container: _Container, now_ns: int, running: bool) -> dict[str, Any]:
        last, elapsed = container.last, container.elapsed_ns
        nodes = entries_of(last, "nodes")
        age = now_ns - count_of(last, "t_ns") if last else None
        stuck = max((count_of(node, "callback_running_ns") for node in nodes), default=0)
        state = container.state
        if running and state == "running" and age is not None and age > SILENT_NS:
            state = "silent"
        elif state == "running" and stuck > STUCK_NS:
            state = "stuck"
        return {
            "container": container.name,
            "state": state,
            "age_ns": None if age is None else max(0, age),
            "cpu_percent": _percent(_sum_nodes(container.before, "cpu_ns"),
                                    _sum_nodes(last, "cpu_ns"), elapsed),
            "peak_rss_bytes": count_of(last, "peak_rss_bytes") or None,
            "heap_allocs": _sum_nodes(last, "heap_allocs"),
            "nodes": [str(node.get("id")) for node in nodes],
            "longest_running_ns": stuck,
        }  # fmt: skip

    def _cores(self) -> list[dict[str, Any]]:
        """How the cores of nodes in firmware live: all nodes of a core tell the same."""
        rows: dict[tuple[str, str], dict[str, Any]] = {}
        for container in self._sorted():
            for node in entries_of(container.last, "nodes"):
                core = node.get("core")
                if isinstance(core, dict):
                    device = str(core.get("device", ""))
                    rows[container.name, device] = {
                        "container": container.name,
                        "device": device,
                        "state": str(core.get("state", "unknown")),
                        "starts": count_of(core, "starts"),
                        "ends": count_of(core, "ends"),
                        "last_end": str(core.get("last_end", "")),
                    }
        return [rows[key] for key in sorted(rows)]

    # --- topics -------------------------------------------------------------------------------

    def _topics(self) -> list[dict[str, Any]]:
        rows: dict[str, dict[str, Any]] = {}
        for container in self._sorted():
            before = _ends_by_key(container.before) if container.elapsed_ns else {}
            for key, side, end in _ends(container.last):
                row = rows.setdefault(key[1], _empty(key[1]))
                past = before.get((key, side))
                if side == "publishers":
                    _add_publisher(row, end)
                else:
                    _add_subscription(row, end)
                _add_rates(row, side, past, end, container.elapsed_ns)
        return [rows[name] for name in sorted(rows)]

    def _carried(self, container: str) -> Iterator[dict[str, Any]]:
        """What an edge has carried over, per topic that anybody on the network has a part in."""
        before, last = self._edge[container]
        elapsed = count_of(last, "t_ns") - count_of(before, "t_ns") if before else 0
        past = {str(topic.get("topic")): topic for topic in entries_of(before, "topics")}
        for topic in entries_of(last, "topics"):
            name = str(topic.get("topic"))
            if not any(count_of(topic, k) for k in ("remote_writers", "remote_readers")):
                continue
            earlier = past.get(name)
            yield {
                "container": container,
                "topic": name,
                "sent": count_of(topic, "sent"),
                "sent_hz": _rate(earlier, topic, "sent", elapsed),
                "received": count_of(topic, "received"),
                "received_hz": _rate(earlier, topic, "received", elapsed),
                "dropped": sum(count_of(topic, k) for k in (
                    "lost", "refused", "missing", "no_room", "too_large", "big_endian",
                    "unknown_form")),
            }  # fmt: skip


def _empty(topic: str) -> dict[str, Any]:
    counts = ("publishers", "subscriptions", "published", "taken", "dropped", "copies", "waits",
              "late", "stalled")  # fmt: skip
    rates = ("published_hz", "taken_hz", "dropped_hz", "copies_hz", "bytes_hz")
    empty: dict[str, Any] = {"topic": topic, **dict.fromkeys(counts, 0), **dict.fromkeys(rates)}
    return empty | {"latency_p50_ns": None, "latency_p99_ns": None, "pool": None}


def _add_publisher(row: dict[str, Any], end: dict[str, Any]) -> None:
    row["publishers"] += 1
    row["published"] += count_of(end, "published")
    row["dropped"] += count_of(end, "loans_failed") + count_of(end, "overrun")
    row["waits"] += count_of(end, "waits")
    row["late"] += count_of(end, "deadline_missed")
    row["stalled"] += count_of(end, "stalled")
    if count_of(end, "blocks"):
        pool = row["pool"] or {"blocks": 0, "blocks_used": 0, "memory_bytes": 0}
        blocks = count_of(end, "blocks")
        pool["blocks"] += blocks
        pool["blocks_used"] += blocks - min(blocks, count_of(end, "blocks_free"))
        pool["memory_bytes"] += count_of(end, "memory_bytes")
        row["pool"] = pool


def _add_subscription(row: dict[str, Any], end: dict[str, Any]) -> None:
    row["subscriptions"] += 1
    row["taken"] += count_of(end, "taken")
    row["dropped"] += sum(count_of(end, what) for what in ("lost", "expired", "invalid"))
    row["copies"] += count_of(end, "copies")
    row["late"] += count_of(end, "deadline_missed")
    for what in ("p50", "p99"):  # the slowest subscription stands for the topic
        age = count_of(end, f"age_ns_{what}")
        if age:
            row[f"latency_{what}_ns"] = max(age, row[f"latency_{what}_ns"] or 0)


def _add_rates(
    row: dict[str, Any],
    side: str,
    past: dict[str, Any] | None,
    end: dict[str, Any],
    elapsed_ns: int,
) -> None:
    ways: list[tuple[str, tuple[str, ...]]] = [("dropped_hz", _UNDELIVERED)]
    if side == "publishers":
        ways += [("published_hz", ("published",)), ("bytes_hz", ("bytes",))]
    else:
        ways += [("taken_hz", ("taken",)), ("copies_hz", ("copies",))]
    for name, counts in ways:
        rates = [_rate(past, end, what, elapsed_ns) for what in counts]
        known = [rate for rate in rates if rate is not None]
        if known:
            row[name] = (row[name] or 0.0) + sum(known)


def _ends(line: dict[str, Any]) -> Iterator[tuple[Key, str, dict[str, Any]]]:
    for node in entries_of(line, "nodes"):
        for side in ("publishers", "subscriptions"):
            for end in entries_of(node, side):
                if isinstance(end.get("topic"), str):
                    yield (str(node.get("id")), end["topic"]), side, end


def _ends_by_key(line: dict[str, Any]) -> dict[tuple[Key, str], dict[str, Any]]:
    return {(key, side): end for key, side, end in _ends(line)}


def _rate(
    past: dict[str, Any] | None, now: dict[str, Any], what: str, elapsed_ns: int
) -> float | None:
    if past is None or elapsed_ns <= 0:
        return None
    return max(0, count_of(now, what) - count_of(past, what)) * 1e9 / elapsed_ns


def _percent(before: int, now: int, elapsed_ns: int) -> float | None:
    return max(0, now - before) * 100 / elapsed_ns if elapsed_ns > 0 else None


def _sum_nodes(line: dict[str, Any], what: str) -> int:
    return sum(count_of(node, what) for node in entries_of(line, "nodes"))
