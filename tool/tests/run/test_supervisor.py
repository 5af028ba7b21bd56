# SPDX-License-Identifier: Apache-2.0
"""The life of a graph against fake containers: every way to end, and what is kept of it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

import pytest

from ligament.run.node_errors import MAX_DIFFERENT, NodeErrors
from ligament.run.outcome import RunResult, now_ns
from ligament.run.process import ContainerSpec
from ligament.run.progress_watch import ProgressWatch
from ligament.run.readiness import Readiness
from ligament.run.status import StatusBoard
from ligament.run.supervisor import RunOptions, Supervisor

FAKE = Path(__file__).with_name("fake_container.py")


class Notes:
    """An observer that remembers."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.good: list[str] = []
        self.board: StatusBoard | None = None

    def note(self, text: str) -> None:
        self.texts.append(text)

    def progress(self, text: str) -> None:
        self.good.append(text)
        self.note(text)

    def figures(self, board: StatusBoard) -> None:
        self.board = board

    @property
    def text(self) -> str:
        return "\n".join(self.texts)


@pytest.fixture
def notes() -> Notes:
    return Notes()


def run(
    tmp_path: Path,
    notes: Notes,
    behaviours: dict[str, str],
    policy: str = "stop",
    until: set[str] | None = None,
    **options: object,
) -> RunResult:
    specs = [
        ContainerSpec(
            name=name,
            command=[sys.executable, str(FAKE), behaviour, f"/{name}"],
            log=tmp_path / "log" / f"{name}.log",
            nodes=[f"/{name}"],
            on_failure=policy,
            environment={"MARKER": str(tmp_path / "marker")},
        )
        for name, behaviour in behaviours.items()
    ]
    wanted = until or {f"/{name}" for name in behaviours}

    async def go() -> RunResult:
        supervisor = Supervisor(
            specs,
            RunOptions(**options),  # type: ignore[arg-type]
            notes,
            lambda done: wanted <= done,
            tmp_path / "status.jsonl",
        )
        return await asyncio.wait_for(supervisor.run(), 60)

    return asyncio.run(go())


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_a_graph_whose_nodes_are_done_ends_by_itself(tmp_path: Path, notes: Notes) -> None:
    result = run(tmp_path, notes, {"a": "done", "b": "done"})
    assert (result.verdict.reason, result.verdict.exit_code) == ("finished", 0)
    assert [p.exit for p in result.processes] == ["exit 0", "exit 0"]
    assert result.shutdown.killed == []
    assert all(gone(p.pid) for p in result.processes)
    assert all(p.started_ns < (p.ready_ns or 0) < (p.ended_ns or 0) for p in result.processes)


def test_status_lines_become_figures_and_are_kept(tmp_path: Path, notes: Notes) -> None:
    run(tmp_path, notes, {"a": "done"})
    assert notes.board is not None
    node = notes.board.nodes["/a"]
    assert node.published == 10
    assert node.rate_hz is not None and node.rate_hz > 0
    assert node.cpu_percent is not None and node.cpu_percent > 0
    lines = [json.loads(line) for line in (tmp_path / "status.jsonl").read_text().splitlines()]
    assert lines[0] == {"container": "a", "event": "ready", "pid": lines[0]["pid"]}
    assert {line["event"] for line in lines} == {"ready", "status", "done", "stopped"}


def test_a_run_that_cannot_be_recorded_ends(tmp_path: Path, notes: Notes) -> None:
    (tmp_path / "status.jsonl").symlink_to("/dev/full")
    result = run(tmp_path, notes, {"a": "run"})
    assert (result.verdict.reason, result.verdict.exit_code) == ("failed", 1)
    assert f"cannot write {tmp_path / 'status.jsonl'}: no room left" in result.verdict.text
    assert " bytes were needed, " in result.verdict.text and "hint: " in result.verdict.text
    assert [p.exit for p in result.processes] == ["exit 0"]


@pytest.mark.parametrize(
    ("behaviour", "text"), [("full", "no room left on the disk"), ("too_large", "takes no larger")]
)
def test_a_container_that_found_no_room_is_told_as_such(
    tmp_path: Path, notes: Notes, behaviour: str, text: str
) -> None:
    result = run(tmp_path, notes, {"a": behaviour})
    assert result.verdict.exit_code == 1
    assert "container a" in result.verdict.text and text in result.verdict.text
    assert "hint: " in result.verdict.text


def test_duration_ends_a_graph_that_would_go_on(tmp_path: Path, notes: Notes) -> None:
    result = run(tmp_path, notes, {"a": "run"}, duration_s=0.3)
    assert (result.verdict.reason, result.verdict.exit_code) == ("duration", 0)


def test_an_unused_parameter_is_the_users_mistake(tmp_path: Path, notes: Notes) -> None:
    result = run(tmp_path, notes, {"a": "run", "b": "refuse"})
    assert result.verdict.exit_code == 2
    assert result.verdict.text == "/b: the parameter 'gain' is not a number"
    assert result.verdict.container == "b"


def test_a_crash_at_start_is_reported_with_the_log(tmp_path: Path, notes: Notes) -> None:
    result = run(tmp_path, notes, {"a": "run", "b": "crash_at_start"})
    assert result.verdict.exit_code == 1
    assert "container b" in result.verdict.text
    assert "before it was ready: killed by SIGSEGV" in result.verdict.text
    assert "crash_at_start: hello from the log" in result.verdict.text
    assert all(gone(p.pid) for p in result.processes)


def test_a_hang_at_start_is_named_and_killed(tmp_path: Path, notes: Notes) -> None:
    result = run(
        tmp_path,
        notes,
        {"a": "run", "b": "hang_at_start"},
        start_timeout_s=1.0,
        drain_timeout_s=0.5,
    )
    assert result.verdict.exit_code == 1
    assert "container b" in result.verdict.text and "not ready after 1 s" in result.verdict.text
    assert "/b" in result.verdict.text
    assert all(gone(p.pid) for p in result.processes)


@pytest.mark.parametrize(
    ("behaviour", "words"), [("crash", "killed by SIGABRT"), ("exit", "exit 5")]
)
def test_an_end_in_mid_run_stops_the_graph(
    tmp_path: Path, notes: Notes, behaviour: str, words: str
) -> None:
    result = run(tmp_path, notes, {"a": "run", "b": behaviour})
    assert result.verdict.exit_code == 1
    assert f"in mid-run: {words}" in result.verdict.text
    assert "last words" in result.verdict.text
    assert {p.container: p.exit for p in result.processes} == {"a": "exit 0", "b": words}


def test_restart_starts_it_again(tmp_path: Path, notes: Notes) -> None:
    result = run(tmp_path, notes, {"a": "crash_once"}, restart=True)
    assert result.verdict.reason == "finished"
    assert result.restarts == {"a": 1}
    assert [p.exit for p in result.processes] == ["killed by SIGABRT", "exit 0"]
    assert "starting a again" in notes.text


def test_restart_does_not_hide_a_container_that_never_starts(tmp_path: Path, notes: Notes) -> None:
    result = run(tmp_path, notes, {"a": "crash_at_start"}, restart=True)
    assert result.verdict.exit_code == 1
    assert result.restarts == {}


def test_continue_leaves_the_others_running(tmp_path: Path, notes: Notes) -> None:
    result = run(tmp_path, notes, {"a": "run", "b": "crash"}, policy="continue", duration_s=1.5)
    assert result.verdict.reason == "duration"
    assert {p.container: p.exit for p in result.processes} == {
        "a": "exit 0",
        "b": "killed by SIGABRT",
    }
    assert "the others go on" in notes.text


def test_a_core_that_answers_no_more_stops_the_graph(tmp_path: Path, notes: Notes) -> None:
    result = run(tmp_path, notes, {"a": "run", "b": "isolated"})
    assert (result.verdict.exit_code, result.verdict.container) == (1, "b")
    assert "the core of /b answers no more" in result.verdict.text
    assert {p.container: p.exit for p in result.processes} == {"a": "exit 0", "b": "exit 0"}


def test_the_graph_goes_on_without_a_core_whose_node_says_so(tmp_path: Path, notes: Notes) -> None:
    done = run(tmp_path, notes, {"a": "done", "b": "isolated"}, "continue", {"/a"})
    assert done.verdict.exit_code == 0
    result = run(tmp_path, notes, {"b": "isolated"}, policy="continue", duration_s=1.0)
    assert result.verdict.reason == "duration"
    told = [text for text in notes.texts if "the core of /b" in text]
    assert told and "the others go on" in told[-1]


def test_a_core_that_answers_no_more_is_started_again_with_its_container(
    tmp_path: Path, notes: Notes
) -> None:
    result = run(tmp_path, notes, {"b": "isolated_once"}, policy="restart")
    assert result.verdict.reason == "finished"
    assert result.restarts == {"b": 1}
    assert [p.exit for p in result.processes] == ["exit 0", "exit 0"]


def test_a_stubborn_container_is_killed_and_that_is_recorded(tmp_path: Path, notes: Notes) -> None:
    result = run(tmp_path, notes, {"a": "stubborn"}, duration_s=0.2, drain_timeout_s=0.5)
    assert result.shutdown.killed == ["a"]
    assert result.processes[0].exit == "killed by SIGKILL"
    assert result.shutdown.drain_ns >= 500_000_000
    assert "did not stop within 0.5 s: killed" in notes.text
    assert result.verdict.exit_code == 0


def test_a_stopped_process_is_named_as_silent(tmp_path: Path, notes: Notes) -> None:
    result = run(
        tmp_path,
        notes,
        {"a": "stop_self"},
        silence_timeout_s=0.5,
        duration_s=1.5,
        drain_timeout_s=0.2,
    )
    assert "container a" in notes.text and "has not reported for 0.5 s" in notes.text
    assert result.stuck == ["a"]
    assert result.shutdown.killed == ["a"]


def run_with_edge(tmp_path: Path, notes: Notes, behaviour: str, **options: object) -> RunResult:
    specs = [
        ContainerSpec(
            name=name,
            command=[sys.executable, str(FAKE), does, *nodes],
            log=tmp_path / "log" / f"{name}.log",
            nodes=nodes,
            auxiliary=not nodes,
            network="" if nodes else "DDS domain 77",
        )
        for name, does, nodes in (("a", "quiet", ["/a"]), ("edge", behaviour, []))
    ]

    async def go() -> RunResult:
        supervisor = Supervisor(
            specs,
            RunOptions(drain_timeout_s=0.5, **options),  # type: ignore[arg-type]
            notes,
            lambda done: False,
        )
        return await asyncio.wait_for(supervisor.run(), 60)

    return asyncio.run(go())


def test_an_edge_without_news_is_not_said_to_hang(tmp_path: Path, notes: Notes) -> None:
    result = run_with_edge(tmp_path, notes, "edge_quiet", silence_timeout_s=1.0, duration_s=3.0)
    assert result.stuck == []
    assert "hung" not in notes.text


def test_an_edge_that_hangs_is_named_without_nodes_and_so_is_its_return(
    tmp_path: Path, notes: Notes
) -> None:
    result = run_with_edge(tmp_path, notes, "edge_hangs", silence_timeout_s=0.5, duration_s=3.0)
    assert result.stuck == ["edge"]
    [said] = [text for text in notes.texts if "hung" in text]
    assert said.startswith("edge (pid ")
    assert said.endswith(") has not run for 0.5 s: stopped or hung")
    assert "nodes" not in said
    assert "edge runs again" in notes.texts


def test_the_edge_is_told_with_its_domain_once_it_is_ready(tmp_path: Path, notes: Notes) -> None:
    run_with_edge(tmp_path, notes, "edge_quiet", duration_s=1.0)
    said = [text for text in notes.texts if "ready" in text]
    assert said in (
        ["the container and the edge are ready (DDS domain 77)"],
        ["the container is ready", "the edge is ready (DDS domain 77)"],
    )


def test_containers_do_not_wait_for_an_edge_that_starts_slowly(
    tmp_path: Path, notes: Notes
) -> None:
    result = run_with_edge(tmp_path, notes, "hang_at_start", duration_s=0.3)
    assert result.verdict.reason == "duration"
    assert notes.good == ["the container is ready"]
    assert [text for text in notes.texts if "ready" in text] == ["the container is ready"]


@pytest.mark.parametrize(
    ("containers", "edges", "steps"),
    [
        ("a", "", [("a", "the container is ready")]),
        ("ab", "", [("a", ""), ("ab", "all 2 containers are ready"), ("ab", "")]),
        ("ab", "e", [("e", ""), ("abe", "all 2 containers and the edge are ready (net)")]),
        ("ab", "e", [("ab", "all 2 containers are ready"), ("abe", "the edge is ready (net)")]),
        # One has crashed when the last edge is ready, and is back later.
        ("ab", "e", [("ab", "all 2 containers are ready"), ("ae", "the edge is ready (net)"),
                     ("abe", "")]),
        ("ab", "ef", [("ab", "all 2 containers are ready"), ("abe", ""),
                      ("abef", "all 2 edges are ready (net)")]),
    ],
)  # fmt: skip
def test_what_is_ready_is_said_once(
    tmp_path: Path, containers: str, edges: str, steps: list[tuple[str, str]]
) -> None:
    readiness = Readiness(
        ContainerSpec(
            name, [], tmp_path, [], auxiliary=name in edges, network="net" * (name in edges)
        )
        for name in containers + edges
    )
    assert [(ready, readiness.news(set(ready))) for ready, _ in steps] == steps


def test_an_edge_that_ends_is_named_without_nodes(tmp_path: Path, notes: Notes) -> None:
    run_with_edge(tmp_path, notes, "exit", duration_s=0.5)
    [said, *_] = [text for text in notes.texts if "exit 5" in text]
    assert said.startswith("edge (pid ")
    assert "nodes" not in said.splitlines()[0]


def test_a_node_inside_one_callback_for_long_is_named(tmp_path: Path, notes: Notes) -> None:
    result = run(tmp_path, notes, {"a": "stuck"}, duration_s=0.5)
    assert result.stuck == ["/a"]
    assert "node /a" in notes.text and "makes no progress" in notes.text


def test_a_graph_that_waits_for_nothing_says_so(
    tmp_path: Path, notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ligament.run.progress_watch.QUIET_BEFORE_HINT_NS", 300_000_000)
    run(tmp_path, notes, {"a": "done_and_quiet", "b": "quiet"}, duration_s=2.0)
    assert "/a done, and no message has moved" in notes.text
    assert "not done: /b" in notes.text
    assert notes.text.count("no message has moved") == 1


@pytest.mark.parametrize(
    ("nodes", "said"),
    [
        ([], "listener done; not done: talker (Ctrl-C"),
        (["/a"], "listener done, and no message of a node has moved for 5 s; not done: /a, talker"),
    ],
)
def test_an_executable_that_is_waited_for_is_named(
    notes: Notes, monkeypatch: pytest.MonkeyPatch, nodes: list[str], said: str
) -> None:
    board = StatusBoard({"main": nodes}, ["talker", "listener", "broken"])
    board.set_state("broken", "failed")
    watch = ProgressWatch(board, notes, 1.0)
    later = now_ns() + 5_000_000_000
    monkeypatch.setattr("ligament.run.progress_watch.now_ns", lambda: later)
    watch.look({}, {"listener"})
    assert said in notes.text


def test_garbage_on_the_status_pipe_is_reported_and_survived(tmp_path: Path, notes: Notes) -> None:
    result = run(tmp_path, notes, {"a": "garbage"}, duration_s=0.3)
    assert result.verdict.reason == "duration"
    assert "unreadable status line: not JSON" in notes.text
    assert "no `event` in it" in notes.text


def test_a_missing_program_is_a_failure_with_its_name(tmp_path: Path, notes: Notes) -> None:
    spec = ContainerSpec("a", ["/nowhere/ligament-container"], tmp_path / "a.log", ["/a"])

    async def go() -> RunResult:
        return await Supervisor([spec], RunOptions(), notes, lambda done: False).run()

    result = asyncio.run(go())
    assert result.verdict.exit_code == 1
    assert "could not be started" in result.verdict.text


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_in_order(tmp_path: Path, notes: Notes, number: signal.Signals) -> None:
    class Impatient(Notes):
        def note(self, text: str) -> None:
            super().note(text)
            if "ready" in text:
                os.kill(os.getpid(), number)

    result = run(tmp_path, Impatient(), {"a": "run"})
    assert result.verdict.reason == "interrupted"
    assert result.verdict.text == f"stopped by {number.name}"
    assert result.processes[0].exit == "exit 0"


def test_a_second_signal_does_not_wait_for_the_drain(tmp_path: Path) -> None:
    class VeryImpatient(Notes):
        def note(self, text: str) -> None:
            super().note(text)
            if "ready" in text:
                loop = asyncio.get_running_loop()
                os.kill(os.getpid(), signal.SIGINT)
                loop.call_later(0.5, os.kill, os.getpid(), signal.SIGINT)

    notes = VeryImpatient()
    result = run(tmp_path, notes, {"a": "stubborn"}, drain_timeout_s=1000.0)
    assert result.shutdown.killed == ["a"]
    assert "asked again to stop" in notes.text
    assert "was still running: killed, as asked" in notes.text
    assert "did not stop within" not in notes.text


def test_a_first_signal_does_not_shorten_a_drain_that_has_another_reason(tmp_path: Path) -> None:
    class Late(Notes):
        asked = False

        def figures(self, board: StatusBoard) -> None:
            super().figures(board)
            if board.nodes["/b"].state == "failed" and not self.asked:
                self.asked = True
                asyncio.get_running_loop().call_later(0.2, os.kill, os.getpid(), signal.SIGINT)

    notes = Late()
    result = run(tmp_path, notes, {"a": "stubborn", "b": "exit"}, drain_timeout_s=3.0)
    assert result.verdict.reason == "failed"
    assert "the graph stops already" in notes.text
    assert "did not stop within 3 s: killed" in notes.text
    assert "asked again" not in notes.text


def test_containers_die_with_the_tool(tmp_path: Path) -> None:
    """Even when the tool is killed: nothing is left running."""
    program = """
import asyncio, sys
from pathlib import Path
from ligament.run.process import ContainerSpec, ContainerProcess
async def main():
    command = [sys.executable, sys.argv[1], "run", "/a"]
    container = await ContainerProcess.start(ContainerSpec("a", command, Path(sys.argv[2]), ["/a"]))
    print(container.pid, flush=True)
    await asyncio.sleep(1000)
asyncio.run(main())
"""
    words = ["-c", program, str(FAKE), str(tmp_path / "log")]

    async def go() -> int:
        tool = await asyncio.create_subprocess_exec(
            sys.executable, *words, stdout=asyncio.subprocess.PIPE
        )
        assert tool.stdout is not None
        pid = int(await tool.stdout.readline())
        tool.kill()
        await tool.wait()
        while not gone(pid):
            await asyncio.sleep(0.02)
        return pid

    assert asyncio.run(asyncio.wait_for(go(), 60)) > 0


def test_a_crash_while_stopping_is_no_clean_end(tmp_path: Path, notes: Notes) -> None:
    result = run(tmp_path, notes, {"a": "done_then_crash"})
    assert result.verdict.exit_code == 1
    assert "while it was stopping" in result.verdict.text
    assert "SIGABRT" in result.verdict.text


def test_the_last_container_that_is_given_up_ends_the_graph(tmp_path: Path, notes: Notes) -> None:
    result = run(tmp_path, notes, {"a": "crash", "b": "exit"}, policy="continue")
    assert result.verdict.exit_code == 1
    assert "every container has ended" in result.verdict.text
    assert notes.text.count("the others go on") == 2


def test_a_run_whose_time_is_up_fails_if_nodes_reported_errors(
    tmp_path: Path, notes: Notes
) -> None:
    result = run(tmp_path, notes, {"a": "complains", "b": "talk"}, duration_s=0.3)
    assert (result.verdict.reason, result.verdict.exit_code) == ("duration", 1)
    assert "nodes reported errors: /a" in result.verdict.text
    kept = [(e.node, e.text, e.container, e.count) for e in result.errors]
    assert kept == [("/a", "no calibration", "a", 2), ("/a", "no image", "a", 1)]


def test_work_that_was_done_with_errors_is_finished_and_exits_one(
    tmp_path: Path, notes: Notes
) -> None:
    result = run(tmp_path, notes, {"a": "complains", "b": "done"}, until={"/b"})
    assert (result.verdict.reason, result.verdict.exit_code) == ("finished", 1)
    assert result.verdict.text == "the work is done, but nodes reported errors: /a"
    assert [e.text for e in result.errors] == ["no calibration", "no image"]


def test_errors_that_differ_each_time_do_not_grow_the_record() -> None:
    errors = NodeErrors()
    for number in range(10 * MAX_DIFFERENT):
        errors.add("/a", f"frame {number} is bad", "a")
    assert len(errors.records) == MAX_DIFFERENT
