# SPDX-License-Identifier: Apache-2.0
"""The table that people see: ours beside the published figures."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from ligament.bench.hmt.cells_table import tables_of
from ligament.bench.hmt.goals import (
    FRAMING_BEATS,
    PUBLISHED,
    SIMULATION_MS,
    SLACK_CYCLES,
    beats_of,
)
from ligament.bench.showing import plain_table

CLOCK_HZ = 100e6


def software_ms(size: int) -> float:
    """The published middleware's path, fitted: 0.04 ms + 2.925 ns per byte."""
    return 0.04 + 2.925e-6 * size


def print_result(console: Console, result: dict[str, Any]) -> None:
    """Transfers by network, then cells, chains and the simulation's speed."""
    rows = result["rows"]
    every = [row for row in rows if row["metric"] == "transfer"]
    transfers = [row for row in every if "way" not in row["params"]]
    memory = {_message(row): row for row in every if "way" in row["params"]}
    rates = {_key(row): row for row in rows if row["metric"] == "rate"}
    if transfers:
        console.print(_transfers(transfers, rates, memory), soft_wrap=True)
        console.print(
            "rate: beats per cycle. memory: the same message from core to core over memory of the"
            " same\nwidth, simulated, software's time included; x: memory / ms\n",
            soft_wrap=True,
        )
        console.print(_published(), "", soft_wrap=True)
    for cells in tables_of(rows):
        console.print(cells, "", soft_wrap=True)
    _print_clocks(console, rows)
    for row in rows:
        params = row["params"]
        if row["metric"] == "chain":
            cycles = row["p50"]
            others = {r["metric"]: r["p50"] for r in rows if r["params"] == params}
            console.print(
                f"chain of {params['nodes']} nodes, {params['mode']}, {params['width']} bits,"
                f" {params['bytes']} bytes: {cycles:.0f} cycles,"
                f" {others['chain_over_stage']:.2f} x the slowest stage,"
                f" a message every {others['interval']:.0f}",
                soft_wrap=True,
            )
        if row["metric"].startswith("simulation"):
            console.print(
                f"{row['metric']}: a message of {row['params']['bytes']} bytes in"
                f" {row['p50']:.1f} ms (sd {row['sd']:.1f}, n {row['n']};"
                f" goal {SIMULATION_MS:.0f})",
                soft_wrap=True,
            )


def _print_clocks(console: Console, rows: list[dict[str, Any]]) -> None:
    for row in rows:
        params = row["params"]
        if row["metric"] == "fmax":
            console.print(
                f"{params['design']} of {params['width']} bits on an {params['part']}:"
                f" {row['p50']:.0f} MHz (goal {params['goal']})",
                soft_wrap=True,
            )
        if row["metric"] == "clock":
            of = {r["metric"]: r["p50"] for r in rows if r["params"].items() <= params.items()}
            console.print(
                f"{params['design']} of {params['width']} bits on UltraScale+: {of['cells']:.2f} ns"
                f" of cells, {row['p50']:.0f} MHz if wires take as long (goal {params['goal']});"
                f" at 250 MHz {of['wire']:.2f} ns for each wire",
                soft_wrap=True,
            )


def _key(row: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted(row["params"].items()))


def _message(row: dict[str, Any]) -> tuple[int, int]:
    return row["params"]["bytes"], row["params"]["width"]


def _transfers(
    rows: list[dict[str, Any]], rates: dict[Any, dict[str, Any]], memory: dict[Any, dict[str, Any]]
) -> Table:
    headings = ("bytes", "bits", "P:S", "cycles", "limit", "ms", "rate", "memory ms", "x")
    table = plain_table(headings, "transfer at 100 MHz")
    for row in rows:
        params = row["params"]
        size, width = params["bytes"], params["width"]
        milliseconds = row["p50"] / CLOCK_HZ * 1e3
        ours = memory[size, width]["p50"] / CLOCK_HZ * 1e3 if (size, width) in memory else None
        table.add_row(
            str(size),
            str(width),
            f"{params['publishers']}:{params['subscribers']}",
            f"{row['p50']:.0f}",
            str(beats_of(size, width) + FRAMING_BEATS + SLACK_CYCLES),
            f"{milliseconds:.4f}",
            f"{rates[_key(row)]['p50']:.4f}",
            f"{ours:.4f}" if ours else "-",
            f"{ours / milliseconds:.1f}" if ours else "-",
        )
    return table


def _published() -> Table:
    """Table I of the published system: its memory, its streams, and the fit of its memory."""
    title = "published, 64 bits at 100 MHz, truncated; fit of memory: 0.04 ms + 2.925 ns/B"
    table = plain_table(("bytes", "ms", "memory ms", "fit", "x"), title)
    for size, (over, streams, speed_up) in PUBLISHED.items():
        fit = f"{software_ms(size):.2f}"
        table.add_row(str(size), streams, f"{over:.2f}", fit, speed_up)
    return table
