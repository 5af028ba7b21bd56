# SPDX-License-Identifier: Apache-2.0
"""A report is worked out again when anything that it depends on has changed, and only then."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ligament import cache
from ligament.report import stage
from ligament.report.kept import report_of
from ligament.report.options import ReportOptions


@pytest.fixture
def run(tmp_path: Path, monkeypatch) -> Path:
    folder = tmp_path / "perception" / "processes" / "runs" / "1"
    (folder / "outputs").mkdir(parents=True)
    (folder / "run.json").write_text("{}")
    (folder / "outputs" / "sink.jsonl").write_text("{}")
    (folder.parent.parent / "build.json").write_text("{}")
    (tmp_path / "expected.jsonl").write_text("")
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "cache"))
    return folder


@pytest.fixture
def made(monkeypatch) -> list[list[Path]]:
    calls: list[list[Path]] = []

    def make(paths: list[Path], options: ReportOptions) -> dict[str, int]:
        calls.append(paths)
        return {"made": len(calls)}

    monkeypatch.setattr(stage, "make_report", make)
    return calls


def test_the_same_runs_are_reported_once(run, made):
    assert report_of([run], ReportOptions()) == {"made": 1}
    (run / "report.json").write_text("its own, which is no input")
    assert report_of([run / "run.json"], ReportOptions()) == {"made": 2}  # named otherwise
    assert report_of([run], ReportOptions()) == {"made": 1}
    assert len(made) == 2


@pytest.mark.parametrize(
    "changed", ["run.json", "outputs/sink.jsonl", "events.parquet", "../../build.json"]
)
def test_a_changed_input_is_another_report(changed, run, made):
    report_of([run], ReportOptions())
    (run / changed).write_text("changed")
    assert report_of([run], ReportOptions()) == {"made": 2}


def test_a_file_that_is_as_long_but_newer_is_another_report(run, made):
    report_of([run], ReportOptions())
    at = (run / "run.json").stat().st_mtime_ns + 1
    os.utime(run / "run.json", ns=(at, at))
    assert report_of([run], ReportOptions()) == {"made": 2}


def test_other_options_and_expected_frames_are_another_report(run, made, tmp_path):
    expected = tmp_path / "expected.jsonl"
    report_of([run], ReportOptions())
    assert report_of([run], ReportOptions(warm_up=3)) == {"made": 2}
    assert report_of([run], ReportOptions(expected=expected)) == {"made": 3}
    expected.write_text("changed")
    assert report_of([run], ReportOptions(expected=expected)) == {"made": 4}
    assert report_of([run, run], ReportOptions()) == {"made": 5}


def test_without_a_cache_each_report_is_made(run, made, monkeypatch):
    monkeypatch.setenv(cache.VARIABLE, "off")
    report_of([run], ReportOptions())
    assert report_of([run], ReportOptions()) == {"made": 2}
