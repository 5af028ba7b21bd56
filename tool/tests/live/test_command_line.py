# SPDX-License-Identifier: Apache-2.0
"""Command lines of running programs, as executables of a graph."""

from __future__ import annotations

from pathlib import Path

import pytest

from ligament.live.command_line import Started, started_by
from ligament.live.processes import Process


def started(
    *words: str, folder: Path = Path("/work"), program: str = "/usr/bin/python3"
) -> Started:
    return started_by(Process(7, words, folder, program))


def installed(prefix: Path, package: str, name: str) -> Path:
    """An executable of a ROS 2 package, with the mark that ament leaves."""
    mark = prefix / "share" / "ament_index" / "resource_index" / "packages" / package
    mark.parent.mkdir(parents=True, exist_ok=True)
    mark.touch()
    path = prefix / "lib" / package / name
    path.parent.mkdir(parents=True)
    path.write_text("#!/usr/bin/python3\n")
    path.chmod(0o755)
    return path


def test_an_installed_executable_is_named_by_its_package(tmp_path: Path) -> None:
    path = installed(tmp_path, "demo", "talker")
    assert started(str(path), "--fast").executable == "demo/talker"
    script = started("/usr/bin/python3", str(path), "--fast")
    assert (script.executable, script.words) == ("demo/talker", ["--fast"])
    (tmp_path / "share/ament_index/resource_index/packages/demo").unlink()
    assert started(str(path)).executable == str(path)


def test_scripts_and_programs_are_paths(tmp_path: Path) -> None:
    assert started("python3", "node.py", "1").executable == "/work/node.py"
    assert started("./bin/node", program="/work/bin/node").executable == "/work/bin/node"
    assert started("node_found_in_path", program="/opt/x/node").executable == "/opt/x/node"
    module = started("python3", "-m", "my.node", "--x")
    assert (module.executable, module.words) == ("/usr/bin/python3", ["-m", "my.node", "--x"])
    script = tmp_path / "script"
    script.write_text("#!/bin/sh\n")
    plain = started("bash", str(script), "1", program="/usr/bin/bash")
    assert (plain.executable, plain.words) == ("/usr/bin/bash", [str(script), "1"])
    script.chmod(0o755)
    assert started("bash", str(script), program="/usr/bin/bash").executable == str(script)


def test_ros_arguments_become_fields() -> None:
    told = started(
        *("./node", "--own", "--ros-args", "-r", "__node:=front", "--remap", "__ns:=/left"),
        *("-r", "image:=/image_raw", "-p", "gain:=4.0", "--param", "mode:='on'", "-p", "n:=[1, 2]"),
        *("--params-file", "p.yaml", "--log-level", "DEBUG", "--", "--after"),
        program="/work/node",
    )
    assert told.words == ["--own", "--after"]
    assert told.told == {
        "name": "front",
        "namespace": "/left",
        "remap": {"image": "/image_raw"},
        "parameters": {"gain": 4.0, "mode": "on", "n": [1, 2]},
        "log_level": "debug",
    }
    assert told.parameter_files == [Path("/work/p.yaml")]


def test_ros_arguments_may_come_in_several_parts() -> None:
    told = started(
        *("./node", "--ros-args", "-r", "a:=b", "--", "--own", "--ros-args", "-p", "gain:=2"),
        program="/work/node",
    )
    assert told.words == ["--own"]
    assert told.told == {"remap": {"a": "b"}, "parameters": {"gain": 2}}


@pytest.mark.parametrize(
    "words",
    [
        ["-e", "/enclave"],
        ["--log-level", "rcl:=debug"],
        ["-p", "node:gain:=1"],
        ["-r", "image"],
        ["-r", "im age:=x"],
        ["--disable-rosout-logs"],
        ["-p"],
        ["-p", "x:={a: 1}"],
    ],
)
def test_what_has_no_field_stays_a_ros_argument(words: list[str]) -> None:
    told = started("./node", "a", "--ros-args", *words, program="/work/node")
    assert told.words == ["a", "--ros-args", *words, "--"]
    assert told.told == {}


def test_a_yaml_boolean_of_ros_is_one() -> None:
    told = started("./node", "--ros-args", "-p", "x:=yes", "-p", "y:=5", program="/work/node")
    assert told.told["parameters"] == {"x": True, "y": 5}
