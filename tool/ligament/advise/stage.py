# SPDX-License-Identifier: Apache-2.0
"""Runs of a graph become advice.json: what holds the chain back, and what each change would do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ligament.advise.case import Case, interrupted_share, read_case, read_other
from ligament.advise.changes import Change, find_changes
from ligament.advise.commands import command_of, given_parameters, text_of
from ligament.advise.cost import cost_of
from ligament.advise.holds import what_holds
from ligament.advise.known import Costs, NodeTime, read_table
from ligament.advise.predict import Figure, Prediction, UnpredictableError, predict, replayed
from ligament.errors import InputError, listing, no_such
from ligament.graph import Graph, load_graph, read_project, resolve

SCHEMA = "ligament/advice/1"
TRUSTED = 0.15
"""A replay of the run itself that is further off is told as a warning."""

BUSY = 0.1
"""Part of the callbacks' time without a core from which the run says little of a quiet computer."""


@dataclass(frozen=True)
class Asked:
    """What advice is asked about: the graph as the user wrote it, and runs, the first one's."""

    graph: Path
    written: str
    runs: Sequence[Path]
    out: Path
    only: Sequence[str] = ()
    """Names of changes; none: all."""


@dataclass(frozen=True)
class Advice:
    """advice.json, and the changes that its lines are of, by name."""

    data: dict[str, Any]
    changes: dict[str, Change]
    case: Case
    others: Sequence[Case]
    graph: Graph


def advise(asked: Asked, say: Callable[[str], None] = lambda _: None) -> Advice:
    """Read the runs, and predict every change; `say`: what is done now, as a line for people."""
    graph = _load(asked.graph)
    say(f"reading {asked.runs[0]}")
    case = read_case(asked.runs[0], graph)
    others = [read_other(path, graph) for path in asked.runs[1:]]
    costs = costs_of(case, others)
    say("replaying the run as it was")
    again = replayed(case, costs)
    changes = _wanted(find_changes(case, graph), asked.only)
    lines = []
    for number, change in enumerate(changes, 1):
        say(f"predicting {number} of {len(changes)}: {change.name}")
        lines.append(_line(case, change, costs, asked, graph))
    lines.sort(key=lambda line: (line["p50"] is None, line["p50"]["ns"] if line["p50"] else 0.0))
    data = {
        "schema": SCHEMA,
        "graph": graph.name,
        "variant": case.mapping.variant,
        "run_dir": str(case.run.path),
        "chain": {
            "id": case.entry["chain"]["id"],
            "frames": case.entry["frames"],
            "p50_ns": case.entry["latency_ns"]["p50"],
            "p99_ns": case.entry["latency_ns"]["p99"],
            "replayed_p50_ns": again.p50.value,
            "replayed_p99_ns": again.p99.value,
        },
        "warnings": _warnings(asked, case, again),
        "holds": what_holds(case),
        "changes": lines,
        "context": case.run.run["context"],
    }
    return Advice(data, {change.name: change for change in changes}, case, others, graph)


def _load(path: Path) -> Graph:
    """The graph with all node types that there are: one of them may be a fused one."""
    if path.suffix == ".json":
        return load_graph(path)
    project = read_project(path)
    return resolve(project, project.node_types)


def _wanted(changes: list[Change], only: Sequence[str]) -> list[Change]:
    names = [change.name for change in changes]
    problems = [
        no_such("change-unknown", f"--only: there is no change '{name}' here", name, names)
        for name in only
        if name not in names
    ]
    if problems:
        raise InputError(problems)
    return [change for change in changes if not only or change.name in only]


def costs_of(case: Case, others: Sequence[Case]) -> Costs:
    """What is known of messages and nodes, the nearest first."""
    return Costs(
        own=case.measured.samples,
        others=[(one.name, one.measured.samples) for one in others],
        table=read_table(),
        nodes=_node_times(case, others),
    )


def _line(case: Case, change: Change, costs: Costs, asked: Asked, graph: Graph) -> dict[str, Any]:
    line: dict[str, Any] = {
        "name": change.name,
        "text": change.text,
        "variant": change.variant.name if change.declared else None,
        "platform": change.platform,
        **dict.fromkeys(("p50", "p99", "cycles", "cost", "command")),
        "based_on": [],
        "unpredicted": change.refused or None,
    }
    if change.mapping is None:
        return line
    line["cost"] = cost_of(case, change, graph)
    parameters = given_parameters(case.run.run["context"])
    base = case.mapping.variant
    words = command_of(change, asked.written, base, asked.out, case.pinned, parameters)
    line["command"] = text_of(words)
    try:
        found = predict(case, change, costs)
    except UnpredictableError as error:
        return line | {"unpredicted": f"{error}; run it once, and name that run, too"}
    return line | {
        "p50": _figure(found.p50),
        "p99": _figure(found.p99),
        "cycles": found.cycles,
        "based_on": list(found.basis),
    }


def _figure(figure: Figure) -> dict[str, float]:
    return {"ns": figure.value, "low_ns": figure.low, "high_ns": figure.high}


def _warnings(asked: Asked, case: Case, again: Prediction) -> list[str]:
    found = []
    for name, value in (("p50", again.p50.value), ("p99", again.p99.value)):
        measured = case.entry["latency_ns"][name]
        if abs(value / measured - 1) > TRUSTED:
            found.append(
                f"a replay of the run itself gives a {name} that is {value / measured:.2f} times "
                "the measured one: do not rely on what follows"
            )
    if case.entry["lost_events"]:
        found.append(f"{case.entry['lost_events']} events of the trace were lost")
    if (share := interrupted_share(case)) > BUSY:
        found.append(
            f"callbacks had no core for {100 * share:.0f} % of their time: what follows is of a "
            "computer that is as busy as that; record again when nothing else runs"
        )
    if bare := without_spans(case):
        found.append(
            f"{listing(bare)} told no span, so all of their callbacks counts as message passing, "
            "and no device can be compared: put spans into them (docs/how-to/spans.md), and record "
            f"again: ligament run {asked.written} --variant {case.mapping.variant} --trace"
        )
    return found


def without_spans(case: Case) -> list[str]:
    """Nodes between the source and the end of the chain of which no span was recorded."""
    told = {row["node"] for row in case.entry["spans"]}
    between = dict.fromkeys(case.chain[1:-1])
    return [node for node in between if node not in told and node in case.mapping.nodes]


def _node_times(case: Case, others: Sequence[Case]) -> dict[tuple[str, str], NodeTime]:
    """What nodes of other runs took, by type and kind of device, scaled by what both runs have."""
    own = gaps_of(case)
    found = cycles_in(case)
    for other in others:
        theirs = gaps_of(other)
        ratios = [
            float(np.median(own[key]) / np.median(theirs[key]))
            for key in set(own) & set(theirs)
            if np.median(theirs[key]) > 0
        ]
        scale = float(np.exp(np.mean(np.log(ratios)))) if ratios else 1.0
        found |= {
            key: NodeTime(f"what {key[0]} took in {other.name}, times {scale:.2g}", samples * scale)
            for key, samples in theirs.items()
            if key not in own
        }
        found |= {key: time for key, time in cycles_in(other).items() if key not in found}
    return found


def gaps_of(case: Case) -> dict[tuple[str, str], Any]:
    """Times from take to first message of each node that computes, by type and kind."""
    modelled = {row["node"] for row in case.entry["spans"] if row["time_base"] == "modelled"}
    gaps: dict[tuple[str, str], list[float]] = {}
    for job in case.work.jobs:
        node = case.mapping.nodes.get(job.node)
        if node is None or not job.outputs or not job.trigger or job.node in modelled:
            continue
        if job.compute_ns > 0 or node.kind == "gpu":
            gaps.setdefault((node.type, node.kind), []).append(float(job.outputs[0].gap_ns))
    return {key: np.asarray(values) for key, values in gaps.items()}


def cycles_in(case: Case) -> dict[tuple[str, str], NodeTime]:
    """Cycles of nodes in hardware, and what the software around them took."""
    found = {}
    for row in case.entry["span_values"]:
        node = case.mapping.nodes.get(row["node"])
        if row["value"] == "cycles" and node is not None and node.kind == "fpga":
            text = f"{row['p50']:,.0f} cycles of {node.type} in {case.name}"
            around = _around_ns(case, row["node"])
            found[node.type, "fpga"] = NodeTime(text, None, row["p50"], around)
    return found


def _around_ns(case: Case, node: str) -> float:
    """Mean time from take to publish that is not the device's."""
    for hop in case.entry["hops"]:
        if hop["to"] == node and hop["node_ns"]:
            return float(sum(v for k, v in hop["node_ns"].items() if k != "compute"))
    return 0.0
