# SPDX-License-Identifier: Apache-2.0
"""Pixels per cycle: what each core is built for, and how wide that makes streams and ports."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from ligament.errors import InputError
from ligament.generate.fpga.backend import FpgaBackend
from ligament.graph import load_graph
from ligament.mapping import load_platform, map_graph
from ligament.mapping.explain import explain
from ligament.mapping.model import GraphMapping, from_json
from ligament.resources import platforms_dir

#: With a core of 64 bits.
NARROW = Path(__file__).parents[3] / "examples" / "threshold" / "nodes"
GRAPH = """schema: ligament/graph/1
name: case_pixels
packages: [{packages}]
nodes:
  camera: {{type: image/camera, parameters: {{frames: 1}}, remap: {{image_raw: raw}}}}
  swap:
    type: image/convert
    parameters: {{encoding: bgra8}}
    device: fpga0
    remap: {{image: raw, image_converted: swapped}}
  level:
    type: example/threshold
    device: fpga0
    remap: {{image: swapped, thresholded: made}}
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
    (folder / "graph.yaml").write_text(GRAPH.format(fpga=fpga, packages=NARROW))
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
    unfed = "8 need 32 bytes per cycle, and memory gives 16"
    assert (unfed in found.text) == (asked >= 8), "it may be worth it, but should be known"
    assert ("8 is the most that the core can" in found.text) == (asked > 8)
    assert mapping.nodes["/level"].pixels is None, "it has no such parameter"
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


def test_a_wish_that_changes_nothing_is_told(tmp_path: Path) -> None:
    text = GRAPH.format(fpga="{pixels: 4}", packages=NARROW)
    (tmp_path / "graph.yaml").write_text(
        text.replace("image/convert", "example/threshold")
        .replace("    parameters: {encoding: bgra8}\n", "")
        .replace("image_converted", "thresholded")
    )
    warnings = map_graph(load_graph(tmp_path / "graph.yaml"), load_platform("fpga_sim")).warnings
    (told_of,) = (w for w in warnings if "changes nothing" in w)
    assert told_of.endswith(
        "example/threshold has one width, 8 bytes per cycle (no `pixels` in its manifest)"
    )
    told, _ = written(tmp_path, "{pixels: 4}")
    assert not [w for w in told.warnings if "changes nothing" in w]


def test_a_mapping_keeps_its_pixels(tmp_path: Path) -> None:
    mapping, _ = written(tmp_path, "{pixels: 4}")
    assert from_json(json.loads(json.dumps(mapping.to_json()))) == mapping


def with_areas(folder: Path, areas: dict[int, int]) -> Path:
    """A package with a core that declares so many LUTs for so many pixels per cycle."""
    made = folder / "nodes" / "wide"
    made.mkdir(parents=True)
    choices = ", ".join(
        f"{{pixels: {n}, area: {{xcup: {{lut: {lut}}}}}}}" if lut else f"{{pixels: {n}}}"
        for n, lut in areas.items()
    )
    (made / "wide.sv").write_text("module wide; endmodule\n")
    (made / "node.yaml").write_text(WIDE.format(choices=choices))
    return made


WIDE = """schema: ligament/node/1
type: case/wide
description: A core.
ports:
  image: {{direction: in, message: sensor_msgs/msg/Image, description: In.}}
  made: {{direction: out, message: sensor_msgs/msg/Image, description: Out.}}
implementations:
  fpga:
    sources: [wide.sv]
    streams: interfaces
    pixels: {{ports: [image, made], choices: [{choices}]}}
    area: {{xcup: {{lut: 1000}}}}
state: none
"""
AUTO = """schema: ligament/graph/1
name: case_auto
packages: [nodes]
nodes:
  camera: {{type: image/camera, parameters: {{frames: 1}}, remap: {{image_raw: raw}}}}
  wide: {{type: case/wide, device: fpga0, remap: {{image: raw}}}}
  sink: {{type: image/sink, parameters: {{frames: 1}}, remap: {{image: made}}}}
topics:
  raw: {{bound_bytes: 1000000{rate}}}
  made: {{bound_bytes: 1000000}}
variants:
  auto: {{fpga: {{pixels: auto}}}}
  told: {{fpga: {{pixels: 8}}}}
"""


@pytest.mark.parametrize(
    ("areas", "rate", "chosen", "why"),
    [
        # 16 bytes per cycle is what the platform's port gives.
        ({2: 2000, 4: 4000, 8: 8000}, "", 4, "8 need 32 bytes per cycle, and memory gives 16"),
        ({2: 2000, 4: 90_000}, "", 2, "4 need 90000 lut of 117120, cores alone"),
        ({2: 2000, 4: 0}, "", 2, "case/wide declares no area for 4 on xcup"),
        ({2: 2000, 4: 4000}, ", rate_hz: 150", 2, "enough for 150 Hz"),
        ({2: 2000}, "", 2, "the most that its cores can"),
    ],
)
def test_the_mapper_chooses_by_port_budget_and_rate(
    tmp_path: Path, areas: dict[int, int], rate: str, chosen: int, why: str
) -> None:
    with_areas(tmp_path, areas)
    (tmp_path / "graph.yaml").write_text(AUTO.format(rate=rate))
    graph = load_graph(tmp_path / "graph.yaml")
    found = map_graph(graph, load_platform("fpga_sim"), "auto").nodes["/wide"].pixels
    assert found is not None
    assert (found.per_cycle, found.text) == (chosen, f"chosen: {why}")


def test_a_budget_counts_the_width_and_says_what_it_does_not(tmp_path: Path) -> None:
    with_areas(tmp_path, {4: 0, 8: 200_000})
    (tmp_path / "graph.yaml").write_text(AUTO.format(rate=""))
    graph = load_graph(tmp_path / "graph.yaml")
    with pytest.raises(InputError, match=r"need 2\d* lut"):
        map_graph(graph, load_platform("fpga_sim"), "told")
    (tmp_path / "graph.yaml").write_text(AUTO.format(rate="").replace("pixels: 8", "pixels: 4"))
    graph = load_graph(tmp_path / "graph.yaml")
    warnings = map_graph(graph, load_platform("fpga_sim"), "told").warnings
    assert any("declares no area for 4 pixels per cycle" in text for text in warnings)


def slotted(folder: Path, bits: dict[str, int]) -> Path:
    """The platform slots_sim, its slots as wide as that and without budgets."""
    text = (platforms_dir() / "slots_sim" / "platform.yaml").read_text()
    for slot, width in bits.items():
        text = re.sub(
            rf"(      {slot}:\n.*\n).*budgets:.*", rf"\1        stream_bits: {width}", text
        )
    (folder / "platform.yaml").write_text(text)
    return folder / "platform.yaml"


def in_slots(folder: Path, bits: dict[str, int]) -> tuple[GraphMapping, dict[str, str]]:
    graph = GRAPH.format(fpga="{pixels: 2}", packages=NARROW).replace("fpga0", "fpga0.slot0", 1)
    (folder / "graph.yaml").write_text(graph.replace("device: fpga0\n", "device: fpga0.slot1\n"))
    mapping = map_graph(
        load_graph(folder / "graph.yaml"), load_platform(str(slotted(folder, bits)))
    )
    files = FpgaBackend().generate(load_graph(folder / "graph.yaml"), mapping).files
    return mapping, {Path(file.path).name: file.text for file in files}


def test_a_core_in_a_slot_is_as_wide_as_the_slot_and_narrower_streams_are_adapted(
    tmp_path: Path,
) -> None:
    mapping, files = in_slots(tmp_path, {"slot0": 256, "slot1": 128})
    assert mapping.hardware["fpga0.slot0"]["slot_bits"] == [256, 128]
    swap, level = mapping.nodes["/swap"], mapping.nodes["/level"]
    assert swap.pixels and swap.pixels.per_cycle == 8
    assert level.pixels is None
    wide = files["lig_slot_core_image_convert_of_2_256.sv"]
    assert "#(.PIXELS(8)) node" in wide and "lig_width" not in wide
    narrow = files["lig_slot_core_example_threshold_of_2_128.sv"]
    assert "lig_width #(.S_WIDTH(128), .M_WIDTH(64)) narrow" in narrow
    assert "lig_width #(.S_WIDTH(64), .M_WIDTH(128)) widen" in narrow
    shell = files["lig_shell_of_2_256_128.sv"]
    assert "lig_slot #(.DATA_WIDTH(256)" in shell and "lig_slot #(.DATA_WIDTH(128)" in shell
    assert "entry_narrow_1" in shell and "entry_narrow_0" not in shell
    assert "CoreSlot0" in files["image-convert-fpga0-256-slot-fpga.cpp"]
    assert "CoreSlot1" not in files["image-convert-fpga0-256-slot-fpga.cpp"]


def test_slots_of_64_bits_are_as_they_were(tmp_path: Path) -> None:
    mapping, files = in_slots(tmp_path, {"slot0": 64, "slot1": 64})
    assert "slot_bits" not in mapping.hardware["fpga0.slot0"]
    assert mapping.nodes["/swap"].pixels is None
    assert "lig_width" not in "".join(t for n, t in files.items() if n.startswith("lig_s"))
    assert "CoreSlot1" in files["image-convert-fpga0-slot-fpga.cpp"]
