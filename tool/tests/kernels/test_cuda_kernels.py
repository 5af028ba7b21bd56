# SPDX-License-Identifier: Apache-2.0
"""Every kernel that ships compiles for NVIDIA devices too, with NVIDIA's compiler and no GPU."""

from __future__ import annotations

import os
import subprocess
import sysconfig
from pathlib import Path

import pytest

from ligament import resources
from ligament.generate.gpu.backend import kernel_signatures
from ligament.graph import load_graph
from ligament.graph.model import NodeType

NVRTC = Path(sysconfig.get_paths()["purelib"]) / "nvidia" / "cuda_nvrtc" / "lib" / "libnvrtc.so.12"
CHECK = resources.prefix() / "lib" / "ligament" / "ligament-kernel-check"
NAMES = ("blur", "convert", "rectify", "resize")
GRAPH = """schema: ligament/graph/1
name: case_kernels
nodes:
"""
# Jetson TX2, Xavier, Orin, and a card of today.
ARCHITECTURES = ("62", "72", "87", "90")


def check(sources: list[Path], *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(CHECK), *map(str, sources), *words],
        env=os.environ | {"LIGAMENT_NVRTC": str(NVRTC)},
        capture_output=True,
        text=True,
        check=False,
    )


needs_compiler = pytest.mark.skipif(
    not (NVRTC.is_file() and CHECK.is_file()),
    reason="no NVRTC (pip install nvidia-cuda-nvrtc-cu12), or no runtime with kernels",
)


def types_with_kernels(folder: Path) -> list[NodeType]:
    path = folder / "graph.yaml"
    path.write_text(GRAPH + "".join(f"  {name}: {{type: image/{name}}}\n" for name in NAMES))
    return [t for t in load_graph(path).types.values() if "gpu" in t.implementations]


@needs_compiler
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_kernels_of_nodes_compile_and_fit_their_manifests(
    architecture: str, tmp_path: Path
) -> None:
    found = types_with_kernels(tmp_path)
    assert {t.type for t in found} == {f"image/{name}" for name in NAMES}
    for node_type in found:
        sources = [Path(node_type.folder) / s for s in node_type.implementations["gpu"]["sources"]]
        kernels = [
            word for one in kernel_signatures(node_type, "jazzy") for word in ("--kernel", one)
        ]
        done = check(sources, *kernels, "--cuda", architecture)
        assert done.returncode == 0, done.stderr


@needs_compiler
def test_a_mistake_names_the_kernels_own_file_and_line(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.cl"
    wrong.write_text("// one\n__kernel void f(int a) { b = a; }\n")
    done = check([wrong], "--kernel", "f:n", "--cuda", "87")
    assert done.returncode == 1
    assert f"{wrong}(2): error" in done.stderr


@needs_compiler
def test_a_kernel_of_cuda_alone_is_compiled_without_its_device(tmp_path: Path) -> None:
    own = tmp_path / "own.cu"
    own.write_text(
        "__global__ void f(int* out, int n) { if (threadIdx.x < n) out[threadIdx.x] = n; }"
    )
    assert check([own], "--kernel", "f:on").returncode == 0
    done = check([own], "--kernel", "f:oi")
    assert done.returncode == 1
    assert "parameter 2 ('n') of kernel 'f' is a int" in done.stderr
