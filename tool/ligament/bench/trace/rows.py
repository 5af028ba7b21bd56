# SPDX-License-Identifier: Apache-2.0
"""Rows of `ligament bench trace`, and its goals."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence

from ligament.bench.goals import Figures, Goal
from ligament.bench.measuring import Row, make_row
from ligament.bench.trace.events import Measured
from ligament.bench.trace.reading import Taken
from ligament.trace.session import PROVIDER, ROS2

BENCH = "trace"
OFF = "off"


_OURS, _WHOLE = {"recording": PROVIDER}, {"events": 10_000_000}
FIGURES = Figures(
    goals=(
        Goal("an event, recorded", "event", 150, _OURS, published="about 158 ns"),
        Goal("an event, not recorded", "event", 2, {"recording": OFF}),
        Goal("a message with all events takes longer by", "message_overhead", 1000, _OURS,
             published="less than 5.5 us"),
        Goal("a message with ROS 2's events as well takes longer by", "message_overhead", None,
             {"recording": ROS2}),
        Goal("reading, on one core, by processor time", "analysis", 1e6, {"time": "cpu"},
             at_least=True),
        Goal("recording of {events} events to page: time", "whole_wall", 30, _WHOLE),
        Goal("recording of {events} events to page: memory", "whole_peak_memory", 1e9, _WHOLE),
    ),
    results={"trace": "events, and reading what they recorded"},
)  # fmt: skip


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
            result.append(make_row(BENCH, {"recording": kind}, figure, "ns", values))
    return result


def overheads(found: Mapping[str, Sequence[Measured]]) -> list[Row]:
    """What a message (publish, take, callback) takes longer than without a recording, by pass."""
    off = [statistics.median(one.costs["message"]) for one in found[OFF]]
    return [
        make_row(
            BENCH, {"recording": kind}, "message_overhead", "ns",
            [
                statistics.median(one.costs["message"]) - base
                for one, base in zip(found[kind], off, strict=True)
            ],
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
            values = [count / second for second in seconds]
            params = {"events": count, "time": time}
            result.append(make_row(BENCH, params, "analysis", "events/s", values, peer))
        memory = [float(one.peak_bytes) for one in passes]
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
        make_row(BENCH, params, metric, unit, float(value))
        for metric, (value, unit) in figures.items()
    ]
