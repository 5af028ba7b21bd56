# SPDX-License-Identifier: Apache-2.0
"""What people see: the paper's table II with ours beside it, then all sizes."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from ligament.bench.mcu.goals import PAPER
from ligament.bench.showing import plain_table
from ligament.bench.values import size_text, time_text, value_text

Row = dict[str, Any]
#: As many links as fit a terminal of 80.
_COLUMNS = 7
_COUNTED = {
    "instructions": "instructions of a {core} per {stage}, {size}",
    "event_instructions": "instructions of an event that is {event}, {core}",
    "copies": "copies of a sample of {size}: {where}",
    "client_code": "of that the client",
    "code": "code of an image that {does}",
    "memory": "its memory",
    "stack": "stack of a {core}, messages up to 4 kB",
}


def print_result(console: Console, result: dict[str, Any]) -> None:
    """Both tables, and the fits."""
    rows = result["rows"]
    trips = [row for row in rows if row["metric"] == "round_trip"]
    per_byte = [row for row in rows if row["metric"] == "time_per_byte"]
    places = list(dict.fromkeys(_place(row) for row in trips))
    parts = [places[at : at + _COLUMNS] for at in range(0, len(places), _COLUMNS)]
    sizes = [all_sizes(trips, rows, part) for part in parts]
    for table in (table_two(per_byte), *sizes, one_way(rows), counted(rows)):
        if table.row_count:
            console.print(table)
            console.print()


def table_two(rows: list[Row]) -> Table:
    """Milliseconds per byte, as published: there and back."""
    title = "time per byte, there and back, as the paper's table II"
    headings = ("case", "n", "ms/B", "sd", "KB/s", "paper", "sd", "ratio")
    table = plain_table(headings, title, left=("case",))
    for row in rows:
        params = row["params"]
        mean, sd = row["mean"] / 1e6, row["sd"] / 1e6
        paper = PAPER.get((params["link"], params["bytes"])) if params["at"] != "ring" else None
        beside = ("", "", "") if paper is None else (f"{paper[0]:.3f}", f"{paper[1]:.4f}",
                                                     f"{paper[0] / mean:.3g}")  # fmt: skip
        case = f"{params['bytes']} B {params['link']} at {params['at']}"
        table.add_row(case, str(row["n"]), f"{mean:.4g}", f"{sd:.2g}", f"{1 / mean:.4g}", *beside)
    return table


def all_sizes(trips: list[Row], rows: list[Row], places: list[tuple[str, str]]) -> Table:
    """Medians, a column per link; below them what a line through them says."""
    headings = ["p50", *(f"{link}\n{at}" for link, at in places)]
    table = plain_table(
        headings, "there and back, by size of the text", left=("p50",), min_width=40
    )
    for size in sorted({row["params"]["bytes"] for row in trips}):
        of_size = [row for row in trips if row["params"]["bytes"] == size]
        table.add_row(size_text(size), *_cells(of_size, places))
    for metric, name in (("fixed_cost", "fixed"), ("cost_per_byte", "a byte")):
        if found := [row for row in rows if row["metric"] == metric]:
            table.add_row(name, *_cells(found, places))
    return table


def one_way(rows: list[Row]) -> Table:
    """Percentiles of both ways, and how wrong the clock that tells them apart may be."""
    title = "one way, by the core's clock"
    table = plain_table(("way", "size", "p50", "p99", "bound"), title, left=("way",))
    bounds = {(_place(r), r["params"]["bytes"]): r["p50"] for r in rows
              if r["metric"] == "one_way_bound"}  # fmt: skip
    for row in rows:
        if row["metric"] == "one_way":
            params = row["params"]
            bound = bounds.get((_place(row), params["bytes"]))
            table.add_row(
                f"{params['way']}, {params['link']}", size_text(params["bytes"]),
                time_text(row["p50"]), time_text(row["p99"]),
                "" if bound is None else time_text(bound),
            )  # fmt: skip
    return table


def counted(rows: list[Row]) -> Table:
    """What no clock was needed for."""
    table = plain_table(("counted", ""), left=("counted",))
    for row in rows:
        params = row["params"]
        name = _COUNTED.get(row["metric"])
        if name is not None:
            of = params | {"size": size_text(params.get("bytes", 0))}
            value = value_text(row["p50"], row["unit"]).removesuffix(" instructions")
            table.add_row(name.format_map(of), value)
    return table


def _place(row: Row) -> tuple[str, str]:
    return row["params"]["link"], row["params"]["at"]


def _cells(rows: list[Row], places: list[tuple[str, str]]) -> list[str]:
    values = {_place(row): time_text(row["p50"]) for row in rows}
    return [values.get(place, "") for place in places]
