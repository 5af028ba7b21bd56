# SPDX-License-Identifier: Apache-2.0
"""Graphs of running systems: real rclpy programs on two middlewares are seen, and started again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dds_domain import dds_domain
from ros2_wheels import DISTROS, WHEELS, wheels_environment
from test_executables_ros2 import COUNT, PROGRAMS, WATCHDOG_S, in_order
from test_rmw import Program

from ligament import resources
from ligament.cli.main import main
from ligament.graph import load_graph
from ligament.graph.executable import Executable
from ligament.live import seen

#: Not reached while the system is looked at.
ENDLESS = 99999
BYTES = "std_msgs/msg/UInt8MultiArray"
SENDS = ["--ros-args", "-r", "out:=/data", "-r", "__ns:=/left", "-p", "use_sim_time:=false"]
HEARS = ["--ros-args", "-r", "heard:=/data", "-p", "gain:=2.5", "-p", "mode:='on'"]
#: As `ros2 launch` does: starts programs, waits for them, and leaves them the Ctrl-C.
LAUNCHER = """\
import json, subprocess, sys
started = [subprocess.Popen(words) for words in json.loads(sys.argv[1])]
try:
    [process.wait() for process in started]
except KeyboardInterrupt:
    [process.wait() for process in started]
"""


@pytest.fixture(autouse=True)
def installed_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program that is installed under `dev/test`, which built it; else the newest."""
    found = [resources.prefix() / "lib" / "ligament" / "ligament-look"]
    if os.environ.get("LIGAMENT_TEST_REQUIRE_ALL") != "1":
        found += (Path(__file__).parents[3] / "build").glob("*/ligament-look")
    found = [path for path in found if path.is_file()]
    if not found:
        pytest.skip("ligament-look is not built (make setup)")
    path = max(found, key=lambda one: one.stat().st_mtime)
    monkeypatch.setattr(seen, "look_program", lambda: path)


@pytest.fixture
def domain_id(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    with dds_domain() as taken:
        monkeypatch.setenv("ROS_DOMAIN_ID", str(taken))
        monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
        yield taken


def check(one: dict[str, Executable], told: Path) -> None:
    """Both programs, with what they were told."""
    assert sorted(one) == ["hearer", "sender"]
    sender, hearer = one["sender"], one["hearer"]
    assert Path(sender.executable) == Path(hearer.executable) == PROGRAMS
    assert sender.arguments == ("send", "100000")
    assert (sender.namespace, dict(sender.remap)) == ("/left", {"out": "/data"})
    assert dict(sender.publishes) == dict(hearer.subscribes) == {"/data": BYTES}
    assert hearer.arguments == ("hear", str(ENDLESS), str(told))
    assert dict(hearer.parameters) == {"gain": 2.5, "mode": "on"}


@pytest.mark.parametrize("distro", DISTROS)
def test_a_system_on_two_middlewares_becomes_a_graph_that_runs(
    tmp_path: Path, distro: str, domain_id: int, capsys: pytest.CaptureFixture[str]
) -> None:
    told, path = tmp_path / "told.json", tmp_path / "robot" / "graph.yaml"
    ours = Program(distro, domain_id, (PROGRAMS, "hear", ENDLESS, told, *HEARS), ours=True)
    native = Program(distro, domain_id, (PROGRAMS, "send", 100000, *SENDS), ours=False)
    try:
        for program in (ours, native):
            program.await_ready()
        # On a machine that is busy, more than the usual 2 s may pass between two that are seen.
        assert main(["graph", "--live", "--quiet-time", "6", "--out", str(path)]) == 0
    finally:
        for program in (ours, native):
            program.process.kill()
            program.process.communicate()
    said = capsys.readouterr()
    assert f"{path}: 2 executables" in said.out
    check(dict(load_graph(path).executables), told)
    path.write_text(path.read_text().replace(str(ENDLESS), str(COUNT)))
    assert run(path, tmp_path, distro, domain_id)["state"] == "finished"
    assert in_order(json.loads(told.read_text())["heard"])


def run(path: Path, folder: Path, distro: str, domain_id: int) -> dict[str, Any]:
    """Run the graph that was written; its run.json."""
    environment = wheels_environment(distro, domain_id)
    environment["PATH"] = f"{WHEELS / distro / 'bin'}:{os.environ['PATH']}"
    environment["PYTHONPATH"] = str(Path(__file__).parents[2])
    words = [
        sys.executable,
        "-m",
        "ligament.cli.main",
        "run",
        str(path),
        "--json",
        "-o",
        str(folder),
    ]
    done = subprocess.run(
        words, capture_output=True, text=True, timeout=WATCHDOG_S, env=environment
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("distro", DISTROS)
def test_what_a_command_starts_is_imported_and_nothing_else(
    tmp_path: Path, distro: str, domain_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Program(distro, domain_id, (PROGRAMS, "send", 100000, *SENDS), ours=True)
    for name, value in wheels_environment(distro, domain_id).items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("LD_LIBRARY_PATH")  # the tool's own programs do without
    told, path = tmp_path / "told.json", tmp_path / "robot" / "graph.yaml"
    python = str(WHEELS / distro / "bin" / "python")
    library = ["env", f"LD_LIBRARY_PATH={WHEELS / distro / 'lib'}"]
    started = [
        [*library, python, str(PROGRAMS), "send", "100000", *SENDS],
        [*library, python, str(PROGRAMS), "hear", str(ENDLESS), str(told), *HEARS],
    ]
    try:
        other.await_ready()
        words = ["python3", "-c", LAUNCHER, json.dumps(started)]
        assert main(["import", "--out", str(path), "--json", *words]) == 0
    finally:
        other.process.kill()
        other.process.communicate()
    assert "What this starts: python3 -c" in path.read_text()
    check(dict(load_graph(path).executables), told)
    left = [p for p in Path("/proc").glob("[0-9]*/cmdline") if str(told).encode() in _read(p)]
    assert left == []


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_a_command_that_ends_or_is_missing_is_said(
    tmp_path: Path, domain_id: int, capfd: pytest.CaptureFixture[str]
) -> None:
    out = ["import", "--quiet-time", "0.3", "--out", str(tmp_path / "graph.yaml")]
    assert main([*out, "sh", "-c", "exit 4"]) == 1
    assert "the command ended (exit 4) before a node of it was seen" in capfd.readouterr().err
    assert main([*out, "no_such_command"]) == 2
    assert "there is no command 'no_such_command'" in capfd.readouterr().err
    assert main([*out, "none.launch.py"]) == 2
    assert "there is no launch file 'none.launch.py'" in capfd.readouterr().err


def test_an_empty_domain_is_said(tmp_path: Path, domain_id: int, capfd: Any) -> None:
    path = tmp_path / "graph.yaml"
    assert main(["graph", "--live", "--quiet-time", "0.3", "--out", str(path)]) == 1
    assert f"was seen in ROS domain {domain_id}" in capfd.readouterr().err
    assert not path.exists()
