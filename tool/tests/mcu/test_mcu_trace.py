# SPDX-License-Identifier: Apache-2.0
"""What a core tells of itself: tasks and interrupts of FreeRTOS, and how even its loop is."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from mcu_runs import EXAMPLES, events, ligament, newest_run, own_domain, require_core

from ligament import resources
from ligament.doctor import microcontrollers

MESSAGES = 60
STEPS_PER_MESSAGE = 10


def with_freertos(folder: Path) -> Path:
    """The platform with the Cortex-M4F, but with an operating system on the core."""
    if microcontrollers.freertos() is None:
        pytest.skip("this machine has no such thing: FreeRTOS, which cargo brings")
    text = (resources.platforms_dir() / "mcu_sim" / "platform.yaml").read_text()
    board = "    board: mps2_an386\n"
    assert text.count(board) == 1
    path = folder / "platform.yaml"
    path.write_text(text.replace(board, f"{board}    os: freertos\n"))
    return path


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a loop of 1 kHz on FreeRTOS."""
    require_core()
    out = tmp_path_factory.mktemp("motor")
    words = ["--variant", "mcu", "--platform", with_freertos(out), "--out", out, "--trace"]
    words += [*own_domain(), "--set", f"planner.messages={MESSAGES}"]
    ligament("run", EXAMPLES / "motor" / "graph.yaml", *words)
    found = newest_run(out / "motor" / "mcu")
    ligament("report", found)
    return found


@pytest.fixture(scope="module")
def variant(run: Path) -> dict[str, Any]:
    report: dict[str, Any] = json.loads((run / "report.json").read_text())
    return dict(report["variants"][0])


def test_the_report_has_the_loops_period(variant: dict[str, Any]) -> None:
    (timer,) = variant["device_timers"]
    assert (timer["node"], timer["timer"], timer["device"]) == ("/motor", "step", "mcu0")
    period = timer["period_ns"]
    # Not one of them is longer or shorter because a clock was mapped anew.
    least = STEPS_PER_MESSAGE * MESSAGES // 2
    assert least < period["n"]
    assert period["min"] <= period["p50"] <= period["p99"] <= period["max"]
    assert period["mean"] >= 990_000, "a loop of 1 kHz does not run faster"


def test_tasks_and_interrupts_have_their_names_and_times(variant: dict[str, Any]) -> None:
    tracks = {(t["kind"], t["name"]): t for t in variant["device_tracks"]}
    # The task that starts the others ends when they sleep: mostly before anything is recorded.
    tracks.pop(("task", "default"), None)
    assert set(tracks) == {
        ("task", "IDLE"), ("task", "session"), ("task", "rpmsg"),
        ("interrupt", "alarm"), ("interrupt", "bell"), ("interrupt", "tick"),
    }  # fmt: skip
    assert all(track["time_ns"]["n"] > 10 for track in tracks.values())
    assert 0 <= variant["device_lost"] <= variant["lost_events"]


def test_the_core_has_one_task_at_a_time(run: Path) -> None:
    """By its own order: one ends when the next begins, unless events were lost between."""
    tasks = events(
        run,
        "select s.device_begin_ns, s.device_end_ns, s.device_bound_ns from t s join t n "
        "on n.event = 'track_name' and n.track = s.track and n.kind = 'task' "
        "where s.event = 'track_span' order by s.device_begin_ns",
    )
    assert len(tasks) > MESSAGES
    for (_, end, end_bound), (begin, _, begin_bound) in itertools.pairwise(tasks):
        # Where the clock was mapped anew between them, they are as far apart as both may be wrong.
        assert begin >= end - end_bound - begin_bound - 1


def test_a_message_is_read_before_its_function_is_called(run: Path) -> None:
    """Takes are spans of their own: reading is not the author's work."""
    spans = events(
        run,
        "select n.name, n.category, s.seq, s.device_begin_ns, s.device_end_ns from t s join t n "
        "on n.event = 'span_name' and n.span = s.span "
        "where s.event = 'device_span' and s.publisher <> 0 order by s.seq, s.device_begin_ns",
    )
    takes = {seq: span for name, *span in spans for seq in [span[1]] if name.startswith("take")}
    calls = {seq: span for name, *span in spans for seq in [span[1]] if name.startswith("on_")}
    both = takes.keys() & calls.keys()  # all, but where events were lost
    assert len(both) > MESSAGES // 2
    for seq in both:
        (category, _, begin, end), call = takes[seq], calls[seq]
        assert (category, call[0]) == ("serialise", "compute")
        assert begin <= end == call[2]


def test_both_are_on_the_timeline(run: Path) -> None:
    text = json.loads((run / "timeline.json").read_text())["traceEvents"]
    names = {e["args"]["name"] for e in text if e["name"] == "thread_name"}
    assert {"mcu0: task session", "mcu0: interrupt alarm", "mcu0: /motor"} <= names
