# SPDX-License-Identifier: Apache-2.0
"""`ligament bench dds`: benchmarks/dds/README.md says what is measured and how."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ligament.bench.dds.cells import ONE_WAY, Cell, cells
from ligament.bench.dds.endpoints import endpoint_rows
from ligament.bench.dds.goals import FIGURES
from ligament.bench.dds.runs import INSIDE, OURS, PEER, Figures, own_network, run_once
from ligament.bench.measuring import Measured, Row, comparison, in_turn, make_row, say
from ligament.bench.options import option, with_words

__all__ = ["FIGURES", "Options", "measure"]


@dataclass(frozen=True)
class Options:
    """In typer's form."""

    passes: int = option(0, "Turns of all (0: 10, quick 3).", min=0)
    only: str = option("", "Cells whose title has all these words, e.g. `64 tuned`.")


Runs = dict[Cell, dict[str, list[Figures]]]
EVERYBODY = (OURS, INSIDE, PEER)


def measure(quick: bool, options: Options) -> Measured:
    """All cells, all contestants, alternately."""
    note = own_network()
    measured = Measured(
        [],
        notes=[
            "ligament: publisher, edge, edge, subscriber, four processes; each edge adds a wake",
            "ligament_inside: publisher and subscriber, two processes, each with its edge inside",
            *([note] if note else []),
        ],
        versions={"cyclonedds": _engine_version()},
    )
    asked = with_words(options.only, cells(quick, has_cable=not note))
    runs = _in_turns(asked, options.passes or (3 if quick else 10), not note, measured)
    for cell, of in runs.items():
        measured.rows += _rows(cell, of)
        measured.comparisons += _comparisons(cell, of)
    if not options.only:
        say("dds", "an edge with many endpoints")
        measured.rows += endpoint_rows(runs=3, idle_s=4 if quick else 12)
    return measured


def _in_turns(asked: list[Cell], passes: int, count_bytes: bool, measured: Measured) -> Runs:
    runs: Runs = {cell: {name: [] for name in EVERYBODY} for cell in asked}
    for number in range(passes):
        for place, cell in enumerate(asked, 1):
            say("dds", f"pass {number + 1}/{passes}, cell {place}/{len(asked)}: {cell.title}")
            # Who fails costs the pass of all: what is compared is of one moment.
            with measured.attempt(f"pass {number + 1}, {cell.title}"):
                order = in_turn(EVERYBODY, number)
                found = {name: run_once(name, cell, count_bytes) for name in order}
                for name, figures in found.items():
                    runs[cell][name].append(figures)
    return {cell: of for cell, of in runs.items() if of[OURS]}


def _rows(cell: Cell, of: dict[str, list[Figures]]) -> list[Row]:
    rows: list[Row] = []
    for name, figures in of.items():
        pooled = np.concatenate([s for f in figures for s in f.latencies])
        latency = make_row("dds", cell.params, cell.metric, "ns", pooled, name)
        rows.append({**latency, "lost": sum(f.lost for f in figures)})
        publish = [t for f in figures for t in f.publish_ns]
        wire = [float(f.wire_bytes) for f in figures if f.wire_bytes is not None]
        if publish and cell.metric == ONE_WAY:
            rows.append(make_row("dds", cell.params, "publish_cost", "ns", publish, name))
        if wire:
            rows.append(make_row("dds", cell.params, "wire_bytes_per_message", "B", wire, name))
    return rows


def _comparisons(cell: Cell, of: dict[str, list[Figures]]) -> list[dict[str, Any]]:
    """The medians of each of ours and of the engine, pass by pass."""
    medians = {
        name: [float(np.median(np.concatenate(f.latencies))) for f in figures]
        for name, figures in of.items()
    }
    return [
        one
        for name in (OURS, INSIDE)
        for one in comparison(
            cell.params,
            cell.metric,
            PEER,
            list(zip(medians[name], medians[PEER], strict=True)),
            contestant=name,
            difference_in="ns",
        )
    ]


def _engine_version() -> str:
    """Of the library that both were built with, from its own package file."""
    for folder in (Path("/usr/lib"), Path("/usr/local/lib")):
        for found in folder.rglob("CycloneDDSConfigVersion.cmake"):
            for line in found.read_text(encoding="utf-8").splitlines():
                if line.startswith("set(PACKAGE_VERSION "):
                    return line.split('"')[1]
    return "unknown"
