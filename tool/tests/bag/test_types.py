# SPDX-License-Identifier: Apache-2.0
"""Types of a graph that runs are known without an option."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ligament.bag.showing import ProgressLine, recording_table, size_text
from ligament.bag.types import Known, known_of_runs


def make_run(out: Path, name: str, state: str, package: Path, distro: str = "jazzy") -> None:
    run = out / name / "processes/runs/1"
    run.mkdir(parents=True)
    (run / "run.json").write_text(json.dumps({"state": state, "domain": f"{name}.domain"}))
    graph = {"distro": distro, "message_packages": {package.name: str(package)}}
    (out / name / "graph.json").write_text(json.dumps(graph))


def package(folder: Path) -> Path:
    (folder / "msg").mkdir(parents=True)
    (folder / "msg" / "Own.msg").write_text("std_msgs/Header header\nuint8[] data\n")
    return folder


def test_packages_of_what_runs_are_found(tmp_path: Path) -> None:
    first, second = package(tmp_path / "first_msgs"), package(tmp_path / "second_msgs")
    make_run(tmp_path / "build", "one", "running", first)
    make_run(tmp_path / "build", "two", "finished", second)
    make_run(tmp_path / "build", "three", "running", second, "kilted")
    assert known_of_runs(tmp_path / "build", "one.domain") == Known("jazzy", (first,))
    assert known_of_runs(tmp_path / "build", "three.domain") == Known("kilted", (second,))
    assert known_of_runs(tmp_path / "build", None).packages == (first, second)
    assert known_of_runs(tmp_path / "build", "four") == Known()
    assert known_of_runs(tmp_path / "nothing", None) == Known()


def test_each_type_has_its_hash_and_its_definition(tmp_path: Path) -> None:
    types = json.loads(Known(packages=(package(tmp_path / "own_msgs"),)).text())
    assert types["std_msgs/msg/String"]["definition"] == "string data\n"
    own = types["own_msgs/msg/Own"]
    assert own["hash"].startswith("RIHS01_")
    assert "MSG: std_msgs/Header" in own["definition"]


def test_a_table_has_a_line_per_topic() -> None:
    topics = [
        {"topic": "/a", "messages": 3, "bytes": 1_500_000, "lost": 0},
        {"topic": "/longer", "messages": 12, "bytes": 7, "lost": 1},
    ]
    lines = recording_table({"topics": topics}).splitlines()
    assert lines[1].split() == ["/a", "3", "1.5", "MB", "0"]
    assert lines[2].split() == ["/longer", "12", "7", "B", "1"]
    assert len({len(line) for line in lines}) == 1
    assert size_text(2.5e9) == "2.50 GB"


def test_without_a_terminal_only_notes_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    line = ProgressLine()
    line.show("recording")
    line.note("a type is not known")
    line.clear()
    assert capsys.readouterr().err == "warning: a type is not known\n"
