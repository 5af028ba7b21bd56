# SPDX-License-Identifier: Apache-2.0
"""Kernels without a node: each back-end, the draft standard's call, a missing vendor's tool."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from package_builds import Workspace

LISTS = """cmake_minimum_required(VERSION 3.22)
project(kernels LANGUAGES CXX)
find_package(ligament REQUIRED)
"""
OPENCL = """__kernel void add(const __global uint* a, __global uint* b) {
  b[get_global_id(0)] += a[get_global_id(0)];
}
"""
VERILOG = """module inc (input logic clk_i, input logic [7:0] a, output logic [7:0] b);
  always_ff @(posedge clk_i) b <= a + 8'd1;
endmodule
"""
HLS = """#include "weights.h"
void scale(const int* in, int* out) { *out = *in * WEIGHT; }
"""


@pytest.fixture
def kernels(tmp_path: Path) -> Workspace:
    """A project with the sources of three kernels, and nothing that is built of them."""
    workspace = Workspace(tmp_path / "kernels ä")
    (workspace.package / "include").mkdir(parents=True)
    for name, text in (("add.cl", OPENCL), ("inc.sv", VERILOG), ("scale.cpp", HLS)):
        (workspace.package / name).write_text(text)
    (workspace.package / "include" / "weights.h").write_text("#define WEIGHT 3\n")
    return workspace


def declare(workspace: Workspace, *lines: str) -> None:
    (workspace.package / "CMakeLists.txt").write_text(LISTS + "\n".join(lines) + "\n")


def test_each_back_end_builds_and_a_touched_kernel_only_itself(kernels: Workspace) -> None:
    declare(
        kernels,
        "acceleration_kernel(NAME add FILE add.cl)",
        "acceleration_kernel(NAME inc FILE inc.sv)",
        "acceleration_kernel(NAME scale FILE scale.cpp INCLUDE include)",
    )
    kernels.configure()
    kernels.make()
    kernels.install()
    lib = kernels.prefix / "lib" / "kernels"
    for name in ("add.cl", "inc/Vinc__ALL.a", "inc/Vinc.h", "libscale-native.a"):
        assert (lib / name).is_file(), name
    assert kernels.make() == []
    (kernels.package / "add.cl").write_text(OPENCL + "// changed\n")
    assert len(kernels.make()) == 1
    (kernels.package / "inc.sv").write_text(VERILOG + "// changed\n")
    assert len(kernels.make()) == 1


@pytest.mark.parametrize(("name", "text"), [("add.cl", "a[0] = c;"), ("inc.sv", "assign c = 0;")])
def test_a_mistake_in_a_kernel_fails_the_build(kernels: Workspace, name: str, text: str) -> None:
    file = kernels.package / name
    lines = file.read_text().splitlines()
    file.write_text("\n".join([lines[0], text, *lines[1:]]) + "\n")
    declare(kernels, f"acceleration_kernel(NAME {name[:3]} FILE {name})")
    kernels.configure()
    said = kernels.run("cmake", "--build", kernels.build, good=False)
    assert name in said


def test_vitis_gets_its_project_files_and_is_named_where_it_is_missing(kernels: Workspace) -> None:
    declare(kernels, "ligament_add_kernel(scale SOURCES scale.cpp INCLUDE include BACKENDS vitis)")
    said = " ".join(kernels.configure("-DLIGAMENT_VITIS_PLATFORM=kv260.xpfm", good=False).split())
    assert "v++ of AMD Vitis is not on the PATH: source its settings64.sh" in said
    folder = kernels.build / "scale.vitis"
    script = (folder / "hls.tcl").read_text()
    assert f"add_files {{{kernels.package / 'scale.cpp'}}}" in script
    assert "set_top scale" in script
    assert "create_clock -period 10.000 " in script
    assert "platform=kv260.xpfm" in (folder / "kernel.cfg").read_text()


def test_vitis_is_called_where_it_is_there(kernels: Workspace) -> None:
    """By a program of its name, which writes what it is told to write."""
    tool = kernels.root / "bin" / "v++"
    tool.parent.mkdir()
    tool.write_text(
        '#!/bin/sh\necho "$@" >> calls\nwhile [ "$1" != -o ]; do shift; done\necho made > "$2"\n'
    )
    tool.chmod(0o755)
    kernels.environment["PATH"] = f"{tool.parent}:{os.environ['PATH']}"
    declare(kernels, "ligament_add_kernel(scale SOURCES scale.cpp BACKENDS vitis)")
    kernels.configure("-DLIGAMENT_VITIS_PLATFORM=kv260.xpfm")
    kernels.make()
    calls = (kernels.build / "scale.vitis" / "calls").read_text().splitlines()
    assert [call.split()[0] for call in calls] == ["-c", "-l"]
    assert kernels.make() == []


def test_mistakes_in_a_call_are_named(kernels: Workspace) -> None:
    for call, words in (
        ("acceleration_kernel(NAME add)", "there are NAME and FILE"),
        ("acceleration_kernel(NAME add FILE ad.cl)", "there is no"),
        ("acceleration_kernel(NAME add FILE include)", "nothing here compiles"),
        ("ligament_add_kernel(add SOURCES add.cl BACKENDS nobody)", "no back-end 'nobody'"),
    ):
        declare(kernels, call)
        said = " ".join(kernels.configure(good=False).split())
        assert words in said, said
