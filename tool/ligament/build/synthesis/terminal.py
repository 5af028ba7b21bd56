# SPDX-License-Identifier: Apache-2.0
"""The table of `ligament build --synth`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table


def print_synthesis(console: Console, result: Mapping[str, Any]) -> None:
    """Print cells per part of each design, totals beside the budget, and the highest clocks."""
    resources = list(result["total"])
    table = Table(box=None, pad_edge=False, title_justify="left")
    table.title = f"cells on {result['device']}, family {result['family']}"
    table.add_column("design, part", no_wrap=True)
    for resource in resources:
        table.add_column(resource, justify="right", no_wrap=True)
    for design in result["designs"]:
        table.add_row(design["name"], *_figures(design["total"], resources), style="bold")
        for name, part in design["parts"].items():
            whose = design.get("whose", {}).get(name, "")
            table.add_row(f"  {name} {whose}".rstrip(), *_figures(part, resources))
    table.add_row("all", *_figures(result["total"], resources), style="bold")
    if result["budgets"]:
        table.add_row("budget", *_figures(result["budgets"], resources))
    console.print(table)
    for design in result["designs"]:
        for line in _timing(design["name"], design["timing"]):
            console.print(line, highlight=False, soft_wrap=True)


def _figures(cells: Mapping[str, float], resources: list[str]) -> list[str]:
    return [f"{cells[r]:g}" if r in cells else "-" for r in resources]


def _timing(name: str, timing: Mapping[str, Any]) -> list[str]:
    """Return a line for each clock that something in the design has, or why there is none."""
    where = f"on {timing['part']} (nextpnr)"
    if clocks := timing.get("clocks"):
        return [f"{name}: {_clock(port, clock)} {where}" for port, clock in clocks.items()]
    if timing["fmax_hz"] is None and not timing["met"]:
        text = f"its clock is not known: it is larger than the {timing['part']} (nextpnr)"
        return [f"{name}: {text}"]
    if timing["fmax_hz"] is None:
        return [f"{name}: nothing is clocked"]
    return [f"{name}: {_clock('', timing)} {where}"]


def _clock(port: str, clock: Mapping[str, Any]) -> str:
    """Return what one clock reaches; its port, where there are several."""
    wanted, reached = clock["clock_hz"] / 1e6, clock["fmax_hz"] / 1e6
    verdict = "reaches" if clock["met"] else "does NOT reach"
    return f"{port} {verdict} {wanted:g} MHz: {reached:.1f} MHz".lstrip()
