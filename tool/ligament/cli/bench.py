# SPDX-License-Identifier: Apache-2.0
"""`ligament bench`: measure, with floors and peers in the same run."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ligament.artefacts import write_json
from ligament.bench.framework import BENCHES, run_bench

Name = Annotated[
    str | None, typer.Argument(metavar="[NAME]", help="Which one; without it, the list of them.")
]
Quick = Annotated[bool, typer.Option("--quick", help="Fewer repeats: under a minute.")]
JsonFile = Annotated[
    Path | None, typer.Option("--json", metavar="FILE", help="Write {context, rows} to FILE.")
]


def bench(name: Name = None, quick: Quick = False, json: JsonFile = None) -> None:
    """Run one benchmark, or list them. benchmarks/README.md says how they measure.

    Example: `ligament bench messages --quick --json result.json`
    """
    console = Console()
    if name is None:
        for entry in BENCHES:
            console.print(f"[bold]{entry.name:12}[/] {entry.question}")
        return
    result = run_bench(name, quick)
    print_rows(console, result["rows"])
    if json is not None:
        write_json(json, result)
        console.print(f"rows: {json}", soft_wrap=True)


def print_rows(console: Console, rows: list[dict[str, Any]]) -> None:
    """Rows of results for people: what was measured stands once, above its rows."""
    for params, group in groupby(rows, key=lambda row: dict(row["params"])):
        title = ", ".join(f"{key} {_short(value)}" for key, value in params.items())
        table = Table(box=None, pad_edge=False, title=escape(title), title_justify="left")
        for heading in ("peer", "metric", "unit"):
            table.add_column(heading, no_wrap=True)
        for heading in ("n", "p50", "p99", "mean", "sd"):
            table.add_column(heading, justify="right", no_wrap=True)
        for row in group:
            figures = [_figure(row[key]) for key in ("p50", "p99", "mean", "sd")]
            table.add_row(row["peer"], row["metric"], row["unit"], str(row["n"]), *figures)
        console.print(table)
        console.print()


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _figure(value: float) -> str:
    """Three digits and k or M: columns of nanoseconds fit a terminal of 80."""
    for size, suffix in ((1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:.3g}{suffix}"
    return f"{value:.3g}"
