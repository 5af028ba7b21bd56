# SPDX-License-Identifier: Apache-2.0
"""No room: the path, what was needed, what is free and what could go; nothing half-written.

The stages run, the report and its page are tried in their own rooms.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from full_disk import Ended, run_without_room

from ligament import cache
from ligament.artefacts import write_text
from ligament.build.components import build_components
from ligament.cli import main as cli
from ligament.disk import NoRoomError, as_no_room, child_failure, no_room, replacing, said_no_room
from ligament.errors import FailureError
from ligament.resources import spec_dir

TESTS = Path(__file__).parent
GRAPH = str(TESTS / "generate" / "project" / "graph.yaml")
RECORDING = str(TESTS / "trace" / "fixtures" / "chain_composed_intra")
PIPELINE = str(spec_dir() / "cases" / "graph" / "pipeline.yaml")


def full(code: int = errno.ENOSPC) -> OSError:
    return OSError(code, os.strerror(code))


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (full(), "no room left on the disk"),
        (full(errno.EDQUOT), "your quota is used up"),
        (full(errno.EFBIG), "takes no larger"),
        (shutil.Error([("a", "b", "[Errno 28] No space left on device: 'b'")]), "no room left"),
        (RuntimeError("IO Error: could not write: Disk quota exceeded"), "your quota is used up"),
        (FileNotFoundError(2, "No usable temporary directory found in ['/tmp']"), "no room left"),
    ],
)
def test_every_kind_of_no_room_is_known(error: Exception, text: str, tmp_path: Path) -> None:
    told = as_no_room(error, tmp_path / "table")
    assert told is not None
    assert told.text.startswith(f"cannot write {tmp_path / 'table'}: ")
    assert text in told.text
    assert f"are free on {next(p for p in tmp_path.parents if p.is_mount())}" in told.text
    assert told.exit_code == 1


def test_other_errors_stay_what_they_are() -> None:
    for error in (full(errno.EACCES), ValueError("full"), FailureError("it broke")):
        assert as_no_room(error) is None


def test_the_file_that_an_error_names_is_named(tmp_path: Path) -> None:
    told = as_no_room(OSError(errno.ENOSPC, "No space left on device", str(tmp_path / "x")))
    assert told is not None and f"cannot write {tmp_path / 'x'}: " in told.text


def test_a_failure_because_of_it_says_both(tmp_path: Path) -> None:
    failure = FailureError("the folder cannot be made")
    failure.__cause__ = full()
    told = as_no_room(failure, tmp_path)
    assert told is not None
    assert told.text.startswith("the folder cannot be made\ncannot write ")


def test_the_ways_out_are_named_with_their_sizes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "cache"))
    write_text(Path("build/chat/graph.json"), "{}")
    write_text(Path("build/chat/processes/runs/r1/trace/events_0"), "x" * 5000)
    cache.put("documents", "key", {})
    hint = no_room(Path("build/chat/processes/build.json")).hint
    assert hint == (
        "remove what you no longer need: "
        "build/chat/processes/runs (runs and their recordings, 8,192 bytes), "
        "build/chat (all of this graph, which a build makes again, 12,288 bytes), "
        "cache (the cache, 4,096 bytes); or write to another disk: --out DIR"
    )
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    assert no_room(tmp_path / "tmp/ligament-trace-1-x").hint.endswith("TMPDIR=DIR")


def test_a_folder_of_very_many_files_is_not_counted_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("ligament.disk._MOST_FILES", 0)
    write_text(Path("build/chat/graph.json"), "{}")
    write_text(Path("build/chat/gen/one.cpp"), "x" * 5000)
    hint = no_room(Path("build/chat/processes/build.json")).hint
    assert "build/chat (all of this graph, which a build makes again, more than 4,096 b" in hint


def test_what_cannot_be_written_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "artefact.json"
    path.write_text("old")
    with (
        pytest.raises(NoRoomError, match="more than 4 bytes were needed"),
        replacing(path) as partial,
    ):
        partial.write_text("half")
        raise full()
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("artefact.json", "old")]
    with replacing(path) as partial:
        partial.write_text("new")
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("artefact.json", "new")]


@pytest.mark.parametrize("said", ["ld: final link failed: No space left on device", "SIGXFSZ"])
def test_a_child_that_says_it_is_believed(said: str, tmp_path: Path) -> None:
    failed = child_failure("linking failed", ["ld"], tmp_path / "log", said)
    assert isinstance(failed, NoRoomError)
    assert failed.text.startswith("linking failed\ncannot write ")
    assert failed.command == ("ld",) and failed.log == str(tmp_path / "log")
    plain = child_failure("linking failed", ["ld"], tmp_path / "log", "undefined reference")
    assert not isinstance(plain, NoRoomError)


def test_a_child_that_does_not_say_it_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert said_no_room("Bus error", tmp_path) is None
    monkeypatch.setattr("ligament.disk._free", lambda place: 0 if place == tmp_path else 10**9)
    told = said_no_room("Bus error", tmp_path)
    assert told is not None and f"cannot write {tmp_path}: no room left" in told.text


def test_no_verb_ends_in_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(json: bool = False) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "some/file")

    monkeypatch.setattr(cli, "load_verb", lambda verb: fail)
    assert cli.main(["build"]) == 1
    assert "error: cannot write some/file: " in capsys.readouterr().err
    assert cli.main(["build", "--json"]) == 1
    assert "no room left on the disk" in json.loads(capsys.readouterr().out)["error"]


@pytest.mark.parametrize("words", [["--json"], []])
def test_full_standard_output(words: list[str]) -> None:
    with open("/dev/full", "w") as output:
        result = subprocess.run(
            [sys.executable, "-m", "ligament.cli.main", "check", PIPELINE, *words],
            stdout=output, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert result.returncode == 1
    assert "cannot write /dev/full: no room left" in result.stderr
    assert "Traceback" not in result.stderr and "Exception ignored" not in result.stderr


def test_a_linker_that_is_killed_leaves_no_half_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    half = tmp_path / "lib" / "libhalf.so"
    programs = {"cmake": "exit 0", "ninja": f"echo half > {half}; exit 1", "ccache": "exit 0"}
    (tmp_path / "bin").mkdir()
    for name, body in programs.items():
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{body}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    half.parent.mkdir()
    kept = half.with_name("libkept.so")
    kept.write_text("whole")
    libraries = {
        name: {"library": f"lib/lib{name}.so", "folder": str(tmp_path), "target": name}
        for name in ("half", "kept")
    }
    entry = {"project": "gen", "work": "work", "libraries": libraries}
    with pytest.raises(FailureError, match="compiling the nodes failed"):
        build_components(tmp_path, entry, 1, None)
    assert kept.read_text() == "whole" and not half.exists()


def said(ended: Ended, path: Path, wanted: str) -> None:
    """The sentence is there, and nothing else of Python."""
    assert ended.code == 1, ended.err
    assert "Traceback" not in ended.err
    assert f"cannot write {path}: " in ended.err
    assert wanted in ended.err
    assert "  hint: " in ended.err
    assert not [name for name in ended.names if name.endswith(".partial")]


FREE = "no room left on the disk: "
LIMITED = "a file may not grow beyond 3,000 bytes here (ulimit -f)"


@pytest.mark.parametrize("limit", [None, 3000])
def test_generate(tmp_path: Path, limit: int | None) -> None:
    words = ["generate", GRAPH, "-o", "disk/build"]
    whole = run_without_room(tmp_path / "disk", *words)  # files hold paths of this machine
    graph, mapping = (
        len(whole.left[f"build/golden/{name}"].encode())
        for name in ("graph.json", "processes/mapping.json")
    )
    pages = (graph + 4095) // 4096 * 4096
    free = 1 << 22 if limit else pages + 1712  # room for the first file alone
    ended = run_without_room(tmp_path / "disk", *words, free=free, limit=limit)
    if limit:
        said(ended, Path("disk/build/golden/graph.json"), f"{graph:,} bytes were needed, {LIMITED}")
        assert ended.left == {}
    else:
        where = Path("disk/build/golden/processes/mapping.json")
        free_there = f"0 bytes are free on {tmp_path}/disk"
        said(ended, where, f"{FREE}{mapping:,} bytes were needed, {free_there}")
        assert f"build/golden (all of this graph, which a build makes again, {pages:,}" in ended.err
        assert list(ended.left) == ["build/golden/graph.json"]
        assert json.loads(ended.left["build/golden/graph.json"])["name"] == "golden"


@pytest.mark.parametrize(("free", "limit"), [(60_000, None), (1 << 22, 20_000)])
def test_build(tmp_path: Path, free: int, limit: int | None) -> None:
    words = ["build", GRAPH, "-o", "disk/build"]
    ended = run_without_room(tmp_path / "disk", *words, free=free, limit=limit)
    work = Path("disk/build/golden/work/cpu")
    if limit:
        said(ended, work, "a file may not grow beyond 20,000 bytes here (ulimit -f)")
        assert "killed by SIGXFSZ" in ended.err and "configure.log" in ended.err
    else:
        said(ended, work / "configure.log", FREE)
    assert "build.json" not in ended.names and ".configured" not in ended.names


@pytest.mark.parametrize(
    ("free", "limit", "fails"),
    [
        (4096, None, "events.parquet"),
        (100_000, None, "timeline.json"),
        (1 << 22, 3000, "events.parquet"),
    ],
)
def test_trace(tmp_path: Path, free: int, limit: int | None, fails: str) -> None:
    words = ["trace", "import", RECORDING, "-o", "disk/import"]
    ended = run_without_room(tmp_path / "disk", *words, free=free, limit=limit)
    said(ended, Path("disk/import") / fails, LIMITED if limit else f"{FREE}more than ")
    whole = {"events.parquet", "import.json"} if fails == "timeline.json" else set()
    assert ended.names == whole


@pytest.mark.parametrize(("free", "limit"), [(10_000, None), (1 << 22, 3000)])
def test_demo(tmp_path: Path, free: int, limit: int | None) -> None:
    words = ["demo", "-o", "disk/build", "--no-open"]
    ended = run_without_room(tmp_path / "disk", *words, free=free, limit=limit)
    said(ended, Path("disk/build/perception/graph.json"), LIMITED if limit else FREE)
    assert ended.left == {}
