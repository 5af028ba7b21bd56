# SPDX-License-Identifier: Apache-2.0
"""Which models are taken through a cycle with one look at their clocks."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ligament.build.cycle import falls

PORTS = "input logic clk_i, input logic rst_i, input logic [7:0] in_i, output logic [7:0] out_o"
TOP = f"""module top ({PORTS});
  logic clk, tick_q;
  assign clk = clk_i != tick_q;
  always_ff @(posedge clk) tick_q <= clk_i;
  core core (.clk_i(clk), .rst_i, .in_i, .out_o);
endmodule
"""
AT_ONCE = "  assign out_o = rst_i || clk_i ? '0 : in_i;"
PLAIN = "  always_ff @(posedge clk_i) out_o <= rst_i ? '0 : out_o + in_i;"
#: A register is the clock of another one, and so it rises behind the clock.
DERIVED = """  logic slow_q;
  always_ff @(posedge clk_i) slow_q <= !rst_i && !slow_q;
  always_ff @(posedge slow_q) out_o <= out_o + in_i;"""
#: Its clock and a condition have a name of their own, as another such clock comes from them.
GATED = """  logic clk, deep_clk, wakes_q;
  logic [7:0] beats_q;
  always_ff @(posedge clk_i) wakes_q <= rst_i || in_i[0];
  assign clk = clk_i && (wakes_q || beats_q[0]);
  assign deep_clk = clk && beats_q[1];
  always_ff @(posedge clk) beats_q <= beats_q + in_i;
  always_ff @(posedge deep_clk) out_o <= rst_i ? '0 : out_o + beats_q;"""
#: The same, of what does not fall with the clock.
LATE = GATED.replace("clk_i && (wakes_q || beats_q[0])", "clk_i || wakes_q")
FALLING = "  always_ff @(negedge clk_i) out_o <= rst_i ? '0 : out_o + in_i;"


@pytest.mark.parametrize(
    ("clock", "expected"),
    [
        ("top.clk", True),
        ("(clk_i != top.tick_q)", True),
        ("top.node_n0.image_clk", True),
        ("(top.clk & top.a)", True),
        ("((top.a | top.b) & top.node_n0.image_clk)", True),
        ("(top.n.core.q & (top.clk & top.b))", True),
        ("(m_axi_clk_i != top.m_axi_tick_q)", True),
        ("(m_axi_clk_i != top.tick_q)", False),
        ("top.memory_cross.resets.begin_rst_q", False),
        ("top.node_n0_first.image_clk", True),
        ("top.n.core.slow_q", False),
        ("((top.clk & top.a) | top.b)", False),
        ("((top.clk | top.b) & top.n.core.q)", False),
        ("(~ top.clk)", False),
    ],
)
def test_a_clock_falls_with_the_top_s_where_it_is_gated(clock: str, expected: bool) -> None:
    assert falls(clock, "top") == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("(top.clk & (top.n.core.a | top.n.core.wakes))", True),
        ("((top.n.core.a | top.n.core.wakes) & top.clk)", True),
        ("(top.n.core.wakes & top.n.core.slow_q)", False),
        ("(top.clk | top.n.core.wakes)", False),
        ("top.n.core.q", False),
    ],
)
def test_a_core_s_gate_is_read_in_the_model_in_either_order(given: str, expected: bool) -> None:
    read = re.sub(r"top[\w.]+", r"(IData)(vlSelfRef.\g<0>)", given)
    lines = f"vlSelfRef.top.n.core.gated = 0;\nvlSelfRef.top.n.core.gated\n    = {read};\n"
    model = re.sub(r"(?<=\w)\.(?=\w)", "__DOT__", lines).replace("vlSelfRef__DOT__", "vlSelfRef.")
    assert falls("top.n.core.gated", "top", model) == expected


@pytest.mark.parametrize(
    ("core", "once"),
    [
        *((PLAIN, True), (AT_ONCE, True), (GATED, True)),
        *((DERIVED, False), (FALLING, False), (LATE, False)),
    ],
)
def test_a_core_s_own_clock_is_looked_for(tmp_path: Path, core: str, once: bool) -> None:
    source, model = tmp_path / "top.sv", tmp_path / "model"
    source.write_text(f"module core ({PORTS});\n{core}\nendmodule\n{TOP}")
    words = ["--top", "top", "--out", str(model), str(source)]
    subprocess.run([sys.executable, "-m", "ligament.build.verilate", *words], check=True)
    written = (model / "Vtop_cycle.cpp").read_text()
    assert ("___eval_nba(root)" in written) == once
    assert ("___eval(root)" in written) != once
    words = ["nm", "--defined-only", "--demangle", str(model / "Vtop__ALL.a")]
    assert "Vtop_cycle(" in subprocess.run(words, check=True, capture_output=True, text=True).stdout


def test_a_model_is_compiled_once_wherever_it_lies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shutil.which("ccache") is None:
        pytest.skip("no ccache is installed")
    monkeypatch.delenv("CCACHE_DISABLE", raising=False)
    log = tmp_path / "log"
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "top.sv").write_text(f"module core ({PORTS});\n{PLAIN}\nendmodule\n{TOP}")
        words = ["--top", "top", "--out", str(folder / "model"), "top.sv"]
        command = [sys.executable, "-m", "ligament.build.verilate", *words]
        subprocess.run(command, check=True, cwd=folder)
        monkeypatch.setenv("CCACHE_STATSLOG", str(log))
    told = log.read_text()
    objects = list((tmp_path / "two" / "model").glob("*.o"))
    assert "# Vtop_cycle.cpp" in told and "cache_miss" not in told
    assert told.count("_cache_hit") == len(objects) > 1, told
