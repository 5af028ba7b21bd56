# SPDX-License-Identifier: Apache-2.0
"""`ligament run` with real containers: how it ends, what it says, what it leaves."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from full_disk import run_without_room
from run_chat import LIGAMENT, Chat

from ligament.graph.json_source import parse_json
from ligament.graph.names import name_hash
from ligament.graph.schema import validate
from ligament.report.options import ReportOptions
from ligament.report.stage import make_report
from ligament.run.record import ROOM_BYTES
from ligament.trace.errors import TraceError
from ligament.trace.imported import import_recording
from ligament.trace.session import ROS2, require_lttng


def gone(pid: int) -> bool:
    return not Path(f"/proc/{pid}").exists()


def pids(record: dict[str, Any]) -> list[int]:
    return [process["pid"] for process in record["processes"]]


def wait_until_ready(process: subprocess.Popen[str]) -> None:
    assert process.stderr is not None
    for line in process.stderr:
        if "containers are ready" in line:
            return
    raise AssertionError("it ended before it was ready")


@pytest.mark.parametrize("variant", ["processes", "one_process"])
def test_a_graph_runs_until_its_work_is_done(chat: Chat, variant: str) -> None:
    result = chat.run(variant=variant)
    assert result.returncode == 0, result.stderr
    assert "finished (the work is done)" in result.stdout
    record = chat.record(variant)
    assert record["state"] == "finished"
    assert {p["exit"] for p in record["processes"]} == {"exit 0"}
    assert len(record["processes"]) == (2 if variant == "processes" else 1)
    assert all(gone(pid) for pid in pids(record))


def test_the_record_is_valid_and_complete(chat: Chat) -> None:
    result = chat.run("--json")
    assert result.returncode == 0, result.stderr
    record = json.loads(result.stdout)
    assert validate(parse_json(result.stdout, "run.json"), "run") == []
    assert record == chat.record()
    talker = record["nodes"]["/talker"]
    assert talker["container"] == "talker"
    assert int(talker["hash"], 16) == name_hash("/talker")
    realtime = next(clock for clock in record["clocks"] if clock["kind"] == "CLOCK_REALTIME")
    offset = time.time_ns() - time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    for sample in realtime["samples"]:
        assert abs(sample["offset_ns"] - offset) < 1_000_000_000
        assert 0 <= sample["bound_ns"] < 100_000_000
    assert record["context"]["machine"]["cores"] >= 1
    assert record["shutdown"]["killed"] == []


def test_the_build_is_valid(chat: Chat) -> None:
    path = chat.folder / "processes" / "build.json"
    assert validate(parse_json(path.read_text(), str(path)), "build") == []


def test_logs_and_status_lines_are_kept_per_container(chat: Chat) -> None:
    chat.run("--duration", "2.5", "--until", "talker")
    record = chat.record()
    assert record["state"] == "duration"
    folder = next((chat.folder / "processes" / "runs").iterdir())
    assert "talker starts" in (folder / "log" / "talker.log").read_text()
    lines = [json.loads(line) for line in (folder / "status.jsonl").read_text().splitlines()]
    events = {(line["container"], line["event"]) for line in lines}
    assert {("talker", "ready"), ("talker", "status"), ("listener", "done")} <= events


def test_a_missing_library_is_named_before_anything_starts(chat: Chat) -> None:
    (chat.folder / "lib" / "librun_test-talker.so").unlink()
    result = chat.run()
    assert result.returncode == 2
    assert "run_test/talker" in result.stderr and "librun_test-talker.so" in result.stderr
    assert "ligament build" in result.stderr
    assert not (chat.folder / "processes" / "runs").exists()


def test_a_library_that_is_none_is_the_containers_to_refuse(chat: Chat) -> None:
    (chat.folder / "lib" / "librun_test-talker.so").write_text("no library at all")
    result = chat.run()
    assert result.returncode == 2
    assert "librun_test-talker.so" in result.stderr


def test_a_mistake_in_set_up_is_told_in_the_nodes_words(chat: Chat) -> None:
    result = chat.set("/talker", fault="setup_error").run()
    assert result.returncode == 2
    assert "no good name" in result.stderr
    assert "/talker" in result.stderr


def test_a_configuration_of_another_version_brings_a_hint(chat: Chat) -> None:
    config = chat.folder / "processes" / "gen" / "containers" / "talker.json"
    data = json.loads(config.read_text())
    data["nodes"][0]["invented_later"] = {}
    config.write_text(json.dumps(data))
    result = chat.run()
    assert result.returncode == 2
    assert "invented_later" in result.stderr and "make setup" in result.stderr


def test_a_value_for_one_run_is_judged_before_anything_is_made(chat: Chat) -> None:
    for word in ("talker.period_ms=often", "talker.period_ms=", "talker.period_ms=[{a: 1}]"):
        result = chat.run("--set", word)
        assert result.returncode == 2
        assert "--set talker.period_ms" in result.stderr
    assert not (chat.folder / "processes" / "runs").exists()


def test_a_value_that_no_parameter_takes_is_refused(chat: Chat) -> None:
    result = chat.set("/talker", period_ms="often").run()
    assert result.returncode == 2
    assert "period_ms" in result.stderr


@pytest.mark.parametrize(
    ("fault", "words"),
    [("exit_at_start", "exit 3"), ("crash_at_start", "killed by SIGSEGV")],
)
def test_an_end_at_start_is_reported_with_the_log(chat: Chat, fault: str, words: str) -> None:
    result = chat.set("/talker", fault=fault).run()
    assert result.returncode == 1
    assert f"before it was ready: {words}" in result.stderr
    assert f"talker starts with fault {fault}" in result.stderr
    record = chat.record()
    assert record["state"] == "failed" and record["failed_container"] == "talker"
    assert all(gone(pid) for pid in pids(record))


def test_a_hang_at_start_is_named(chat: Chat) -> None:
    chat.set("/talker", fault="hang_at_start")
    result = chat.run("--start-timeout", "2", "--drain-timeout", "1")
    assert result.returncode == 1
    assert "container talker" in result.stderr and "not ready after 2 s" in result.stderr
    assert all(gone(pid) for pid in pids(chat.record()))


@pytest.mark.parametrize(("fault", "words"), [("exit", "exit 4"), ("crash", "killed by SIGSEGV")])
def test_an_end_in_mid_run_stops_the_graph(chat: Chat, fault: str, words: str) -> None:
    result = chat.set("/talker", fault=fault).run()
    assert result.returncode == 1
    assert f"in mid-run: {words}" in result.stderr
    ends = {p["container"]: p["exit"] for p in chat.record()["processes"]}
    assert ends == {"talker": words, "listener": "exit 0"}


def test_restart_goes_on_after_a_crash(chat: Chat) -> None:
    """The talker crashes after every 60 messages; the listener needs 70 of them.

    So it has a while to be stopped before it would crash again.
    """
    chat.set("/talker", fault="crash", fault_at=60).set("/listener", messages=70)
    result = chat.run("--restart")
    assert result.returncode == 0, result.stderr
    record = chat.record()
    assert record["state"] == "finished"
    assert record["restarts"]["talker"] >= 1
    assert "starting talker again" in result.stderr


def test_a_node_that_hangs_in_its_callback_is_named(chat: Chat) -> None:
    chat.set("/talker", fault="hang").set("/listener", messages=1_000_000)
    result = chat.run("--duration", "8", "--drain-timeout", "1")
    assert "node /talker" in result.stderr and "makes no progress" in result.stderr
    record = chat.record()
    assert "/talker" in record["stuck"]
    assert record["shutdown"]["killed"] == ["talker"]


def test_a_container_that_refuses_to_stop_is_killed(chat: Chat) -> None:
    chat.set("/talker", fault="refuse_to_stop").set("/listener", messages=5)
    chat.set("/talker", fault_at=8)
    result = chat.run("--duration", "2", "--until", "talker", "--drain-timeout", "1")
    assert result.returncode == 0, result.stderr
    record = chat.record()
    assert record["shutdown"]["killed"] == ["talker"]
    assert "killed: talker" in result.stdout


def test_ctrl_c_stops_in_order(chat: Chat) -> None:
    process = chat.set("/listener", messages=1_000_000).start()
    wait_until_ready(process)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "interrupted (stopped by SIGINT)" in out
    record = chat.record()
    assert {p["exit"] for p in record["processes"]} == {"exit 0"}
    assert record["shutdown"]["drain_ns"] > 0


def test_nothing_outlives_a_killed_tool(chat: Chat) -> None:
    process = chat.set("/listener", messages=1_000_000).start()
    wait_until_ready(process)
    lines = next((chat.folder / "processes" / "runs").iterdir()) / "status.jsonl"
    started = [json.loads(x) for x in lines.read_text().splitlines()] or []
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    assert len(children) == 2, started
    process.kill()
    process.wait()
    while not all(gone(int(pid)) for pid in children):
        time.sleep(0.02)
    assert chat.record()["state"] == "running"


def test_two_graphs_with_one_name(chat: Chat) -> None:
    first = chat.set("/listener", messages=1_000_000).start()
    wait_until_ready(first)
    second = chat.run()
    assert second.returncode == 2
    assert f"pid {first.pid}" in second.stderr
    assert "--domain" in second.stderr
    first.send_signal(signal.SIGINT)
    assert first.wait(timeout=60) == 0


def test_until_with_an_unknown_node(chat: Chat) -> None:
    result = chat.run("--until", "talkr")
    assert result.returncode == 2
    assert "did you mean '/talker'?" in result.stderr


def test_a_parameter_set_for_one_run(chat: Chat) -> None:
    result = chat.run("--set", "listener.messages=3", "--set", "talker.messages=3")
    assert result.returncode == 0, result.stderr
    result = chat.run("--set", "listener.mesages=3")
    assert result.returncode == 2
    assert "did you mean 'messages'?" in result.stderr


def test_no_permission_on_the_output_folder(chat: Chat) -> None:
    """/proc takes no folders from anybody, root included."""
    (chat.folder / "processes" / "runs").symlink_to("/proc/none")
    result = chat.run()
    assert result.returncode == 1
    assert "cannot make the run's folder" in result.stderr
    assert "--out" in result.stderr


def test_not_a_build(chat: Chat) -> None:
    build = chat.folder / "processes" / "build.json"
    build.write_text("{}")
    assert "no build result" in chat.run().stderr
    build.write_text("{")
    result = chat.run()
    assert result.returncode == 2
    assert "cannot read" in result.stderr


@pytest.fixture
def path_without_lttng(tmp_path: Path) -> str:
    """A PATH on which all programs of this one are found, but LTTng's."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for part in os.environ["PATH"].split(":"):
        for program in Path(part).glob("*"):
            link = folder / program.name
            # A link to nothing does not "exist", and yet its name is taken.
            if not program.name.startswith("lttng") and not os.path.lexists(link):
                link.symlink_to(program)
    assert shutil.which("lttng", path=str(folder)) is None
    return str(folder)


def test_without_lttng_run_works_and_run_trace_says_what_to_install(
    chat: Chat, path_without_lttng: str
) -> None:
    result = chat.run(env={"PATH": path_without_lttng})
    assert result.returncode == 0, result.stderr
    result = chat.run("--trace", env={"PATH": path_without_lttng})
    assert result.returncode == 2
    assert "lttng-tools" in result.stderr


def test_a_traced_run_keeps_its_recording(chat: Chat) -> None:
    try:
        require_lttng()
    except TraceError as lacking:
        pytest.skip(str(lacking))
    result = chat.run("--trace")
    assert result.returncode == 0, result.stderr
    trace = chat.record()["trace"]
    assert trace["provider"] == "ligament"
    assert trace["events_discarded"] == 0
    assert trace["recorded_bytes"] > 0
    folder = next((chat.folder / "processes" / "runs").iterdir())
    assert any((folder / trace["dir"]).rglob("metadata"))


def test_a_run_traced_as_ros2_can_be_imported(chat: Chat) -> None:
    try:
        require_lttng(ROS2)
    except TraceError as lacking:
        pytest.skip(str(lacking))
    result = chat.run("--trace=ros2")
    assert result.returncode == 0, result.stderr
    trace = chat.record()["trace"]
    assert (trace["provider"], trace["environment"]) == ("ros2", {})
    folder = next((chat.folder / "processes" / "runs").iterdir())
    imported = import_recording(folder / trace["dir"], out=folder.parent / "imported")
    (found,) = make_report([imported.folder], ReportOptions())["variants"]
    nodes = sorted(chat.record()["nodes"])
    assert found["found"]["nodes"] == nodes
    assert found["missing"] == []


def test_a_python_program_joins_the_recording_of_a_running_graph(
    chat: Chat, tmp_path: Path
) -> None:
    try:
        require_lttng()
    except TraceError as lacking:
        pytest.skip(str(lacking))
    program = tmp_path / "joining.py"
    program.write_text(
        "from ligament.span import Spans\n"
        "with Spans('/outside').span('look', lambda: {'seen': 3}):\n"
        "    pass\n"
    )
    chat.set("/listener", messages=1_000_000)
    process = chat.start("--trace", "--quiet")
    environment = wait_for_environment(chat, process)
    joined = subprocess.run(
        [sys.executable, str(program)], env={**os.environ, **environment}, check=False,
        capture_output=True, text=True,
    )  # fmt: skip
    process.send_signal(signal.SIGINT)
    process.wait(60)
    assert joined.returncode == 0, joined.stderr
    folder = next((chat.folder / "processes" / "runs").iterdir())
    (variant,) = make_report([folder], ReportOptions())["variants"]
    assert ("/outside", "look") in {(s["node"], s["span"]) for s in variant["spans"]}
    assert [(v["value"], v["p50"]) for v in variant["span_values"]] == [("seen", 3.0)]


def wait_for_environment(chat: Chat, process: subprocess.Popen[str]) -> dict[str, str]:
    """What `ligament trace env` says, as soon as the run is recorded."""
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        for folder in (chat.folder / "processes").glob("runs/*"):
            words = [*LIGAMENT, "trace", "env", str(folder), "--json"]
            told = subprocess.run(words, capture_output=True, text=True, check=False)
            if told.returncode == 0:
                return dict(json.loads(told.stdout))
        time.sleep(0.1)
    raise AssertionError("the run was not recorded within 60 s")


def test_a_run_that_fills_the_disk_ends_and_says_so(chat: Chat, tmp_path: Path) -> None:
    chat.set("/talker", period_ms=10_000)
    words = ["run", "disk/seed/processes/build.json", "--domain", chat.domain, "--duration", "30"]
    # Two configurations, run.json, a log, and a page of status lines, of which there are more.
    free = ROOM_BYTES + 20 * 1024
    ended = run_without_room(tmp_path / "disk", *words, seed=chat.folder, free=free)
    assert ended.code == 1 and "Traceback" not in ended.err
    assert "status.jsonl: no room left on the disk: " in ended.err
    assert "seed/processes/runs (runs and their recordings, " in ended.err
    (record,) = (json.loads(text) for path, text in ended.left.items() if path.endswith("run.json"))
    assert record["state"] == "failed" and "no room left on the disk" in record["reason"]
    assert {p["exit"] for p in record["processes"]} == {"exit 0"}
    assert not [name for name in ended.names if name.endswith(".partial") or name == ".room"]
