# SPDX-License-Identifier: Apache-2.0
"""A comparison for people: one line per figure, then what made it fail."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ligament.report.compare import FASTER, REGRESSION
from ligament.report.terminal import duration

_STYLES = {REGRESSION: "bold red", FASTER: "green"}


def print_comparison(made: dict[str, Any], console: Console) -> None:
    """What is compared, figures, notes, verdict."""
    for pair in made["pairs"]:
        console.print(escape(pair_text(pair)), soft_wrap=True, highlight=False)
    table = Table(title="base and new, medians", title_justify="left")
    for heading in ("variant", "figure", "base", "new", "new / base", "95 % interval", "verdict"):
        table.add_column(heading, justify="left" if heading in ("variant", "figure") else "right")
    for entry in made["figures"]:
        style = _STYLES.get(entry["verdict"], "")
        table.add_row(
            escape(entry["variant"]),
            escape(entry["figure"]),
            _value(entry, "base"),
            _value(entry, "new"),
            "-" if entry["ratio"] is None else f"{entry['ratio']:.3f}",
            interval_text(entry),
            f"[{style}]{entry['verdict']}[/]" if style else entry["verdict"],
        )
    console.print(table)
    for note in made["notes"]:
        console.print(f"note: {escape(note)}", soft_wrap=True)
    for text in made["regressions"]:
        console.print(f"[bold red]regression:[/] {escape(text)}", soft_wrap=True)
    if not made["regressions"]:
        limit = f"{made['threshold'] * 100:g} %"
        console.print(f"no significant regression beyond {limit}", soft_wrap=True)


def pair_text(pair: dict[str, Any]) -> str:
    """Which run is held against which: that of another variant is no older state of the same."""
    base, new = pair["base"], pair["new"]
    differ = ": the variants differ" if base["variant"] != new["variant"] else ""
    return f"base {_run_text(base)}, new {_run_text(new)}{differ}"


def _run_text(run: dict[str, Any]) -> str:
    return f"{run['variant']} (run {run['run_id'] or 'unknown'})"


def interval_text(entry: dict[str, Any]) -> str:
    """Of the ratio for times, of the difference (signed) for counts."""
    if entry["low"] is not None:
        return f"{entry['low']:.3f} .. {entry['high']:.3f}"
    if entry["difference_low"] is not None:
        return f"{entry['difference_low']:+.3g} .. {entry['difference_high']:+.3g}"
    return "-"


def _value(entry: dict[str, Any], key: str) -> str:
    value = entry[key]
    if value is None:
        return "-"
    return duration(value) if entry["unit"] == "ns" else f"{value:.4g}"
