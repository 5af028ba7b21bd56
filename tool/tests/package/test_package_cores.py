# SPDX-License-Identifier: Apache-2.0
"""Node types with C99 and with HLS C++, two in one project: their libraries, and an image."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from package_builds import REPOSITORY, Workspace

LISTS = """cmake_minimum_required(VERSION 3.22)
project(cores LANGUAGES CXX)
find_package(ligament REQUIRED)
ligament_add_node(motor MANIFEST motor/node.yaml)
ligament_add_node(threshold MANIFEST threshold/node.yaml IMPLEMENTATIONS hls)
"""
#: Where programs are that a build needs, and no cross compiler is.
TOOLS = ("cmake", "ninja", "c++", "cc", "ld", "ar", "as", "ranlib", "ccache", "sh", "uname", "env")


@pytest.fixture
def cores(tmp_path: Path) -> Workspace:
    workspace = Workspace(tmp_path)
    for node in ("motor/nodes/motor", "threshold/nodes/threshold"):
        shutil.copytree(REPOSITORY / "examples" / node, workspace.package / Path(node).name)
    (workspace.package / "CMakeLists.txt").write_text(LISTS)
    # A header that no manifest lists.
    (workspace.package / "motor" / "own.h").write_text("/* nothing */\n")
    source = workspace.package / "motor" / "motor.c"
    source.write_text('#include "own.h"\n' + source.read_text())
    return workspace


def test_a_library_of_each_and_an_image(cores: Workspace) -> None:
    if shutil.which("arm-none-eabi-gcc") is None:
        pytest.skip("no arm-none-eabi-gcc (dev/setup --test)")
    cores.configure()
    cores.make()
    cores.install()
    made = {path.name for path in (cores.prefix / "lib" / "cores").iterdir()}
    assert made == {"libmotor-control-mcu.so", "libnode-example_threshold.so", "motor.elf"}
    assert (cores.prefix / "lib" / "cores" / "motor.elf").read_bytes().startswith(b"\x7fELF")
    assert cores.make() == []
    (cores.package / "motor" / "own.h").write_text("/* changed */\n")
    done = cores.make()
    assert any("Compiling the firmware of motor" in line for line in done)
    assert not any("threshold" in line for line in done), done


def test_a_missing_cross_compiler_is_named(cores: Workspace, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in TOOLS:
        if found := shutil.which(name):
            (tools / name).symlink_to(found)
    cores.environment["PATH"] = str(tools)
    said = " ".join(cores.configure(good=False).split())
    assert "arm-none-eabi-gcc" in said
    assert "apt install gcc-arm-none-eabi" in said
    assert not (cores.build / "ligament").exists()
