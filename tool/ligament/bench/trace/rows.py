# SPDX-License-Identifier: Apache-2.0
"""Rows of `ligament bench trace`, and what they say about the goals."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ligament.bench.framework import Row, make_row
from ligament.bench.trace.events import Measured
from ligament.bench.trace.reading import Taken
from ligament.report.statistics import summarise
from ligament.trace.session import PROVIDER, ROS2

BENCH = "trace"
OFF = "off"


@dataclass(frozen=True)
class Goal:
    """What a median should reach: at most `limit`, or at least it."""

    metric: str
    params: Mapping[str, Any]
    limit: float
    unit: str
    at_least: bool = False


GOALS = (
    Goal("event", {"recording": PROVIDER}, 150, "ns"),
    Goal("event", {"recording": OFF}, 2, "ns"),
    Goal("message_overhead", {"recording": PROVIDER}, 1000, "ns"),
    Goal("analysis", {"time": "cpu"}, 1e6, "events/s", at_least=True),
    Goal("whole_wall", {"events": 10_000_000}, 30, "s"),
    Goal("whole_peak_memory", {"events": 10_000_000}, 1e9, "B"),
)


def costs(found: Mapping[str, Sequence[Measured]]) -> list[Row]:
    """Event, span and message: medians of the bursts of each pass, without the loop around them."""
    result = []
    for kind, measured in found.items():
        for figure in ("event", "ros2_event", "span", "span_value", "message"):
            if figure == "ros2_event" and kind == PROVIDER:
                continue
            base = figure != "message"
            values = [
                statistics.median(one.costs[figure])
                - (statistics.median(one.costs["loop"]) if base else 0.0)
                for one in measured
            ]
            result.append(make_row(BENCH, {"recording": kind}, figure, "ns", summarise(values)))
    return result


def overheads(found: Mapping[str, Sequence[Measured]]) -> list[Row]:
    """What a message (publish, take, callback) takes longer than without a recording, by pass."""
    off = [statistics.median(one.costs["message"]) for one in found[OFF]]
    return [
        make_row(
            BENCH, {"recording": kind}, "message_overhead", "ns",
            summarise([
                statistics.median(one.costs["message"]) - base
                for one, base in zip(found[kind], off, strict=True)
            ]),
        )
        for kind in (PROVIDER, ROS2)
    ]  # fmt: skip


def rates(count: int, taken: Mapping[str, Sequence[Taken]]) -> list[Row]:
    """Events per second on one core: by its clock, and by the time that it gave us."""
    result = []
    for peer, passes in taken.items():
        for time, seconds in (
            ("wall", [one.wall_s for one in passes]),
            ("cpu", [one.cpu_s for one in passes]),
        ):
            values = summarise([count / second for second in seconds])
            params = {"events": count, "time": time}
            result.append(make_row(BENCH, params, "analysis", "events/s", values, peer))
        memory = summarise([float(one.peak_bytes) for one in passes])
        result.append(make_row(BENCH, {"events": count}, "peak_memory", "B", memory, peer))
    return result


def whole(count: int, imported: Taken, reported: Taken) -> list[Row]:
    """From the recording to the page."""
    params = {"events": count}
    figures = {
        "import_wall": (imported.wall_s, "s"),
        "import_cpu": (imported.cpu_s, "s"),
        "import_peak_memory": (imported.peak_bytes, "B"),
        "report_wall": (reported.wall_s, "s"),
        "report_cpu": (reported.cpu_s, "s"),
        "report_peak_memory": (reported.peak_bytes, "B"),
        "whole_wall": (imported.wall_s + reported.wall_s, "s"),
        "whole_cpu": (imported.cpu_s + reported.cpu_s, "s"),
        "whole_peak_memory": (max(imported.peak_bytes, reported.peak_bytes), "B"),
    }
    return [
        make_row(BENCH, params, metric, unit, summarise([float(value)]))
        for metric, (value, unit) in figures.items()
    ]


def judged(rows: Sequence[Row]) -> list[str]:
    """A sentence for each goal that was measured."""
    return [
        _judge(goal, row)
        for goal in GOALS
        for row in rows
        if row["metric"] == goal.metric
        and row["peer"] == "ligament"
        and all(row["params"].get(key) == value for key, value in goal.params.items())
    ]


def _judge(goal: Goal, row: Row) -> str:
    value = row["p50"]
    met = value >= goal.limit if goal.at_least else value <= goal.limit
    sign = ">=" if goal.at_least else "<="
    params = ", ".join(f"{key} {value}" for key, value in goal.params.items())
    return (
        f"goal {goal.metric} ({params}) {sign} {goal.limit:g} {goal.unit}: "
        f"{'met' if met else 'MISSED'}, {value:.4g}"
    )
