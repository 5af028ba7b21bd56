# SPDX-License-Identifier: Apache-2.0
"""Illegal parameters stop elaboration, and the message names the rule and the instance."""

from __future__ import annotations

import subprocess

import pytest
from bench import HDL, RTL

#: module, parameter words, rule.
ILLEGAL = [
    ("lig_skid", ["DATA_WIDTH=12"], "data_width"),
    ("lig_skid", ["DATA_WIDTH=1024"], "data_width"),
    ("lig_gate", ["LINGER=1024"], "linger"),
    ("lig_fifo", ["DEPTH=100"], "depth"),
    ("lig_fifo", ["DATA_WIDTH=0"], "data_width"),
    ("lig_fifo_drop", ["DEPTH=131072"], "depth"),
    ("lig_fifo_last", ["DEPTH=2"], "depth"),
    ("lig_fifo_last", ["HISTORY=0"], "history"),
    ("lig_fifo_last", ["HISTORY=65"], "history"),
    ("lig_afifo", ["DEPTH=4"], "depth"),
    ("lig_afifo", ["SYNC_STAGES=1"], "sync_stages"),
    ("lig_width", ["S_WIDTH=32"], "s_width"),
    ("lig_width", ["M_WIDTH=1024"], "m_width"),
    ("lig_bcast", ["OUTPUTS=65"], "outputs"),
    ("lig_arbiter", ["INPUTS=65"], "inputs"),
    ("lig_length", ["DATA_WIDTH=8"], "data_width"),
    ("lig_stats", ["COUNTER_WIDTH=4"], "counter_width"),
    ("lig_topic", ["DATA_WIDTH=96"], "data_width"),
    ("lig_topic", ["PUBLISHERS=65"], "publishers"),
    ("lig_topic", ["SUBSCRIBERS=65"], "subscribers"),
    ("lig_topic", ["SUBSCRIBERS=1", "QOS=2'd3"], "qos"),
    ("lig_topic", ["SUBSCRIBERS=1", "DEPTH=32'd24"], "depth"),
    ("lig_end", ["S_WIDTH=32"], "s_width"),
    ("lig_end", ["S_WIDTH=96", "M_WIDTH=96", "CROSS=0"], "m_width"),
    ("lig_end", ["DEPTH=12"], "depth"),
    ("lig_end", ["SYNC_STAGES=5"], "sync_stages"),
    ("lig_topic_mixed", ["S_WIDTH=32'd128"], "s_width"),
    ("lig_topic_mixed", ["M_WIDTH=32'd128"], "m_width"),
    ("lig_topic_mixed", ["M_WIDTH=32'd32"], "m_width"),
    ("lig_topic_mixed", ["DATA_WIDTH=96"], "data_width"),
    ("lig_topic_mixed", ["PUBLISHERS=65"], "publishers"),
    ("lig_topic_mixed", ["M_CROSS=1", "CROSS_DEPTH=4"], "depth"),
    ("lig_axi_read", ["DATA_WIDTH=32"], "data_width"),
    ("lig_axi_read", ["BURST_BEATS=12"], "burst_beats"),
    ("lig_axi_read", ["BURST_BEATS=128", "DATA_WIDTH=512"], "burst_beats"),
    ("lig_axi_read", ["DEPTH=16"], "depth"),
    ("lig_axi_read", ["OUTSTANDING=0"], "outstanding"),
    ("lig_axi_write", ["DATA_WIDTH=32"], "data_width"),
    ("lig_axi_write", ["BURST_BEATS=512"], "burst_beats"),
    ("lig_axi_write", ["DEPTH=16"], "depth"),
    ("lig_axi_write", ["OUTSTANDING=3"], "outstanding"),
    ("lig_axi_mux", ["DATA_WIDTH=60"], "data_width"),
    ("lig_axi_mux", ["MASTERS=65"], "masters"),
    ("lig_port_stats", ["COUNTER_WIDTH=4"], "counter_width"),
    ("lig_gateway", ["DATA_WIDTH=96"], "data_width"),
    ("lig_shell", ["ENDS=65"], "ends"),
]

#: The largest and smallest of what is legal elaborates.
LEGAL = [
    ("lig_topic", ["PUBLISHERS=64", "SUBSCRIBERS=64", "DATA_WIDTH=512"]),
    ("lig_topic_mixed", ["PUBLISHERS=64", "SUBSCRIBERS=64", "DATA_WIDTH=512", "PORT_WIDTH=512"]),
    ("lig_topic", ["PUBLISHERS=1", "SUBSCRIBERS=1", "DATA_WIDTH=64", "STATS=0"]),
    ("lig_fifo", ["DATA_WIDTH=8", "DEPTH=2"]),
    ("lig_fifo", ["DATA_WIDTH=512", "DEPTH=65536"]),
    ("lig_fifo_last", ["HISTORY=64"]),
    ("lig_afifo", ["SYNC_STAGES=4", "DEPTH=65536"]),
    ("lig_axi_mux", ["MASTERS=64", "DATA_WIDTH=512"]),
    ("lig_shell", ["ENDS=64"]),
    ("lig_gateway", ["DATA_WIDTH=512", "BURST_BEATS=64", "DEPTH=1024", "OUTSTANDING=256"]),
    (
        "lig_gateway",
        ["DATA_WIDTH=64", "BURST_BEATS=1", "DEPTH=2", "OUTSTANDING=2", "QUEUE=2", "TIMEOUT=1"],
    ),
]


def elaborate(module: str, parameters: list[str]) -> subprocess.CompletedProcess[str]:
    words = ["--lint-only", "-Wall", f"-I{RTL}", *(f"-G{word}" for word in parameters)]
    # Packages come before the modules that import them.
    words += [str(RTL / f"{name}.sv") for name in ("lig_stream_pkg", "lig_transfer_pkg")]
    return subprocess.run(
        [HDL / "tools" / "verilator", *words, "--top-module", module, RTL / f"{module}.sv"],
        capture_output=True, text=True, check=False, timeout=900,
    )  # fmt: skip


@pytest.mark.parametrize(("module", "parameters", "rule"), ILLEGAL)
def test_illegal_parameters_are_refused(module, parameters, rule):
    result = elaborate(module, parameters)
    assert result.returncode != 0
    assert f": rule {rule}: " in result.stderr
    assert "In instance '" in result.stderr


@pytest.mark.parametrize(("module", "parameters"), LEGAL)
def test_legal_extremes_elaborate(module, parameters):
    result = elaborate(module, parameters)
    assert result.returncode == 0, result.stderr
