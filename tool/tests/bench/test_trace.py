# SPDX-License-Identifier: Apache-2.0
"""`ligament bench trace`: its recording is one, its rows say what they should, its program runs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from ligament.bench.goals import judged
from ligament.bench.measuring import make_row
from ligament.bench.trace import events, reading, rows
from ligament.bench.trace.events import Measured
from ligament.bench.trace.reading import Taken
from ligament.bench.trace.system import EVENTS_PER_FRAME, write_recording
from ligament.errors import FailureError
from ligament.report.options import ReportOptions
from ligament.report.stage import make_report
from ligament.report.statistics import summarise
from ligament.resources import prefix
from ligament.trace.errors import TraceError
from ligament.trace.imported import import_recording
from ligament.trace.session import ROS2, require_lttng

FRAMES = 30


def test_the_recording_is_that_of_a_whole_system(tmp_path: Path) -> None:
    count = write_recording(tmp_path / "made", FRAMES * EVENTS_PER_FRAME)
    imported = import_recording(tmp_path / "made", out=tmp_path / "out")
    assert imported.conversion.provider_events == count
    assert imported.conversion.error == ""
    (variant,) = make_report([imported.folder], ReportOptions())["variants"]
    assert variant["chain"]["nodes"] == ["/camera", "/rectify", "/resize", "/sink"]
    assert (variant["frames"], variant["missing"]) == (FRAMES - 10, [])
    assert variant["found"]["timers"] == [{"node": "/camera", "period_ns": 1_000_000}]
    assert variant["latency_ns"]["p50"] == 502_000.0


def test_readers_read_the_same_events(tmp_path: Path) -> None:
    count = write_recording(tmp_path / "made", 2000)
    words = [str(tmp_path / "made"), *reading.folder_of(tmp_path / "out")]
    taken = reading.run(sys.executable, reading.CONVERT, words, reading.one_core())
    assert taken.printed == count
    assert taken.cpu_s > 0 and taken.peak_bytes > 10_000_000
    python = reading.python_with_bt2()
    if python is not None:
        assert reading.run(python, reading.BT2, words).printed == count
    with pytest.raises(FailureError, match="reading a recording failed"):
        reading.run(sys.executable, reading.CONVERT, [words[1], words[1]])


def costs(event: float, message: float) -> Measured:
    figures = {"loop": 1.0, "event": 1.0 + event, "ros2_event": 1.0, "span": 1.0, "span_value": 1.0}
    return Measured({**{k: [v] * 3 for k, v in figures.items()}, "message": [message] * 3}, 0)


def sentences(made: list[dict[str, Any]]) -> list[str]:
    return [line.sentence() for line in judged(rows.FIGURES, {"rows": made})]


def test_the_loop_is_not_part_of_an_event_and_goals_are_judged() -> None:
    found = {"off": [costs(0.5, 700)] * 2, "ligament": [costs(160, 1500)] * 2,
             ROS2: [costs(160, 2500)] * 2}  # fmt: skip
    made = rows.costs(found) + rows.overheads(found)
    by_key = {(row["metric"], row["params"]["recording"]): row["p50"] for row in made}
    assert by_key["event", "off"] == 0.5
    assert by_key["event", "ligament"] == 160
    assert by_key["message_overhead", "ligament"] == 800
    assert by_key["message_overhead", ROS2] == 1800
    assert sentences(made) == [
        "an event, recorded: <= 150 ns: missed (160 ns)",
        "an event, not recorded: <= 2 ns: reached (0.5 ns)",
        "a message with all events takes longer by: <= 1 us: reached (800 ns)",
    ]


def test_a_rate_has_to_be_reached_and_the_peer_is_not_judged() -> None:
    taken = {"ligament": [Taken(2.0, 0.5, 1, 1)], "bt2 (Python)": [Taken(9.0, 9.0, 1, 1)]}
    made = rows.rates(1_000_000, taken)
    assert sentences(made) == [
        "reading, on one core, by processor time: >= 1 Mevents/s: reached (2 Mevents/s)"
    ]
    whole = rows.whole(10_000_000, Taken(12.0, 14.0, 10**8, 1), Taken(9.0, 11.0, 2 * 10**9, 1))
    told = [one.rpartition(": ")[2] for one in sentences(whole)]
    assert told == ["reached (21 s)", "missed (2 GB)"]


def test_a_row_of_another_size_is_not_judged() -> None:
    row: dict[str, Any] = make_row("trace", {"events": 5}, "whole_wall", "s", summarise([99.0]))
    assert sentences([row]) == []


@pytest.mark.parametrize("kind", events.KINDS)
def test_every_kind_is_measured(kind: str) -> None:
    if not (prefix() / "lib" / "ligament" / "ligament-bench-trace").is_file():
        pytest.skip("ligament-bench-trace is not installed: build the runtime with its benchmarks")
    try:
        require_lttng(ROS2)
    except TraceError as error:
        pytest.skip(str(error))
    measured = events.measure(kind, 3)
    assert measured.costs.keys() == {
        "loop", "event", "ros2_event", "span", "span_value", "message",
    }  # fmt: skip
    assert all(len(values) == 3 for values in measured.costs.values())
