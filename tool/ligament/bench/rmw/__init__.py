# SPDX-License-Identifier: Apache-2.0
"""`ligament bench rmw`: benchmarks/rmw/README.md says what is measured and how."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ligament.bench.measuring import OURS, Measured, Row, comparison, in_turn, make_row, say
from ligament.bench.options import Lists, option, with_words
from ligament.bench.rmw.cells import COPIES, ONE_READER, ONE_WAY, PUBLISH, PUBLISH_CPU, Cell, cells
from ligament.bench.rmw.contestants import NOTES, SHIPPED, TUNED, Ros, prepare
from ligament.bench.rmw.goals import FIGURES
from ligament.bench.rmw.graph import Size, many_processes, seen_after_ns
from ligament.bench.rmw.runs import Figures, run_once
from ligament.errors import FailureError
from ligament.report.statistics import summarise

__all__ = ["FIGURES", "Options", "measure"]


@dataclass(frozen=True)
class Options:
    """In typer's form."""

    passes: int = option(0, "Turns of all (0: 9, quick 2).", min=0)
    only: str = option("", "Cells whose title has all these words; the graph is left out.")
    processes: str = option("", "Processes of the graph, a list with commas (20,100).")
    distro: str = option("jazzy", "ROS 2: jazzy or kilted.")
    library: str = option("", "Our middleware's library, where it is not the installed one.")


#: That appear in each pass, one after another.
NODES = 3
Runs = dict[Cell, dict[str, list[Figures]]]


def measure(quick: bool, options: Options) -> Measured:
    """All cells, all contestants, alternately; then the graph."""
    asked = with_words(options.only, cells(quick))
    sizes = sizes_of(quick, options)
    ros = prepare(options.distro, options.library)
    measured = Measured([], notes=list(NOTES), versions={"ros": options.distro})
    passes = options.passes or (2 if quick else 9)
    runs = _in_turns(ros, asked, passes, measured)
    for cell, of in runs.items():
        measured.rows += rows_of_cell(cell, of)
        measured.comparisons += comparisons_of(cell, of)
    measured.comparisons += eight_to_one(runs)
    if not options.only:
        _measure_graph(ros, sizes, passes, measured)
    return measured


def sizes_of(quick: bool, options: Options) -> list[Size]:
    """The graphs."""
    lists = Lists()
    processes = lists.numbers("--processes", options.processes, range(2, 201))
    lists.raise_mistakes()
    processes = processes or ([10] if quick else [20, 100])
    return [Size(n, 1 if quick else 3, 3.0 if quick else 5.0) for n in processes]


def _in_turns(ros: Ros, asked: list[Cell], passes: int, measured: Measured) -> Runs:
    runs: Runs = {cell: {name: [] for name in cell.everybody} for cell in asked}
    for number in range(passes):
        for place, cell in enumerate(asked, 1):
            say("rmw", f"pass {number + 1}/{passes}, cell {place}/{len(asked)}: {cell.title}")
            # Who fails costs the pass of all: what is compared is of one moment.
            with measured.attempt(f"pass {number + 1}, {cell.title}"):
                order = in_turn(cell.everybody, number)
                found = {name: _run(ros, name, cell, measured.notes) for name in order}
                for name, figures in found.items():
                    runs[cell][name].append(figures)
    return {cell: of for cell, of in runs.items() if of[OURS]}


def _run(ros: Ros, name: str, cell: Cell, notes: list[str]) -> Figures:
    """A peer that fails is run once more, and told: else it would cost our own pass."""
    try:
        return run_once(ros, name, cell)
    except FailureError as error:
        if name == OURS:
            raise
        first = str(error).splitlines()[0]
        notes.append(f"{name}, {cell.title}: run once more, because {first}")
        return run_once(ros, name, cell)


def rows_of_cell(cell: Cell, of: dict[str, list[Figures]]) -> list[Row]:
    """Latencies of all passes together, and what the publish call took."""
    rows: list[Row] = []
    for name, figures in of.items():
        pooled = [t for one in figures for t in one.latency_ns]
        latency = make_row("rmw", cell.params, cell.metric, "ns", pooled, name)
        rows.append({**latency, "lost": sum(one.lost for one in figures)})
        wall = [t for one in figures for t in one.publish_ns]
        cpu = [t for one in figures for t in one.publish_cpu_ns]
        for metric, values in ((PUBLISH, wall), (PUBLISH_CPU, cpu)):
            if values:
                rows.append(make_row("rmw", cell.params, metric, "ns", values, name))
    return rows


def comparisons_of(cell: Cell, of: dict[str, list[Figures]]) -> list[dict[str, Any]]:
    """Our median against each other's, pass by pass."""
    medians = {name: [_median(one.latency_ns) for one in found] for name, found in of.items()}
    return [
        one
        for peer in (COPIES, SHIPPED, TUNED)
        if peer in medians
        for one in comparison(
            cell.params, cell.metric, peer, list(zip(medians[OURS], medians[peer], strict=True))
        )
    ]


def eight_to_one(runs: Runs) -> list[dict[str, Any]]:
    """Our publish call with several subscribers against that with one, pass by pass."""
    found: list[dict[str, Any]] = []
    ways = [cell for cell in runs if cell.metric == ONE_WAY]
    for many in (cell for cell in ways if cell.subscribers > 1):
        for one in (cell for cell in ways if (cell.bytes, cell.subscribers) == (many.bytes, 1)):
            calls = zip(runs[many][OURS], runs[one][OURS], strict=False)
            pairs = [(_median(a.publish_cpu_ns), _median(b.publish_cpu_ns)) for a, b in calls]
            found += comparison(many.params, PUBLISH_CPU, ONE_READER, pairs)
    return found


def _median(values: list[int]) -> float:
    return float(summarise(values)["p50"])


def _measure_graph(ros: Ros, sizes: list[Size], passes: int, measured: Measured) -> None:
    delays: dict[str, list[int]] = {OURS: [], SHIPPED: []}
    passes = min(passes, 4)  # each has several nodes
    for number in range(passes):
        say("rmw", f"pass {number + 1}/{passes}: a node that appears")
        for name in in_turn((OURS, SHIPPED), number):
            with measured.attempt(f"pass {number + 1}, a node that appears"):
                delays[name] += seen_after_ns(ros, name, NODES)
    for name, values in delays.items():
        if unseen := NODES * passes - len(values):
            measured.notes.append(
                f"{name}: {unseen} of {NODES * passes} nodes were never seen, though each stayed "
                "for half a second"
            )
        if values:
            measured.rows.append(make_row("rmw", {"nodes": 2}, "node_seen", "ns", values, name))
    smallest = min(sizes, key=lambda size: size.processes)
    for size in sizes:
        # Discovery of the peer, each with each over UDP, would take minutes for many.
        for name in (OURS, SHIPPED) if size is smallest else (OURS,):
            say("rmw", f"{size.processes} processes, {name}")
            with measured.attempt(f"{size.processes} processes, {name}"):
                measured.rows += many_processes(ros, name, size)
