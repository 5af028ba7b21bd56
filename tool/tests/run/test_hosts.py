# SPDX-License-Identifier: Apache-2.0
"""A graph over two hosts: which part runs where, and what crosses a bad cable between them.

The hosts are network namespaces (`two_hosts.py`); where this machine lets nobody make some, the
tests that need them say so and are skipped.
"""

from __future__ import annotations

import fcntl
import itertools
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from dds_domain import LOOPBACK, take_dds_domain
from run_chat import LIGAMENT
from two_hosts import TwoHosts

from ligament.bench.fleet.hosts import why_not
from ligament.bench.measuring import program

HERE = Path(__file__).parent
NO_NAMESPACES = why_not()
needs_namespaces = pytest.mark.skipif(
    bool(NO_NAMESPACES), reason=f"this machine has no such thing: {NO_NAMESPACES}"
)
GRAPH = f"""
schema: ligament/graph/1
name: run_test_hosts
packages: [{HERE / "nodes"}]
hosts: {{a: {{}}, b: {{}}}}
nodes:
  talker: {{type: run_test/talker, parameters: {{period_ms: 5}}, host: a}}
  neighbour: {{type: run_test/listener, host: a, parameters: {{messages: 1000000}}}}
  listener: {{type: run_test/listener, host: b, parameters: {{messages: 600}}}}
  local_talker: {{type: run_test/talker, host: b, remap: {{chatter: local}}}}
  local_listener: {{type: run_test/listener, host: b, remap: {{chatter: local}}, parameters: {{messages: 1000000}}}}
topics: {{/chatter: {{qos: {{depth: 2000}}}}}}
"""  # noqa: E501


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """build.json of the graph above; the node types are those of the chat."""
    root = tmp_path_factory.getbasetemp()
    with (root / "hosts.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        graph = root / "hosts.yaml"
        graph.write_text(GRAPH)
        found = root / "hosts" / "run_test_hosts" / "default" / "build.json"
        if not found.exists():
            subprocess.run([*LIGAMENT, "build", str(graph), "-o", str(root / "hosts")], check=True)
    return found


@pytest.fixture
def hosts() -> Iterator[TwoHosts]:
    """Two hosts with a cable that delays, reorders and loses."""
    with TwoHosts() as two:
        for words in ("delay 2", "reorder 0.1", "loss 0.03"):
            two.cable(words)
        yield two


class HostRun:
    """`ligament run --host` on one of the hosts."""

    def __init__(self, hosts: TwoHosts, build: Path, host: str, *words: str) -> None:
        before = set(_runs(build))
        self.log = build.parent / f"{host}.log"
        command = [*LIGAMENT, "run", str(build), "--host", host, "--quiet", *words]
        with self.log.open("w") as log:
            self.process = hosts.start(host, command, log)
        await_that(lambda: bool(set(_runs(build)) - before), self.log)
        (self.folder,) = set(_runs(build)) - before

    def figures(self, topic: str) -> list[dict[str, Any]]:
        """What the edge said of a topic so far, second by second."""
        path = self.folder / "status.jsonl"
        lines = path.read_text().splitlines(keepends=True) if path.exists() else []
        events = [json.loads(line) for line in lines if line.endswith("\n")]
        told = [e["topics"] for e in events if e["event"] == "edge"]
        return [t for topics in told for t in topics if t["topic"] == topic]

    def end(self, seconds: float = 60) -> dict[str, Any]:
        """Its run.json, once it has ended by itself."""
        assert self.process.wait(seconds) == 0, self.log.read_text()
        data: dict[str, Any] = json.loads((self.folder / "run.json").read_text())
        return data

    def stop(self) -> dict[str, Any]:
        """Its run.json after Ctrl-C."""
        self.process.send_signal(signal.SIGINT)
        return self.end()


def _runs(build: Path) -> list[Path]:
    return [p.parent for p in (build.parent / "runs").glob("*/run.json")]


def await_that(condition: Callable[[], bool], log: Path, seconds: float = 60) -> None:
    """Wait for something that must come."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, log.read_text()
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ((), "is spread over the hosts a, b"),
        (("--host", "c"), "--host c: the graph 'run_test_hosts' has no such host"),
    ],
)
def test_which_host_this_is_must_be_known(build: Path, words: tuple[str, ...], text: str) -> None:
    result = subprocess.run([*LIGAMENT, "run", str(build), *words], capture_output=True, text=True)
    assert result.returncode == 2
    assert text in result.stderr


def test_both_parts_run_on_one_computer_in_two_pools(
    build: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CYCLONEDDS_URI", LOOPBACK)
    words = ["--quiet", "--domain-id", str(take_dds_domain())]
    command = [*LIGAMENT, "run", str(build), *words]
    pool = f"hosts-{os.getpid()}"
    other = subprocess.Popen([*command, "--host", "a", "--domain", f"{pool}-a"])
    try:
        part = [*command, "--host", "b", "--domain", f"{pool}-b", "--until", "listener"]
        result = subprocess.run(part, capture_output=True, text=True, timeout=120, check=False)
    finally:
        other.send_signal(signal.SIGINT)
        other.wait(30)
    assert result.returncode == 0, result.stderr
    assert "finished (the work is done)" in result.stdout


@needs_namespaces
def test_what_one_host_says_reaches_the_other_through_a_bad_cable(
    build: Path, hosts: TwoHosts
) -> None:
    one = HostRun(hosts, build, "a")
    other = HostRun(hosts, build, "b", "--until", "listener")
    there = other.end()
    here = one.stop()
    assert there["state"] == "finished"
    assert [h["id"] for h in there["hosts"]] == ["b"]
    assert set(there["nodes"]) == {"/listener", "/local_talker", "/local_listener"}
    assert there["elsewhere"] == {"/neighbour": "a", "/talker": "a"}
    assert {p["container"] for p in here["processes"]} == {"talker", "neighbour", "edge"}
    # The listener is done: 600 samples came through the edges, though the cable lost some frames.
    # (An edge tells once a second, and no more of topics whose nodes have left.)
    sent, received = one.figures("/chatter")[-1], other.figures("/chatter")[-1]
    assert min(sent["sent"], received["received"]) > 0
    assert (sent["lost"], sent["refused"], received["no_room"]) == (0, 0, 0)
    # What both ends have on one host stays there.
    local = [(f["sent"], f["subscriptions"]) for f in other.figures("/local")]
    assert (0, 1) in local
    assert {sent for sent, _ in local} == {0}
    carried, lost = map(int, hosts.cable("count").split()[1:])
    assert carried > 300
    assert lost > 0


@needs_namespaces
def test_two_hosts_share_no_memory(build: Path, hosts: TwoHosts) -> None:
    hosts.cable("cut")
    one = HostRun(hosts, build, "a")
    other = HostRun(hosts, build, "b", "--duration", "3")
    record = other.end()
    one.stop()
    assert record["state"] == "duration"
    figures = other.figures("/chatter")
    assert figures
    assert all((f["publishers"], f["received"]) == (0, 0) for f in figures)


@needs_namespaces
def test_link_that_is_cut_and_heals_carries_again(build: Path, hosts: TwoHosts) -> None:
    one = HostRun(hosts, build, "a")
    other = HostRun(hosts, build, "b", "--set", "listener.messages=100000")

    def received() -> int:
        figures = other.figures("/chatter")
        return int(figures[-1]["received"]) if figures else 0

    def remote_readers() -> int:
        figures = one.figures("/chatter")
        return int(figures[-1]["remote_readers"]) if figures else 0

    await_that(lambda: received() > 100, other.log)
    hosts.cable("cut")
    # The lease is over: each host has forgotten the other, and its own topics went on.
    await_that(lambda: remote_readers() == 0, one.log)
    before = received()
    hosts.cable("heal")
    await_that(lambda: remote_readers() == 1, one.log)
    await_that(lambda: received() > before + 100, other.log)
    assert other.stop()["restarts"] == {}
    assert one.stop()["restarts"] == {}


@needs_namespaces
def test_no_large_image_is_lost_between_hosts_with_default_limits(tmp_path: Path) -> None:
    """As many as the history holds: however long each takes, there is no cause to lose one."""
    images = ["--bytes", str(10 << 20), "--messages", "10", "--warmup", "0", "--depth", "10"]
    command = [str(program("ligament-bench-dds")), "--through", "inside", "--topic", "images"]
    logs = {role: tmp_path / f"{role}.log" for role in ("subscribe", "publish")}
    ends: dict[str, subprocess.Popen[str]] = {}
    with TwoHosts(straight=True) as hosts:
        for (role, log), host in zip(logs.items(), "ba", strict=True):
            words = [*command, role, "--pool", f"images-{os.getpid()}-{host}", *images]
            with log.open("w") as out:
                ends[role] = hosts.start(host, [*words, "--pacing-us", "100000"], out)
            await_that(lambda log=log: "ready" in log.read_text(), log)  # type: ignore[misc]
        for role, end in ends.items():
            assert end.wait(120) == 0, logs[role].read_text()
    told = dict(itertools.chain.from_iterable(_told(log) for log in logs.values()))
    assert told["subscribe"]["lost"] == 0, told
    (here,), (there,) = told["publisher's edge"]["topics"], told["subscriber's edge"]["topics"]
    assert (here["sent"], there["received"]) == (10, 10)
    counts = ("lost", "refused", "unconfirmed", "missing", "no_room", "too_large")
    assert {here[count] + there[count] for count in counts} == {0}


def _told(log: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for line in log.read_text().splitlines():
        if line.startswith("{"):
            said = json.loads(line)
            yield said["role"], said
