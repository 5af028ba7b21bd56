# SPDX-License-Identifier: Apache-2.0
"""A core in the simulator calls a service that an rclpy node offers, over DDS."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dds_domain import take_dds_domain
from ros2_wheels import wheels_environment, wheels_python

HERE = Path(__file__).parent
LIGAMENT = [sys.executable, "-m", "ligament.cli.main"]
#: The core asks `judge` about odd numbers.
GRAPH = """schema: ligament/graph/1
name: case_judged
packages: [{nodes}]
nodes:
  prompter:
    type: case/prompter
    parameters: {{first: 1, step: 2, numbers: 6, answers: 6, ahead: 2}}
  caller: {{type: case/caller, remap: {{judge: /verdict}}}}
topics: {{number: {{bound_bytes: 100}}, answer: {{bound_bytes: 100}}}}
"""


@contextmanager
def _judge(domain_id: int) -> Iterator[subprocess.Popen[str]]:
    """An rclpy node that offers /verdict."""
    process = subprocess.Popen(
        [str(wheels_python("jazzy")), str(HERE / "ros2_judge_peer.py")],
        stdout=subprocess.PIPE,
        text=True,
        env=wheels_environment("jazzy", domain_id),
    )
    try:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        yield process
    finally:
        process.kill()
        process.communicate()


def test_the_server_may_be_an_rclpy_node_and_sees_the_core_as_a_client(tmp_path: Path) -> None:
    graph = tmp_path / "graph.yaml"
    graph.write_text(GRAPH.format(nodes=HERE.parent / "cores" / "nodes"))
    domain_id = take_dds_domain()
    env = {"ROS_DOMAIN_ID": str(domain_id), "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
    words = ["--edge", "--platform", "fpga_sim", "--out", str(tmp_path), "--until", "prompter"]
    words += ["--domain", f"judged_{uuid.uuid4().hex[:12]}"]
    with _judge(domain_id) as peer:
        result = subprocess.run(
            [*LIGAMENT, "run", str(graph), *words],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, **env},
            timeout=600,
        )
        assert result.returncode == 0, result.stdout + result.stderr
        peer.kill()
        # A node's name may come later than its first request.
        lines = [json.loads(line) for line in peer.communicate(timeout=60)[0].splitlines()]
        told = {who: types for line in lines for who, types in line.items()}
    (outputs,) = tmp_path.glob("case_judged/*/runs/*/outputs")
    found = [int(word) for word in (outputs / "prompter.txt").read_text().split()]
    expected = [1000 * n + (31 if n & 2 else 20) for n in range(1, 13, 2)]
    assert sorted(found) == expected
    assert told["/caller"] == ["std_srvs/srv/SetBool"]
