# SPDX-License-Identifier: Apache-2.0
"""Real rclpy of two distributions sees a microcontroller's node, topic and service."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from mcu_agent import StartAgent
from ros2_wheels import DISTROS, WHEELS, wheels_environment, wheels_python
from test_agent_wires import UDP, begin

PROGRAM = Path(__file__).with_name("agent_rcl_programs.py")
STRING_HASH = "RIHS01_df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18"


def run_rclpy(
    distro: str, domain_id: int, ours: bool, *words: object, program: Path = PROGRAM
) -> dict[str, Any]:
    """What the program saw. `ours`: on rmw_ligament_cpp, else on Fast DDS."""
    middleware = WHEELS / distro / "lib" / "librmw_ligament_cpp.so"
    if ours and not middleware.exists():
        pytest.skip(f"rmw_ligament_cpp is not built for ROS 2 {distro} (dev/setup --test)")
    done = subprocess.run(
        [wheels_python(distro), program, *map(str, words)],
        env={
            **wheels_environment(distro, domain_id),
            **({"LD_PRELOAD": str(middleware), "LIGAMENT_RMW_EDGE": "off"} if ours else {}),
            "PYTHONPATH": "",
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


@pytest.mark.parametrize("ours", [True, False], ids=["pool", "dds"])
@pytest.mark.parametrize("distro", DISTROS)
def test_rclpy_receives_calls_and_sees_the_node(
    probe: Path,
    start_agent: StartAgent,
    domain_id: int,
    distro: str,
    ours: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Of the edge that the agent starts: this computer only.
    monkeypatch.setitem(
        os.environ,
        "CYCLONEDDS_URI",
        "<General><AllowMulticast>false</AllowMulticast></General><Discovery><ParticipantIndex>"
        "auto</ParticipantIndex><MaxAutoParticipantIndex>32</MaxAutoParticipantIndex><Peers>"
        "<Peer Address='127.0.0.1'/></Peers></Discovery>",
    )
    wheels_python(distro)  # skips where it is missing
    agent = start_agent(*UDP, edge=not ours)
    where = f"udp:127.0.0.1:{agent.port}"
    serve = begin(probe, where, "c0ffee11", "serve", "/switch", 60, 1000)
    publish = begin(probe, where, "c0ffee12", "publish", "/chatter", 2000, 100, 20, "reliable")
    try:
        serve.await_line("ready")
        publish.await_line("ready")
        saw = run_rclpy(distro, domain_id, ours, 20, "/switch", 4)
    finally:
        for client in (serve, publish):
            client.kill()
    numbers = [int(text.split()[0]) for text in saw["got"]]
    assert len(numbers) >= 20
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert saw["answers"] == ["on", "off", "on", "off"]
    assert ["probe", "/mcu"] in saw["nodes"]
    assert saw["types"] == ["std_msgs/msg/String"]
    assert saw["hashes"] == [STRING_HASH]
    assert saw["services"] == ["std_srvs/srv/SetBool"]
