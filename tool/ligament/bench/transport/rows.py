# SPDX-License-Identifier: Apache-2.0
"""From runs to rows and comparisons."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ligament.bench.measuring import OURS, Row, comparison, make_row
from ligament.bench.transport import cells as table
from ligament.bench.transport.cells import Cell
from ligament.bench.transport.figures import Figures
from ligament.bench.transport.passes import Run
from ligament.report.statistics import percentile, summarise

CPU, LOAN, CALLS = "cpu_per_message", "loan_publish_cost", "system_calls_per_publish"
#: One value of a run: what ratios between contestants of one pass are made of.
Value = Callable[[Figures], float | None]


def rows_of_runs(runs: Sequence[Run]) -> list[Row]:
    """One row per cell, contestant and metric; percentiles pool all passes."""
    rows: list[Row] = []
    for group in _groups(runs):
        cell, contestant = group[0].cell, group[0].contestant
        figures = [run.figures for run in group]
        rows += _latency_rows(cell, contestant.name, figures)
        if contestant.kind != "floor":
            rows += _other_rows(cell, contestant.name, figures)
    return rows


def notes_of_runs(runs: Sequence[Run]) -> list[str]:
    """What a reader of the rows must know about who came to them."""
    return [
        f"{group[0].cell.title}, {group[0].contestant.name}: {spoilt} messages came torn, late or "
        "twice; they have no latency"
        for group in _groups(runs)
        if (spoilt := sum(run.figures.spoilt for run in group))
    ]


def _groups(runs: Sequence[Run]) -> Iterator[list[Run]]:
    groups: dict[tuple[Cell, str], list[Run]] = {}
    for run in runs:
        groups.setdefault((run.cell, run.contestant.name), []).append(run)
    cells = {cell: None for cell, _ in groups}
    for cell in cells:
        for (other, _), group in groups.items():
            if other == cell:
                yield group


def _latency_rows(cell: Cell, peer: str, figures: Sequence[Figures]) -> list[Row]:
    if cell.metric not in (table.ONE_WAY, table.ROUND_TRIP):
        return []
    ends = [
        summarise(np.concatenate(series))
        for series in zip(*(f.latencies for f in figures), strict=True)
    ]
    pooled = summarise(np.concatenate([s for f in figures for s in f.latencies]))
    pooled |= {key: middle_of([end[key] for end in ends]) for key in ("p50", "p99")}
    row = make_row("transport", cell.params, cell.metric, "ns", pooled, peer)
    row["lost"] = sum(f.lost for f in figures)
    if len(ends) > 1:
        row["worst_p99"] = max(end["p99"] for end in ends)
    return [row]


def _other_rows(cell: Cell, peer: str, figures: Sequence[Figures]) -> list[Row]:
    def row(metric: str, unit: str, values: Any, peer: str = peer) -> Row:
        return make_row("transport", cell.params, metric, unit, values, peer)

    if cell.metric == table.THROUGHPUT:
        rates = row(table.THROUGHPUT, "1/s", [rate for f in figures for rate in f.rates])
        return [{**rates, "lost": sum(f.lost for f in figures)}]
    if cell.metric == table.ROUND_TRIP:
        return []
    rows: list[Row] = []
    if cell.metric == table.ONE_WAY and cell.wait == "sleep":
        rows.append(row(CPU, "ns", [f.cpu_ns / f.sent for f in figures if f.sent]))
    rows.append(row(table.PUBLISH_COST, "ns", np.concatenate([f.publish_ns for f in figures])))
    rows.append(row(LOAN, "ns", np.concatenate([f.loan_publish_ns for f in figures])))
    if counted := [f for f in figures if f.system_calls and f.sent]:
        rows.append(row(CALLS, "1", [sum(f.system_calls.values()) / f.sent for f in counted]))
    clocks = [f.clock_ns for f in figures if f.clock_ns is not None]
    if cell.metric == table.PUBLISH_COST and clocks:
        rows.append(row("clock_read", "ns", clocks, peer="clock"))
    return rows


def middle_of(values: Sequence[float]) -> float:
    """Nearest rank: one of the values."""
    return percentile(sorted(values), 0.5)


def _value(metric: str, figures: Figures) -> float | None:
    if metric in (table.ONE_WAY, table.ROUND_TRIP):
        return middle_of([middle_of(series) for series in figures.latencies])
    if metric == table.THROUGHPUT:
        return middle_of(figures.rates)
    if metric == CPU:
        return figures.cpu_ns / figures.sent if figures.sent else None
    series = figures.loan_publish_ns if metric == LOAN else figures.publish_ns
    return middle_of(series) if series else None


def metrics_of(cell: Cell) -> list[str]:
    """What is compared in a cell."""
    if cell.metric == table.ONE_WAY:
        return [table.ONE_WAY, *([CPU] if cell.wait == "sleep" else []), table.PUBLISH_COST, LOAN]
    return [cell.metric, LOAN] if cell.metric == table.PUBLISH_COST else [cell.metric]


def comparisons_of(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Ours against everybody of the same cell, pass by pass."""
    found: list[dict[str, Any]] = []
    groups = {(g[0].cell, g[0].contestant.name): g for g in _groups(runs)}
    for (cell, peer), group in groups.items():
        ours = groups.get((cell, OURS))
        if ours is None or peer in (OURS, "memcpy"):
            continue
        is_floor = group[0].contestant.kind == "floor"
        for metric in metrics_of(cell)[: 1 if is_floor else None]:
            unit = "1/s" if metric == table.THROUGHPUT else "ns"
            pairs = pairs_of(metric, ours, group)
            found += comparison(
                cell.params, metric, peer, pairs, difference_in=unit if is_floor else ""
            )
    return found


def pairs_of(metric: str, ours: Sequence[Run], theirs: Sequence[Run]) -> list[tuple[float, float]]:
    """(ours, theirs) of each pass in which both have a value."""
    values = {run.number: _value(metric, run.figures) for run in theirs}
    pairs = []
    for run in ours:
        mine, other = _value(metric, run.figures), values.get(run.number)
        if mine is not None and other:
            pairs.append((mine, other))
    return pairs
