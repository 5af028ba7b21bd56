# SPDX-License-Identifier: Apache-2.0
"""The cells of `ligament bench uma`, each measured alternately with the same work without ROS."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

from ligament.bench.awake import ASLEEP, awake_processors
from ligament.bench.dds.runs import own_network
from ligament.bench.measuring import OURS, Measured, Row, make_row, say
from ligament.bench.options import with_words
from ligament.bench.uma import claims, published
from ligament.bench.uma.bounds import upper_bound
from ligament.bench.uma.cells import (
    ARCHITECTURES,
    COPIED,
    HANDED_OVER,
    LIMITS,
    MODELS,
    PAPER_LINES,
    SERVICE,
    SHARED,
    TOPIC,
    WORKLOADS,
    Cell,
    Line,
    all_lines,
    refusal,
)
from ligament.bench.uma.options import Options
from ligament.bench.uma.plot import write_plots
from ligament.bench.uma.run import architecture_words, run_program
from ligament.bench.uma.sizes import Sizes, Work
from ligament.errors import InputError, Problem
from ligament.report.statistics import summarise

NEGATIVE = (
    "where an overhead is negative: the work is the same, counted and checked, and both wait for "
    "all results of a step. The program without ROS starts all kernels from one thread, before its "
    "own part; nodes start them side by side. With more workers than processors the order in "
    "which the system runs them differs too. How much is due to which was not measured"
)

PINNED = (
    "each worker's thread, and that of its device where the device is a processor, was kept on one "
    "processor, with and without ROS alike (--pinned)"
)


def measure(quick: bool, options: Options) -> Measured:
    """Measure all cells; what fails is told after the others are safe."""
    if options.middleware not in ("dds", "pool"):
        raise InputError(
            Problem(
                "option", f"there is no middleware '{options.middleware}'", expected="dds or pool"
            )
        )
    measured = Measured([])
    cells = chosen_cells(options)
    if options.middleware == "dds" and (note := own_network()):
        measured.notes.append(note)
    with nullcontext(ASLEEP) if options.asleep else awake_processors() as note:
        measured.notes.append(note)
        measured.notes += [PINNED] if options.pinned else []
        measure_cells(measured, cells, quick, options)
    if options.published:
        measured.rows += published.rows_of(measured.rows)
    measured.rows += claims.unified_memory(measured.rows)
    measured.notes += [
        claims.calibration(measured.rows),
        *claims.unified_memory_note(measured.rows),
        NEGATIVE,
        *refusals(),
        *LIMITS,
    ]
    if options.plots:
        write_plots(options.plots, measured.rows)
    return measured


def measure_cells(measured: Measured, cells: list[Cell], quick: bool, options: Options) -> None:
    """One after the other; a cell that fails costs its own rows alone."""
    sizes = Sizes(options)
    for number, cell in enumerate(cells, 1):
        runs = runs_of(cell, quick, options)
        say("uma", f"cell {number} of {len(cells)}, {runs} runs: {cell.title}")
        with measured.attempt(cell.title):
            work = sizes.work_of(cell)
            found = run_cell(cell, options, runs, work)
            measured.rows += rows_of_cell(cell, found, work, options.middleware)
    measured.notes += sizes.notes


def chosen_cells(options: Options) -> list[Cell]:
    """Those that were asked for, in the order of the tables."""
    lines = all_lines() if options.full else PAPER_LINES
    cells = [Cell(workload, line) for workload in WORKLOADS for line in lines]
    return with_words(options.only, cells)


def runs_of(cell: Cell, quick: bool, options: Options) -> int:
    """How often a cell is run."""
    if quick:
        return 5
    copied = cell.line.ros_mode == COPIED and options.copied_runs
    return options.copied_runs if copied else options.runs


def refusals() -> list[str]:
    """What cannot be, once per reason."""
    found: dict[str, list[str]] = {}
    for nodes in ARCHITECTURES:
        for mode in (HANDED_OVER, SHARED):
            for by in (TOPIC, SERVICE):
                for model in MODELS:
                    line = Line(nodes, mode, by, model)
                    if why := refusal(line):
                        found.setdefault(why, []).append(line.title)
    return [f"not measured ({titles[0]} and alike): {why}" for why, titles in found.items()]


def run_cell(cell: Cell, options: Options, runs: int, work: Work) -> dict[str, Any]:
    """Run the program for one cell; what it printed."""
    words = [*architecture_words(cell.line, options.middleware), *work.words]
    words += ["--steps", str(options.steps), "--runs", str(runs)]
    return run_program(cell.workload, words, options)


def rows_of_cell(
    cell: Cell, found: dict[str, Any], work: Work, middleware: str = "dds"
) -> list[Row]:
    """Times of both, the overhead run by run, and what a step costs more."""
    native, ros = found["native_ns"], found["ros_ns"]
    line = cell.line
    params = {
        "workload": cell.workload,
        "nodes": line.nodes,
        "ros_mode": line.ros_mode,
        "ros_type": line.ros_type,
        "device_mode": line.device_mode,
        "middleware": middleware if line.ros_mode == COPIED else "none",
        **{k: v for k, v in found.items() if not k.endswith("_ns")},
        **{k: getattr(work, k) for k in ("step_us", "cpu_part_us", "gpu_part_us")},
    }
    overhead = [100.0 * (r / n - 1.0) for n, r in zip(native, ros, strict=True)]
    step_us = [(r - n) / found["steps"] / 1000 for n, r in zip(native, ros, strict=True)]
    copied = found["copied_out"] + found["copied_in"] + found["device_copies"]
    messages = max(1, found["messages"])

    def row(metric: str, unit: str, values: Any, peer: str = OURS) -> Row:
        return make_row("uma", params, metric, unit, values, peer)

    return [
        row("run_time", "ms", [n / 1e6 for n in native], "native"),
        row("run_time", "ms", [r / 1e6 for r in ros]),
        {**row("overhead", "percent", overhead), "upper95": upper_bound(overhead)},
        row("overhead_per_step", "us", step_us),
        *(row(m, "us", [n / 1000 for n in found[f"{m}_ns"]]) for m in ("launch", "launch_own")),
        row("copies_per_message", "copies", copied / messages),
        row("device_bytes_per_message", "bytes", found["device_bytes"] / messages),
        row("registration", "us", found["import_ns"] / 1000),
        *(row(f"copy_{way}_share", "1", share) for way, share in _card_shares(found)),
    ]


def _card_shares(found: dict[str, Any]) -> Iterator[tuple[str, float]]:
    """How near copies to a card and back come to bare copies of pinned memory."""
    for way in ("in", "out") if "copy_in_ns" in found else ():
        ours, pinned = (summarise(list(found[f"{who}_{way}_ns"])) for who in ("copy", "pinned"))
        yield way, pinned["p50"] / ours["p50"]
