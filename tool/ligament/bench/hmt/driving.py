# SPDX-License-Identifier: Apache-2.0
"""The driving graph's nodes over memory and over hardware topics: what joins them (table II)."""

from __future__ import annotations

from pathlib import Path

from ligament.bench.hmt.area import cells_of, figures_of, flattened
from ligament.bench.hmt.network import BUILD, DRIVER, RTL
from ligament.bench.measuring import Row, make_row

#: As `ways` of rows and of hmt_driving.sv's TOPICS.
WAYS = ("memory", "topics")
SOURCES = [DRIVER.with_name(name) for name in ("hmt_node.sv", "hmt_driving.sv")]
FAMILY = "xcup"


def sources() -> list[Path]:
    """All that it is synthesised from."""
    return [*sorted(RTL.glob("*.sv")), *SOURCES]


def measure() -> list[Row]:
    """Cells of both ways; that of topics has the other's as its goal."""
    rows: list[Row] = []
    goals: dict[str, int] = {}
    for way in WAYS:
        folder = BUILD / f"driving-{way}"
        values = f"-G TOPICS={WAYS.index(way)}"
        report = flattened(folder, "hmt_driving", values, sources(), FAMILY)
        figures = figures_of(cells_of(report), FAMILY)
        for metric, value in figures.items():
            params = {"graph": "driving", "way": way, "width": 64, "depth": 512}
            goal = {"goal": goals[metric]} if metric in goals else {}
            rows.append(make_row("hmt", {**params, **goal}, metric, "1", value))
        goals = figures
    return rows
