# SPDX-License-Identifier: Apache-2.0
"""The launch file of a variant.

`launch` is no Python package that can be installed alone: a stand-in has the few names that the
file imports. With the real one it was tried by hand.
"""

from __future__ import annotations

import os
import runpy
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from ligament.build.launch_file import launch_path, write_launch_file

BUILD = {"source": "/robot/graph.yaml", "graph": "robot", "variant": "fused"}


class Named:
    """An action that keeps what it was made with."""

    def __init__(self, *words: Any, **fields: Any) -> None:
        self.words, self.fields = words, fields


class LaunchConfiguration(Named):
    """A launch argument's value."""

    def perform(self, context: dict[str, str]) -> str:
        return context[self.words[0]]


@pytest.fixture
def launch(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stand-in."""
    names = ("DeclareLaunchArgument", "ExecuteProcess", "OpaqueFunction", "Shutdown")
    package, actions = types.ModuleType("launch"), types.ModuleType("launch.actions")
    substitutions = types.ModuleType("launch.substitutions")
    package.LaunchDescription = lambda entities: entities  # type: ignore[attr-defined]
    substitutions.LaunchConfiguration = LaunchConfiguration  # type: ignore[attr-defined]
    for name in names:
        setattr(actions, name, type(name, (Named,), {}))
    for module in (package, actions, substitutions):
        monkeypatch.setitem(sys.modules, module.__name__, module)


def started(folder: Path, **chosen: str) -> tuple[list[str], dict[str, Any]]:
    """The words that the launch file starts with these arguments, and its process's fields."""
    text = runpy.run_path(str(write_launch_file(folder, BUILD)))
    *declared, function = text["generate_launch_description"]()
    context = {one.words[0]: one.fields["default_value"] for one in declared}
    assert set(chosen) <= set(context)
    assert all(one.fields["description"] for one in declared)
    (process,) = function.fields["function"]({**context, **chosen})
    return process.fields["cmd"], process.fields


@pytest.mark.usefixtures("launch")
def test_it_runs_the_variant_in_the_ros_domain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    words, fields = started(tmp_path)
    assert words == [
        *(str(Path(sys.executable).with_name("ligament")), "run", str(tmp_path / "build.json")),
        *("--ros", "--log-level", "info", "--edge"),
    ]
    assert (fields["name"], fields["output"]) == ("ligament_robot", "screen")
    assert type(fields["on_exit"]).__name__ == "Shutdown"
    assert float(fields["sigterm_timeout"]) > 5, "launch's own time is too short to drain in"


@pytest.mark.usefixtures("launch")
def test_launch_arguments_are_options_of_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = tmp_path / "bin" / "ligament"
    command.parent.mkdir()
    command.write_text("#!/bin/sh\n")
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{command.parent}:{os.environ['PATH']}")
    words, _ = started(
        tmp_path,
        **{"log_level": "debug", "edge": "False", "trace": "ros2"},
        set="camera.name='a b' resize.scale=0.5",
        options="--duration 3",
    )
    assert words[0] == str(command)
    assert words[3:] == [
        *("--ros", "--log-level", "debug", "--trace=ros2"),
        *("--set", "camera.name=a b", "--set", "resize.scale=0.5", "--duration", "3"),
    ]


def test_it_is_written_again_only_where_it_changes(tmp_path: Path) -> None:
    path = write_launch_file(tmp_path, BUILD)
    assert path == launch_path(tmp_path, "fused") == tmp_path / "launch" / "fused.launch.py"
    before = path.stat().st_mtime_ns
    write_launch_file(tmp_path, BUILD)
    assert path.stat().st_mtime_ns == before
    assert path.read_text().startswith("# Generated from /robot/graph.yaml by ligament ")
