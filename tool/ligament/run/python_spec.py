# SPDX-License-Identifier: Apache-2.0
"""How a container of nodes in Python is started: command and environment (spec/run/python.md)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ligament import python_container
from ligament.artefacts import read_json
from ligament.run.ros_python import RosPython, find_ros_python

LANGUAGE = "python"
PROGRAM = Path(python_container.__file__).with_name("main.py")


def is_python(container: Mapping[str, Any]) -> bool:
    """Whether an entry of build.json's containers is one."""
    return container.get("language") == LANGUAGE


def ros_python_for(containers: Iterable[Mapping[str, Any]], distro: str) -> RosPython | None:
    """ROS 2's Python, if some container needs it; raises where it is missing."""
    return find_ros_python(distro) if any(is_python(c) for c in containers) else None


def require_ros(manifest: Path, distro: str) -> None:
    """Raise where a generated graph needs ROS 2's Python, and it is missing."""
    containers = read_json(manifest, "run `ligament generate`")["containers"]
    ros_python_for(containers.values(), distro)


def command_of(ros: RosPython) -> list[str]:
    """What stands in front of the configuration's path."""
    return [str(ros.program), str(PROGRAM)]


def environment_of(ros: RosPython, config: Mapping[str, Any]) -> dict[str, str]:
    """Beside what every container gets: the graph's pool for the middleware, and who it is.

    Whether there is an edge is the run's affair, and the container tells the figures itself.
    """
    pool = str(config["domain"])
    of_ros = re.fullmatch(r"ros\.(\d+)", pool)  # run with --ros: the nodes see its number, too
    return {
        **ros.environment,
        **({"ROS_DOMAIN_ID": of_ros.group(1)} if of_ros else {}),
        "LIGAMENT_POOL": pool,
        "LIGAMENT_GRAPH": str(config["graph"]),
        "LIGAMENT_VARIANT": str(config["variant"]),
        "LIGAMENT_CONTAINER": str(config["container"]),
        "LIGAMENT_RMW_EDGE": "off",
        "LIGAMENT_STATUS": "own",
    }
