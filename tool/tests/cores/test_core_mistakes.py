# SPDX-License-Identifier: Apache-2.0
"""What the author of a core did wrong is told by `ligament build`, with file and line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

#: A core that hands everything on; each case changes a line of it.
CORE = """module own
  import lig_fields_pkg::*;
  import lig_stream_pkg::*;
(
    input logic clk_i,
    input logic rst_i,
    input  logic        s_axis_tvalid,
    output logic        s_axis_tready,
    input  logic [63:0] s_axis_tdata,
    input  logic [7:0]  s_axis_tkeep,
    input  token_t      s_axis_tuser,
    input  logic        s_axis_tlast,
    input  header_t     header_i,
    output logic        m_axis_tvalid,
    input  logic        m_axis_tready,
    output logic [63:0] m_axis_tdata,
    output logic [7:0]  m_axis_tkeep,
    output token_t      m_axis_tuser,
    output logic        m_axis_tlast,
    output header_t     header_o
);
  assign m_axis_tvalid = s_axis_tvalid;
  assign s_axis_tready = m_axis_tready;
  assign m_axis_tdata = s_axis_tdata;
  assign m_axis_tkeep = s_axis_tkeep;
  assign m_axis_tuser = s_axis_tuser;
  assign m_axis_tlast = s_axis_tlast;
  assign header_o = header_i;
endmodule
"""
DATA = "  assign m_axis_tdata = s_axis_tdata;\n"
LATCH = """  always_comb begin
    if (s_axis_tlast) m_axis_tdata = s_axis_tdata;
  end
"""
LOOP = """  logic [63:0] other;
  assign m_axis_tdata = other ^ s_axis_tdata;
  assign other = m_axis_tdata | s_axis_tdata;
"""
NODE = """schema: ligament/node/1
type: case/own
description: A core with a mistake.
ports:
  in: {direction: in, message: std_msgs/msg/Byte}
  out: {direction: out, message: std_msgs/msg/Byte}
implementations:
  fpga: {sources: [core.sv], top: own}
"""
GRAPH = """schema: ligament/graph/1
name: wrong
packages: [nodes]
nodes: {own: {type: case/own}}
topics: {in: {bound_bytes: 100}, out: {bound_bytes: 100}}
"""


@pytest.mark.parametrize(
    ("line", "instead", "told"),
    [
        (DATA, LATCH, "LATCH: {core}:24:"),
        (DATA, LOOP, "{core}:26:"),
        (DATA, "  assign m_axis_tdata = s_axis_tkeep;\n", "WIDTHEXPAND: {core}:24:"),
        (
            "input  logic [63:0] s_axis_tdata",
            "input  logic [31:0] s_axis_tdata",
            "{core}:9:25: error: the port 's_axis_tdata' of 'own' has 32 bits, and a core's has 64",
        ),
        (
            "input  token_t      s_axis_tuser",
            "input  token_t      user",
            "{core}:1:8: error: 'own' has no port 's_axis_tuser'",
        ),
        (
            "    output header_t     header_o\n",
            "    output header_t     header_o,\n    input  logic        enable_i\n",
            "{core}:21:25: error: a core has no port 'enable_i'",
        ),
        (
            "module own\n",
            "module other\n",
            "{core}:1:8: error: no module 'own' is in the sources that node.yaml lists, but: other",
        ),
    ],
    ids=["latch", "loop", "width", "port-width", "port-missing", "port-too-many", "module-missing"],
)
def test_it_is_refused_before_anything_is_compiled(
    tmp_path: Path, line: str, instead: str, told: str
) -> None:
    folder = tmp_path / "nodes" / "own"
    folder.mkdir(parents=True)
    core = folder / "core.sv"
    assert line in CORE
    core.write_text(CORE.replace(line, instead))
    (folder / "node.yaml").write_text(NODE)
    (tmp_path / "graph.yaml").write_text(GRAPH)
    words = ["build", str(tmp_path / "graph.yaml"), "--platform", "fpga_sim"]
    result = subprocess.run(
        [sys.executable, "-m", "ligament.cli.main", *words, "--out", str(tmp_path / "build")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.returncode == 1
    output = result.stdout + result.stderr
    assert told.format(core=core) in output, output
    assert not list(tmp_path.glob("build/**/*.a"))
