# SPDX-License-Identifier: Apache-2.0
"""The graph: how soon a node is seen, and what many processes cost."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ligament.bench import scale_graph as outside
from ligament.bench.children import Child, Children
from ligament.bench.measuring import OURS, Row, make_row
from ligament.bench.rmw.contestants import Ros, domain_of
from ligament.bench.rmw.runs import check_identity, told_by_all
from ligament.errors import FailureError

#: Topics that each process publishes, and that it subscribes to.
TOPICS = 5
#: Processes without endpoints, which the memory of the others is compared with.
_BARE = 3
_TIMEOUT_S = 90.0
#: How long a node stays, which is several times what any middleware takes to show it.
_STAYS_US = 500_000


@dataclass(frozen=True)
class Size:
    """How many processes, and how they are measured."""

    processes: int
    starts: int
    idle_s: float

    def params(self) -> dict[str, Any]:
        """As they stand in rows."""
        return {"processes": self.processes, "endpoints": 2 * TOPICS * self.processes}


def seen_after_ns(ros: Ros, contestant: str, nodes: int) -> list[int]:
    """From before the context of a node is made until another process sees its name."""
    words = ros.command(contestant)
    with Children(_TIMEOUT_S) as children:
        watcher = children.start("watch", [*words, "watch"])
        children.await_ready([watcher])
        time.sleep(0.2)
        counts = ["--messages", str(nodes), "--pacing-us", str(_STAYS_US)]
        maker = children.start("appear", [*words, "appear", *counts])
        children.await_end([maker])
        children.ask_to_end([watcher])
        children.await_end([watcher])
        made, seen = told_by_all([maker]), told_by_all([watcher])
    return delays_of(made, seen, contestant)


def delays_of(
    made: Sequence[dict[str, Any]], seen: Sequence[dict[str, Any]], contestant: str
) -> list[int]:
    """Of what both said; nodes that were never seen have no delay."""
    check_identity([*made, *seen], contestant)
    at = {line["name"]: line["at_ns"] for line in seen}
    delays = [at[line["name"]] - line["at_ns"] for line in made if line["name"] in at]
    if not delays:
        raise FailureError(f"{contestant}: no node was seen within {_STAYS_US / 1e6:g} s")
    return delays


@dataclass(frozen=True)
class Start:
    """How a start went, in seconds; the processes' CPU time until then."""

    matched_s: float
    created_s: float
    cpu_s: float


def many_processes(ros: Ros, contestant: str, size: Size) -> list[Row]:
    """All about so many processes. What the last start made is what the rest is measured with."""
    starts: list[Start] = []
    for _ in range(size.starts - 1):
        with _started(ros, contestant, size) as (_members, start):
            starts.append(start)
    with (
        _started(ros, contestant, size) as (members, start),
        _bare(ros, contestant) as bare,
    ):
        starts.append(start)
        time.sleep(2.0)
        # What serves all of them: none of the members, but part of what they cost.
        edges = edges_of(domain_of(contestant)) if contestant == OURS else []
        idle = _idle_percents([*members, *edges], size.idle_s)
        figures = {
            "memory_per_process": ("B", [outside.pss_bytes(pid) for pid in members]),
            "memory_without_endpoints": ("B", [outside.pss_bytes(pid) for pid in bare]),
            "idle_cpu": ("%", [sum(idle)]),
        }
        if edges:
            figures["memory_of_edge"] = ("B", [outside.pss_bytes(pid) for pid in edges])
            figures["idle_cpu_of_edge"] = ("%", [sum(idle[len(members) :])])
    figures |= {
        "start_up": ("s", [one.matched_s for one in starts]),
        "all_created": ("s", [one.created_s for one in starts]),
        "start_up_cpu": ("s", [one.cpu_s for one in starts]),
    }
    return [
        make_row("rmw", size.params(), metric, unit, values, contestant)
        for metric, (unit, values) in figures.items()
    ]


@contextmanager
def _started(ros: Ros, contestant: str, size: Size) -> Iterator[tuple[list[int], Start]]:
    """So many processes, all matched: their ids."""
    words = ros.command(contestant)
    shape = ["--members", str(size.processes), "--topics", str(TOPICS)]
    with Children(_TIMEOUT_S) as children:
        begin_ns = time.monotonic_ns()
        members = [
            children.start(f"member {k}", [*words, "member", *shape, "--index", str(k)])
            for k in range(size.processes)
        ]
        children.await_ready(members)
        pids = _pids(members)
        cpu_s = sum(map(outside.process_cpu_s, pids))
        told = told_by_all(members)
        check_identity(told, contestant)
        yield pids, start_of(told, begin_ns, cpu_s)


def start_of(told: Sequence[dict[str, Any]], begin_ns: int, cpu_s: float) -> Start:
    """Until the last of all."""
    matched, created = (
        (max(line[key] for line in told) - begin_ns) / 1e9 for key in ("matched_ns", "created_ns")
    )
    return Start(matched, created, cpu_s)


@contextmanager
def _bare(ros: Ros, contestant: str) -> Iterator[list[int]]:
    """Processes with a node alone, in a domain of their own."""
    words = [*ros.command(contestant, is_apart=True), "member", "--topics", "0"]
    with Children(_TIMEOUT_S) as children:
        bare = [children.start(f"bare {k}", [*words, "--index", str(k)]) for k in range(_BARE)]
        children.await_ready(bare)
        yield _pids(bare)


def edges_of(domain_id: int, processes: Path = Path("/proc")) -> list[int]:
    """The processes that carry our nodes' topics to DDS; started by the nodes, children of nobody.

    They end by themselves when the nodes have.
    """
    wanted = [b"--domain-id", str(domain_id).encode()]
    found = []
    for entry in processes.glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            words = entry.read_bytes().split(b"\0")
            if words[0].endswith(b"/ligament-edge") and _has(words, wanted):
                found.append(int(entry.parent.name))
    return sorted(found)


def _has(words: Sequence[bytes], wanted: Sequence[bytes]) -> bool:
    return any(words[k : k + len(wanted)] == wanted for k in range(len(words)))


def _pids(children: Sequence[Child]) -> list[int]:
    return [child.process.pid for child in children]


def _idle_percents(pids: Sequence[int], seconds: float) -> list[float]:
    """Of one core, for each of these processes."""
    begin, before = time.monotonic(), [outside.process_cpu_s(pid) for pid in pids]
    time.sleep(seconds)
    after = [outside.process_cpu_s(pid) for pid in pids]
    window = time.monotonic() - begin
    return [(b - a) / window * 100 for a, b in zip(before, after, strict=True)]
