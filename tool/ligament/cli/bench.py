# SPDX-License-Identifier: Apache-2.0
"""`ligament bench`: measure, with floors and peers in the same run."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from ligament.artefacts import write_text
from ligament.bench.framework import BENCHES, Bench, result_text, run_bench
from ligament.bench.goals import judged
from ligament.bench.options import hints_of
from ligament.bench.pages import write_pages
from ligament.bench.showing import plain_table, print_lines
from ligament.errors import FailureError

Quick = Annotated[bool, typer.Option("--quick", help="Fewer repeats: under a minute.")]
JsonFile = Annotated[
    Path | None, typer.Option("--json", metavar="FILE", help="Write {context, rows} to FILE.")
]

bench = typer.Typer(
    add_completion=False,
    rich_markup_mode="rich",
    help="Run one benchmark, or list them. benchmarks/README.md says how they measure.\n\n"
    "Example: `ligament bench messages --quick --json result.json`",
)


@bench.callback(invoke_without_command=True)
def list_benches(context: typer.Context) -> None:
    """Say which there are."""
    if context.invoked_subcommand is None:
        console = Console()
        for entry in BENCHES:
            console.print(f"[bold]{entry.name:12}[/] {entry.question}")


def measure_and_show(entry: Bench, quick: bool, json: Path | None, options: Any) -> None:
    """Measure, print, write; what failed is an error after all that was measured is safe."""
    console = Console()
    result = run_bench(entry.name, quick, options)
    module = entry.module()
    if hasattr(module, "print_result"):
        module.print_result(console, result)
    else:
        print_rows(console, result["rows"])
    goals = judged(entry.figures(), result)
    print_lines(console, (f"goal: {line.sentence()}" for line in goals))
    print_lines(console, (f"note: {note}" for note in result.get("notes", ())))
    if json is not None:
        write_text(json, result_text(result))
        console.print(f"rows: {json}", soft_wrap=True)
    if failures := result.get("failures"):
        raise FailureError("not everything could be measured:\n  " + "\n  ".join(failures))


def command_of(entry: Bench) -> Callable[..., None]:
    """The sub-command of a benchmark: the common options, and those that its dataclass declares."""
    own = entry.own_options()

    def call(**values: Any) -> None:
        quick, json = values.pop("quick"), values.pop("json")
        measure_and_show(entry, quick, json, own(**values) if own else None)

    hints = {"quick": Quick, "json": JsonFile, **(hints_of(own) if own else {})}
    defaults: dict[str, Any] = {"quick": False, "json": None}
    defaults |= {field.name: field.default for field in (dataclasses.fields(own) if own else ())}
    # Typer reads a function's signature; this one is put together from the table.
    call.__annotations__ = hints
    call.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=defaults[name], annotation=hint
            )
            for name, hint in hints.items()
        ]
    )
    return call


@bench.command()
def pages() -> None:
    """Write the tables and pictures of benchmarks/ from its result files."""
    changed = write_pages()
    print("\n".join(map(str, changed)) or "all pages are current")


for _entry in BENCHES:
    bench.command(_entry.name, help=_entry.question)(command_of(_entry))


def print_rows(console: Console, rows: list[dict[str, Any]]) -> None:
    """Rows of results for people: what was measured stands once, above its rows."""
    for params, group in groupby(rows, key=lambda row: dict(row["params"])):
        title = ", ".join(f"{key} {_short(value)}" for key, value in params.items())
        left = ("peer", "metric", "unit")
        table = plain_table((*left, "n", "p50", "p99", "mean", "sd"), escape(title), left)
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
