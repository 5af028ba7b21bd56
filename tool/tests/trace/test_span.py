# SPDX-License-Identifier: Apache-2.0
"""Spans of Python programs: idle without a recording, on the same timeline with one."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import spanned_program
from runtime_programs import REPOSITORY

from ligament import span as span_module
from ligament.report.options import ReportOptions
from ligament.report.page.timeline import read_timeline
from ligament.report.stage import make_report
from ligament.span import PROVIDER_VARIABLE, Span, Spans
from ligament.trace.convert import convert
from ligament.trace.errors import TraceError
from ligament.trace.perfetto import write_timeline
from ligament.trace.session import TraceSession, require_lttng

FRAMES = 20
PROGRAM = Path(spanned_program.__file__)


@pytest.fixture
def idle(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that nothing records."""
    monkeypatch.delenv(PROVIDER_VARIABLE, raising=False)
    span_module._recorder.cache_clear()


@pytest.mark.usefixtures("idle")
def test_nothing_is_computed_where_nothing_records() -> None:
    assert spanned_program.main(3) == 0
    spans = Spans("/tracker")
    assert type(spans.span("a")) is Span
    assert spans.span("a") is spans.span("b")

    def plain() -> int:
        return 1

    assert spans.spanned("plain")(plain) is plain


def run(environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(PROGRAM), str(FRAMES)],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY / "tool"), **environment},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The event table of a recorded Python program, as a run's."""
    try:
        require_lttng()
    except TraceError as error:
        pytest.skip(str(error))
    folder = tmp_path_factory.mktemp("python")
    with TraceSession(folder / "trace", subbuffer_bytes=1024 * 1024) as session:
        result = run({**session.environment(), "LIGAMENT_RUN_ID": "run-7"})
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == str(FRAMES)
    convert(folder / "trace", folder / "events.parquet")
    return folder / "events.parquet"


def test_its_spans_and_values_are_in_the_report(table: Path) -> None:
    run_file = {
        "schema": "ligament/run/1", "graph": "g", "variant": "v", "run_id": "run-7", "outputs": [],
        "state": "finished", "trace": {"dir": "trace", "provider": "ligament"},
        "context": {"machine": {}, "commit": None, "command": [], "versions": {}},
    }  # fmt: skip
    (table.parent / "run.json").write_text(json.dumps(run_file))
    (variant,) = make_report([table.parent], ReportOptions())["variants"]
    spans = {(s["node"], s["span"]): s for s in variant["spans"]}
    assert spans.keys() == {("/tracker", "decode"), ("/tracker", "track")}
    assert spans["/tracker", "track"]["category"] == "copy"
    for span in spans.values():
        assert span["time_ns"]["n"] == FRAMES
        assert span["time_ns"]["min"] >= 200_000
    values = {value["value"]: value for value in variant["span_values"]}
    assert {name: (v["n"], v["p50"]) for name, v in values.items()} == {
        "points": (FRAMES, 640.0), "inliers": (FRAMES, 0.5),
    }  # fmt: skip
    assert variant["found"]["processes"] == 1


def test_they_are_on_the_timeline_of_the_page_and_of_perfetto(table: Path, tmp_path: Path) -> None:
    shown = read_timeline(table)
    assert shown is not None
    names = [shown["names"][number] for number in shown["slices"]["name"]]
    assert names.count("track") == names.count("decode") == FRAMES
    assert shown["slices"]["told"].count("points 640, inliers 0.5") == FRAMES
    assert write_timeline(table, tmp_path / "timeline.json")
    events: list[dict[str, Any]] = json.loads((tmp_path / "timeline.json").read_text())[
        "traceEvents"
    ]
    tracks = [event for event in events if event["name"] == "track"]
    assert len(tracks) == FRAMES
    assert all(event["args"] == {"points": 640.0, "inliers": 0.5} for event in tracks)


def test_a_wrong_category_is_named(table: Path) -> None:
    program = "from ligament.span import Spans\nSpans('/a').span('b', category='work')"
    session = TraceSession(table.parent / "other", subbuffer_bytes=1024 * 1024)
    with session:
        result = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONPATH": str(REPOSITORY / "tool"), **session.environment()},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert "one of compute, copy, serialise, not work" in result.stderr


def blocks(language: str) -> list[str]:
    page = (REPOSITORY / "docs" / "how-to" / "spans.md").read_text()
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def test_the_how_to_page_s_cpp_is_compiled_and_recorded() -> None:
    """What the page shows is in the graph that test_ros2_provider.py records."""
    program = (REPOSITORY / "runtime" / "tests" / "trace" / "traced_graph.cpp").read_text()
    flat = " ".join(program.split())
    include, body = blocks("cpp")
    assert " ".join(body.split()) in flat
    header = include.split("<")[1].split(">")[0]
    assert (REPOSITORY / "runtime" / "include" / header).is_file()


def test_the_how_to_page_s_python_is_recorded(table: Path, tmp_path: Path) -> None:
    (program,) = blocks("python")
    file = tmp_path / "tracker.py"
    file.write_text(program)
    recorded = table.parent / "page"
    with TraceSession(recorded, subbuffer_bytes=1024 * 1024) as session:
        result = subprocess.run(
            [sys.executable, str(file)],
            env={**os.environ, "PYTHONPATH": str(REPOSITORY / "tool"), **session.environment()},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert result.returncode == 0, result.stderr
    convert(recorded, tmp_path / "events.parquet")
    shown = read_timeline(tmp_path / "events.parquet")
    assert shown is not None
    assert sorted(shown["names"]) == ["decode", "track"]
    assert "points 640, inliers 12" in shown["slices"]["told"]
