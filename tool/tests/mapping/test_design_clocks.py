# SPDX-License-Identifier: Apache-2.0
"""Clocks of a design: who names them, which of them are domains, and what is generated."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from ligament.errors import InputError
from ligament.generate.fpga.backend import FpgaBackend
from ligament.graph import load_graph
from ligament.graph.schema import validate
from ligament.graph.source import Document
from ligament.mapping import load_platform, map_graph
from ligament.mapping.explain import explain
from ligament.mapping.model import GraphMapping
from ligament.resources import platforms_dir

CORES = Path(__file__).parents[3] / "examples" / "threshold" / "nodes"
GRAPH = """schema: ligament/graph/1
name: case_clocks
packages: [{packages}]
nodes:
  level: {{type: example/threshold, device: fpga0, remap: {{image: raw, thresholded: made}}}}
topics:
  raw: {{bound_bytes: 1000000}}
  made: {{bound_bytes: 1000000}}
variants:
  asked: {{fpga: {fpga}}}
"""
CLOCKS = "fpga_sim_clocks"


def mapped(folder: Path, fpga: str, platform: str) -> GraphMapping:
    (folder / "graph.yaml").write_text(GRAPH.format(fpga=fpga, packages=CORES))
    return map_graph(load_graph(folder / "graph.yaml"), load_platform(platform))


def sources_of(folder: Path, mapping: GraphMapping) -> tuple[str, str]:
    """The generated top, and the list of sources."""
    files = FpgaBackend().generate(load_graph(folder / "graph.yaml"), mapping).files
    named = {Path(file.path).name: file.text for file in files}
    top = next(text for name, text in named.items() if name.startswith("lig_design_"))
    return top, next(text for name, text in named.items() if name.endswith(".f"))


def test_without_a_word_there_is_one_clock(tmp_path: Path) -> None:
    mapping = mapped(tmp_path, "{in_flight: 1}", "fpga_sim")
    assert "clocks" not in mapping.hardware["fpga0"]
    top, sources = sources_of(tmp_path, mapping)
    assert "cross" not in sources and "cross" not in top and "_clk_i" not in top


def test_each_part_has_its_clock_and_the_reason(tmp_path: Path) -> None:
    mapping = mapped(tmp_path, "{clocks: {registers: fabric}}", CLOCKS)
    figures = mapping.hardware["fpga0"]
    assert figures["clock_hz"] == 100e6
    told = {side: (clock["name"], clock["hz"]) for side, clock in figures["clocks"].items()}
    bus = ("bus", 61.8034e6)
    assert told == {"cores": ("fabric", 100e6), "memory": bus, "registers": ("fabric", 100e6)}
    assert figures["clocks"]["memory"]["text"] == "the platform's devices.fpga0.clocks"
    assert figures["clocks"]["registers"]["text"] == "the variant 'asked' asks for it"
    line = "  clock of fpga0's memory  bus, 61.8034 MHz: the platform's devices.fpga0.clocks"
    assert line in explain(mapping)
    assert not validate(
        Document("mapping.json", json.loads(json.dumps(mapping.to_json()))), "mapping"
    )


@pytest.mark.parametrize(
    ("fpga", "domains"),
    [
        ("{in_flight: 1}", {"memory", "registers"}),
        ("{clocks: {memory: fast}}", {"memory", "registers"}),
        ("{clocks: {registers: fabric}}", {"memory"}),
        ("{clocks: {memory: fabric}}", {"registers"}),
        # All three name one clock: one domain, whatever clock it is.
        ("{clocks: {cores: bus}}", set()),
    ],
)
def test_names_make_domains_and_each_has_its_crossing(
    tmp_path: Path, fpga: str, domains: set[str]
) -> None:
    top, sources = sources_of(tmp_path, mapped(tmp_path, fpga, CLOCKS))
    crossings = {"memory": "lig_axi_cross", "registers": "lig_axil_cross"}
    ports = {"memory": "input logic m_axi_clk_i", "registers": "input logic s_axil_clk_i"}
    for side, module in crossings.items():
        assert (f"{module}.sv" in sources) == (side in domains)
        assert (f"  {module} #(" in top) == (side in domains)
        assert (ports[side] in top) == (side in domains)
    # A reset of one part alone leaves the crossings as they are.
    assert "m_rst_i(rst_0)" not in top and "s_rst_i(rst_0)" not in top


def test_the_cores_clock_is_the_one_that_a_variant_asks_for(tmp_path: Path) -> None:
    mapping = mapped(tmp_path, "{clocks: {cores: fast}}", CLOCKS)
    assert mapping.hardware["fpga0"]["clock_hz"] == 161.8034e6


@pytest.mark.parametrize(
    ("fpga", "platform", "code", "said"),
    [
        ("{clocks: {memory: bux}}", CLOCKS, "platform-reference", "bus"),
        ("{clocks: {cores: monotonic}}", CLOCKS, "clock-kind", "kind cycles"),
        ("{clocks: {memory: bus}}", "fpga_sim", "platform-reference", "fabric"),
    ],
)
def test_a_wrong_clock_is_an_error_with_its_place(
    tmp_path: Path, fpga: str, platform: str, code: str, said: str
) -> None:
    with pytest.raises(InputError) as caught:
        mapped(tmp_path, fpga, platform)
    (problem,) = caught.value.problems
    assert problem.code == code and said in str(problem)
    assert problem.location is not None and problem.location.line == 10


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("{memory: bus, registers: bus}", "{memory: box}", "platform-reference"),
        ("{memory: bus, registers: bus}", "{memory: monotonic}", "clock-kind"),
        ("    clock: fabric\n", "    clock: monotonic\n", "clock-kind"),
        ("    addresses_pool: true\n", "    emulation: sw_emu\n", "clock-kind"),
    ],
)
def test_a_platform_with_a_wrong_clock_is_refused(
    tmp_path: Path, old: str, new: str, code: str
) -> None:
    text = (platforms_dir() / CLOCKS / "platform.yaml").read_text()
    assert text.count(old) == 1
    path = tmp_path / "platform.yaml"
    path.write_text(text.replace(old, new))
    with pytest.raises(InputError) as caught:
        load_platform(str(path))
    assert code in {problem.code for problem in caught.value.problems}


def test_a_shell_with_slots_has_one_clock(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="asks for a clock of the memory, and 'fpga0' has slots"):
        mapped(tmp_path, "{clocks: {memory: fabric}}", "slots_sim")


def slow(mapping: GraphMapping) -> list[str]:
    return [warning for warning in mapping.warnings if "too slow" in warning]


@pytest.mark.parametrize(("reached", "told"), [(99.5e6, True), (100e6, False)])
def test_a_core_that_declares_less_than_its_clock_is_told(
    tmp_path: Path, reached: float, told: bool
) -> None:
    core = tmp_path / "nodes" / "threshold"
    shutil.copytree(CORES / "threshold", core)
    manifest = YAML().load(core / "node.yaml")
    manifest["implementations"]["fpga"]["clock_hz"] = {"ecp5": reached}
    YAML().dump(manifest, core / "node.yaml")
    text = GRAPH.format(fpga="{in_flight: 1}", packages=core.parent)
    (tmp_path / "graph.yaml").write_text(text)
    graph = load_graph(tmp_path / "graph.yaml")
    # Of the family of fpga_sim nothing is declared.
    assert not slow(map_graph(graph, load_platform("fpga_sim")))
    platform = YAML().load(platforms_dir() / "fpga_sim" / "platform.yaml")
    platform["devices"]["fpga0"] |= {"family": "ecp5", "budgets": {"lut": 83640}}
    YAML().dump(platform, tmp_path / "platform.yaml")
    mapping = map_graph(graph, load_platform(str(tmp_path / "platform.yaml")))
    assert slow(mapping) == told * [
        "/level may be too slow for fpga0: its core is declared to reach 99.5 MHz on the family "
        "'ecp5', and the clock 'fabric' has 100 MHz"
    ]
