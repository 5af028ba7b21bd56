# SPDX-License-Identifier: Apache-2.0
"""The cells of `ligament bench uma`, each measured in turns with the same work without ROS."""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import sys
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from ligament.bench.framework import Measured, Row, make_row, program
from ligament.errors import FailureError
from ligament.report.statistics import summarise

WORKLOADS = ("cache", "concurrent")
SHARED, COPIES = "ROS-SHM-ZC", "ROS-SC"
#: (nodes, ROS mode, device model)
CELLS = (
    (2, COPIES, "SC"),
    (2, SHARED, "SC"),
    (2, SHARED, "ZC"),
    (3, SHARED, "SC"),
    (3, SHARED, "ZC"),
)
#: In the words of the program.
WAYS = {COPIES: "copies", SHARED: "shared_memory"}
MODELS = {"SC": "standard_copy", "ZC": "zero_copy"}


@dataclass(frozen=True)
class Options:
    """Options of its own."""

    rows: Annotated[int, typer.Option("--rows", help="Rows of the matrix, and work items.")] = 2048
    columns: Annotated[int, typer.Option("--columns", help="Words (4 bytes) in a row.")] = 2048
    part_us: Annotated[
        int,
        typer.Option("--part-us", help="What the CPU's and the GPU's part of a step each take."),
    ] = 4000
    steps: Annotated[int, typer.Option("--steps", help="Exchanges there and back in a run.")] = 100
    runs: Annotated[int, typer.Option("--runs", help="Runs after the warm-up.")] = 30


@dataclass(frozen=True)
class Cell:
    """One line of a table."""

    workload: str
    nodes: int
    ros_mode: str
    device_mode: str

    @property
    def title(self) -> str:
        """For sentences."""
        return f"{self.workload}, {self.nodes} nodes, {self.ros_mode} + {self.device_mode}"


def measure(quick: bool, options: Options) -> Measured:
    """Measure all cells; what fails is told after the others are safe."""
    measured = Measured([])
    runs = 5 if quick else options.runs
    for place, workload in enumerate(WORKLOADS):
        for number, line in enumerate(CELLS, 1 + place * len(CELLS)):
            cell = Cell(workload, *line)
            of = f"cell {number} of {len(WORKLOADS) * len(CELLS)}, {runs} runs"
            print(f"uma: {of}: {cell.title}", file=sys.stderr, flush=True)
            try:
                found = run_cell(cell, options, runs)
            except FailureError as error:
                measured.failures.append(f"{cell.title}: {error}")
            else:
                measured.rows += rows_of_cell(cell, found)
    measured.notes.append(
        "where an overhead is negative beyond its spread: with ROS a part begins its next step as "
        "soon as it has the other's answer, while without ROS both wait at the end of each step"
    )
    return measured


def run_cell(cell: Cell, options: Options, runs: int) -> dict[str, Any]:
    """Run the program for one cell; what it printed."""
    command = [str(program("ligament-bench-uma")), "--nodes", str(cell.nodes)]
    command += ["--workload", cell.workload, "--way", WAYS[cell.ros_mode]]
    command += ["--model", MODELS[cell.device_mode]]
    for name, value in (("rows", options.rows), ("columns", options.columns), ("runs", runs)):
        command += [f"--{name}", str(value)]
    command += ["--part-us", str(options.part_us), "--steps", str(options.steps)]
    # The GPU's stand-in gets one core, as the CPU's part has one: each is one device.
    environment = {**os.environ, "POCL_MAX_PTHREAD_COUNT": "1"}
    ended = subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment, timeout=1800
    )
    if ended.returncode != 0:
        said = ended.stderr.strip().splitlines()[-1:] or [f"exit {ended.returncode}"]
        raise FailureError(said[0], command=command)
    return dict(json.loads(ended.stdout.splitlines()[-1]))


def rows_of_cell(cell: Cell, found: dict[str, Any]) -> list[Row]:
    """Times of both, the overhead run by run, and what a step costs more."""
    native, ros = found["native_ns"], found["ros_ns"]
    params = {
        "workload": cell.workload,
        "nodes": cell.nodes,
        "ros_mode": cell.ros_mode,
        "ros_type": "topic",
        "device_mode": cell.device_mode,
        **{k: v for k, v in found.items() if not k.endswith("_ns")},
    }
    overhead = [100.0 * (r / n - 1.0) for n, r in zip(native, ros, strict=True)]
    step_us = [(r - n) / found["steps"] / 1000 for n, r in zip(native, ros, strict=True)]
    over = make_row("uma", params, "overhead", "percent", summarise(overhead))
    over["upper95"] = upper_bound(overhead)
    return [
        make_row("uma", params, "run_time", "ms", summarise([n / 1e6 for n in native]), "native"),
        make_row("uma", params, "run_time", "ms", summarise([r / 1e6 for r in ros])),
        over,
        make_row("uma", params, "overhead_per_step", "us", summarise(step_us)),
        make_row("uma", params, "launch", "us", summarise([n / 1000 for n in found["launch_ns"]])),
    ]


def upper_bound(values: list[float], sure: float = 0.95) -> float:
    """The one-sided upper confidence bound of the mean, by Student's t."""
    if len(values) < 2:
        return math.inf
    error = statistics.stdev(values) / math.sqrt(len(values))
    return statistics.fmean(values) + student_quantile(sure, len(values) - 1) * error


def student_quantile(sure: float, freedom: int) -> float:
    """Of Student's distribution, by the expansion around the normal one (within 1 % from 4 on)."""
    z = statistics.NormalDist().inv_cdf(sure)
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return math.fsum(term / float(freedom) ** power for power, term in enumerate(terms))
