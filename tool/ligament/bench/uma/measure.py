# SPDX-License-Identifier: Apache-2.0
"""The cells of `ligament bench uma`, each measured in turns with the same work without ROS."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from ligament.bench.awake import ASLEEP, awake_processors
from ligament.bench.dds.runs import own_network
from ligament.bench.framework import Measured, Row, make_row, program
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
from ligament.bench.uma.plot import write_plots
from ligament.errors import FailureError, InputError, Problem
from ligament.report.statistics import summarise

#: DDS domain of ROS-SC's nodes; the network is our own where we may have one.
DDS_DOMAIN = 87
NEGATIVE = (
    "where an overhead is negative beyond its spread: with ROS a part begins its next step as soon "
    "as it has the others' results, while without ROS all wait at the end of each step"
)


@dataclass(frozen=True)
class Options:
    """Options of its own."""

    rows: Annotated[int, typer.Option("--rows", help="Rows of the matrix, and work items.")] = 1024
    columns: Annotated[int, typer.Option("--columns", help="Words (4 bytes) in a row.")] = 1024
    step_us: Annotated[
        int, typer.Option("--step-us", help="What a step takes without ROS, at most.")
    ] = 2500
    steps: Annotated[int, typer.Option("--steps", help="Exchanges there and back in a run.")] = 100
    runs: Annotated[int, typer.Option("--runs", help="Runs after the warm-up.")] = 30
    copied_runs: Annotated[
        int,
        typer.Option(
            "--copied-runs", help="Runs of ROS-SC's lines, which take long; 0: as many as others."
        ),
    ] = 0
    only: Annotated[
        str,
        typer.Option(
            "--only", help="Lines whose title has all these words, e.g. `concurrent ROS-SHM-ZC ZC`."
        ),
    ] = ""
    full: Annotated[
        bool,
        typer.Option("--full/--paper", help="Every combination, not only the paper's and UM."),
    ] = False
    middleware: Annotated[
        str,
        typer.Option(
            "--middleware",
            help="What ROS-SC's messages cross: `dds`, as ROS 2's do, or `pool`, by copies alone.",
        ),
    ] = "dds"
    asleep: Annotated[
        bool,
        typer.Option(
            "--asleep", help="Let idle processors sleep, as they do where nobody asks otherwise."
        ),
    ] = False
    published: Annotated[
        bool,
        typer.Option(
            "--published/--measured",
            help="Add a model of ZC with caches off, by the paper's factors.",
        ),
    ] = False
    plots: Annotated[str, typer.Option("--plots", help="Folder for a drawing per table.")] = ""


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
        measure_cells(measured, cells, quick, options)
    if options.published:
        measured.rows += published.rows_of(measured.rows)
    measured.rows += claims.unified_memory(measured.rows)
    measured.notes += [
        *claims.calibration(measured.rows),
        *claims.unified_memory_note(measured.rows),
        NEGATIVE,
        *refusals(),
        *LIMITS,
    ]
    if options.plots:
        write_plots(options.plots, measured.rows)
    return measured


def measure_cells(measured: Measured, cells: list[Cell], quick: bool, options: Options) -> None:
    """One after the other; a cell that fails costs its own rows alone.

    Cells of one workload and number of nodes do the same work: what the first calibrated.
    """
    repeats: dict[tuple[str, int], list[str]] = {}
    for number, cell in enumerate(cells, 1):
        runs = runs_of(cell, quick, options)
        print(
            f"uma: cell {number} of {len(cells)}, {runs} runs: {cell.title}",
            file=sys.stderr,
            flush=True,
        )
        try:
            found = run_cell(cell, options, runs, repeats.get((cell.workload, cell.line.nodes), []))
        except FailureError as error:
            measured.failures.append(f"{cell.title}: {error}")
        else:
            measured.rows += rows_of_cell(cell, found, options.middleware)
            repeats[cell.workload, cell.line.nodes] = [
                f"--{part}-repeats={found[f'{part}_repeats']}" for part in ("cpu", "gpu")
            ]


def chosen_cells(options: Options) -> list[Cell]:
    """Those that were asked for, in the order of the tables."""
    lines = all_lines() if options.full else PAPER_LINES
    cells = [Cell(workload, line) for workload in WORKLOADS for line in lines]
    words = options.only.split()
    chosen = [c for c in cells if all(word in c.title.replace(",", "").split() for word in words)]
    if not chosen:
        raise InputError(
            Problem(
                "option",
                f"no line has all of '{options.only}'",
                expected=f"words of titles such as '{cells[0].title}'",
            )
        )
    return chosen


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


def run_cell(
    cell: Cell, options: Options, runs: int, repeats: Sequence[str] = ()
) -> dict[str, Any]:
    """Run the program for one cell, which calibrates what `repeats` leave open; what it printed."""
    command = [str(program("ligament-bench-uma")), "--workload", cell.workload]
    command += architecture_words(cell.line, options.middleware)
    for name in ("rows", "columns", "steps"):
        command += [f"--{name}", str(getattr(options, name))]
    command += ["--runs", str(runs), "--step-us", str(options.step_us), *repeats]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=1800)
    if ended.returncode != 0:
        said = ended.stderr.strip().splitlines()[-1:] or [f"exit {ended.returncode}"]
        raise FailureError(said[0], command=command)
    return dict(json.loads(ended.stdout.splitlines()[-1]))


def architecture_words(line: Line, middleware: str) -> list[str]:
    """The program's words for a line."""
    cpus, gpus, has_scheduler = ARCHITECTURES[line.nodes]
    way = {SHARED: "shared", HANDED_OVER: "handed_over", COPIED: line.ros_type}[line.ros_mode]
    words = ["--way", way, "--model", MODELS[line.device_mode]]
    words += ["--cpus", str(cpus), "--gpus", str(gpus)]
    words += ["--scheduler"] if has_scheduler else []
    if line.ros_mode == COPIED and middleware == "dds":
        words += ["--dds", "--dds-domain", str(DDS_DOMAIN)]
    return words


def rows_of_cell(cell: Cell, found: dict[str, Any], middleware: str = "dds") -> list[Row]:
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
    }
    overhead = [100.0 * (r / n - 1.0) for n, r in zip(native, ros, strict=True)]
    step_us = [(r - n) / found["steps"] / 1000 for n, r in zip(native, ros, strict=True)]
    over = make_row("uma", params, "overhead", "percent", summarise(overhead))
    over["upper95"] = upper_bound(overhead)
    copied = found["copied_out"] + found["copied_in"] + found["device_copies"]
    copies = copied / max(1, found["messages"])
    return [
        make_row("uma", params, "run_time", "ms", summarise([n / 1e6 for n in native]), "native"),
        make_row("uma", params, "run_time", "ms", summarise([r / 1e6 for r in ros])),
        over,
        make_row("uma", params, "overhead_per_step", "us", summarise(step_us)),
        *(
            make_row(
                "uma", params, metric, "us", summarise([n / 1000 for n in found[f"{metric}_ns"]])
            )
            for metric in ("launch", "launch_own")
        ),
        make_row("uma", params, "copies_per_message", "copies", summarise([copies])),
        make_row(
            "uma",
            params,
            "device_bytes_per_message",
            "bytes",
            summarise([found["device_bytes"] / max(1, found["messages"])]),
        ),
        make_row("uma", params, "registration", "us", summarise([found["import_ns"] / 1000])),
        *_card_rows(params, found),
    ]


def _card_rows(params: dict[str, Any], found: dict[str, Any]) -> list[Row]:
    """Copies to a card and back, and how near they come to bare copies of pinned memory."""
    rows = []
    for way in ("in", "out") if "copy_in_ns" in found else ():
        ours, pinned = (summarise(list(found[f"{who}_{way}_ns"])) for who in ("copy", "pinned"))
        share = summarise([pinned["p50"] / ours["p50"]])
        rows.append(make_row("uma", params, f"copy_{way}_share", "1", share))
    return rows
