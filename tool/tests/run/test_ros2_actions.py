# SPDX-License-Identifier: Apache-2.0
"""Actions between our C++ nodes and real rclpy nodes of two ROS 2 distributions."""

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
from runtime_programs import find_helper

from ligament.run.discovery import Network
from ligament.run.edge import edge_program

PEER = Path(__file__).with_name("ros2_action_peer.py")
NAME = "/fibonacci"
#: More than anything here needs, so that what hangs ends.
WATCHDOG_S = 180.0


@contextmanager
def _running(command: list[str], env: dict[str, str], says: str) -> Iterator[subprocess.Popen[str]]:
    """A process, from its first line to its end."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env)
    try:
        assert process.stdout is not None
        assert says in process.stdout.readline()
        yield process
    finally:
        process.kill()
        process.communicate()


class Peers:
    """Servers and clients of both kinds; ours are in a graph whose edge is on the DDS domain."""

    def __init__(self, distro: str) -> None:
        self.domain_id = take_dds_domain()
        self.graph = f"actions_{uuid.uuid4().hex[:12]}"
        self.ours = [str(find_helper("action_peer")), self.graph]
        self.ros2 = [str(wheels_python(distro, "test_msgs")), str(PEER)]
        self.ros2_env = wheels_environment(distro, self.domain_id)

    def edge(self) -> Any:
        network = Network(self.domain_id, "localhost", ())
        env = {**os.environ, **network.environment(self.graph)}
        words = ["--graph", self.graph, "--run-id", "test", "--domain-id", str(self.domain_id)]
        return _running([str(edge_program()), *words], env, "is on DDS domain")

    def serve(self, kind: str) -> Any:
        command, env = self._of(kind)
        return _running([*command, "serve", NAME], env, "ready")

    def ask(self, kind: str) -> dict[str, Any]:
        command, env = self._of(kind)
        done = subprocess.run(
            [*command, "ask", NAME],
            capture_output=True, text=True, timeout=WATCHDOG_S, env=env,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        told: dict[str, Any] = json.loads(done.stdout)
        return told

    def wait(self, kind: str) -> Any:
        """A client that waits for the result of a goal without end, once it has feedback."""
        command, env = self._of(kind)
        return _running([*command, "wait", NAME], env, "ready")

    def _of(self, kind: str) -> tuple[list[str], dict[str, str]]:
        return (self.ours, dict(os.environ)) if kind == "ours" else (self.ros2, self.ros2_env)


@pytest.fixture(params=DISTROS)
def peers(request: pytest.FixtureRequest) -> Peers:
    return Peers(request.param)


@pytest.mark.parametrize(
    ("server", "client"), [("ours", "ros2"), ("ros2", "ours"), ("ros2", "ros2")]
)
def test_goals_feedback_results_and_cancelling(peers: Peers, server: str, client: str) -> None:
    """The last pair is the control: what is expected is what ROS 2 itself does."""
    with ExitStack() as running:
        running.enter_context(peers.serve(server))
        if "ours" in (server, client):
            running.enter_context(peers.edge())
        told = peers.ask(client)
    if client == "ros2":  # as `ros2 action list -t` and `ros2 node info` show it
        kinds = ["test_msgs/action/Fibonacci"]
        assert told.pop("listed") == {"types": kinds, "of_node": kinds}
    assert told.pop("follow") == {
        "code": 4, "sequence": [0, 1, 2, 3, 4], "feedback": [1, 2, 3, 4, 5], "status": 4,
        "again": 4, "from_elsewhere": 4, "cancel_after": 3,
    }  # fmt: skip
    assert told == {
        "refuse": {"accepted": False},
        "fail": {"code": 6, "length": 1},
        "cancel_one": {"return_code": 0, "canceling": 1, "code": 5, "ended_early": True},
        # rclcpp says REJECTED as we do; rclpy says NONE, with no goal.
        "cancel_refused": {"return_code": 1 if server == "ours" else 0, "code": 4},
        "cancel_several": {"before": 2, "all": 1, "codes": [5, 5, 5]},
        "unknown": {"cancel": 2, "result": 0},
        "many": {"succeeded": 8},
        "latched": {"terminal": True},
    }


def test_client_is_told_that_the_server_of_its_goal_is_gone(peers: Peers) -> None:
    """rclpy's server is killed, so the edge waits until its lease is over: 20 s."""
    with peers.edge(), peers.serve("ros2") as server, peers.wait("ours") as client:
        server.kill()
        assert client.wait(timeout=WATCHDOG_S) == 0, "the result's code is `unknown`"
