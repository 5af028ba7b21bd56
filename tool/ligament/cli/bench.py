# SPDX-License-Identifier: Apache-2.0
"""`ligament bench`: measure, with floors and peers in the same run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
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
    console.print(rows_table(result["rows"]))
    if json is not None:
        write_json(json, result)
        console.print(f"rows: {json}", soft_wrap=True)


def rows_table(rows: list[dict[str, Any]]) -> Table:
    """Rows of results for people."""
    table = Table()
    for heading in ("bench", "params", "peer", "metric", "unit"):
        table.add_column(heading)
    for heading in ("n", "p50", "p99", "mean", "sd"):
        table.add_column(heading, justify="right")
    for row in rows:
        params = " ".join(f"{key}={_short(value)}" for key, value in row["params"].items())
        figures = [_short(row[key]) for key in ("p50", "p99", "mean", "sd")]
        table.add_row(row["bench"], params, row["peer"], row["metric"], row["unit"],
                      str(row["n"]), *figures)  # fmt: skip
    return table


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
