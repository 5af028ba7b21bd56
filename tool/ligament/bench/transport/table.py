# SPDX-License-Identifier: Apache-2.0
"""The terminal's table: per cell ours, each peer and the floors, and then the goals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ligament.bench.measuring import Row
from ligament.bench.transport import cells
from ligament.bench.transport.cells import Cell
from ligament.bench.transport.rows import CALLS, CPU, LOAN
from ligament.bench.values import factor_text, time_text
from ligament.report.differences import NO_DIFFERENCE

Comparisons = list[dict[str, Any]]


def print_result(console: Console, result: dict[str, Any]) -> None:
    """All cells and how to read them."""
    rows, comparisons = result["rows"], result.get("comparisons", [])
    for cell, of_cell in blocks(rows):
        console.print(f"[italic]{escape(cell.title)}", soft_wrap=True, highlight=False)
        console.print(_table(cell, of_cell, comparisons))
        for line in below_table(cell, of_cell, comparisons):
            console.print(line, soft_wrap=True, highlight=False)
        console.print()
    if comparisons:
        methods = sorted({c["method"] for c in comparisons})
        console.print(
            f"ours / this, and ours - floor: the median over passes and its confidence "
            f"interval ({'; '.join(methods)}).",
            soft_wrap=True,
            highlight=False,
        )


def blocks(rows: list[Row]) -> Iterator[tuple[Cell, list[Row]]]:
    """Per cell its rows, in the order in which they were measured."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row["params"].items()), []).append(row)
    for metric in cells.METRICS:
        for group in groups.values():
            found = {row["metric"] for row in group}
            # Within a latency's cell, the publisher's cost is a column.
            if metric in found and not (metric == cells.PUBLISH_COST and cells.ONE_WAY in found):
                yield Cell(metric, **group[0]["params"]), group


def _table(cell: Cell, rows: list[Row], comparisons: Comparisons) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("", no_wrap=True)
    headings = _headings(cell)
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("ours / this", justify="right")  # words may take a line of their own
    names = {row["peer"]: None for row in rows if row["metric"] == cell.metric}
    for name in names:
        own = {row["metric"]: row for row in rows if row["peer"] == name}
        values = [_value(own, *where) for where in headings.values()]
        table.add_row(name, *values, ratio_text(cell, name, comparisons))
    return table


def _headings(cell: Cell) -> dict[str, tuple[str, str]]:
    """Column -> (metric, field of its row)."""
    if cell.metric == cells.THROUGHPUT:
        return {"msg/s": (cell.metric, "p50"), "lost": (cell.metric, "lost")}
    if cell.metric == cells.PUBLISH_COST:
        return {
            "publish p50": (cell.metric, "p50"),
            "p99": (cell.metric, "p99"),
            "with loan": (LOAN, "p50"),
        }
    found = {"p50": (cell.metric, "p50"), "p99": (cell.metric, "p99")}
    if cell.subscribers > 1:
        found = {"p50": (cell.metric, "p50"), "worst p99": (cell.metric, "worst_p99")}
    found["lost"] = (cell.metric, "lost")
    if cell.metric == cells.ONE_WAY:
        found["publish"] = (cells.PUBLISH_COST, "p50")
        if cell.wait == "sleep":
            found["CPU/msg"] = (CPU, "p50")
    return found


def _value(own: dict[str, Row], metric: str, field: str) -> str:
    row = own.get(metric, {})
    if field not in row:
        return ""
    if field == "lost":
        return str(row[field])
    return time_text(row[field]) if row["unit"] == "ns" else factor_text(row[field])


def ratio_text(cell: Cell, peer: str, comparisons: Comparisons) -> str:
    """`0.45 (0.41..0.52)`; the words where the interval contains 1."""
    found = {c["kind"]: c for c in of_cell(comparisons, cell, cell.metric, peer)}
    text = ""
    if ratio := found.get("ratio"):
        low, high = factor_text(ratio["low"]), factor_text(ratio["high"])
        shown = not ratio["low"] <= 1.0 <= ratio["high"]
        text = f"{factor_text(ratio['median']) if shown else NO_DIFFERENCE} ({low}..{high})"
    return text


def below_table(cell: Cell, rows: list[Row], comparisons: Comparisons) -> Iterator[str]:
    """What does not fit a column: differences from floors, system calls, the clock."""
    for row in rows:
        for found in of_cell(comparisons, cell, cell.metric, row["peer"]):
            if found["kind"] == "difference" and row["metric"] == cell.metric:
                yield (
                    f"  ours - {row['peer']}: {_signed(found['median'])} "
                    f"({_signed(found['low'])} .. {_signed(found['high'])})"
                )
    for row in rows:
        if row["metric"] == CALLS and cell.metric in (cells.ONE_WAY, cells.PUBLISH_COST):
            yield f"  system calls per publish, {row['peer']}: {row['mean']:.3g}"
        if row["metric"] == "clock_read":
            yield f"  one reading of the clock, contained in publish: {time_text(row['p50'])}"


def of_cell(comparisons: Comparisons, cell: Cell, metric: str, peer: str) -> Comparisons:
    """The comparisons with one peer."""
    return [
        c
        for c in comparisons
        if c["params"] == cell.params and c["metric"] == metric and c["peer"] == peer
    ]


def _signed(ns: float) -> str:
    return ("+" if ns >= 0 else "-") + time_text(abs(ns))
