# SPDX-License-Identifier: Apache-2.0
"""The demo without recording: equal outputs, a time of a frame, and what the whole demo lacks."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ligament import resources
from ligament.cli.main import main
from ligament.demo import software
from ligament.demo.reference import Reference
from ligament.demo.runs import DemoOptions
from ligament.errors import FailureError, InputError
from ligament.graph import load_graph
from ligament.graph.json_source import parse_json
from ligament.graph.schema import validate
from ligament.resources import examples_dir

PERCEPTION = examples_dir() / "perception" / "graph.yaml"


def test_it_takes_the_variants_on_processors() -> None:
    taken = software.on_processors(load_graph(PERCEPTION))
    assert taken == ["processes", "one_process", "fused", "dds", "two_hosts"]


def run_folder(folder: Path, frames: list[str]) -> Path:
    """A run of 20 and 30 warm-up frames that took half a second from ready to its end."""
    (folder / "outputs").mkdir(parents=True)
    rows = [json.dumps({"index": i, "hash": text}) for i, text in enumerate(frames)]
    (folder / "outputs" / "sink.jsonl").write_text("".join(f"{row}\n" for row in rows))
    data = {
        "variant": "processes", "context": {"machine": {}}, "shutdown": {"stop_ns": 1_500_000_000},
        "processes": [{"ready_ns": 900_000_000}, {"ready_ns": 1_000_000_000}],
        "outputs": [{"path": "outputs/sink.jsonl", "node": "/sink"}],
    }  # fmt: skip
    (folder / "run.json").write_text(json.dumps(data))
    return folder


def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, frames: list[str]) -> dict[str, Any]:
    """What is shown of a run with these frames, where the reference has a, b, c."""
    expected = run_folder(tmp_path / "reference", ["a", "b", "c"]) / "outputs" / "sink.jsonl"
    folder = run_folder(tmp_path / "run", frames)
    seen: list[DemoOptions] = []

    def ran(builds: object, options: DemoOptions, say: object) -> dict[str, Path]:
        seen.append(options)
        return {"processes": folder}

    monkeypatch.setattr(software, "build_variants", lambda options, say, names: {})
    monkeypatch.setattr(software, "run_fast", ran)
    monkeypatch.setattr(
        software, "run_reference", lambda *_: Reference(expected, [], tmp_path / "picture.png")
    )
    told = software.compare(DemoOptions(PERCEPTION, frames=20), print)
    assert [options.trace for options in seen] == [None]
    return told


def test_equal_frames_and_their_time_are_shown(tmp_path, monkeypatch) -> None:
    told = shown(tmp_path, monkeypatch, ["a", "b", "c"])
    assert software.is_equal(told)
    assert told["variants"][0]["frame_ns"] * (20 + software.WARM_UP_FRAMES) == 500_000_000
    said = "\n".join(software.ending(told))
    assert "All outputs equal" in said
    assert "processes" in said


@pytest.mark.parametrize("frames", [["a", "x", "c"], ["a", "b"], []])
def test_a_frame_that_differs_or_lacks_is_told(frames, tmp_path, monkeypatch) -> None:
    told = shown(tmp_path, monkeypatch, frames)
    assert not software.is_equal(told)
    assert software.ending(told)[0].startswith("NOT EQUAL: processes: ")


def test_nothing_that_ran_is_not_equal() -> None:
    assert not software.is_equal({"variants": []})


def test_a_graph_of_devices_alone_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(software, "build_variants", lambda options, say, names: {})
    monkeypatch.setattr(software, "run_fast", lambda builds, options, say: {})
    with pytest.raises(InputError, match="no variant of 'perception' runs on processors"):
        software.compare(DemoOptions(PERCEPTION, frames=20), print)


def test_what_the_whole_demo_lacks_is_named(monkeypatch, tmp_path, capsys) -> None:
    software.require_all()
    monkeypatch.setattr(software.shutil, "which", lambda name: None if name == "lttng" else name)
    monkeypatch.chdir(tmp_path)
    assert main(["demo"]) == 1
    said = capsys.readouterr().err
    assert "lttng not found" in said
    assert "ligament demo --software" in said
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(software, "find_spec", lambda name: None)
    with pytest.raises(FailureError, match="duckdb"):
        software.require_all()


def test_the_frames_of_an_installation_are_taken_where_there_are_no_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = DemoOptions(PERCEPTION)
    monkeypatch.setattr(resources, "prefix", lambda: tmp_path)
    monkeypatch.setattr(software, "demo_frames", lambda: None)
    assert software.with_photographs(options) == options
    place = tmp_path / "share" / "ligament" / "photographs"
    place.mkdir(parents=True)
    taken = software.with_photographs(options)
    assert (taken.source, taken.calibration) == (
        str(place / "left??.jpg"), str(place / "left_intrinsics.yml")
    )  # fmt: skip
    own = replace(options, source="mine")
    assert software.with_photographs(own) == own
    monkeypatch.setattr(software, "demo_frames", lambda: "13 frames")
    assert software.with_photographs(options) == options


def test_it_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch) -> None:
    """For real: one variant, whose nodes the tests of the pipe compile too."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(software, "on_processors", lambda graph: ["one_process"])
    assert main(["demo", "--software", "--frames", "20", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert validate(parse_json(json.dumps(told), "demo"), "software-demo") == []
    assert [entry["name"] for entry in told["variants"]] == ["one_process"]
    assert told["variants"][0]["equal"]
    assert told["variants"][0]["frame_ns"] > 0
    assert not list(tmp_path.glob("build/perception/one_process/runs/*/trace"))
