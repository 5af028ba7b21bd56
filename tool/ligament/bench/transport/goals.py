# SPDX-License-Identifier: Apache-2.0
"""The goals that these figures are measured for, each judged by what the run shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ligament.bench.framework import Row
from ligament.bench.transport import cells
from ligament.bench.transport.cells import Cell
from ligament.bench.transport.rows import CALLS

WAKE_NS = 3000
POLL_NS = 150
PUBLISH_NS = 60
BROADCAST = 1.3


def judge(rows: list[Row], comparisons: list[dict[str, Any]]) -> Iterator[str]:
    """A sentence per goal and cell. What is compared is decided by the interval, or not at all."""
    for c in comparisons:
        cell = Cell(c["metric"], **c["params"])
        if c["metric"] == cells.ONE_WAY:
            yield from _judge_latency(c, cell)
    for row in rows:
        if row["peer"] == "ligament":
            yield from _judge_row(row, rows)


def _judge_latency(c: dict[str, Any], cell: Cell) -> Iterator[str]:
    if c["peer"] == "futex" and c["kind"] == "difference":
        verdict = _verdict(c["low"], c["high"], WAKE_NS)
        yield f"{cell.title}: at most the futex + 3 us: {verdict} ({c['median'] / 1000:+.2f} us)"
    if c["peer"] == "broadcast" and c["kind"] == "ratio":
        verdict = _verdict(c["low"], c["high"], BROADCAST)
        yield f"{cell.title}: at most 1.3x the broadcast: {verdict} ({c['median']:.2f}x)"
    if c["peer"] == "iceoryx2" and c["kind"] == "ratio":
        verdict = _verdict(c["low"], c["high"], 1.0)
        yield f"{cell.title}: not slower than iceoryx2: {verdict} ({c['median']:.2f}x)"


def _verdict(low: float, high: float, limit: float) -> str:
    """Where the interval lies."""
    if high <= limit:
        return "reached"
    return "missed" if low > limit else "not decided, the interval contains the goal"


def _missed_or_busy(cell: Cell, rows: list[Row]) -> str:
    """Where even a bare line took longer, the two processes had no core each."""
    bare = [r for r in rows if r["peer"] == "line" and r["params"] == cell.params]
    if bare and bare[0]["p50"] > POLL_NS:
        return f"not decided, the bare line took {bare[0]['p50']:.0f} ns: the cores were not free"
    return "missed"


def _judge_row(row: Row, rows: list[Row]) -> Iterator[str]:
    cell = Cell(row["metric"], **row["params"])
    if row["metric"] == cells.ONE_WAY and cell.wait == "poll":
        met = "reached" if row["p50"] <= POLL_NS else _missed_or_busy(cell, rows)
        yield f"{cell.title}: at most {POLL_NS} ns: {met} ({row['p50']:.0f} ns)"
    if row["metric"] == cells.PUBLISH_COST and cell.wait == "none":
        beside = {r["metric"]: r for r in rows if r["params"] == row["params"]}
        clock_ns = beside["clock_read"]["p50"] if "clock_read" in beside else 0.0
        own_ns = row["p50"] - clock_ns
        met = "reached" if own_ns <= PUBLISH_NS and beside[CALLS]["mean"] == 0 else "missed"
        yield (
            f"{cell.title}: at most {PUBLISH_NS} ns and no system call: {met} ({own_ns:.0f} ns "
            f"without the clock's {clock_ns:.0f} ns, {beside[CALLS]['mean']:.3g} calls)"
        )
