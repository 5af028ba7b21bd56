# SPDX-License-Identifier: Apache-2.0
"""What the author of a core did wrong is told by `ligament build`, with file and line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

#: A core that hands everything on; each case changes a line of it.
CORE = """module own (
    input logic clk_i,
    input logic rst_i,
    lig_fields_if.receiver s_axis,
    lig_fields_if.transmitter m_axis
);
  assign m_axis.tvalid = s_axis.tvalid;
  assign s_axis.tready = m_axis.tready;
  assign m_axis.tdata = s_axis.tdata;
  assign m_axis.tkeep = s_axis.tkeep;
  assign m_axis.tuser = s_axis.tuser;
  assign m_axis.tlast = s_axis.tlast;
  assign m_axis.header = s_axis.header;
endmodule
"""
DATA = "  assign m_axis.tdata = s_axis.tdata;\n"
LATCH = """  always_comb begin
    if (s_axis.tlast) m_axis.tdata = s_axis.tdata;
  end
"""
LOOP = """  logic [63:0] other;
  assign m_axis.tdata = other ^ s_axis.tdata;
  assign other = m_axis.tdata | s_axis.tdata;
"""
NODE = """schema: ligament/node/1
type: case/own
description: A core with a mistake.
ports:
  in: {direction: in, message: std_msgs/msg/Byte}
  out: {direction: out, message: std_msgs/msg/Byte}
implementations:
  fpga: {sources: [core.sv], top: own, streams: interfaces}
"""
GRAPH = """schema: ligament/graph/1
name: wrong
packages: [nodes]
nodes: {own: {type: case/own}}
topics: {in: {bound_bytes: 100}, out: {bound_bytes: 100}}
"""
FLAT_GRAPH = """schema: ligament/graph/1
name: wrong
packages: [nodes]
nodes: {swapped: {type: case/swapped}}
"""


OWN = {"core.sv": CORE, "node.yaml": NODE}
#: A core whose streams are flat signals.
FOLDER = Path(__file__).parent / "nodes" / "swapped"
FLAT = {name: (FOLDER / name).read_text() for name in ("swapped.sv", "node.yaml")}


@pytest.mark.parametrize(
    ("files", "line", "instead", "told"),
    [
        (OWN, DATA, LATCH, "LATCH: {core}:9:"),
        (OWN, DATA, LOOP, "{core}:9:"),
        (OWN, DATA, "  assign m_axis.tdata = s_axis.tkeep;\n", "WIDTHEXPAND: {core}:9:"),
        (OWN, "s_axis", "user", "{core}:1:8: error: 'own' has no port 's_axis'"),
        (
            OWN,
            "module own (",
            "module other (",
            "{core}:1:8: error: no module 'own' is in the sources that node.yaml lists, but: other",
        ),
        (
            FLAT,
            "input  logic [63:0] s_axis_tdata",
            "input  logic [31:0] s_axis_tdata",
            "{core}:17:25: error: the port 's_axis_tdata' of 'swapped' has 32 bits, and a core's "
            "has 64",
        ),
        (
            FLAT,
            "input  token_t      s_axis_tuser",
            "input  token_t      user",
            "{core}:4:8: error: 'swapped' has no port 's_axis_tuser'",
        ),
        (
            FLAT,
            "    output header_t     header_o\n",
            "    output header_t     header_o,\n    input  logic        enable_i\n",
            "{core}:30:25: error: a core has no port 'enable_i'",
        ),
    ],
    ids=[
        "latch", "loop", "width", "stream-missing", "module-missing", "port-width", "port-missing",
        "port-too-many",
    ],
)  # fmt: skip
def test_it_is_refused_before_anything_is_compiled(
    tmp_path: Path, files: dict[str, str], line: str, instead: str, told: str
) -> None:
    folder = tmp_path / "nodes" / "core"
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    core = next(folder / name for name in files if name.endswith(".sv"))
    assert line in core.read_text()
    core.write_text(core.read_text().replace(line, instead))
    (tmp_path / "graph.yaml").write_text(GRAPH if files is OWN else FLAT_GRAPH)
    words = ["build", str(tmp_path / "graph.yaml"), "--platform", "fpga_sim"]
    result = subprocess.run(
        [sys.executable, "-m", "ligament.cli.main", *words, "--out", str(tmp_path / "build")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.returncode == 1
    output = result.stdout + result.stderr
    assert told.format(core=core) in output, output
    assert not list(tmp_path.glob("build/**/*.a"))
