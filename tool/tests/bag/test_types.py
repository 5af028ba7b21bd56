# SPDX-License-Identifier: Apache-2.0
"""Types and topics of a graph that runs are known without an option, and those of a bag."""

from __future__ import annotations

import contextlib
import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ligament.artefacts import DEFAULT_OUT
from ligament.bag.program import Bag
from ligament.bag.showing import ProgressLine, followed, recording_table, size_text
from ligament.bag.topics import absent_topics, chosen, published_already, topics_in
from ligament.bag.types import Known, known_of_runs
from ligament.cli.main import main
from ligament.cli.record import domain_of
from ligament.errors import InputError
from ligament.run.lock import lock_of


def make_run(out: Path, name: str, state: str, package: Path, distro: str = "jazzy") -> None:
    run = out / name / "processes/runs/1"
    run.mkdir(parents=True)
    (run / "run.json").write_text(
        json.dumps({"state": state, "graph": name, "domain": f"{name}.domain"})
    )
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


def record(kind: int, content: bytes) -> bytes:
    return bytes([kind]) + struct.pack("<Q", len(content)) + content


def channel(topic: str) -> bytes:
    return record(4, struct.pack("<HHI", 1, 1, len(topic)) + topic.encode() + b"more")


MAGIC = b"\x89MCAP0\r\n"
CHUNK = record(6, b"\x04" * 50)


@pytest.fixture
def drive(tmp_path: Path) -> Path:
    """A bag of two files; the second one was cut off."""
    folder = tmp_path / "drive"
    folder.mkdir()
    summary = channel("/image_raw") + channel("/image_rect") + record(2, b"\0" * 20) + MAGIC
    (folder / "drive_0.mcap").write_bytes(MAGIC + record(1, b"ros2") + CHUNK + summary)
    cut = channel("/scan") + CHUNK[:20]
    (folder / "drive_1.mcap").write_bytes(MAGIC + record(1, b"ros2") + cut)
    return folder


def test_topics_of_a_bag_are_read_where_they_stand(drive: Path, tmp_path: Path) -> None:
    assert topics_in(drive) == {"/image_raw", "/image_rect", "/scan"}
    assert topics_in(drive / "drive_1.mcap") == {"/scan"}
    assert topics_in(tmp_path / "nothing.mcap") == set()
    (tmp_path / "text.mcap").write_text("no recording at all")
    assert topics_in(tmp_path / "text.mcap") == set()
    long = b"\x04" + struct.pack("<Q", 1 << 60) + b"\0" * 40
    (tmp_path / "long.mcap").write_bytes(MAGIC + channel("/a") + long)
    assert topics_in(tmp_path / "long.mcap") == {"/a"}


@pytest.mark.parametrize("words", [["/image_rct"], ["/image_raw", "/image_rct"]])
def test_a_misspelt_topic_is_not_played(
    words: list[str], drive: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = [word for name in words for word in ("--topics", name)]
    assert main(["play", str(drive), *options, "--domain", "bag_test.none"]) == 2
    told = capsys.readouterr().err
    assert f"the bag '{drive}' has no topic '/image_rct'" in told
    assert "/image_raw, /image_rect, /scan" in told and "did you mean '/image_rect'?" in told


def test_topics_that_are_published_already_are_told(tmp_path: Path) -> None:
    make_run(tmp_path, "one", "running", tmp_path)
    ends = {"image_raw": "out", "scan": "in"}
    topics = {
        f"/{name}": {"ends": [{"node": "/camera", "direction": direction}]}
        for name, direction in ends.items()
    }
    program = {"publishes": {"/imu": "sensor_msgs/msg/Imu"}, "subscribes": {"/other": "a/msg/B"}}
    graph = {"topics": topics, "executables": {"driver": program}}
    (tmp_path / "one" / "graph.json").write_text(json.dumps(graph))
    played = {"/image_raw", "/scan", "/other", "/imu"}
    (told,) = published_already(played, tmp_path, "one.domain")
    assert "(/image_raw by /camera, /imu by driver)" in told and "--topics" in told
    assert published_already({"/scan"}, tmp_path, None) == ()
    assert published_already({"/image_raw"}, tmp_path, "two.domain") == ()
    (absent,) = absent_topics(["/image_rw", "/scan"], tmp_path, None)(
        {"topics": [{"topic": "/scan"}]}
    )
    assert "'/image_rw'" in absent and absent.endswith("did you mean '/image_raw'?")


def test_a_graphs_name_means_the_domain_that_it_runs_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    make_run(tmp_path / DEFAULT_OUT, "one", "running", tmp_path)
    make_run(tmp_path / DEFAULT_OUT, "two", "finished", tmp_path)
    assert domain_of("one", ros=False) == "one", "its tool was killed: nobody holds its lock"
    with lock_of("one", "one.domain", None):
        assert domain_of("one", ros=False) == "one.domain"
    assert domain_of("two", ros=False) == "two", "it does not run: a domain of that name"
    assert domain_of(None, ros=False) is None
    other = tmp_path / DEFAULT_OUT / "one" / "processes" / "runs" / "2"
    other.mkdir()
    started = {"state": "running", "graph": "one", "domain": "ros.231"}
    (other / "run.json").write_text(json.dumps(started))
    with lock_of("one", None, "ros.231"):
        assert domain_of("one", ros=False) == "ros.231"
        with lock_of("one", "one.domain", None), pytest.raises(InputError) as refused:
            domain_of("one", ros=False)
    assert "runs in the domains one.domain, ros.231" in refused.value.problems[0].text


def test_a_choice_is_by_name_or_by_pattern() -> None:
    known = ("/a", "/a/b", "/c")
    assert chosen(known, [], None) == set(known)
    assert chosen(known, ["/c"], None) == {"/c"}
    assert chosen(known, ["/c"], "b$") == {"/c", "/a/b"}
    assert chosen(known, [], "(") == set()


def test_the_first_figures_are_looked_at_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Said:
        def lines(self) -> Iterator[dict[str, Any]]:
            yield {"event": "recording"}
            yield {"event": "status", "n": 1}
            yield {"event": "finished", "n": 2}

    monkeypatch.setattr(Bag, "started", lambda _: contextlib.nullcontext(Said()))
    last = followed([], lambda _: "", is_quiet=True, warnings_of=lambda told: [f"at {told['n']}"])
    assert last["n"] == 2
    assert capsys.readouterr().err == "warning: at 1\n"
