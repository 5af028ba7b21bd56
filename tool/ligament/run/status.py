# SPDX-License-Identifier: Apache-2.0
"""From the containers' status lines to one row of figures per node."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ligament.report.names import HOUSEKEEPING

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
class Rate:
    """How often something happens that is only counted: now, and in the whole run."""

    hz: float | None = None
    _first: tuple[int, int] | None = field(default=None, repr=False)
    _before: tuple[int, int] | None = field(default=None, repr=False)
    _moved: tuple[int, int] | None = field(default=None, repr=False)
    """The last look at which there was more than before."""

    def begin(self, t_ns: int) -> None:
        """Nothing has happened yet: so a run shorter than two looks has a rate as well."""
        self._first = self._before = (t_ns, 0)
        self._moved = None

    def take(self, t_ns: int, count: int) -> None:
        """Take in how much there is at this moment."""
        now = (t_ns, count)
        if self._before is not None and t_ns > self._before[0]:
            self.hz = max(0, count - self._before[1]) * 1e9 / (t_ns - self._before[0])
        if self._before is not None and count > self._before[1]:
            self._moved = now
        self._before = now
        self._first = self._first or now

    def close(self) -> None:
        """From now on the mean, up to the last time that anything happened."""
        if self._first is not None and self._moved is not None:
            count = self._moved[1] - self._first[1]
            self.hz = count * 1e9 / (self._moved[0] - self._first[0])


@dataclass
class NodeFigures:
    """What is shown of one node. Rates are over the last two status lines, counts since start."""

    id: str
    container: str
    state: str = "starting"
    rate: Rate = field(default_factory=Rate)
    latency_p50_ns: int | None = None
    latency_p99_ns: int | None = None
    published: int = 0
    taken: int = 0
    drops: int = 0
    waits: int = 0
    late: int = 0
    copies: int = 0
    cpu_percent: float | None = None
    _previous: tuple[int, int] | None = field(default=None, repr=False)

    @property
    def rate_hz(self) -> float | None:
        """How often it publishes, or takes; after the end of the run the mean of the run."""
        return self.rate.hz

    def update(self, t_ns: int, node: dict[str, Any]) -> None:
        """Take in this node's part of a status line that was written at `t_ns`."""
        publishers = node.get("publishers", [])
        subscriptions = node.get("subscriptions", [])
        self.published = sum(p.get("published", 0) for p in publishers)
        self.taken = sum(s.get("taken", 0) for s in subscriptions)
        self.drops = _drops(publishers, subscriptions)
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
        self.rate.take(t_ns, max(self.published, self.taken))
        if self._previous is not None and t_ns > self._previous[0]:
            elapsed = t_ns - self._previous[0]
            self.cpu_percent = max(0, cpu_ns - self._previous[1]) * 100 / elapsed
        self._previous = (t_ns, cpu_ns)

    def ready(self, t_ns: int) -> None:
        """It runs from now on.

        What its constructor took of the CPU is not known here, so that figure starts later.
        """
        self.rate.begin(t_ns)

    def restarted(self) -> None:
        """Its container starts again: the counts begin at zero."""
        self._previous = None
        self.rate = Rate()
        self.state = "starting"


@dataclass
class ExecutableFigures:
    """What is shown of a program of another package. On our middleware its messages are counted."""

    name: str
    state: str = "starting"
    cpu_percent: float | None = None
    rate: Rate = field(default_factory=Rate)
    published: int = 0
    taken: int = 0
    drops: int | None = None
    """None: nobody counts."""
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

    def take_messages(self, t_ns: int, nodes: Sequence[Mapping[str, Any]]) -> None:
        """Take in what its nodes say about their topics."""
        publishers = [end for node in nodes for end in _ends_of(node, "publishers")]
        subscriptions = [end for node in nodes for end in _ends_of(node, "subscriptions")]
        self.published = sum(p.get("published", 0) for p in publishers)
        self.taken = sum(s.get("taken", 0) for s in subscriptions)
        self.drops = _drops(publishers, subscriptions)
        self.rate.take(t_ns, max(self.published, self.taken))


def _ends_of(node: Mapping[str, Any], kind: str) -> list[dict[str, Any]]:
    """Return its ends but those that every node of ROS 2 has."""
    return [end for end in node.get(kind, []) if end.get("topic") not in HOUSEKEEPING]


def _drops(
    publishers: Sequence[Mapping[str, Any]], subscriptions: Sequence[Mapping[str, Any]]
) -> int:
    undelivered = ("lost", "expired", "invalid")
    lost = sum(int(s.get(what, 0)) for s in subscriptions for what in undelivered)
    return lost + sum(int(p.get("loans_failed", 0)) for p in publishers)


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

    def take_told(self, event: Mapping[str, Any], t_ns: int) -> None:
        """Take in a line that an executable wrote itself, as programs on our middleware do."""
        program = self.executables.get(event.get("container", ""))
        if program is None:
            return
        if event["event"] == "ready":  # once per process
            program.rate.begin(t_ns)
        elif event["event"] == "status":
            program.take_messages(int(event.get("t_ns", 0)), event.get("nodes", []))

    def close(self) -> None:
        """At the end of the run: rates are those of the whole run from now on."""
        rows: list[NodeFigures | ExecutableFigures] = [*self.nodes.values()]
        for row in [*rows, *self.executables.values()]:
            row.rate.close()

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
