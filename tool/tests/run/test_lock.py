# SPDX-License-Identifier: Apache-2.0
"""One running graph per domain; clocks; contexts."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

from ligament.cli.main import main
from ligament.errors import FailureError, InputError
from ligament.pipeline import Request
from ligament.run.clocks import sample_offset
from ligament.run.context import commit_of, describe_machine
from ligament.run.lock import DomainLock, lock_of
from ligament.run.record import recording_node


def test_a_second_lock_is_refused_and_names_the_holder() -> None:
    domain = f"lock_{uuid.uuid4().hex}"
    with DomainLock(domain), pytest.raises(InputError) as raised, DomainLock(domain):
        pass
    text = raised.value.problems[0].text
    assert domain in text and str(os.getpid()) in text
    assert "--domain" in raised.value.problems[0].hint


def test_a_graph_that_runs_already_is_refused_before_it_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name = f"lock_{uuid.uuid4().hex}"
    graph = tmp_path / "graph.yaml"
    graph.write_text(f"schema: ligament/graph/1\nname: {name}\nnodes:\n  a: {{type: image/sink}}\n")
    asked: list[str] = []

    def no_build(request: Request, **_: object) -> None:
        asked.append(request.graph.name)
        raise FailureError("no build here")

    monkeypatch.setattr("ligament.cli.run.generated", no_build)
    with DomainLock(name):
        assert main(["run", str(graph), "-o", str(tmp_path / "out")]) == 2
        said = capsys.readouterr().err
        assert "is already running" in said
        assert "run both: give this one a name of its own with --domain NAME" in said
        assert asked == []
        assert main(["run", str(graph), "--domain", f"{name}b"]) == 1
    assert asked == ["graph.yaml"]
    assert not (tmp_path / "out").exists()


def test_other_domains_do_not_meet() -> None:
    domain = f"lock_{uuid.uuid4().hex}"
    with DomainLock(domain), DomainLock(domain + "_2"):
        pass
    with DomainLock(domain):
        pass


def test_a_graph_may_run_once_in_each_ros_domain() -> None:
    name = f"lock_{uuid.uuid4().hex}"
    with lock_of(name, None, "ros.7"), lock_of(name, None, "ros.8"), lock_of(name, None, None):
        with pytest.raises(InputError) as raised, lock_of(name, None, "ros.7"):
            pass
        problem = raised.value.problems[0]
        assert f"a graph named '{name}' is already running" in problem.text
        assert "a ROS domain of its own with --domain-id N" in problem.hint
    with lock_of(name * 2, None, "ros.7"), lock_of(name * 2 + "b", None, "ros.7"):
        pass
    with lock_of(name, "other", "ros.7"), pytest.raises(InputError), DomainLock("other"):
        pass


def test_the_lock_of_a_killed_process_is_free() -> None:
    domain = f"lock_{uuid.uuid4().hex}"
    program = (
        "import sys, time; from ligament.run.lock import DomainLock\n"
        "with DomainLock(sys.argv[1]): print('held', flush=True); time.sleep(1000)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, domain], stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        with pytest.raises(InputError) as raised, DomainLock(domain):
            pass
        assert f"pid {holder.pid}" in raised.value.problems[0].text
        holder.kill()
        holder.wait()
    with DomainLock(domain):
        pass


def test_the_clock_offset_lies_within_its_bound() -> None:
    sample = sample_offset()
    before = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    real = time.clock_gettime_ns(time.CLOCK_REALTIME)
    after = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    # Steps of the real-time clock between the two samples aside, both tell the same offset.
    assert real - after - sample.bound_ns - 1_000_000 <= sample.offset_ns
    assert sample.offset_ns <= real - before + sample.bound_ns + 1_000_000
    assert sample.bound_ns > 0


def test_context(tmp_path: Path) -> None:
    machine = describe_machine()
    assert machine["cores"] >= 1 and machine["cpu"] and machine["memory_bytes"] > 0
    assert commit_of(tmp_path) is None
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    assert commit_of(tmp_path) is None
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    (tmp_path / "file").write_text("one")
    subprocess.run(["git", "-C", str(tmp_path), "add", "file"], check=True)
    words = ["git", "-C", str(tmp_path), *identity, "commit", "-q", "-m", "first"]
    subprocess.run(words, check=True)
    commit = commit_of(tmp_path)
    assert commit is not None and not commit.endswith("-dirty")
    (tmp_path / "file").write_text("two")
    assert commit_of(tmp_path) == f"{commit}-dirty"


@pytest.mark.parametrize("domain", ["", "a" * 49, "two words", "a/b"])
def test_a_name_that_the_pool_would_refuse_is_refused_first(domain: str) -> None:
    with pytest.raises(InputError) as raised:
        DomainLock(domain)
    assert "cannot name a domain" in raised.value.problems[0].text


def test_recorded_files_belong_to_the_node_they_are_named_after() -> None:
    nodes = ["/sink", "/left/sink", "/sink_7"]
    assert recording_node("sink.jsonl", nodes) == "/sink"
    assert recording_node("left.sink.jsonl", nodes) == "/left/sink"
    assert recording_node("left.sink_12.png", nodes) == "/left/sink"
    assert recording_node("other.jsonl", nodes) is None
