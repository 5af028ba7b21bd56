# SPDX-License-Identifier: Apache-2.0
"""A ROS 2 Python node as the paper has it: of the wheels that the tests use."""

from __future__ import annotations

from ligament.bench.mcu.options import Place
from ligament.bench.measuring import REPOSITORY

PREFIX = REPOSITORY / "build" / "ros" / "jazzy"
_SETUP = "`dev/setup --ros` brings it"


def why_not(place: Place) -> str:
    """What is missing for such a node; empty: nothing."""
    if not list(PREFIX.glob("lib/python*/site-packages/rclpy")):
        return f"there is no ROS 2 jazzy in build/ros ({_SETUP})"
    if place.at == "rclpy" and not (PREFIX / "lib" / "librmw_ligament_cpp.so").is_file():
        return f"our middleware for it is missing ({_SETUP})"
    return ""


def ping_command(place: Place, domain_id: int, size: int, messages: int, warmup: int) -> list[str]:
    """The node of benchmarks/mcu/ping.py."""
    variables = {
        "AMENT_PREFIX_PATH": PREFIX,
        "LD_LIBRARY_PATH": PREFIX / "lib",
        "PYTHONPATH": "",
        "ROS_DOMAIN_ID": domain_id,
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
    }
    if place.at == "rclpy":
        variables |= {
            "LD_PRELOAD": PREFIX / "lib" / "librmw_ligament_cpp.so",
            "LIGAMENT_RMW_EDGE": "off",
        }
    program = REPOSITORY / "benchmarks" / "mcu" / "ping.py"
    words = [str(PREFIX / "bin" / "python"), str(program), str(size), str(messages), str(warmup)]
    return ["env", *(f"{key}={value}" for key, value in variables.items()), *words]
