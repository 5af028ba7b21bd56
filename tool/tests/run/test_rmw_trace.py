# SPDX-License-Identifier: Apache-2.0
"""rclpy programs that know nothing of Ligament: in a recording and in `ligament top`."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dds_domain import dds_domain
from ros2_wheels import DISTROS, our_middleware, wheels_environment, wheels_python

from ligament.report.chains import find_chains
from ligament.report.database import open_events
from ligament.top.figures import Top
from ligament.top.tail import StatusTail
from ligament.trace.convert import convert
from ligament.trace.errors import TraceError
from ligament.trace.session import TraceSession, require_lttng

PROGRAMS = Path(__file__).with_name("rmw_trace_programs.py")
CHAIN = "/source -> /relay -> /sink [/first, /second]"
WATCHDOG_S = 60.0


class Programs:
    """Running programs, each with what it needs to be on our middleware."""

    def __init__(self, domain_id: int, environment: dict[str, str]) -> None:
        self._domain_id = domain_id
        self._environment = environment
        self.running: list[subprocess.Popen[str]] = []

    def start(self, distro: str, *words: str) -> subprocess.Popen[str]:
        middleware = our_middleware(distro)
        process = subprocess.Popen(
            [str(wheels_python(distro)), str(PROGRAMS), *words],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={
                **wheels_environment(distro, self._domain_id),
                "LD_PRELOAD": str(middleware),
                "LIGAMENT_RMW_EDGE": "off",
                **self._environment,
            },
        )  # fmt: skip
        self.running.append(process)
        self.await_line(process, "ready")
        return process

    @staticmethod
    def await_line(process: subprocess.Popen[str], wanted: str) -> None:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line == f"{wanted}\n", line + process.communicate()[1]

    def end(self) -> list[str]:
        """All end as they do when their input ends; what they said on their error outputs."""
        told = []
        for process in self.running:
            _, errors = process.communicate(timeout=WATCHDOG_S)
            told.append(errors)
            assert process.returncode == 0, errors
        self.running.clear()
        return told


@pytest.fixture
def domain_id() -> Iterator[int]:
    with dds_domain() as taken:
        yield taken


@pytest.fixture
def programs(domain_id: int) -> Iterator[Any]:
    made: list[Programs] = []

    def make(environment: dict[str, str]) -> Programs:
        made.append(Programs(domain_id, environment))
        return made[-1]

    yield make
    for one in made:
        for process in one.running:
            process.kill()
            process.communicate()


@pytest.mark.parametrize("threads", [(), ("threads",)], ids=["one-thread", "threads"])
@pytest.mark.parametrize("distro", DISTROS)
def test_chains_run_through_programs_that_know_nothing_of_it(
    programs: Any, distro: str, threads: tuple[str, ...], tmp_path: Path
) -> None:
    try:
        require_lttng()
    except TraceError as error:
        pytest.skip(str(error))
    with TraceSession(tmp_path / "trace", subbuffer_bytes=1 << 20) as session:
        of_run = programs({**session.environment(), "LIGAMENT_RUN_ID": "run-9"})
        sink = of_run.start(distro, "sink")
        of_run.start(distro, "relay", *threads)
        of_run.start(distro, "source")
        of_run.await_line(sink, "heard")
        of_run.end()
    convert(tmp_path / "trace", tmp_path / "events.parquet")
    database = open_events(tmp_path / "events.parquet")
    assert CHAIN in [chain.id for chain in find_chains(database)]
    processes = database.execute(
        "SELECT run_id, container FROM events WHERE event = 'process_start'"
    ).fetchall()
    assert sorted(processes) == [("run-9", "rmw_trace_programs.py")] * 3
    unnamed = "SELECT count(*) FROM takes t LEFT JOIN publishers p ON p.publisher = t.publisher "
    assert database.execute(unnamed + "WHERE p.node_name IS NULL").fetchone() == (0,)
    (types,) = database.execute("SELECT list(DISTINCT message) FROM topics").fetchone() or ()
    assert "std_msgs/msg/UInt64" in types


@pytest.mark.parametrize("distro", DISTROS)
def test_ros2s_own_tracepoints_find_no_session_daemon(distro: str) -> None:
    """Why chains are joined by the middleware's events: spec/wire/rmw.md says so, and
    docs/how-to/ros2-workspace.md. Where this fails, they can be recorded: change both."""
    daemon = shutil.which("lttng-sessiond")
    if daemon is None:
        pytest.skip("this machine has no such thing: lttng-sessiond (lttng-tools)")
    prefix = wheels_python(distro).parents[1]
    tracepoints = prefix / "lib" / "libtracetools.so"
    assert b"lttng_probe_register" in tracepoints.read_bytes(), "it is built with LTTng"
    bundled = sorted(prefix.rglob("ros_tracetools.libs/liblttng-ust-[0-9a-f]*.so*"))
    assert bundled, "with one of its own"
    theirs = {number for library in bundled for number in _sockets(library)}
    assert theirs and theirs.isdisjoint(_sockets(Path(daemon)))


def _sockets(program: Path) -> set[bytes]:
    """The protocols by whose sockets a program meets the other side of LTTng."""
    return set(re.findall(rb"lttng-ust-sock-(\d+)", program.read_bytes()))


def test_a_trace_provider_that_is_missing_is_told_and_the_program_goes_on(programs: Any) -> None:
    alone = programs({"LIGAMENT_TRACE_PROVIDER": "/nowhere/provider.so"})
    alone.start("jazzy", "source")
    (told,) = alone.end()
    assert "this process is not traced: there is no trace provider at /nowhere/provider.so" in told


def _are_shown(shown: dict[str, Any], source: str) -> bool:
    """Both topics flow, and the source is there with its node."""
    rates = {row["topic"]: row["taken_hz"] for row in shown.get("topics", [])}
    states = {row["container"]: (row["nodes"], row["state"]) for row in shown.get("containers", [])}
    flows = bool(rates.get("/first") and rates.get("/second"))
    return flows and states.get(source) == (["/source"], "running")


@pytest.mark.parametrize("distro", DISTROS)
def test_they_are_shown_by_top(programs: Any, distro: str, tmp_path: Path) -> None:
    (tmp_path / "status.jsonl").touch()
    of_run = programs({"LIGAMENT_RUN_DIR": str(tmp_path)})
    sink = of_run.start(distro, "sink")
    of_run.start(distro, "relay")
    source = of_run.start(distro, "source")
    of_run.await_line(sink, "heard")
    top, tail = Top(), StatusTail(tmp_path / "status.jsonl")
    name = f"rmw_trace_programs.py-{source.pid}"
    end = time.monotonic() + WATCHDOG_S
    shown: dict[str, Any] = {}
    # All at once: on a machine that is busy, a program is shown as silent for a while.
    while not _are_shown(shown, name):
        assert time.monotonic() < end, shown
        time.sleep(0.2)
        top.take(tail.read())
        shown = top.snapshot(time.monotonic_ns(), {"state": "running"}, tail.unreadable)
    assert shown["unreadable_lines"] == 0
    of_run.end()
    top.take(tail.read())
    ended = top.snapshot(time.monotonic_ns(), {"state": "running"}, tail.unreadable)
    assert {row["state"] for row in ended["containers"]} == {"stopped"}


def test_their_status_lines_follow_the_schema(programs: Any, tmp_path: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = Path(__file__).parents[3] / "spec" / "run" / "status.schema.json"
    validator = jsonschema.Draft202012Validator(json.loads(schema.read_text()))
    (tmp_path / "status.jsonl").touch()
    of_run = programs({"LIGAMENT_RUN_DIR": str(tmp_path), "LIGAMENT_CONTAINER": "talkers"})
    of_run.start("jazzy", "relay")
    of_run.end()
    lines = [json.loads(line) for line in (tmp_path / "status.jsonl").read_text().splitlines()]
    assert [line.pop("container") for line in lines] == ["talkers"] * len(lines)
    assert lines[0]["event"] == "ready"
    assert lines[-1]["event"] == "stopped"
    assert any(line["event"] == "status" for line in lines)
    for line in lines:
        validator.validate(line)


def test_a_run_that_has_ended_gets_no_lines(programs: Any, tmp_path: Path) -> None:
    of_run = programs({"LIGAMENT_RUN_DIR": str(tmp_path)})
    of_run.start("jazzy", "source")
    of_run.end()
    assert os.listdir(tmp_path) == []
