# SPDX-License-Identifier: Apache-2.0
"""One fleet: started at once, left alone, joined by one host more, and counted all the while."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ligament.bench.children import Child, Children
from ligament.bench.fleet.cells import FAST, Cell
from ligament.bench.fleet.hosts import ENGINE, CountingSwitch, fleet_of
from ligament.bench.measuring import REPOSITORY, program
from ligament.bench.scale_graph import process_cpu_s
from ligament.errors import FailureError

Counts = dict[str, int]
#: Announcements to a participant that is new are sent four times, a second apart.
SETTLE_S = 6.0
#: Two intervals in which a participant announces itself.
IDLE_S = 16.0
DOMAIN_ID = 93
_PATIENCE_S = 400.0
_PEER = Path("benchmarks") / "fleet" / "rcl_host.py"


@dataclass
class Figures:
    """What one fleet did; times in seconds, memory in bytes, CPU time per host."""

    matched_s: float = 0.0
    start: Counts = field(default_factory=dict)
    idle: Counts = field(default_factory=dict)
    join: Counts = field(default_factory=dict)
    join_s: float = 0.0
    start_cpu_s: list[float] = field(default_factory=list)
    idle_cpu: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)


def run_once(cell: Cell, idle_s: float = IDLE_S, settle_s: float = SETTLE_S) -> Figures:
    """All phases; FailureError if some endpoint is not matched in time, or matched wrongly."""
    figures = Figures()
    network = CountingSwitch(fleet_of(cell.hosts))
    with _settings(), network as switch, Children(_PATIENCE_S) as children:
        began = time.monotonic()
        started = [_start(cell, switch, children, number) for number in _numbers(cell)]
        figures.matched_s = _matched_s(cell, children, started, began)
        time.sleep(settle_s)
        figures.start = switch.take()
        pids = [_line(child, "matched")["pid"] for child in started]
        figures.start_cpu_s = _per_host(cell, [process_cpu_s(pid) for pid in pids])
        time.sleep(idle_s)
        figures.idle = switch.take()
        after = _per_host(cell, [process_cpu_s(pid) for pid in pids])
        pairs = zip(figures.start_cpu_s, after, strict=True)
        figures.idle_cpu = [(b - a) / idle_s for a, b in pairs]
        figures.memory = _per_host(cell, [_own_bytes(pid) for pid in pids])
        if cell.hosts > 1 and cell.participants == cell.hosts:
            _join(cell, switch, children, started, figures, settle_s)
    return figures


def _join(
    cell: Cell,
    switch: CountingSwitch,
    children: Children,
    started: list[Child],
    figures: Figures,
    settle_s: float,
) -> None:
    """The last host leaves and comes again, into a fleet that is at rest."""
    children.ask_to_end(started[-1:])
    children.await_end(started[-1:])
    time.sleep(settle_s)
    switch.take()
    began = time.monotonic()
    again = _start(cell, switch, children, cell.participants - 1)
    figures.join_s = _matched_s(cell, children, [again], began)
    time.sleep(settle_s)
    figures.join = switch.take()


def _numbers(cell: Cell) -> range:
    return range(cell.participants)


def _start(cell: Cell, switch: CountingSwitch, children: Children, number: int) -> Child:
    """One participant: on host `number` modulo hosts, so that its neighbours are elsewhere."""
    values = {
        "hosts": cell.participants,
        "host": number,
        "topics": cell.topics // (cell.participants // cell.hosts),
        "readers": cell.readers,
        "domain-id": DOMAIN_ID,
    }
    words = [word for key, value in values.items() for word in (f"--{key}", str(value))]
    own = _peer_command() if cell.peer == FAST else [str(program("ligament-bench-fleet"))]
    where = fleet_of(cell.hosts)[number % cell.hosts]
    return children.start(f"host {number}", [*switch.inside(where), *own, *words])


def _peer_command() -> list[str]:
    prefix = REPOSITORY / "build" / "ros" / "jazzy"
    python = prefix / "bin" / "python"
    if not list(prefix.glob("lib/python*/site-packages/rclpy")):
        raise FailureError(f"there is no ROS 2 in {prefix}", hint="dev/setup --test brings it")
    variables = {
        "AMENT_PREFIX_PATH": str(prefix),
        "LD_LIBRARY_PATH": str(prefix / "lib"),
        "PYTHONPATH": "",
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET",
        # Between hosts there is no shared memory; on this machine it would find some.
        "FASTDDS_BUILTIN_TRANSPORTS": "UDPv4",
    }
    words = [f"{key}={value}" for key, value in variables.items()]
    return ["env", *words, str(python), str(REPOSITORY / _PEER)]


def _matched_s(cell: Cell, children: Children, started: list[Child], began: float) -> float:
    """Until the last of them is matched; CLOCK_MONOTONIC is one for all hosts here."""
    children.await_ready(started)
    lines = [_line(child, "matched") for child in started]
    if needless := sum(line["needless"] for line in lines):
        raise FailureError(f"{cell.title}: {needless} endpoints matched that should not")
    return float(max(line["at_ns"] for line in lines) / 1e9 - began)


def _line(child: Child, event: str) -> dict[str, Any]:
    for line in child.lines:
        if line.startswith("{") and (told := json.loads(line))["event"] == event:
            return dict(told)
    raise child.failure(f"has not said '{event}'")


def _per_host(cell: Cell, values: list[float]) -> list[float]:
    """Sums over the processes of a host."""
    return [sum(values[host :: cell.hosts]) for host in range(cell.hosts)]


def _own_bytes(pid: int) -> float:
    """Memory that no file and no other process has: RssAnon."""
    text = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    found = re.search(r"(?m)^RssAnon:\s+(\d+) kB", text)
    if not found:
        raise FailureError(f"process {pid} has ended")
    return float(found.group(1)) * 1024


@contextmanager
def _settings() -> Iterator[None]:
    before = os.environ.get("CYCLONEDDS_URI")
    os.environ["CYCLONEDDS_URI"] = ENGINE
    try:
        yield
    finally:
        del os.environ["CYCLONEDDS_URI"]
        if before is not None:
            os.environ["CYCLONEDDS_URI"] = before
