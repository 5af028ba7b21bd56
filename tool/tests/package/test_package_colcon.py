# SPDX-License-Identifier: Apache-2.0
"""The same package in a ROS 2 workspace: colcon and ament_cmake build it, the index has it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from package_builds import NAME, ROS, Workspace, new_workspace

from ligament import resources


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    if shutil.which("colcon") is None:
        pytest.skip("no colcon (dev/setup --test)")
    if not (ROS / "share" / "ament_cmake").is_dir():
        pytest.skip("no ROS 2 in build/ros (dev/setup --test)")
    made = new_workspace(tmp_path_factory.mktemp("rös ws"))
    made.environment["AMENT_PREFIX_PATH"] = str(ROS)
    made.environment["CMAKE_PREFIX_PATH"] = f"{ROS}:{resources.prefix()}"
    return made


@pytest.mark.timeout(900)
def test_colcon_builds_it_and_the_graph_runs_traced(workspace: Workspace) -> None:
    options = [
        f"-DPython3_EXECUTABLE={ROS / 'bin' / 'python'}",
        "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache",
    ]
    workspace.run("colcon", "build", "--cmake-args", *options)
    prefix = workspace.prefix / NAME
    index = prefix / "share" / "ament_index" / "resource_index"
    assert (index / "packages" / NAME).is_file()  # ament's own
    assert (index / "ligament" / NAME).is_file()
    for variant in ("software", "hardware"):
        words = f"--platform fpga_sim --variant {variant} --trace --quiet"
        in_shell(workspace, f"ligament run {NAME}/demo {words}")
    assert not (workspace.root / "build" / NAME / "work").exists()
    assert workspace.results("hardware") == workspace.results("software")
    said = in_shell(workspace, f"ligament report build/{NAME}/*/runs/*")
    assert "equal" in said
    again = workspace.run("colcon", "build", "--cmake-args", *options)
    assert "Up-to-date" in again
    assert "Building" not in again, again
    assert "Generating" not in again, again
    assert "Configuring" not in again, again
    # This one is written anew by ament in each build.
    assert re.findall(r"-- Installing: .*/(.*)", again) == ["package.dsv"]


def in_shell(workspace: Workspace, command: str) -> str:
    """What a user types after having sourced the workspace."""
    path = Path(resources.prefix()) / "bin"
    line = f"source install/setup.bash && PATH={path}:$PATH {command}"
    return workspace.run("bash", "-c", line)
