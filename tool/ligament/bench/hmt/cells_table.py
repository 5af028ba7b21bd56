# SPDX-License-Identifier: Apache-2.0
"""The tables of cells that people see: networks, and the driving graph over memory and topics."""

from __future__ import annotations

from typing import Any

from rich.table import Table

from ligament.bench.hmt.goals import PUBLISHED_LUT
from ligament.bench.showing import plain_table

METRICS = ("lut", "ff", "ramb18")
FIGURES = ("LUT", "FF", "RAMB18")


def tables_of(rows: list[dict[str, Any]]) -> list[Table]:
    """One of the networks and one of the driving graph, as far as the rows have them."""
    designs = _by_synthesis(rows)
    networks = [cells for cells in designs if "way" not in cells["lut"]["params"]]
    ways = [cells for cells in designs if "way" in cells["lut"]["params"]]
    return [make(found) for make, found in ((_networks, networks), (_driving, ways)) if found]


def _by_synthesis(rows: list[dict[str, Any]]) -> list[dict[str, dict[str, Any]]]:
    """The rows of each synthesis together, by metric."""
    found: dict[tuple[Any, ...], dict[str, dict[str, Any]]] = {}
    for row in rows:
        if row["metric"] in METRICS:
            params = {key: value for key, value in row["params"].items() if key != "goal"}
            found.setdefault(tuple(sorted(params.items())), {})[row["metric"]] = row
    return list(found.values())


def _networks(designs: list[dict[str, dict[str, Any]]]) -> Table:
    title = "cells of networks (/ those of the same made of verilog-axis's modules)"
    names = ("family", "bits", "P:S", "queues")
    table = plain_table((*names, *FIGURES), title, left=names)
    for cells in designs:
        params = cells["lut"]["params"]
        queues = f"{params['depth']}, {params.get('queue', 'keep-all')}"
        ends = f"{params['publishers']}:{params['subscribers']}"
        of = (params.get("family", "xcup"), str(params["width"]), ends, queues)
        table.add_row(*of, *_figures(cells))
    return table


def _driving(designs: list[dict[str, dict[str, Any]]]) -> Table:
    title = "cells between the driving graph's nodes, topics as streams (/ in memory)"
    table = plain_table(("topics", *FIGURES, "published LUT, with nodes"), title, left=("topics",))
    for cells in designs:
        way = cells["lut"]["params"]["way"]
        name = {"memory": "in memory", "topics": "as streams"}[way]
        table.add_row(name, *_figures(cells), str(PUBLISHED_LUT[way]))
    return table


def _figures(cells: dict[str, dict[str, Any]]) -> list[str]:
    return [_figure(cells[metric]) for metric in METRICS]


def _figure(row: dict[str, Any]) -> str:
    goal = row["params"].get("goal")
    return f"{row['p50']:.0f}" + (f" / {goal}" if goal is not None else "")
