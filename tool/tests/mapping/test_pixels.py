# SPDX-License-Identifier: Apache-2.0
"""Pixels per cycle: what each core is built for, and how wide that makes streams and ports."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ligament.generate.fpga.backend import FpgaBackend
from ligament.graph import load_graph
from ligament.mapping import load_platform, map_graph
from ligament.mapping.explain import explain
from ligament.mapping.model import GraphMapping, from_json

GRAPH = """schema: ligament/graph/1
name: case_pixels
nodes:
  camera: {{type: image/camera, parameters: {{frames: 1}}, remap: {{image_raw: raw}}}}
  swap:
    type: image/convert
    parameters: {{encoding: bgra8}}
    device: fpga0
    remap: {{image: raw, image_converted: swapped}}
  level:
    type: image/threshold
    device: fpga0
    remap: {{image: swapped, image_thresholded: made}}
  sink: {{type: image/sink, parameters: {{frames: 1}}, remap: {{image: made}}}}
topics:
  raw: {{bound_bytes: 1000000}}
  swapped: {{bound_bytes: 1300000}}
  made: {{bound_bytes: 1300000}}
variants:
  asked: {{fpga: {fpga}}}
"""


def written(folder: Path, fpga: str) -> tuple[GraphMapping, dict[str, str]]:
    """The mapping, and the generated files by name."""
    (folder / "graph.yaml").write_text(GRAPH.format(fpga=fpga))
    graph = load_graph(folder / "graph.yaml")
    mapping = map_graph(graph, load_platform("fpga_sim"))
    files = FpgaBackend().generate(graph, mapping).files
    return mapping, {Path(file.path).name: file.text for file in files}


def top_of(files: dict[str, str]) -> str:
    return next(text for name, text in files.items() if name.startswith("lig_design_"))


@pytest.mark.parametrize(("asked", "bits"), [(2, 64), (4, 128), (8, 256), (16, 256)])
def test_a_core_takes_the_most_that_it_can_and_streams_are_as_wide(
    tmp_path: Path, asked: int, bits: int
) -> None:
    mapping, files = written(tmp_path, f"{{pixels: {asked}}}")
    found = mapping.nodes["/swap"].pixels
    assert found is not None
    assert found.per_cycle == min(asked, 8)
    assert mapping.nodes["/level"].pixels is None, "threshold has no such parameter"
    assert mapping.topics["/swapped"].stream is not None
    assert mapping.topics["/swapped"].stream.width_bits == bits
    top = top_of(files)
    assert f".PIXELS({min(asked, 8)})" in top
    assert f"input logic [{bits - 1}:0] m_axi_rdata" in top
    # Threshold stays at 64 bits: the network's frames are converted for it, and those for memory.
    assert (f"lig_width #(.S_WIDTH({bits}), .M_WIDTH(64)) narrow_0_0" in top) == (bits > 64)
    assert (f"lig_width #(.S_WIDTH(64), .M_WIDTH({bits})) exit_widen_0" in top) == (bits > 64)
    assert any(f"{min(asked, 8)} pixels per cycle: {found.text}" in t for t in explain(mapping))


def test_without_a_wish_designs_are_as_they_were(tmp_path: Path) -> None:
    plain, files = written(tmp_path, "{}")
    one, same = written(tmp_path, "{pixels: 1}")
    assert plain.nodes == one.nodes
    assert {node.pixels for node in plain.nodes.values()} == {None}
    assert files == same


def test_a_mapping_keeps_its_pixels(tmp_path: Path) -> None:
    mapping, _ = written(tmp_path, "{pixels: 4}")
    assert from_json(json.loads(json.dumps(mapping.to_json()))) == mapping
