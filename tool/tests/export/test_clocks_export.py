# SPDX-License-Identifier: Apache-2.0
"""Designs with several clocks, exported: ports, constraints, and benches with unequal clocks."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from folders import EXAMPLES, exported, lint, simulate
from test_ecp5 import SYSTEM
from test_vivado import said, schema_of_ipxact

from ligament.cli.main import main

CLOCKS = {"aclk": 100e6, "m_axi_aclk": 61.8034e6, "s_axil_aclk": 61.8034e6}


def folder_of(root: Path, target: str) -> Path:
    return exported(root, "clocks", target).folder


def test_its_bench_passes_with_unequal_clocks(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, "fusesoc")
    data = json.loads((folder / "export.json").read_text())
    buses = {"aclk": [], "m_axi_aclk": ["m_axi"], "s_axil_aclk": ["s_axil"]}
    assert {name: one["buses"] for name, one in data["clocks"].items()} == buses
    bench = (folder / "sim" / "board_tb.sv").read_text()
    assert len(set(re.findall(r"always #(\d+) \w*aclk", bench))) == 2
    assert "PASS" in simulate(folder, tmp_path / "model")


def test_vivado_gets_each_clock_and_what_may_cross(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, "vivado")
    alone = (folder / "constraints" / "alone.xdc").read_text()
    told = re.findall(r"create_clock -name (\w+) -period (\S+) \[get_ports (\w+)\]", alone)
    expected = [(name, f"{1e9 / hz:.3f}", name) for name, hz in CLOCKS.items()]
    assert told == expected
    crossings = (folder / "constraints" / "crossings.xdc").read_text()
    # What is constrained by name is there by that name, in the sources of the same folder.
    for module, names in {
        "lig_cross": ("writer", "reader"),
        "lig_cross_write": ("write_gray_q", "memory", "reads"),
        "lig_cross_read": ("read_gray_q", "out_q", "writes"),
        "lig_sync": ("seen_q",),
        "lig_reset_cross": ("release_q", "reset_level"),
        "lig_axil_cross": ("irq_level",),
    }.items():
        source = (folder / "rtl" / "ligament" / f"{module}.sv").read_text()
        for name in names:
            assert re.search(rf"\b{name}\b", source), (module, name)
            assert name.removeprefix("reset").removeprefix("irq") in crossings
    code, text = said(folder, tmp_path, progress="100%", words="system")
    assert code == 0, text
    for number, name in enumerate(CLOCKS):
        # The processor's clock of that number, of that frequency, on that port alone.
        at = re.findall(rf"get_bd_pins ps/pl_clk{number}\nget_bd_pins design/(\w+)", text)
        assert at == [name]
    assert "PL1_REF_CTRL__FREQMHZ 61.8034" in text
    assert text.index("validate_bd_design") < text.index("crossings.xdc")


def test_its_ip_has_the_clock_of_each_bus(tmp_path: Path) -> None:
    from lxml import etree

    tree = etree.parse(str(folder_of(tmp_path, "vivado") / "component.xml"))
    schema = schema_of_ipxact()
    assert schema.validate(tree), schema.error_log
    text = etree.tostring(tree).decode()
    for clock, bus in (("M_AXI_ACLK", "m_axi"), ("S_AXIL_ACLK", "s_axil")):
        assert f'id="BUSIFPARAM_VALUE.{clock}.ASSOCIATED_BUSIF">{bus}<' in text
    assert "BUSIFPARAM_VALUE.ACLK.ASSOCIATED_BUSIF" not in text


def test_an_ecp5_has_both_clocks_at_their_ratio(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, "ecp5")
    pins = (folder / "constraints" / "ecp5-evn.lpf").read_text()
    found = dict(re.findall(r'FREQUENCY NET "(\w+)" (\S+) MHz', pins))
    # 12 MHz x 48 by whole numbers: the slower one is at its ratio, or just below it.
    assert found == {"cores_clk": "48", "clk": "28.8"}
    lint(folder, "lig_ecp5_system", SYSTEM)
    assert "PASS" in simulate(folder, tmp_path / "model", "serial_tb", SYSTEM)


def test_an_ecp5_refuses_buses_of_two_clocks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (EXAMPLES / "threshold" / "graph.yaml").read_text()
    old = "    devices: {threshold: fpga0}\n"
    assert text.count(old) == 1
    text = text.replace(old, f"{old}    fpga: {{clocks: {{registers: fast}}}}\n")
    packages = EXAMPLES / "threshold" / "nodes"
    (tmp_path / "graph.yaml").write_text(
        text.replace("packages: [nodes]", f"packages: [{packages}]")
    )
    words = [str(tmp_path / "graph.yaml"), "-v", "hardware", "-p", "fpga_sim_clocks"]
    assert main(["export", *words, "--to", "ecp5", "--out", str(tmp_path / "out")]) == 2
    told = capsys.readouterr().err
    assert "[export-clocks]" in told and "s_axil_aclk 161.803 MHz" in told


def test_a_module_of_litex_is_python_and_takes_a_domain_for_the_cores(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, "litex")
    text = (folder / "ligament_design.py").read_text()
    compile(text, "ligament_design.py", "exec")
    for line in ("i_aclk=ClockSignal(cores)", 'i_m_axi_aclk=ClockSignal("sys")'):
        assert line in text
    lint(folder)


def test_without_clocks_nothing_of_them_is_there(tmp_path: Path) -> None:
    folder = exported(tmp_path, "threshold", "vivado").folder
    assert not (folder / "constraints" / "crossings.xdc").exists()
    found = subprocess.run(
        ["grep", "-rlE", "_aclk|cores_clk|lig_cross", str(folder / "rtl"), str(folder / "sim")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert found.stdout == ""
