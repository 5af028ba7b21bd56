# SPDX-License-Identifier: Apache-2.0
"""`ligament bench advise`: predictions of changes beside runs of them, of three graphs.

The perception graph's, and the two driving graphs' (advised_drives.py), which need the simulator.

Its rows also hold what messages and nodes cost here: `ligament bench pages` makes the table of
known costs from them (advise/known.json), from which the next predictions are made.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ligament.advise.case import Case, read_other
from ligament.advise.check import GOALS, Checked, Plan, check
from ligament.advise.known import SCHEMA as KNOWN
from ligament.advise.stage import Asked, advise, cycles_in, gaps_of
from ligament.artefacts import json_text
from ligament.bench.advised_drives import GRAPHS, checked_drives
from ligament.bench.goals import Figures, Goal
from ligament.bench.measuring import Measured, Row, make_row, say
from ligament.bench.options import Lists, option
from ligament.errors import LigamentError
from ligament.pipeline import Request, built
from ligament.report.options import WARM_UP_FRAMES
from ligament.resources import node_packages_dir
from ligament.run.cores import one_core
from ligament.run.display import Quiet
from ligament.run.graph_run import RunRequest, run_graph

BASE = "processes"
LEARNT = ("processes", "one_process", "dds")
"""Variants that messages go all ways in."""
HARDWARE_FRAMES = 12
UNITS = {"p50": "ns", "p99": "ns", "cycles": "cycles"}
PERCEPTION = "perception"


def _goals(figure: str, of: str, graph: str | None) -> tuple[Goal, Goal]:
    """What was predicted, and how far it was off; rows of the perception graph name no graph."""
    where = {"figure": figure, "graph": graph}
    return (
        Goal(f"{figure} after `{{change}}`{of}, predicted", "predicted", where=where),
        Goal(f"{figure} after `{{change}}`{of}: off by", "error", GOALS[figure], where=where,
             unit="share"),
    )  # fmt: skip


FIGURES = Figures(
    goals=(
        *(goal for figure in UNITS for goal in _goals(figure, "", None)),
        *(
            goal
            for graph in GRAPHS
            for figure in ("p50", "p99")
            for goal in _goals(figure, f" of `{graph}`", graph)
        ),
    ),
    results={
        "advise": "changes of the demo's variant `processes`, all on one core",
        "advise_driving": "changes of both driving graphs, a process per node, on all cores",
    },
    words={
        "`fuse_rectify_resize`, `one_process`, `dds`, ...": "changes that `ligament advise` "
        "proposes, or variants of the graph",
    },
)  # fmt: skip


@dataclass(frozen=True)
class Options:
    """Options of its own."""

    passes: int = option(5, "Runs of each change, each beside a run without it.")
    only: str = option("", "Changes, a list with commas; all if empty.")
    graphs: str = option(
        ",".join((PERCEPTION, *GRAPHS)), "Graphs, a list with commas: perception, lanes, slam."
    )


def measure(quick: bool, options: Options | None = None) -> Measured:
    """Run the changes of each graph."""
    wanted = options or Options()
    lists = Lists()
    graphs = lists.words("--graphs", wanted.graphs, (PERCEPTION, *GRAPHS))
    lists.raise_mistakes()
    passes = 1 if quick else wanted.passes
    result = _perception(quick, passes, wanted.only) if PERCEPTION in graphs else Measured([])
    for graph in GRAPHS:
        if graph in graphs:
            with result.attempt(graph):
                for checked in checked_drives(graph, quick, passes, _names(wanted.only)):
                    _take(result, checked, graph=graph)
    return result


def _names(only: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in only.split(",") if name.strip())


def _take(result: Measured, checked: Checked, **graph: str) -> None:
    """Keep what a change did; `graph` names another graph than the first one."""
    if checked.left_out:
        of = "".join(f" of {name}" for name in graph.values())
        result.notes.append(f"{checked.name}{of}: {checked.left_out}")
    if checked.measured:
        result.rows += rows_of(checked, **graph)


def _perception(quick: bool, passes: int, only: str) -> Measured:
    """Run the changes in a folder of its own."""
    graph = node_packages_dir().parent / "examples" / "perception" / "graph.yaml"
    frames = (100 if quick else 600) + WARM_UP_FRAMES
    plan = Plan(
        passes,
        {"/camera": {"frames": frames}, "/sink": {"frames": frames}},
        {
            "/camera": {"frames": HARDWARE_FRAMES + WARM_UP_FRAMES, "ack_timeout_ms": 5000},
            "/sink": {"frames": HARDWARE_FRAMES + WARM_UP_FRAMES},
        },
    )
    with tempfile.TemporaryDirectory() as folder:
        return _measured(Asked(graph, str(graph), [], Path(folder)), plan, only)


def _measured(asked: Asked, plan: Plan, only: str) -> Measured:
    say("advise", f"building and running {BASE}")
    build = built(Request(asked.graph, BASE, out=asked.out)).build
    request = RunRequest(build, "ligament", cores=one_core(), parameters=plan.parameters,
                         log_level="warn")  # fmt: skip
    first = run_graph(request, Quiet()).path.parent
    others = _run(asked, request, "gpu")
    runs = [first, *others]
    advice = advise(Asked(asked.graph, asked.written, runs, asked.out, _names(only)))
    result = Measured([])
    for checked in check(asked, advice, plan, lambda text: say("advise", text)):
        _take(result, checked)
        runs += checked.runs
    runs += _for_the_table(asked, request)
    cases = [read_other(run, advice.graph) for run in runs]
    result.rows += cost_rows(cases)
    return result


def _run(asked: Asked, request: RunRequest, variant: str) -> list[Path]:
    """A run of a variant whose times are wanted, where it can be run here."""
    say("advise", f"building and running {variant}")
    try:
        build = built(Request(asked.graph, variant, out=asked.out)).build
        finished = run_graph(replace(request, build=build), Quiet())
    except LigamentError as error:
        say("advise", f"no times of {variant}: {error}")
        return []
    return [finished.path.parent] if finished.exit_code == 0 else []


def _for_the_table(asked: Asked, request: RunRequest) -> list[Path]:
    """Runs of each way of messages, on one core and on any: only the table is made from them."""
    cores = (one_core(), None)
    wanted = [(variant, core) for variant in LEARNT for core in cores]
    return [run for v, core in wanted for run in _run(asked, replace(request, cores=core), v)]


def rows_of(checked: Checked, **graph: str) -> list[Row]:
    """Predicted, measured and the error, of each figure."""
    rows = []
    for figure, unit in UNITS.items():
        if figure not in checked.predicted:
            continue
        params = {"change": checked.name, "figure": figure, **graph}
        predicted, measured = checked.predicted[figure], checked.measured[figure]
        rows.append(make_row("advise", params, "predicted", unit, predicted))
        rows.append(make_row("advise", params, "predicted", unit, measured, "measured"))
        row = make_row("advise", params, "error", "1", checked.error(figure))
        if checked.is_missed(figure):
            row["why"] = "; ".join(checked.why())
        rows.append(row)
    return rows


def cost_rows(cases: Sequence[Case]) -> list[Row]:
    """Times of messages by kind, and of nodes by type and device, over all runs."""
    return [*_messages(cases), *_nodes(cases)]


def _messages(cases: Sequence[Case]) -> Iterator[Row]:
    pools: dict[tuple[Any, ...], list[float]] = {}
    for case in cases:
        sizes = {sent.topic: sent.bytes for sent in case.work.sent.values()}
        for kind, samples in case.measured.samples.items():
            key = (kind.way, kind.asleep, kind.one_core, sizes.get(kind.topic, 0))
            pools.setdefault(key, []).extend(samples)
    for (way, asleep, core, size), values in sorted(pools.items(), key=repr):
        params = {"way": way, "asleep": asleep, "one_core": core, "bytes": size}
        yield make_row("advise", params, "message", "ns", values)


def _nodes(cases: Sequence[Case]) -> Iterator[Row]:
    seen = set()
    for case in cases:
        size = max((sent.bytes for sent in case.work.sent.values()), default=0)
        for (kind, device), samples in gaps_of(case).items():
            if device == "gpu" and (kind, device) not in seen:
                seen.add((kind, device))
                params = {"type": kind, "device": device, "bytes": size}
                yield make_row("advise", params, "node", "ns", samples)
        for (kind, device), known in cycles_in(case).items():
            if (kind, device) not in seen and known.cycles is not None:
                seen.add((kind, device))
                params = {"type": kind, "device": device, "bytes": size}
                yield make_row("advise", params, "node_cycles", "cycles", known.cycles)
                yield make_row("advise", params, "node_around", "ns", known.around_ns)


def other_texts(root: Path) -> dict[Path, str]:
    """The table of known costs, which ships with the tool, from the result file."""
    result = json.loads((root / "results" / "advise.json").read_text(encoding="utf-8"))
    path = root.parent / "tool" / "ligament" / "advise" / "known.json"
    # A copy of the pages alone has no tool beside it.
    return {path: json_text(known_table(result))} if path.parent.is_dir() else {}


def known_table(result: dict[str, Any]) -> dict[str, Any]:
    """The table of known costs that a result file gives."""
    rows = result["rows"]
    messages = [
        {**row["params"], "p50": row["p50"], "p99": row["p99"], "n": row["n"]}
        for row in rows
        if row["metric"] == "message"
    ]
    around = {str(r["params"]): r["p50"] for r in rows if r["metric"] == "node_around"}
    nodes = [
        {**row["params"], "cycles": row["p50"], "around_ns": around.get(str(row["params"]), 0.0)}
        for row in rows
        if row["metric"] == "node_cycles"
    ]
    context = result["context"]
    return {
        "schema": KNOWN,
        "measured": {"date": context.get("date"), "machine": context["machine"]},
        "messages": messages,
        "nodes": nodes,
    }
