# SPDX-License-Identifier: Apache-2.0
"""A chain by the ROS clock: made-up ticks of /clock, and the steps that were between its ends."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from made_up_traces import (
    CAMERA,
    PUB_DONE,
    PUB_RAW,
    PUB_RECT,
    RECTIFY,
    SINK,
    SUB_RAW,
    SUB_RECT,
    Trace,
)
from rich.console import Console

from ligament import resources
from ligament.report.options import ReportOptions
from ligament.report.stage import make_report
from ligament.report.terminal import print_report
from ligament.trace.perfetto import write_timeline

CLOCK, PUB_CLOCK = 13, 104
STEP = 50_000_000
MakeRun = Callable[..., Path]


def tick(trace: Trace, time: int, seq: int, ros_ns: int, *, heard_later: int = 400) -> None:
    """The camera's process publishes a tick; two nodes hear of it, the second one later."""
    trace.publish(time, time + 10, 1, PUB_CLOCK, seq)
    for node, after in ((RECTIFY, heard_later), (SINK, 2 * heard_later)):
        told = {"publisher": PUB_CLOCK, "seq": seq, "ros_ns": ros_ns}
        trace.add(time + after, "ros_time", 2, node=node, **told)


def answered(trace: Trace, start: int, seq: int, late: int = 0) -> None:
    """A frame to whose end the sink answers, 1050 ns after its beginning or later."""
    trace.publish(start, start + 20, 1, PUB_RAW, seq)
    trace.take(start + 100, 2, SUB_RAW, PUB_RAW, seq)
    trace.publish(start + 800, start + 820, 2, PUB_RECT, seq).end(start + 850, 2, SUB_RAW)
    trace.take(start + 1000, 3, SUB_RECT, PUB_RECT, seq)
    answer = start + 1050 + late
    trace.publish(answer, answer + 10, 3, PUB_DONE, seq).end(answer + 20, 3, SUB_RECT)


@pytest.fixture
def ticking(trace: Trace) -> Trace:
    """Three frames right after a tick each; the last is answered two ticks later."""
    trace.add(0, "topic_init", topic=CLOCK, name="/clock", message="rosgraph_msgs/msg/Clock")
    trace.add(0, "publisher_init", publisher=PUB_CLOCK, topic=CLOCK, node=CAMERA)
    for seq in range(1, 6):
        tick(trace, 10_000 * seq, seq, STEP * seq)
    answered(trace, 10_020, 1)
    answered(trace, 20_020, 2)
    answered(trace, 30_020, 3, late=20_000)
    return trace


def reported(trace: Trace, make_run: MakeRun) -> dict[str, Any]:
    found = make_report([make_run(trace)], ReportOptions(warm_up=0))
    schema = resources.spec_dir() / "report" / "report.schema.json"
    jsonschema.validate(found, json.loads(schema.read_text()))
    variant: dict[str, Any] = found["variants"][0]
    return variant


def test_a_tick_counts_from_its_publication_not_from_when_it_was_heard(
    ticking: Trace, make_run: MakeRun
) -> None:
    # Each frame begins after its tick was published, and before anybody heard of it.
    found = reported(ticking, make_run)["ros_time"]
    assert (found["ticks"], found["step_ns"]) == (5, STEP)
    assert found["values"] == [{"ns": 0, "count": 3}]
    assert found["latency_ns"]["max"] == 0


def test_an_answer_is_as_old_as_the_ticks_since_its_frame(
    ticking: Trace, make_run: MakeRun
) -> None:
    (answer,) = reported(ticking, make_run)["ros_time"]["answers"]
    assert answer["topic"] == "/done"
    assert answer["values"] == [{"ns": 0, "count": 2}, {"ns": 2 * STEP, "count": 1}]
    assert (answer["host_ns"]["min"], answer["host_ns"]["max"]) == (1050, 21_050)


def test_a_tick_from_outside_counts_from_when_it_was_first_heard(
    trace: Trace, make_run: MakeRun
) -> None:
    for seq in (1, 2):
        told = {"publisher": 99, "seq": seq, "ros_ns": STEP * seq}
        trace.add(10_000 * seq + 500, "ros_time", 2, node=SINK, **told)
        trace.add(10_000 * seq + 450, "ros_time", 2, node=RECTIFY, **told)
    answered(trace, 10_460, 1)
    answered(trace, 19_460, 2)  # taken at 20_460, after the second tick
    answered(trace, 5_000, 3)  # before the first: nobody knows
    found = reported(trace, make_run)["ros_time"]
    assert found["values"] == [{"ns": 0, "count": 1}, {"ns": STEP, "count": 1}]


def test_a_clock_that_is_set_back_gives_no_figure(ticking: Trace, make_run: MakeRun) -> None:
    tick(ticking, 60_000, 6, STEP)
    answered(ticking, 59_500, 4)
    assert reported(ticking, make_run)["ros_time"]["latency_ns"]["n"] == 3


def test_many_different_times_are_summed_up(ticking: Trace, make_run: MakeRun) -> None:
    for number in range(6, 100):
        tick(ticking, 10_000 * number, number, STEP * number)
    for seq in range(4, 9):  # 0 to 4 steps late
        answered(ticking, 100_000 * seq + 20, seq, late=(seq - 4) * 10_000)
    (answer,) = reported(ticking, make_run)["ros_time"]["answers"]
    assert answer["values"] == []
    assert answer["latency_ns"]["n"] == 8
    assert answer["latency_ns"]["max"] == 4 * STEP


def test_the_terminal_says_it_in_a_line(ticking: Trace, make_run: MakeRun) -> None:
    console = Console(file=io.StringIO(), width=300)
    print_report(make_report([make_run(ticking)], ReportOptions(warm_up=0)), console)
    said = console.file.getvalue()  # type: ignore[attr-defined]
    assert (
        "by the ROS clock (/clock, in steps of 50 ms): /camera -> /sink takes 0 ns; its /done is "
        "0 ns or 100 ms old (by the host's clock 1.05 us, median)"
    ) in said


def test_who_follows_no_clock_says_nothing_of_it(trace: Trace, make_run: MakeRun) -> None:
    trace.frame(10_000, 1)
    assert "ros_time" not in reported(trace, make_run)


def test_the_timeline_has_it_as_a_counter(ticking: Trace, tmp_path: Path) -> None:
    table = ticking.write(tmp_path / "events.parquet")
    write_timeline(table, tmp_path / "timeline.json")
    events = json.loads((tmp_path / "timeline.json").read_text())["traceEvents"]
    assert [e["args"]["s"] for e in events if e["ph"] == "C"] == [0.05, 0.1, 0.15, 0.2, 0.25]
