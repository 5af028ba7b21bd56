# SPDX-License-Identifier: Apache-2.0
"""A microcontroller's parameters, as a parameter client of real rclpy sees and sets them."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcu_agent import StartAgent
from ros2_wheels import DISTROS, wheels_python
from test_agent_rclpy import run_rclpy
from test_agent_wires import UDP, begin

PROGRAM = Path(__file__).with_name("agent_parameter_programs.py")
NODE = "/mcu/probe"


@pytest.mark.parametrize("distro", DISTROS)
def test_rclpy_lists_describes_gets_and_sets(
    probe: Path, start_agent: StartAgent, domain_id: int, distro: str
) -> None:
    wheels_python(distro)  # skips where it is missing
    agent = start_agent(*UDP)
    board = begin(probe, f"udp:127.0.0.1:{agent.port}", "c0ffee21", "parameters", 100, 6)
    board.await_line("ready")
    saw = run_rclpy(distro, domain_id, True, NODE, program=PROGRAM)
    assert saw["names"] == ["rate", "gains.p", "is_on", "frame", "serial"]
    assert saw["groups"] == ["gains"]
    assert saw["below"] == ["gains.p"]
    assert saw["before"] == [100, 0.5, False, "imu", 7, None]
    assert saw["types"] == [2, 3, 1, 4, 2, 0]
    assert saw["described"] == [
        ["rate", 2, "Messages per second", False, [[1, 1000]]],
        ["gains.p", 3, "", False, [[-1.0, 1.0]]],
        ["is_on", 1, "", False, []],
        ["frame", 4, "", False, []],
        ["serial", 2, "", True, []],
        ["nothing", 0, "", False, []],
    ]
    assert saw["set"] == [[True, ""]] * 3
    assert saw["refused"] == [
        [False, "the value is out of range"],
        [False, "the value is out of range"],
        [False, "the text is too long"],
        [False, "it can only be read"],
        [False, "it has another type"],
        [False, "it has another type"],
        [False, "there is no such parameter"],
        [False, "13 brings bad luck"],
    ]
    assert saw["not_at_once"] == [False, "the value is out of range"]
    assert saw["at_once"]
    assert saw["after"] == [5, 0.25, True, "left imu", 7, None]
    assert saw["events"] == [f"{NODE} {name}" for name in ("frame", "gains.p", "is_on", "rate")]
    assert "changed rate: 6 0.25 1 left imu" in board.finish()
