# SPDX-License-Identifier: Apache-2.0
"""`ligament bench dds`: benchmarks/dds/README.md says what is measured and how."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from ligament.bench.dds.cells import ONE_WAY, Cell, cells
from ligament.bench.dds.endpoints import endpoint_rows
from ligament.bench.dds.goals import FIGURES
from ligament.bench.dds.runs import INSIDE, OURS, PEER, Figures, own_network, run_once
from ligament.bench.framework import Measured, Row, make_row
from ligament.bench.transport.intervals import interval_of
from ligament.errors import FailureError
from ligament.report.statistics import summarise

__all__ = ["FIGURES", "Options", "measure"]


@dataclass(frozen=True)
class Options:
    """In typer's form."""

    passes: Annotated[
        int, typer.Option("--passes", min=0, help="Turns of all (0: 10, quick 3).")
    ] = 0


Runs = dict[Cell, dict[str, list[Figures]]]


def measure(quick: bool, options: Options) -> Measured:
    """All cells, all contestants, alternately."""
    note = own_network()
    asked = cells(quick, has_cable=not note)
    runs, failures = _in_turns(asked, options.passes or (3 if quick else 10), not note)
    _say("an edge with many endpoints")
    idle = endpoint_rows(runs=3, idle_s=4 if quick else 12)
    return Measured(
        [row for cell, of in runs.items() for row in _rows(cell, of)] + idle,
        comparisons=[c for cell, of in runs.items() for c in _comparisons(cell, of)],
        notes=[
            "ligament: publisher, edge, edge, subscriber, four processes; each edge adds a wake",
            "ligament_inside: publisher and subscriber, two processes, each with its edge inside",
            *([note] if note else []),
        ],
        failures=failures,
        versions={"cyclonedds": _engine_version()},
    )


def _in_turns(asked: list[Cell], passes: int, count_bytes: bool) -> tuple[Runs, list[str]]:
    everybody = (OURS, INSIDE, PEER)
    runs: Runs = {cell: {name: [] for name in everybody} for cell in asked}
    failures: list[str] = []
    for number in range(passes):
        for place, cell in enumerate(asked, 1):
            _say(f"pass {number + 1}/{passes}, cell {place}/{len(asked)}: {cell.title}")
            first = number % len(everybody)
            order = everybody[first:] + everybody[:first]
            try:
                figures = {name: run_once(name, cell, count_bytes) for name in order}
            except FailureError as error:
                failures.append(f"pass {number + 1}, {cell.title}: {error}")
                _say(f"failed: {failures[-1]}")
                continue
            for name, found in figures.items():
                runs[cell][name].append(found)
    return {cell: of for cell, of in runs.items() if of[OURS]}, failures


def _rows(cell: Cell, of: dict[str, list[Figures]]) -> list[Row]:
    rows: list[Row] = []
    for name, figures in of.items():
        pooled = summarise(np.concatenate([s for f in figures for s in f.latencies]))
        latency = make_row("dds", cell.params, cell.metric, "ns", pooled, name)
        rows.append({**latency, "lost": sum(f.lost for f in figures)})
        values: dict[tuple[str, str], list[Any]] = {
            ("publish_cost", "ns"): [t for f in figures for t in f.publish_ns],
            ("wire_bytes_per_message", "B"): [
                f.wire_bytes for f in figures if f.wire_bytes is not None
            ],
        }
        rows += [
            make_row("dds", cell.params, metric, unit, summarise(np.array(found, float)), name)
            for (metric, unit), found in values.items()
            if found and (cell.metric == ONE_WAY or metric != "publish_cost")
        ]
    return rows


def _comparisons(cell: Cell, of: dict[str, list[Figures]]) -> list[dict[str, Any]]:
    """The ratio of both medians, and their difference, pass by pass, for each of ours."""
    medians = {
        name: [float(np.median(np.concatenate(f.latencies))) for f in figures]
        for name, figures in of.items()
    }
    head = {"params": cell.params, "metric": cell.metric, "peer": PEER}
    found = []
    for name in (OURS, INSIDE):
        pairs = list(zip(medians.get(name, []), medians[PEER], strict=False))
        made = {
            ("ratio", "1"): [ours / peer for ours, peer in pairs],
            ("difference", "ns"): [ours - peer for ours, peer in pairs],
        }
        found += [
            {**head, "contestant": name, "kind": kind, "unit": unit, **asdict(interval_of(values))}
            for (kind, unit), values in made.items()
            if values
        ]
    return found


def _engine_version() -> str:
    """Of the library that both were built with, from its own package file."""
    for folder in (Path("/usr/lib"), Path("/usr/local/lib")):
        for found in folder.rglob("CycloneDDSConfigVersion.cmake"):
            for line in found.read_text(encoding="utf-8").splitlines():
                if line.startswith("set(PACKAGE_VERSION "):
                    return line.split('"')[1]
    return "unknown"


def _say(text: str) -> None:
    print(f"dds: {text}", file=sys.stderr, flush=True)
