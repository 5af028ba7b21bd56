# SPDX-License-Identifier: Apache-2.0
"""Rows of a fleet, measured and predicted, and what they should be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from ligament.bench.fleet import model
from ligament.bench.fleet.cells import FAST, OURS, PER_PROCESS, Cell
from ligament.bench.fleet.network import LATENCY_S
from ligament.bench.fleet.runs import IDLE_S, Figures
from ligament.bench.fleet.simulation import Plan, simulate
from ligament.bench.goals import Figures as Shown
from ligament.bench.goals import Goal
from ligament.bench.measuring import Row, make_row

#: Peers: hosts with cores of their own, and hosts whose threads wait for one.
QUIET, BUSY = "simulation", "simulation, busy"
#: A thread's wait for a core where twenty hosts share two.
BUSY_S = 0.02
#: From one start of a program here to the next one.
GAP_S = 0.03
_KINDS = ("acknack", "heartbeat")
_SHARED = (
    "all hosts share two cores with other work: what waits for a core is said again every 20 ms, "
    "and endpoints are announced again, many times in the largest fleets"
)
_REPAIRS = (
    "on busy cores repairs of announcements went on for longer than 6 s after all was matched"
)
_LONE = (
    "a lone host was seen to announce itself twice, and to send one datagram more; the simulation "
    "has one announcement"
)
_FITTED = "the formula is fitted to larger fleets"


def _at_most(factor: float) -> Callable[[Row], float | None]:
    """Of what was predicted for the row."""
    return lambda row: factor * row["predicted"] if "predicted" in row else None


def _at_start(row: Row) -> str:
    return _LONE if row["params"]["hosts"] == 1 else _SHARED


_SIZE = "{hosts} hosts x {endpoints} endpoints"
_ALONE: dict[str, Any] = {"processes": 1}
FIGURES = Shown(
    goals=(
        Goal(
            f"at rest, frames per second, {_SIZE}",
            "idle_frames",
            _at_most(1.05),
            _ALONE,
            why=_REPAIRS,
        ),
        Goal(f"memory of an edge, {_SIZE}", "memory", _at_most(1.2), _ALONE, why=_FITTED),
        Goal(f"one host more, frames, {_SIZE}", "join_frames", _at_most(1.1), _ALONE, why=_SHARED),
        Goal(f"all at once, frames, {_SIZE}", "start_frames", _at_most(1.1), _ALONE, why=_at_start),
        Goal(f"all at once, until all is matched, {_SIZE}", "matched", None, _ALONE),
        Goal(f"all at once, processor time of an edge, {_SIZE}", "start_cpu", None, _ALONE),
        *(
            Goal(f"{text}, {_SIZE}, on paper", metric, None, {"hosts": 100}, contestant=QUIET)
            for metric, text in (
                ("idle_frames", "at rest, frames per second"),
                ("join_frames", "one host more, frames"),
                ("join_bytes", "one host more, on the wire"),
                ("memory", "memory of an edge"),
            )
        ),
        *(
            Goal(
                f"{peer}, 5 participants per host: {text}, {{hosts}} hosts",
                metric,
                None,
                {"processes": 5},
                contestant=peer,
            )
            for peer in (PER_PROCESS, FAST)
            for metric, text in (
                ("matched", "until all is matched"),
                ("start_frames", "all at once, frames"),
                ("memory", "memory of a host"),
            )
        ),
    ),
    results={"fleet": "network namespaces on one switch, hosts started 0.03 s apart"},
    floors=(QUIET, BUSY),
)


def measured_rows(cell: Cell, figures: Figures) -> list[Row]:
    """All that was counted; of ours with what was predicted."""
    phases: Mapping[str, Mapping[str, int]] = {
        "start": figures.start,
        "idle": figures.idle,
        "join": figures.join,
    }
    rows = [
        _row(cell, metric, unit, values, cell.peer)
        for metric, unit, values in (
            ("matched", "s", [figures.matched_s]),
            ("start_cpu", "s", figures.start_cpu_s),
            ("idle_cpu", "share", figures.idle_cpu),
            ("memory", "B", figures.memory),
        )
    ]
    for phase, counts in phases.items():
        if counts:
            rows += _count_rows(cell, phase, counts, cell.peer)
    if figures.join:
        rows.append(_row(cell, "join_matched", "s", [figures.join_s], cell.peer))
    return rows


def predicted_rows(cell: Cell) -> list[Row]:
    """Of ours: by simulation with and without a core for each host, and memory by formula."""
    rows = on_paper(cell, GAP_S)
    return rows + _simulated(cell, plan_of(cell, GAP_S, BUSY_S), BUSY)


def on_paper(cell: Cell, gap_s: float) -> list[Row]:
    """Of a fleet where each host has cores of its own."""
    rows = [_row(cell, "memory", "B", [model.memory(cell.hosts, cell.endpoints + 1)], QUIET)]
    return rows + _simulated(cell, plan_of(cell, gap_s), QUIET)


def _simulated(cell: Cell, plan: Plan, peer: str) -> list[Row]:
    rows: list[Row] = []
    for phase, counts in simulate(plan).items():
        if counts:
            rows += _count_rows(cell, phase, counts, peer)
    return rows


def plan_of(cell: Cell, gap_s: float, latency_s: float = LATENCY_S) -> Plan:
    """The same fleet, to be simulated."""
    readers = cell.topics * cell.readers
    return Plan(cell.hosts, cell.topics + 1, readers, cell.readers, gap_s, latency_s)


def with_predictions(rows: list[Row]) -> list[Row]:
    """Ours know what each was to be at most: at rest nobody waits, else hosts do."""
    told = {_key(row): row["p50"] for row in rows}
    found = []
    for row in rows:
        peer = QUIET if row["metric"] in ("idle_frames", "memory") else BUSY
        limit = told.get((row["metric"], peer, _cell_of(row)))
        known = row["peer"] == OURS and limit is not None
        found.append({**row, "predicted": limit} if known else row)
    return found


def _key(row: Row) -> tuple[str, str, str]:
    return row["metric"], row["peer"], _cell_of(row)


def _cell_of(row: Row) -> str:
    return str(sorted(row["params"].items()))


def _count_rows(cell: Cell, phase: str, counts: Mapping[str, int], peer: str) -> list[Row]:
    over, per = (IDLE_S, "1/s") if phase == "idle" else (1.0, "1")
    sums: Counter[str] = Counter()
    for name, number in counts.items():
        for kind in ("frames", "bytes"):
            if name in (f"multicast_{kind}", f"unicast_{kind}"):
                sums[kind] += number
        for kind in _KINDS:
            if name.endswith(f"_{kind}"):
                sums[kind] += number
    sums["announcements"] = counts.get("sedp", 0)
    units = {"bytes": "B/s" if phase == "idle" else "B"}
    return [
        _row(cell, f"{phase}_{kind}", units.get(kind, per), [number / over], peer)
        for kind, number in sums.items()
    ]


def _row(cell: Cell, metric: str, unit: str, values: list[float], peer: str) -> Row:
    return make_row("fleet", cell.params, metric, unit, values, peer)
