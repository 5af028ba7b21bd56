# SPDX-License-Identifier: Apache-2.0
"""Damaged, empty and foreign recordings: each says what it is, and nothing is invented."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from ligament.cli.main import main
from ligament.errors import InputError
from ligament.trace.convert import TABLE_SCHEMA, convert
from ligament.trace.errors import TraceError


def metadata_of(recording: Path) -> Path:
    return next(recording.rglob("metadata"))


def fullest_stream(recording: Path) -> Path:
    streams = [p for p in recording.rglob("events_*") if p.suffix != ".idx"]
    return max(streams, key=lambda path: path.stat().st_size)


def fake_converter(tmp_path: Path, body: str) -> Path:
    path = tmp_path / "converter"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def test_the_table_describes_itself(recording: Path, tmp_path: Path) -> None:
    table = tmp_path / "events.parquet"
    convert(recording, table)
    described = json.loads(pq.read_metadata(table).metadata[b"ligament"])
    assert described["schema"] == TABLE_SCHEMA
    assert described["clocks"] == ["monotonic"]
    assert described["calibration_events"] == 41 * 50
    times = pq.read_table(table, columns=["time_ns"])["time_ns"].to_pylist()
    assert times == sorted(times)


def test_a_truncated_stream(recording: Path, tmp_path: Path) -> None:
    stream = fullest_stream(recording)
    with stream.open("r+b") as file:
        file.truncate(stream.stat().st_size // 2)
    with pytest.raises(TraceError, match="could not be read to its end"):
        convert(recording, tmp_path / "events.parquet")


@pytest.mark.parametrize(
    ("size", "text"), [(0, "is empty"), (100, "is truncated"), (5000, "truncated|damaged")]
)
def test_truncated_metadata(recording: Path, tmp_path: Path, size: int, text: str) -> None:
    with metadata_of(recording).open("r+b") as file:
        file.truncate(size)
    with pytest.raises(TraceError, match=text):
        convert(recording, tmp_path / "events.parquet")


def test_metadata_that_is_none(recording: Path, tmp_path: Path) -> None:
    metadata_of(recording).write_bytes(b"not CTF")
    with pytest.raises(TraceError, match="Cannot create trace"):
        convert(recording, tmp_path / "events.parquet")


def test_a_recording_without_events(recording: Path, tmp_path: Path) -> None:
    folder = metadata_of(recording).parent
    for stream in folder.glob("events_*"):
        stream.unlink()
    shutil.rmtree(folder / "index")
    table = tmp_path / "events.parquet"
    with pytest.raises(InputError, match="holds no event of the provider `ligament`"):
        convert(recording, table)
    assert not table.exists()


def test_a_folder_without_recording(recording: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="holds no CTF recording"):
        convert(tmp_path / "empty", tmp_path / "events.parquet")


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["ros2:rcl_init"], "3 events of others (ros2:rcl_init); a recording of ros2_tracing is"),
        ([f"app:{n}" for n in "fcedba"], "(app:a, app:b, app:c, app:d, app:e and 1 more)"),
    ],
)
def test_a_foreign_recording_is_named(tmp_path: Path, names: list[str], told: str) -> None:
    end = {"end": True, "events": 0, "foreign_events": 3, "foreign_names": dict.fromkeys(names, 1)}
    converter = fake_converter(tmp_path, f"echo '{json.dumps(end)}'")
    with pytest.raises(InputError) as refused:
        convert(tmp_path, tmp_path / "events.parquet", converter=converter)
    assert told in refused.value.problems[0].hint


@pytest.mark.parametrize(
    "body",
    [
        "exit 0",
        'echo \'{"rows": 9, "hosts": [], "clocks": [], "columns": [{"name": "ticks", "valid": 2,'
        ' "values": 72, "offsets": 0}]}\'; echo short',
        "kill -9 $$",
    ],
)
def test_a_converter_that_dies_is_no_result(tmp_path: Path, body: str) -> None:
    converter = fake_converter(tmp_path, body)
    with pytest.raises(TraceError, match="could not be read to its end"):
        convert(tmp_path, tmp_path / "events.parquet", converter=converter)


def test_the_verb_writes_table_and_timeline(
    recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = {"schema": "ligament/run/1", "trace": {"dir": recording.name, "provider": "ligament"}}
    (tmp_path / "run.json").write_text(json.dumps(run))
    assert main(["trace", str(tmp_path), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["discarded_events"] == 0
    timeline = json.loads((tmp_path / "timeline.json").read_text())["traceEvents"]
    slices = [event["name"] for event in timeline if event["ph"] == "X"]
    assert slices.count("remap") == 20
    assert slices.count("/camera timer") == 20
    arrows = [event for event in timeline if event["ph"] in "sf"]
    assert len(arrows) == 2 * 40
    assert {event["name"] for event in arrows} == {"/camera/image_raw", "/image_rect"}


def test_the_environment_of_a_recording_is_told_while_it_lasts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = {"dir": "trace", "provider": "ligament", "environment": {"A": "1", "B": "two"}}
    run = {"schema": "ligament/run/1", "run_id": "run-3", "trace": trace}
    (tmp_path / "run.json").write_text(json.dumps(run))
    assert main(["trace", "env", str(tmp_path)]) == 0
    of_run = f"LIGAMENT_RUN_ID=run-3\nLIGAMENT_RUN_DIR={tmp_path}\n"
    assert capsys.readouterr().out == "A=1\nB=two\n" + of_run
    trace["environment"] = {}
    (tmp_path / "run.json").write_text(json.dumps({"schema": "ligament/run/1", "trace": trace}))
    assert main(["trace", "env", str(tmp_path)]) == 2
    assert "the run has ended" in capsys.readouterr().err


def test_a_run_without_a_recording_is_told_how_to_get_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "run.json").write_text(json.dumps({"schema": "ligament/run/1", "trace": None}))
    for words in (["trace"], ["trace", "env"]):
        assert main([*words, str(tmp_path)]) == 2
        said = capsys.readouterr().err
        assert "was run without --trace" in said and "ligament run GRAPH --trace" in said
