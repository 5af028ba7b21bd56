# SPDX-License-Identifier: Apache-2.0
"""Timers, tasks and interrupts of cores: in the report, on its page, and in the timeline."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from made_up_traces import RECTIFY, Trace
from rich.console import Console

from ligament import resources
from ligament.report.options import ReportOptions
from ligament.report.page.timeline import read_timeline
from ligament.report.stage import make_report
from ligament.report.terminal import print_report
from ligament.trace.perfetto import write_timeline

STEP, SESSION, BELL, CORE = 501, 601, 602, 603
PERIODS = (1_000_000, 1_020_000, 980_000, 1_400_000)


@pytest.fixture
def cored(trace: Trace) -> Trace:
    """A core whose loop of 1 kHz is late once; one task runs half of the time."""
    for start in (10_000, 20_000, 5_000_000):
        trace.frame(start, start // 10_000)
    trace.add(0, "span_name", span=STEP, node=RECTIFY, name="on_step", category="compute")
    trace.add(0, "device_name", span=STEP, device="mcu0", time_base="device")
    for track, kind, name in (
        (SESSION, "task", "session"), (BELL, "interrupt", "bell"), (CORE, "device", "mcu0"),
    ):  # fmt: skip
        trace.add(0, "track_name", track=track, device="mcu0", name=name, kind=kind)
    begin = 11_000
    for period in (0, *PERIODS):
        begin += period
        told = {"device_begin_ns": begin, "device_end_ns": begin + 50_000, "device_bound_ns": 9}
        trace.add(begin + 1, "device_span", 2, span=STEP, publisher=0, seq=0, **told)
        if period:
            trace.add(begin + 1, "device_interval", 2, span=STEP, interval_ns=period)
    for track, since, until in (
        (SESSION, 12_000, 412_000), (SESSION, 1_012_000, 1_112_000), (BELL, 1_000_000, 1_012_000),
    ):  # fmt: skip
        trace.add(
            until, "track_span", 2, track=track, device_begin_ns=since, device_end_ns=until,
            device_bound_ns=9,
        )  # fmt: skip
    trace.add(2_000_000, "device_lost", 2, track=CORE, count=5)
    return trace.add(2_000_001, "device_lost", 2, track=CORE, count=2)


@pytest.fixture
def report(cored: Trace, make_run: Callable[..., Path]) -> dict[str, Any]:
    found = make_report([make_run(cored)], ReportOptions(warm_up=0))
    schema = resources.spec_dir() / "report" / "report.schema.json"
    jsonschema.validate(found, json.loads(schema.read_text()))
    return found


def test_the_loops_jitter_is_from_the_cores_own_intervals(report: dict[str, Any]) -> None:
    (timer,) = report["variants"][0]["device_timers"]
    assert (timer["node"], timer["timer"], timer["device"]) == ("/rectify", "step", "mcu0")
    period = timer["period_ns"]
    assert period["n"] == 4
    assert period["mean"] == 1_100_000
    assert (period["min"], period["p50"], period["max"]) == (980_000, 1_000_000, 1_400_000)
    assert period["sd"] == pytest.approx(200_665.6, rel=1e-4)


def test_tasks_and_interrupts_have_their_share_of_the_core(report: dict[str, Any]) -> None:
    bell, session = sorted(report["variants"][0]["device_tracks"], key=lambda t: t["kind"])
    assert (session["device"], session["kind"], session["name"]) == ("mcu0", "task", "session")
    assert session["share"] == pytest.approx(500_000 / 1_100_000)
    assert session["time_ns"]["n"] == 2 and session["time_ns"]["max"] == 400_000
    assert (bell["kind"], bell["name"], bell["time_ns"]["p50"]) == ("interrupt", "bell", 12_000)


def test_what_a_core_could_not_keep_counts_as_lost(report: dict[str, Any]) -> None:
    assert report["variants"][0]["device_lost"] == 7
    assert report["variants"][0]["lost_events"] == 7


def test_the_terminal_shows_both_tables(report: dict[str, Any]) -> None:
    console = Console(file=io.StringIO(), width=140)
    print_report(report, console)
    said = console.file.getvalue()  # type: ignore[attr-defined]
    assert "timers on cores, period by the core's own clock" in said
    assert "tasks and interrupts of cores" in said
    assert "45.45 %" in said and "1.4 ms" in said


def test_a_variant_without_cores_says_nothing_of_them(
    trace: Trace, make_run: Callable[..., Path]
) -> None:
    trace.frame(10_000, 1)
    found = make_report([make_run(trace)], ReportOptions(warm_up=0))
    assert not {"device_timers", "device_tracks", "device_lost"} & set(found["variants"][0])
    console = Console(file=io.StringIO(), width=140)
    print_report(found, console)
    assert "cores" not in console.file.getvalue()  # type: ignore[attr-defined]


def test_both_timelines_have_a_track_for_each(cored: Trace, tmp_path: Path) -> None:
    table = cored.write(tmp_path / "events.parquet")
    write_timeline(table, tmp_path / "timeline.json")
    events = json.loads((tmp_path / "timeline.json").read_text())["traceEvents"]
    names = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    shown = [
        (names[e["tid"]], e["name"], e["dur"], e["args"]["bound_ns"])
        for e in events
        if e.get("cat") in ("task", "interrupt")
    ]
    assert shown == [
        ("mcu0: task session", "session", 400.0, 9),
        ("mcu0: interrupt bell", "bell", 12.0, 9),
        ("mcu0: task session", "session", 100.0, 9),
    ]
    page = read_timeline(table)
    assert page is not None
    tracks = page["tracks"]
    assert {"mcu0: task session", "mcu0: interrupt bell"} <= set(tracks)
    lengths = sorted(
        length
        for track, length in zip(page["slices"]["track"], page["slices"]["length"], strict=True)
        if tracks[track].startswith(("mcu0: task", "mcu0: interrupt"))
    )
    assert lengths == [12_000, 100_000, 400_000]
