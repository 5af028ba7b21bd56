# SPDX-License-Identifier: Apache-2.0
"""What may be left of a deploy on its hosts, and how it goes: a hung host, a deployer that died."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from run_chat import LIGAMENT
from ssh_hosts import SshHosts, await_that, no_ssh_hosts, running

HERE = Path(__file__).parent
MISSING = no_ssh_hosts()
pytestmark = pytest.mark.skipif(bool(MISSING), reason=MISSING)
GRAPH = f"""
schema: ligament/graph/1
name: run_test_left
packages: [{HERE / "nodes"}]
hosts: {{a: {{}}, b: {{}}}}
nodes:
  talker: {{type: run_test/talker, parameters: {{period_ms: 5}}, host: a}}
  listener: {{type: run_test/listener, parameters: {{messages: 0}}, host: b}}
"""


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graph that goes on until it is stopped; built once."""
    path = tmp_path_factory.mktemp("left") / "graph.yaml"
    path.write_text(GRAPH)
    subprocess.run([*LIGAMENT, "build", str(path), "-o", str(path.parent / "out")], check=True)
    return path


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshHosts]:
    with SshHosts(tmp_path_factory.mktemp("hosts"), ["a", "b"]) as two:
        yield two


def words(hosts: SshHosts, graph: Path, lease_s: float = 5) -> list[str | Path]:
    file = hosts.hosts_file(lease_s=lease_s)
    return ["deploy", graph, "--hosts", file, "-o", graph.parent / "out"]


def started(hosts: SshHosts, graph: Path, lease_s: float = 5) -> subprocess.Popen[str]:
    process = hosts.start(*words(hosts, graph, lease_s), "--quiet")
    await_that(lambda: all(running(hosts, name) for name in "ab"))
    await_that(lambda: all(list(runs(hosts, name)) for name in "ab"))
    return process


def runs(hosts: SshHosts, name: str) -> Iterator[Path]:
    return hosts.folder.glob(f"on {name}/trees/*/default/runs/*/status.jsonl")


def cleaned(hosts: SshHosts, graph: Path) -> str:
    result = hosts.run(*words(hosts, graph), "--clean")
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_second_interrupt_waits_for_no_host_that_hangs_and_clean_ends_its_part(
    hosts: SshHosts, graph: Path
) -> None:
    """Neither for the lease of ten minutes nor for the 30 s of the first Ctrl-C: it says why."""
    process = started(hosts, graph, lease_s=600)
    servers = running(hosts, "b", b"serve-host")
    for pid in servers:
        os.kill(pid, signal.SIGSTOP)
    process.send_signal(signal.SIGINT)
    await_that(lambda: not running(hosts, "a"))
    assert process.poll() is None, "the first Ctrl-C waits"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1, out
    assert "b: it did not answer for" in err or "b: its part did not stop within 2 s" in err
    assert "b: the part of the graph may go on there" in err
    assert "600 s after it hears nothing more" in err
    assert f"ligament deploy {graph}" in err
    assert "--clean" in err
    assert "a: the part" not in err
    assert running(hosts, "b"), "it hangs: nothing there has noticed"
    # The other host's files came all the same.
    (record,) = (graph.parent / "out" / "run_test_left" / "default" / "runs").glob("*/run.json")
    assert set(json.loads(record.read_text())["nodes"]) == {"/talker"}

    assert cleaned(hosts, graph).splitlines() == [
        "a: nothing was left", "b: 1 part stopped, the files of 1 run removed",
    ]  # fmt: skip
    assert not running(hosts, "b")
    assert not list(runs(hosts, "b"))
    await_that(lambda: not [pid for pid in servers if Path(f"/proc/{pid}").exists()])


def test_files_of_a_killed_deploy_are_told_of_and_removed(hosts: SshHosts, graph: Path) -> None:
    process = started(hosts, graph)
    process.kill()
    process.communicate()
    await_that(lambda: not any(running(hosts, name) for name in "ab"))
    await_that(lambda: not any(running(hosts, name, b"serve-host") for name in "ab"))
    again = hosts.run(*words(hosts, graph), "--duration", "0.1")
    assert again.returncode == 0, again.stderr
    assert "a: the files of 1 earlier run are left there; this removes them" in again.stderr
    assert cleaned(hosts, graph).splitlines() == [
        f"{name}: 0 parts stopped, the files of 1 run removed" for name in "ab"
    ]
    again = hosts.run(*words(hosts, graph), "--clean", "--json")
    assert json.loads(again.stdout) == {
        "graph": "run_test_left", "variant": "default",
        "hosts": {name: {"stopped": 0, "removed": 0} for name in "ab"},
    }  # fmt: skip


def test_part_whose_hosts_end_was_killed_stops(hosts: SshHosts, graph: Path) -> None:
    process = started(hosts, graph)
    for pid in running(hosts, "b", b"serve-host"):
        os.kill(pid, signal.SIGKILL)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "b: the connection was closed" in err
    await_that(lambda: not any(running(hosts, name) for name in "ab"))
    cleaned(hosts, graph)
