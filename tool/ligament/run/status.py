# SPDX-License-Identifier: Apache-2.0
"""From the containers' status lines to one row of figures per node."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

# A node that is inside one callback for this long is named as stuck.
STUCK_AFTER_NS = 5_000_000_000
_CPU_OVER_NS = 1_000_000_000


class StatusLineError(ValueError):
    """A container wrote something on its status pipe that is not a status line."""


def parse_line(line: bytes) -> dict[str, Any]:
    """One status line as a dictionary with an `event`."""
    try:
        event = json.loads(line)
    except ValueError as error:
        raise StatusLineError(f"not JSON ({error}): {line[:120]!r}") from error
    if not isinstance(event, dict) or not isinstance(event.get("event"), str):
        raise StatusLineError(f"no `event` in it: {line[:120]!r}")
    return event


@dataclass
class NodeFigures:
    """What is shown of one node. Rates are over the last two status lines, counts since start."""

    id: str
    container: str
    state: str = "starting"
    rate_hz: float | None = None
    latency_p50_ns: int | None = None
    latency_p99_ns: int | None = None
    published: int = 0
    taken: int = 0
    drops: int = 0
    waits: int = 0
    late: int = 0
    copies: int = 0
    cpu_percent: float | None = None
    _previous: tuple[int, int, int | None] | None = field(default=None, repr=False)

    def update(self, t_ns: int, node: dict[str, Any]) -> None:
        """Take in this node's part of a status line that was written at `t_ns`."""
        publishers = node.get("publishers", [])
        subscriptions = node.get("subscriptions", [])
        self.published = sum(p.get("published", 0) for p in publishers)
        self.taken = sum(s.get("taken", 0) for s in subscriptions)
        undelivered = ("lost", "expired", "invalid")
        self.drops = sum(s.get(what, 0) for s in subscriptions for what in undelivered)
        self.drops += sum(p.get("loans_failed", 0) for p in publishers)
        self.waits = sum(p.get("waits", 0) for p in publishers)
        self.late = sum(end.get("deadline_missed", 0) for end in (*publishers, *subscriptions))
        self.copies = sum(s.get("copies", 0) for s in subscriptions)
        self._update_latency(subscriptions)
        self._update_rates(t_ns, node.get("cpu_ns", 0))

    def _update_latency(self, subscriptions: list[dict[str, Any]]) -> None:
        """The slowest input stands for the node."""
        busy = [s for s in subscriptions if s.get("taken")]
        if busy:
            self.latency_p50_ns = max(s.get("age_ns_p50", 0) for s in busy)
            self.latency_p99_ns = max(s.get("age_ns_p99", 0) for s in busy)

    def _update_rates(self, t_ns: int, cpu_ns: int) -> None:
        # A source has no inputs and a sink no outputs; a filter's two counts go together.
        count = max(self.published, self.taken)
        if self._previous is not None and t_ns > self._previous[0]:
            elapsed = t_ns - self._previous[0]
            self.rate_hz = max(0, count - self._previous[1]) * 1e9 / elapsed
            if self._previous[2] is not None:
                self.cpu_percent = max(0, cpu_ns - self._previous[2]) * 100 / elapsed
        self._previous = (t_ns, count, cpu_ns)

    def ready(self, t_ns: int) -> None:
        """It runs from now on: so a run shorter than two status lines has a rate as well.

        What its constructor took of the CPU is not known here, so that figure starts later.
        """
        self._previous = (t_ns, 0, None)

    def restarted(self) -> None:
        """Its container starts again: the counts begin at zero."""
        self._previous = None
        self.state = "starting"


@dataclass
class ExecutableFigures:
    """What is shown of a program of another package: nobody counts its messages."""

    name: str
    state: str = "starting"
    cpu_percent: float | None = None
    _previous: tuple[int, int] | None = field(default=None, repr=False)

    def update(self, t_ns: int, cpu_ns: int | None) -> None:
        """Take in its CPU time, about each second: the kernel counts it in hundredths of one."""
        if cpu_ns is None:
            return
        if self._previous is None or cpu_ns < self._previous[1]:
            self._previous = (t_ns, cpu_ns)
        elif t_ns - self._previous[0] >= _CPU_OVER_NS:
            self.cpu_percent = (cpu_ns - self._previous[1]) * 100 / (t_ns - self._previous[0])
            self._previous = (t_ns, cpu_ns)


class StatusBoard:
    """The figures of all nodes of a graph, kept up to date from their containers' lines."""

    def __init__(
        self, nodes_by_container: dict[str, list[str]], executables: Sequence[str] = ()
    ) -> None:
        self.nodes = {
            node: NodeFigures(node, container)
            for container, nodes in nodes_by_container.items()
            for node in nodes
        }
        self.executables = {name: ExecutableFigures(name) for name in executables}
        self._stuck: set[str] = set()

    def take_cpu(self, name: str, t_ns: int, cpu_ns: int | None) -> None:
        """Take in what an executable has used of the CPU."""
        self.executables[name].update(t_ns, cpu_ns)

    def of_container(self, container: str) -> list[NodeFigures]:
        """The nodes of one container."""
        return [node for node in self.nodes.values() if node.container == container]

    def messages(self) -> int:
        """All messages published and taken so far: unchanged means that nothing moves."""
        return sum(node.published + node.taken for node in self.nodes.values())

    def set_state(self, container: str, state: str) -> None:
        """All nodes of a container enter a state; a node that is done stays done."""
        for node in self.of_container(container):
            if node.state != "done" or state == "starting":
                node.state = state
        if container in self.executables:
            self.executables[container].state = state

    def take_status(self, event: dict[str, Any]) -> list[str]:
        """Take in a `status` line; returns the nodes that are newly seen stuck in a callback."""
        t_ns = int(event.get("t_ns", 0))
        newly_stuck = []
        for entry in event.get("nodes", []):
            node = self.nodes.get(entry.get("id", ""))
            if node is None:
                continue
            node.update(t_ns, entry)
            stuck = int(entry.get("callback_running_ns", 0)) > STUCK_AFTER_NS
            if stuck and node.id not in self._stuck:
                newly_stuck.append(node.id)
            (self._stuck.add if stuck else self._stuck.discard)(node.id)
            if node.state in {"running", "stuck"}:
                node.state = "stuck" if stuck else "running"
        return newly_stuck
