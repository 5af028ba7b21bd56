# SPDX-License-Identifier: Apache-2.0
"""Graphs on boards (`backend: uio`), each a stand-in in another process: what software gives.

The graph is that of test_design_run.py: five cores, topics on the chip, a core with two inputs.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import time
import uuid
from pathlib import Path

import pytest
from cases import LIGAMENT, NODES, TAILED, build, case, ligament, run

from ligament.graph.loader import read_document
from ligament.graph.schema import validate

PLATFORM = "fpga_uio_sim"
GRAPH = case(
    "case_board",
    TAILED
    + """  join: {{type: case/join, remap: {{joined: result}}}}
variants:
  software: {{containers: one}}
  board:
    devices: {{first: fpga0, left: fpga0, right: fpga0, tail: fpga0, join: fpga0}}
    bound_bytes: {{image: 100000, result: 100000, side: 100000}}
""",
)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("board")
    return build(folder, GRAPH, "software", "board", platform=PLATFORM)


def test_a_stand_in_of_a_board_gives_what_software_gives(built: Path, tmp_path: Path) -> None:
    expected = run(built / "software")
    done = run(built / "board", "--trace")
    assert len(expected.results) == len(expected.side) == 5
    assert (done.results, done.side) == (expected.results, expected.side)
    for name in ("manifest", "build", "mapping"):
        assert validate(read_document(built / "board" / f"{name}.json"), name) == []
    assert validate(read_document(done.folder / "run.json"), "run") == []
    assert done.record["nodes"]["/join"]["emulated"] == "fpga0"
    # What was counted: each message went through once.
    assert done.hardware("/join")["messages"] == 5
    (network,) = done.hardware("/first")["networks"]
    assert (network["topic"], network["frames"], network["drops"]) == ("/middle", 5, 0)
    assert sum(done.values("bytes in")) > 0 and sum(done.values("interrupts")) >= 5
    shown = ligament("report", done.folder, "--out", tmp_path / "report.json")
    assert "no time here is any hardware's: /join on fpga0" in " ".join(shown.split())
    (entry,) = json.loads((tmp_path / "report.json").read_text())["variants"]
    assert entry["time_base"] == "emulated"
    spans = {(s["node"], s["span"]): s["time_base"] for s in entry["spans"]}
    assert spans["/join", "hardware"] == spans["/tail", "hardware"] == "emulated"
    assert ("/first", "hardware") not in spans  # its answers stay on the chip


def test_a_board_that_dies_ends_the_run_as_a_lost_core_does(built: Path) -> None:
    folder = built.parents[1]
    domain = f"board_{uuid.uuid4().hex[:12]}"
    asked = [*LIGAMENT, "run", str(built / "board" / "build.json"), "--domain", domain, "--quiet"]
    asked += ["--set", "loop.count=1000000", "--set", "loop.larger=0"]
    with subprocess.Popen(asked, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        try:
            os.kill(_stand_in_of(process, folder), signal.SIGKILL)
            said = process.communicate()[0].decode()
        finally:
            process.kill()
    assert process.returncode == 1, said
    assert "gets no further message" in " ".join(said.split())
    record = json.loads((max((built / "board" / "runs").iterdir()) / "run.json").read_text())
    told = {error["text"] for error in record["errors"]}
    (text,) = told
    assert text.startswith("a message gives no output: the stand-in '")
    assert text.endswith("' has ended")
    assert {error["node"] for error in record["errors"]} >= {"/first", "/join"}


def _stand_in_of(run: subprocess.Popen[bytes], folder: Path) -> int:
    """The process of a run's stand-in, when something of the run has come back."""
    results = folder / "results.txt"
    results.unlink(missing_ok=True)
    while True:
        assert run.poll() is None, run.communicate()[0].decode()
        programs = {}
        for pid in Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().split():
            with contextlib.suppress(OSError):  # it has just ended
                programs[pid] = Path(f"/proc/{pid}/cmdline").read_text()
        found = [pid for pid, words in programs.items() if "ligament-boards-" in words]
        if found and results.exists() and results.read_text():
            return int(found[0])
        time.sleep(0.05)


def test_a_message_that_a_stopped_run_leaves_is_told_at_its_node(
    built: Path, tmp_path: Path
) -> None:
    """A board that never hears of the second message."""
    folder = built / "board"
    board = json.loads((folder / "build.json").read_text())["boards"]["fpga0"]
    at = tmp_path / "board"
    program = [folder / board["stand_in"], at, "--memory", board["memory_bytes"]]
    stand_in = subprocess.Popen([*map(str, program), "--fault", "lose-doorbell"])
    asked = [*LIGAMENT, "run", str(folder / "build.json"), "--quiet"]
    asked += ["--domain", f"board_{uuid.uuid4().hex[:12]}"]
    results = built.parents[1] / "results.txt"
    results.unlink(missing_ok=True)
    try:
        while not at.exists():
            assert stand_in.poll() is None
            time.sleep(0.01)
        environment = {**os.environ, "LIGAMENT_BOARD_fpga0": str(at)}
        process = subprocess.Popen(asked, env=environment)
        try:
            # Both answers to the first message: the second one is sent behind them.
            while not results.exists() or results.read_text().count("\n") < 2:
                assert process.poll() is None
                time.sleep(0.05)
            time.sleep(1)
            process.send_signal(signal.SIGINT)
            assert process.wait() == 0
        finally:
            process.kill()
            process.wait()
    finally:
        stand_in.kill()
        stand_in.wait()
    record = json.loads((max((folder / "runs").iterdir()) / "run.json").read_text())
    told = {loss["node"]: loss["text"] for loss in record["losses"] if loss["what"] == "left"}
    assert told == {"/first": "/first was stopped with 1 messages in hardware that had no answer"}


def test_a_stand_in_that_does_not_start_leaves_no_run_that_says_it_runs(built: Path) -> None:
    folder = built / "board"
    whole = (folder / "build.json").read_text()
    build = json.loads(whole)
    build["boards"]["fpga0"]["stand_in"] = "/bin/false"  # a program that ends at once
    before = {path.parent for path in folder.glob("runs/*/run.json")}
    words = [folder / "build.json", "--domain", f"board_{uuid.uuid4().hex[:12]}", "--quiet"]
    try:
        (folder / "build.json").write_text(json.dumps(build))
        told = " ".join(ligament("run", *words, status=1).split())
    finally:
        (folder / "build.json").write_text(whole)
    assert "the stand-in of the board fpga0 did not start" in told
    (run_folder,) = set((folder / "runs").iterdir()) - before
    assert (run_folder / "log").is_dir() and not (run_folder / "run.json").exists()
    shutil.rmtree(run_folder)  # other tests look for the last run


def test_without_its_stand_in_a_graph_does_not_begin(built: Path) -> None:
    environment = {**os.environ, "LIGAMENT_BOARD_fpga0": "/tmp/no-such-board"}
    words = [*LIGAMENT, "run", str(built / "board" / "build.json"), "--quiet"]
    words += ["--domain", f"board_{uuid.uuid4().hex[:12]}"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 1
    assert "there is no board '/tmp/no-such-board'" in " ".join((done.stdout + done.stderr).split())


def test_what_a_board_does_not_drive_is_refused(tmp_path: Path) -> None:
    graph = GRAPH.replace("{{image: 100000, result", "{{image: 100000, middle: 100000, result")
    graph += "    transports: {{middle: [gateway, shm]}}\n"
    text = graph.format(nodes=NODES, file=tmp_path / "results.txt")
    (tmp_path / "graph.yaml").write_text(text)
    words = ["--variant", "board", "--platform", PLATFORM, "--out", str(tmp_path / "build")]
    told = ligament("generate", tmp_path / "graph.yaml", *words, status=2)
    assert "the board fpga0 has no driver for gateways (/middle)" in " ".join(told.split())


def test_a_board_serves_one_host(tmp_path: Path) -> None:
    graph = GRAPH.replace("variants:", "hosts: {{robot: {{}}, desk: {{}}}}\nvariants:")
    graph = graph.replace("{{image: 100000, result", "{{image: 100000, middle: 100000, result")
    graph += "    hosts: {{loop: robot, first: robot, left: robot, right: robot, join: robot,"
    graph += " tail: desk}}\n"
    path = tmp_path / "graph.yaml"
    path.write_text(graph.format(nodes=NODES, file=tmp_path / "results.txt"))
    words = ["--variant", "board", "--platform", PLATFORM, "--out", str(tmp_path / "build")]
    told = ligament("generate", path, *words, status=2)
    assert "ends on the FPGAs fpga0 of desk, fpga0 of robot" in " ".join(told.split())
    path.write_text(path.read_text() + "    transports: {middle: [shm, dds]}\n")
    told = ligament("generate", path, *words, status=2)
    assert "nodes of several hosts are on the board fpga0" in " ".join(told.split())
