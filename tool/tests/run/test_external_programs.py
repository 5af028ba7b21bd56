# SPDX-License-Identifier: Apache-2.0
"""The life of executables of other packages in a run: how they start, end, and are ended."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path

import pytest
from test_supervisor import FAKE, Notes

from ligament.run.display import executable_line, figures_table
from ligament.run.outcome import RunResult
from ligament.run.process import ContainerSpec, mismatches_in
from ligament.run.status import ExecutableFigures, StatusBoard
from ligament.run.supervisor import RunOptions, Supervisor

LOOP = "import time\nwhile True: time.sleep(0.01)"
#: Ends after Ctrl-C as a Python program does that does not expect it.
PYTHON = [sys.executable, "-c", LOOP]


def external(tmp_path: Path, name: str, command: list[str], policy: str = "stop") -> ContainerSpec:
    log = tmp_path / "log" / f"{name}.log"
    return ContainerSpec(name, command, log, nodes=[], on_failure=policy, external=True)


def container(tmp_path: Path, behaviour: str) -> ContainerSpec:
    command = [sys.executable, str(FAKE), behaviour, "/node"]
    environment = {"MARKER": str(tmp_path / "marker")}
    log = tmp_path / "log" / "node.log"
    return ContainerSpec("node", command, log, ["/node"], environment=environment)


def run(
    specs: list[ContainerSpec],
    notes: Notes,
    wanted: frozenset[str] = frozenset({"never"}),
    **o: float,
) -> RunResult:
    async def go() -> RunResult:
        options = RunOptions(**o)  # type: ignore[arg-type]
        return await Supervisor(specs, options, notes, lambda done: wanted <= done).run()

    return asyncio.run(go())


def test_it_ends_the_graph_when_it_is_what_is_waited_for(tmp_path: Path) -> None:
    notes = Notes()
    specs = [container(tmp_path, "idle"), external(tmp_path, "viewer", ["/bin/true"])]
    result = run(specs, notes, frozenset({"viewer"}))
    assert (result.verdict.reason, result.verdict.exit_code) == ("finished", 0)
    assert {p.container: p.exit for p in result.processes}["viewer"] == "exit 0"
    assert notes.board is not None
    assert notes.board.executables["viewer"].state == "done"


def test_ended_without_being_waited_for_it_stops_nothing(tmp_path: Path) -> None:
    specs = [container(tmp_path, "idle"), external(tmp_path, "once", ["/bin/true"])]
    result = run(specs, Notes(), duration_s=0.3)
    assert result.verdict.reason == "duration"


def test_executables_alone_are_done_when_all_have_ended(tmp_path: Path) -> None:
    specs = [external(tmp_path, n, ["/bin/true"]) for n in ("a", "b")]
    assert run(specs, Notes()).verdict.text == "every executable has ended"


def test_a_failure_stops_the_graph_with_its_last_lines(tmp_path: Path) -> None:
    failing = ["/bin/sh", "-c", "echo no camera there; exit 3"]
    result = run([container(tmp_path, "idle"), external(tmp_path, "cam", failing)], Notes())
    verdict = result.verdict
    assert (verdict.reason, verdict.exit_code, verdict.container) == ("failed", 1, "cam")
    assert verdict.text.startswith("executable cam (pid ")
    assert "ended in mid-run: exit 3" in verdict.text
    assert "| no camera there" in verdict.text


def test_what_programs_were_told_of_ends_that_do_not_fit_is_told_once(tmp_path: Path) -> None:
    kind = "[WARN] [1.5] [cam]: Incompatible type on topic 'image_raw', no messages will be sent"
    qos = "[WARN] [cam]: New publisher discovered on topic '/scan', offering incompatible QoS."
    again = kind.replace("1.5", "2.5")
    (tmp_path / "cam.log").write_text(f"started\n{kind}\n{again}\n{again}\n{qos}\n")
    (tmp_path / "quiet.log").write_text("types and QoS are compatible\n")
    assert mismatches_in(tmp_path) == [
        f"cam: {text} ({tmp_path / 'cam.log'})" for text in (kind.replace("[1.5] ", ""), qos)
    ]
    (tmp_path / "flood.log").write_text("".join(f"{n} incompatible QoS\n" for n in range(100)))
    assert len(mismatches_in(tmp_path, most=3)) == 5
    assert mismatches_in(tmp_path / "none") == []


def test_the_others_go_on_if_the_graph_says_so(tmp_path: Path) -> None:
    notes = Notes()
    specs = [container(tmp_path, "idle"), external(tmp_path, "cam", ["/bin/false"], "continue")]
    assert run(specs, notes, duration_s=0.5).verdict.reason == "duration"
    assert "the others go on (on_failure: continue)" in notes.text


def test_it_is_started_again_if_the_graph_says_so(tmp_path: Path) -> None:
    notes, marker = Notes(), tmp_path / "once"
    script = f"[ -e {marker} ] && exec sleep 60; touch {marker}; kill -SEGV $$"
    cam = external(tmp_path, "cam", ["/bin/sh", "-c", script], "restart")
    result = run([container(tmp_path, "idle"), cam], notes, duration_s=1.0)
    assert result.restarts == {"cam": 1}
    assert "killed by SIGSEGV" in notes.text
    assert [p.exit for p in result.processes if p.container == "cam"][1] == "killed by SIGINT"


def test_it_is_stopped_as_by_ctrl_c_and_any_exit_code_is_right_then(tmp_path: Path) -> None:
    ends = "import signal,sys\nsignal.signal(signal.SIGINT, lambda *_: sys.exit(130))\n"
    specs = [
        external(tmp_path, "plain", PYTHON),
        external(tmp_path, "own", [sys.executable, "-c", ends + LOOP]),
    ]
    result = run([container(tmp_path, "idle"), *specs], Notes(), duration_s=1.0)
    assert result.verdict.exit_code == 0
    exits = {p.container: p.exit for p in result.processes}
    assert exits["plain"] in ("exit 1", "killed by SIGINT")
    assert exits["own"] == "exit 130"
    assert result.shutdown.killed == []


def test_one_that_does_not_stop_is_killed_with_what_it_has_started(tmp_path: Path) -> None:
    notes, child = Notes(), tmp_path / "child"
    script = f"trap '' INT TERM; sleep 1000 & echo $! > {child}; wait; wait"
    stubborn = external(tmp_path, "wrap", ["/bin/sh", "-c", script])
    result = run(
        [stubborn, container(tmp_path, "idle")], notes, duration_s=0.5, drain_timeout_s=0.2
    )
    assert result.shutdown.killed == ["wrap"]
    assert "executable wrap (pid" in notes.text
    _await_end(int(child.read_text()))


def test_what_it_leaves_behind_is_ended(tmp_path: Path) -> None:
    child = tmp_path / "child"
    leaving = ["/bin/sh", "-c", f"sleep 1000 & echo $! > {child}"]
    assert run([external(tmp_path, "wrap", leaving)], Notes()).verdict.exit_code == 0
    _await_end(int(child.read_text()))


def _await_end(pid: int) -> None:
    end = time.monotonic() + 20
    while time.monotonic() < end and os.path.exists(f"/proc/{pid}/exe"):
        time.sleep(0.02)
    with pytest.raises(OSError, match=r".*"):
        os.readlink(f"/proc/{pid}/exe")


def test_one_that_is_no_program_is_named(tmp_path: Path) -> None:
    result = run([external(tmp_path, "cam", ["/none"])], Notes())
    assert result.verdict.text.startswith("executable cam could not be started: ")


def test_its_messages_are_shown_where_it_tells_them() -> None:
    board = StatusBoard({}, ["viewer"])
    board.set_state("viewer", "running")
    told = {"event": "ready", "container": "viewer"}
    board.take_told({**told, "container": "another"}, 0)
    board.take_told(told, 10**9)
    ends = [
        {"topic": "/seen", "published": 5, "loans_failed": 1},
        {"topic": "/rosout", "published": 500},
    ]
    node = {"publishers": ends, "subscriptions": [{"topic": "/x", "taken": 20, "lost": 2}]}
    line = {"event": "status", "container": "viewer", "t_ns": 3 * 10**9, "nodes": [node]}
    board.take_told(line, 3 * 10**9)
    viewer = board.executables["viewer"]
    text = "viewer (executable): 10.0 Hz, drops 3, CPU -, running"
    assert executable_line(viewer) == text
    board.take_told({**line, "t_ns": 4 * 10**9}, 4 * 10**9)
    board.close()
    assert executable_line(viewer) == text, "the mean of the time in which anything came"


def test_its_row_has_its_cpu_and_its_state() -> None:
    board = StatusBoard({"node": ["/node"]}, ["viewer"])
    board.set_state("viewer", "running")
    for second in range(3):
        board.take_cpu("viewer", second * 10**9, second * 10**8)
    assert executable_line(board.executables["viewer"]) == "viewer (executable): CPU 10 %, running"
    assert figures_table(board, "t").row_count == 2
    started_again = ExecutableFigures("viewer", cpu_percent=10.0)
    started_again.update(10**9, 5 * 10**8)
    started_again.update(2 * 10**9, 0)
    started_again.update(3 * 10**9, 2 * 10**8)
    assert started_again.cpu_percent == pytest.approx(20)
