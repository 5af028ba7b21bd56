# SPDX-License-Identifier: Apache-2.0
"""A launch file per variant, so that `ros2 launch` starts the graph beside other nodes.

It starts `ligament run` with the variant's build.json, in the ROS domain and with the edge. The run
is one process for `ros2 launch`: its containers and executables end with it.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from string import Template
from typing import Any

import ligament
from ligament.artefacts import write_text

_TEMPLATE = Template('''\
# Generated from $source by ligament $version. Do not edit.
"""Starts the graph $graph, variant $variant: `ros2 launch $variant.launch.py`."""

import shlex
import shutil
from pathlib import Path

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, ExecuteProcess, OpaqueFunction, Shutdown
from launch.substitutions import LaunchConfiguration

BUILD = Path(__file__).resolve().parent.parent / "build.json"
LIGAMENT = $ligament
ARGUMENTS = {
    "log_level": ("info", "What is worth a line in the logs: debug, info, warn, error, fatal."),
    "edge": ("true", "Whether nodes on other middlewares and computers take part (DDS)."),
    "trace": ("", "Record events with LTTng: ligament or ros2; empty: no."),
    "set": ("", "Parameters for this run: NODE.PARAM=VALUE, with spaces between several."),
    "options": ("", "More options of `ligament run`."),
}


def start(context):
    """The process that runs the graph, with the launch arguments as its options."""
    value = {name: LaunchConfiguration(name).perform(context) for name in ARGUMENTS}
    # What PATH has goes first: the installation may have moved.
    command = [shutil.which("ligament") or LIGAMENT, "run", str(BUILD), "--ros"]
    command += ["--log-level", value["log_level"]]
    if value["edge"].lower() in ("true", "1", "yes"):
        command.append("--edge")
    if value["trace"]:
        command.append(f"--trace={value['trace']}")
    for word in shlex.split(value["set"]):
        command += ["--set", word]
    command += shlex.split(value["options"])
    run = ExecuteProcess(
        cmd=command,
        name="ligament_" + $name,
        output="screen",
        sigterm_timeout="10",
        on_exit=Shutdown(reason="the graph has ended"),
    )
    return [run]


def generate_launch_description():
    """What `ros2 launch` asks for."""
    declared = [
        DeclareLaunchArgument(name, default_value=default, description=text)
        for name, (default, text) in ARGUMENTS.items()
    ]
    return LaunchDescription([*declared, OpaqueFunction(function=start)])
''')


def launch_path(folder: Path, variant: str) -> Path:
    """Return where a variant's launch file is, given the variant's folder."""
    return folder / "launch" / f"{variant}.launch.py"


def write_launch_file(folder: Path, build: Mapping[str, Any]) -> Path:
    """Write the launch file of a build.json that lies in `folder`."""
    text = _TEMPLATE.substitute(
        source=build["source"],
        version=ligament.__version__,
        graph=build["graph"],
        variant=build["variant"],
        ligament=repr(str(Path(sys.executable).with_name("ligament"))),
        name=repr(build["graph"]),
    )
    path = launch_path(folder, build["variant"])
    write_text(path, text)
    return path
