# SPDX-License-Identifier: Apache-2.0
"""Components of nodes with kernels: what the manifests of the perception graph become."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from ligament import resources
from ligament.generate.gpu.backend import GpuBackend
from ligament.graph import load_graph
from ligament.mapping import load_platform, map_graph

PERCEPTION = Path(__file__).resolve().parents[3] / "examples" / "perception" / "graph.yaml"


def generated() -> dict[str, str]:
    graph = load_graph(PERCEPTION)
    output = GpuBackend().generate(graph, map_graph(graph, load_platform("host"), "gpu"))
    return {Path(file.path).name: file.text for file in output.files}


def test_several_inputs_are_paired_and_tables_are_made_for_changes_alone() -> None:
    text = generated()["image-rectify-gpu.cpp"]
    assert "pairing->on_lead" in text
    assert "gpu::pair_rule(std::string(parameter_pairing))" in text
    assert "gpu::Kept buffer_table{.place = 0" in text
    assert "gpu::Values{gpu::bytes_of(in_info.d())}" in text
    assert text.count(".when_changed = true") == 1


def test_parameters_have_the_defaults_that_were_declared() -> None:
    text = generated()["image-resize-gpu.cpp"]
    for declared in (
        '<std::int64_t>("queue_size", std::int64_t{5}, descriptor)',
        '<std::int64_t>("width", std::int64_t{-1}, descriptor)',
        '<double>("scale_width", 1.0, descriptor)',
        '<bool>("use_scale", true, descriptor)',
    ):
        assert f"declare_parameter{declared};" in text


def test_kernels_are_checked_by_the_kinds_of_their_arguments() -> None:
    project = generated()["CMakeLists.txt"]
    assert '"rectify_table:vvvvnnnnnb"' in project
    assert '"resize_linear:innnonnnn"' in project


@pytest.mark.parametrize("name", ["image-rectify-gpu.cpp", "image-resize-gpu.cpp"])
def test_a_component_compiles_without_a_warning(name: str, tmp_path: Path) -> None:
    compiler = shutil.which("c++")
    include = resources.prefix() / "include"
    if compiler is None or not (include / "ligament" / "gpu_node.hpp").is_file():
        pytest.skip("no C++ compiler, or the runtime is not installed with OpenCL")
    source = tmp_path / name
    source.write_text(generated()[name], encoding="utf-8")
    command = [compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"]
    ended = subprocess.run(
        [*command, f"-I{include}", str(source)], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
