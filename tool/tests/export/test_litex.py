# SPDX-License-Identifier: Apache-2.0
"""LiteX takes an exported folder: a system with the design is elaborated and simulated."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
from folders import compiled_and_run, exported, lint

HERE = Path(__file__).parent
needs_litex = pytest.mark.skipif(
    importlib.util.find_spec("litex") is None,
    reason="needs the Python package litex (test extras)",
)


@needs_litex
def test_a_system_reaches_the_design_and_the_design_its_memory(tmp_path: Path) -> None:
    result = exported(tmp_path, target="litex")
    lint(result.folder)
    assert result.data["ports"]["s_axil"]["data_bits"] == 32
    verilog = tmp_path / "system.v"
    words = [str(HERE / "litex_system.py"), str(result.folder), str(verilog), "wishbone"]
    done = subprocess.run(
        [sys.executable, *words], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    sources = [str(result.folder / source) for source in result.data["sources"]]
    sources += [str(verilog), str(HERE / "litex_tb.sv")]
    # It reads what its memories begin with from files in this folder.
    said = compiled_and_run(tmp_path, tmp_path / "model", "litex_tb", sources)
    assert f"identity {result.data['identity'][2:]}" in said
    assert "PASS" in said
