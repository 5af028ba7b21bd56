# SPDX-License-Identifier: Apache-2.0
"""Lifecycle nodes, ours and rclpy's, driven by rclpy and brought up by ligament-lifecycle."""

from __future__ import annotations

import json
import os
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from dds_domain import take_dds_domain
from ros2_wheels import DISTROS, wheels_environment, wheels_python
from runtime_programs import find_helper, find_program

from ligament.run.discovery import Network

PEER = Path(__file__).with_name("ros2_lifecycle_peer.py")
NAME = "/managed"
#: More than anything here needs, so that what hangs ends.
WATCHDOG_S = 180.0


@contextmanager
def _running(command: list[str], env: dict[str, str], says: str) -> Iterator[None]:
    """A process, from the line that says so to the end."""
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env
    )
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if says in line:
                break
        else:
            raise AssertionError(f"{command[0]} ended before it said {says!r}")
        yield
    finally:
        process.kill()
        process.communicate()


class Nodes:
    """Lifecycle nodes of both kinds; ours are in a graph whose edge is on the DDS domain."""

    def __init__(self, distro: str, folder: Path) -> None:
        self.domain_id = take_dds_domain()
        self.graph = f"lifecycle_{uuid.uuid4().hex[:12]}"
        self.folder = folder
        self.ros2 = [str(wheels_python(distro, "lifecycle_msgs")), str(PEER)]
        self.ros2_env = wheels_environment(distro, self.domain_id)

    def edge(self) -> Any:
        network = Network(self.domain_id, "localhost", ())
        env = {**os.environ, **network.environment(self.graph)}
        words = ["--graph", self.graph, "--run-id", "test", "--domain-id", str(self.domain_id)]
        return _running([str(find_program("ligament-edge")), *words], env, "is on DDS domain")

    def serve(self, kind: str, name: str = NAME, fails: str = "") -> Any:
        if kind == "ros2":
            return _running([*self.ros2, "serve", name, fails], self.ros2_env, "ready")
        path = self.folder / f"{name[1:]}.json"
        path.write_text(json.dumps(self._config(name, fails)))
        command = [str(find_program("ligament-container")), "--status-fd", "1", str(path)]
        return _running(command, dict(os.environ), '"ready"')

    def _config(self, name: str, fails: str) -> dict[str, Any]:
        node = {
            "id": name, "name": name[1:], "namespace": "/", "type": "test/managed",
            "library": str(find_helper("libtest_container_nodes.so")),
            "class": "test_nodes::Managed", "remap": {"text": "/chat"},
            "parameters": {"fails": fails},
        }  # fmt: skip
        return {
            "schema": "ligament/container/1", "graph": self.graph, "run_id": "test",
            "variant": "default", "container": "one", "domain": self.graph, "nodes": [node],
        }  # fmt: skip

    def drive(self) -> dict[str, Any]:
        done = subprocess.run(
            [*self.ros2, "drive", NAME],
            capture_output=True, text=True, timeout=WATCHDOG_S, env=self.ros2_env,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        told: dict[str, Any] = json.loads(done.stdout)
        return told

    def bring_up(self, *names: str, patience_s: int = 60) -> tuple[int, list[dict[str, str]]]:
        """Return the exit code and what was told."""
        words = ["--domain", self.graph, "--run-id", "test", "--patience", str(patience_s)]
        done = subprocess.run(
            [str(find_program("ligament-lifecycle")), *words, *names],
            capture_output=True, text=True, timeout=WATCHDOG_S,
        )  # fmt: skip
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(params=DISTROS)
def nodes(request: pytest.FixtureRequest, tmp_path: Path) -> Nodes:
    return Nodes(request.param, tmp_path)


#: What rcl's machine says: id, label, from, to.
AVAILABLE_FIRST = [
    [1, "configure", "unconfigured", "configuring"],
    [5, "shutdown", "unconfigured", "shuttingdown"],
]
AVAILABLE_ACTIVE = [
    [4, "deactivate", "active", "deactivating"],
    [7, "shutdown", "active", "shuttingdown"],
]


@pytest.mark.parametrize("kind", ["ours", "ros2"])
def test_rclpy_drives_a_lifecycle_node_through_its_states(nodes: Nodes, kind: str) -> None:
    """The second is the control: what is expected is what ROS 2 itself does."""
    with ExitStack() as running:
        running.enter_context(nodes.serve(kind))
        if kind == "ours":
            running.enter_context(nodes.edge())
        told = nodes.drive()
    assert len(told.pop("states")) == 11
    graph = told.pop("graph")
    assert len(graph) == 25
    assert [31, "transition_failure", "activating", "inactive"] in graph
    assert told.pop("steps") == [
        ["unconfigured", "configuring"], ["configuring", "inactive"],
        ["inactive", "activating"], ["activating", "active"],
        ["active", "deactivating"], ["deactivating", "inactive"],
        ["inactive", "cleaningup"], ["cleaningup", "unconfigured"],
        ["unconfigured", "shuttingdown"], ["shuttingdown", "finalized"],
    ]  # fmt: skip
    assert told == {
        "first": "unconfigured", "available": AVAILABLE_FIRST, "refused": False,
        "configured": [True, "inactive"], "silent": True, "activated": [True, "active"],
        "heard": True, "now": AVAILABLE_ACTIVE, "deactivated": [True, "inactive"],
        "cleaned": [True, "unconfigured"], "ended": [True, "finalized"],
    }  # fmt: skip


def test_ours_and_rclpys_are_brought_up_in_order(nodes: Nodes) -> None:
    with nodes.serve("ours", "/one"), nodes.serve("ros2", "/two"), nodes.edge():
        code, told = nodes.bring_up("/two", "/one")
        again, told_again = nodes.bring_up("/two", "/one")
    assert (code, told) == (
        0,
        [
            {"node": "/two", "state": "inactive"}, {"node": "/one", "state": "inactive"},
            {"node": "/two", "state": "active"}, {"node": "/one", "state": "active"},
        ],
    )  # fmt: skip
    assert again == 0, told_again


@pytest.mark.parametrize("kind", ["ours", "ros2"])
def test_the_node_that_does_not_come_up_is_named(nodes: Nodes, kind: str) -> None:
    with nodes.serve("ours", "/one"), nodes.serve(kind, "/two", "activate"), nodes.edge():
        code, told = nodes.bring_up("/one", "/two")
    assert code == 1
    assert told[-1]["node"] == "/two"
    text = told[-1]["error"]
    assert "node '/two' did not activate: its callback said no, and it is inactive" in text


def test_a_node_that_is_not_there_is_named(nodes: Nodes) -> None:
    with nodes.serve("ours", "/one"):
        code, told = nodes.bring_up("/one", "/gone", patience_s=1)
    assert code == 1
    assert "node '/gone' has no service '/gone/change_state' after 1 s" in told[-1]["error"]
