# SPDX-License-Identifier: Apache-2.0
"""Mixins: colcon's arguments for a platform, in the workspace and nowhere else."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from workspaces import BOARD, add_board, call

LISTS = """cmake_minimum_required(VERSION 3.22)
project(hello LANGUAGES C CXX)
add_executable(hello hello.cpp)
file(WRITE ${CMAKE_BINARY_DIR}/told "${LIGAMENT_PLATFORM} ${CMAKE_SYSTEM_PROCESSOR}")
install(TARGETS hello DESTINATION lib/hello)
"""
CROSS = """  cross:
    programs: {{aarch64-linux-gnu-g++: {{}}}}
    cross: {{prefix: aarch64-linux-gnu-, processor: aarch64, sysroot: sysroots/arm}}
vendor_files:
"""


def package(root: Path) -> None:
    """A package of plain CMake in a workspace."""
    folder = root / "src" / "hello"
    folder.mkdir(parents=True)
    (folder / "CMakeLists.txt").write_text(LISTS)
    (folder / "hello.cpp").write_text("int main() {}\n")


def mixin(root: Path, name: str, capsys) -> dict:
    assert call(root, "select", name) == 0
    capsys.readouterr()
    assert call(root, "mixin") == 0
    return json.loads(capsys.readouterr().out)["build"][name]


def test_a_board_s_mixin_has_its_compiler_its_platform_and_folders_of_its_own(tmp_path, capsys):
    found = mixin(tmp_path, "kv260", capsys)
    assert found["build-base"] == "build-kv260"
    assert found["install-base"] == "install-kv260"
    assert found["cmake-args"][0] == "-DLIGAMENT_PLATFORM=kv260"
    assert "-DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++" in found["cmake-args"]
    assert "-DCMAKE_FIND_ROOT_PATH_MODE_PROGRAM=NEVER" in found["cmake-args"]
    assert mixin(tmp_path, "fpga_sim", capsys)["cmake-args"] == ["-DLIGAMENT_PLATFORM=fpga_sim"]


def test_a_sysroot_is_looked_for_and_its_absence_says_where_it_goes(tmp_path, capsys):
    folder = add_board(tmp_path, "mine", BOARD.replace("vendor_files:\n", CROSS))
    assert call(tmp_path, "select", "mine") == 0
    assert call(tmp_path, "mixin") == 2
    assert str(folder / "sysroots" / "arm") in capsys.readouterr().err
    (folder / "sysroots" / "arm").mkdir(parents=True)
    arguments = mixin(tmp_path, "mine", capsys)["cmake-args"]
    assert f"-DCMAKE_SYSROOT={folder / 'sysroots' / 'arm'}" in arguments
    assert "-DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY" in arguments
    assert f"-DLIGAMENT_PLATFORM={folder / 'platform.yaml'}" in arguments


def test_it_is_written_into_the_workspace_and_nowhere_else(tmp_path, capsys, monkeypatch):
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLCON_HOME", str(tmp_path / "home" / "colcon"))
    root = tmp_path / "ws"
    root.mkdir()
    call(root, "select", "kv260")
    assert call(root, "mixin", "--write", "--dry-run") == 0
    path = root / "acceleration" / "firmware" / "kv260" / "mixin" / "kv260.mixin"
    assert not path.exists()
    assert call(root, "mixin", "--write") == 0
    assert f"wrote {path}" in capsys.readouterr().out
    assert json.loads(path.read_text())["build"]["kv260"]["merge-install"] is True
    assert call(root, "mixin", "--write") == 0
    assert f"unchanged {path}" in capsys.readouterr().out
    assert list((tmp_path / "home").iterdir()) == []


@pytest.mark.skipif(shutil.which("colcon") is None, reason="this machine has no such thing: colcon")
def test_colcon_builds_with_its_arguments(tmp_path, capsys):
    root = tmp_path / "späce ws"
    package(root)
    call(root, "select", "fpga_sim")
    capsys.readouterr()
    call(root, "mixin", "--arguments")
    words = shlex.split(capsys.readouterr().out)
    _colcon(root, words)
    built = root / "build-fpga_sim" / "hello"
    assert (built / "told").read_text().startswith("fpga_sim ")
    assert (root / "install-fpga_sim" / "lib" / "hello" / "hello").is_file()
    assert not (root / "build").exists()


@pytest.mark.skipif(
    shutil.which("colcon") is None or shutil.which("aarch64-linux-gnu-g++") is None,
    reason="this machine has no such thing: colcon with a cross compiler for aarch64",
)
def test_colcon_compiles_for_the_board_s_processors(tmp_path, capsys):
    package(tmp_path)
    call(tmp_path, "select", "kv260")
    capsys.readouterr()
    call(tmp_path, "mixin", "--arguments")
    _colcon(tmp_path, shlex.split(capsys.readouterr().out))
    program = (tmp_path / "install-kv260" / "lib" / "hello" / "hello").read_bytes()
    assert int.from_bytes(program[18:20], "little") == 183  # e_machine: EM_AARCH64
    assert (tmp_path / "build-kv260" / "hello" / "told").read_text() == "kv260 aarch64"


def _colcon(root: Path, words: list[str], **more: str) -> None:
    environment = {**os.environ, "COLCON_LOG_PATH": os.devnull, **more}
    command = ["colcon", "--log-base", os.devnull, "build", *words]
    done = subprocess.run(
        command, cwd=root, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
