# SPDX-License-Identifier: Apache-2.0
"""A run that advice is asked for: its jobs, its chain, how it was mapped and run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import duckdb

from ligament.advise.jobs import Message, Work, read_work
from ligament.advise.loops import awaited
from ligament.advise.one_core import without_preemption
from ligament.advise.setting import Setting
from ligament.advise.waits import Measured, measure, most_at_once, parallel_nodes
from ligament.errors import InputError, Problem
from ligament.graph.model import Graph
from ligament.mapping import load_mapping
from ligament.mapping.model import GraphMapping
from ligament.report.chains import find_chains, instances
from ligament.report.database import open_events, read_metadata
from ligament.report.names import SHARES
from ligament.report.variant import RunFolder, describe_variant, open_run
from ligament.trace.stage import trace_run

FEWEST, FEWEST_MODELLED = 20, 5
"""Messages that reached the chain's end: fewer have no 99th percentile to speak of. Where a device
is simulated there are few, and each takes the same cycles."""


@dataclass(frozen=True)
class Case:
    """One run, read."""

    run: RunFolder
    entry: dict[str, Any]
    """As in report.json."""
    mapping: GraphMapping
    work: Work
    setting: Setting
    ends: Sequence[tuple[Message, int]]
    """Of each message of the chain: the first message, and the job at its end (an index)."""
    cpus: int

    @property
    def name(self) -> str:
        """How it is named in sentences."""
        return f"run {self.run.run['run_id']} of {self.run.run['variant']}"

    @property
    def pinned(self) -> bool:
        """Whether all of it ran on one core."""
        return self.setting.cores == 1

    @cached_property
    def measured(self) -> Measured:
        """Its waits and publish calls; samples without the warm-up."""
        since_ns = 0
        if self.ends:
            first = self.work.sent[self.ends[0][0]]
            since_ns = self.work.jobs[first.job].begin_ns
        return measure(self.work, self.setting, since_ns)

    @property
    def chain(self) -> list[str]:
        """The nodes of its chain."""
        return list(self.entry["chain"]["nodes"])

    def share_ns(self, hop: dict[str, Any], where: str) -> float:
        """Mean time of a hop: `between_ns` its nodes, or `node_ns`, in the second one."""
        parts = hop[where] or {}
        return float(sum(parts.get(name, 0.0) for name in SHARES))


def read_case(path: Path, graph: Graph) -> Case:
    """Read a run of a graph; say what is missing where it cannot be advised on."""
    case = read_other(path, graph)
    _require_chain(case.run, case.entry)
    return case


def read_other(path: Path, graph: Graph) -> Case:
    """Read a run whose costs are wanted: its chain does not matter."""
    run = open_run(path)
    _require_graph(run, graph)
    if not run.table.is_file():
        _require_trace(run)
        trace_run(run.path)
    _require_provider(run)
    entry = describe_variant(run).entry
    mapping = _mapping_of(run)
    database = open_events(run.table)
    cpus = int(run.run["context"].get("machine", {}).get("cores") or 1)
    cores = _cores(run, cpus)
    work = read_work(database)
    work = replace(work, awaited=awaited(work))
    if entry["time_base"] == "modelled":
        # A simulator takes cores from nobody in the time that counts.
        cores = max(cores, len(work.threads))
    elif cores == 1:
        work = without_preemption(work)
    else:
        # Jobs that shared cores were slower, which is in their times: they did not wait as well.
        cores = max(cores, most_at_once(work))
    setting = Setting(
        server_of=work.server_of(),
        threads=work.threads,
        cores=cores,
        dds=mapping.edge.wanted and mapping.edge.per == "container",
        awake=mapping.wait.strategy == "poll",
        parallel=parallel_nodes(work),
    )
    return Case(run, entry, mapping, work, setting, _ends(database, entry, work), cpus)


def off_core_ns(case: Case) -> dict[str, int]:
    """Time of each CPU node's callbacks in which its thread did not run."""
    spent = {row["node"]: row["cpu_ns"] for row in case.entry["nodes"]}
    took: dict[str, int] = {}
    for job in case.work.jobs:
        took[job.node] = took.get(job.node, 0) + job.took_ns
    nodes = case.mapping.nodes
    return {
        node: max(0, took[node] - cpu)
        for node, cpu in spent.items()
        if cpu and node in took and node in nodes and nodes[node].kind == "cpu"
    }


def interrupted_share(case: Case) -> float:
    """How much of the time of callbacks on the CPU their threads did not run."""
    lost = off_core_ns(case)
    total = sum(job.took_ns for job in case.work.jobs if job.node in lost)
    return sum(lost.values()) / total if total else 0.0


def _ends(
    database: duckdb.DuckDBPyConnection, entry: dict[str, Any], work: Work
) -> list[tuple[Message, int]]:
    """The first message and the last job of each way along the chain, without the warm-up."""
    if entry["chain"] is None or not entry["frames"]:
        return []
    chain = next(c for c in find_chains(database) if c.id == entry["chain"]["id"])
    found = instances(database, chain).columns
    first, last = chain.hops[0], chain.hops[-1]
    place = {(job.handle, job.trigger): at for at, job in enumerate(work.jobs)}
    ends = []
    rows = zip(found["seq_0"], found[f"seq_{len(chain.hops) - 1}"], strict=True)
    for begin, end in rows:
        job = place.get((last.subscription, (last.publisher, int(end))))
        if job is not None:
            ends.append(((first.publisher, int(begin)), job))
    return ends[entry["warm_up_frames"] :]


def _cores(run: RunFolder, cpus: int) -> int:
    text = run.run["context"].get("container_cores")
    if not text:
        return cpus
    count = 0
    for part in str(text).split(","):
        low, dash, high = part.partition("-")
        count += int(high) - int(low) + 1 if dash else 1
    return max(1, count)


def _require_graph(run: RunFolder, graph: Graph) -> None:
    if run.run["graph"] != graph.name:
        raise InputError(
            Problem(
                "run-graph",
                f"{run.path} is a run of the graph '{run.run['graph']}'",
                expected=f"a run of '{graph.name}'",
                hint="name the graph that was run, or one of its own runs",
            )
        )


def _require_trace(run: RunFolder) -> None:
    if not run.run.get("trace"):
        raise InputError(
            Problem(
                "run-not-traced",
                f"{run.path} was run without --trace, so nothing is known of its messages",
                hint=f"record one: ligament run GRAPH --variant {run.run['variant']} --trace",
            )
        )


def _require_provider(run: RunFolder) -> None:
    if read_metadata(run.table).get("provider", "ligament") != "ligament":
        raise InputError(
            Problem(
                "run-imported",
                f"{run.path} is a recording of ros2_tracing's events, which have no spans and not "
                "every message's times",
                expected="a run of `ligament run GRAPH --trace`",
            )
        )


def _require_chain(run: RunFolder, entry: dict[str, Any]) -> None:
    least = FEWEST_MODELLED if entry["time_base"] == "modelled" else FEWEST
    if entry["chain"] is None or entry["frames"] < least:
        count = entry["frames"] if entry["chain"] else 0
        raise InputError(
            Problem(
                "run-too-short",
                f"in {run.path} only {count} messages went from a source to the end of a chain",
                expected=f"at least {least}, after the first ones, which are left out",
                hint=f"record more: ligament run GRAPH --variant {run.run['variant']} --trace "
                "--duration 20",
            )
        )


def _mapping_of(run: RunFolder) -> GraphMapping:
    path = run.build.with_name("mapping.json")
    if not path.is_file():
        raise InputError(
            Problem(
                "run-mapping",
                f"{run.path} has no mapping.json above it",
                expected=f"{path}, as `ligament run` leaves it",
                hint="name the run where it was made, not a copy of its folder",
            )
        )
    return load_mapping(path)
