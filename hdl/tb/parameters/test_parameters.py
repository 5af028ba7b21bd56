# SPDX-License-Identifier: Apache-2.0
"""Illegal parameters stop elaboration, and the message names the rule and the instance."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from bench import HDL, RTL, within_bundles

CORES = HDL.parent / "nodes" / "image"

#: module, parameter words, rule.
ILLEGAL = [
    ("lig_gate", ["LINGER=1024"], "linger"),
    ("lig_fifo", ["DEPTH=100"], "depth"),
    ("lig_fifo_drop", ["DEPTH=131072"], "depth"),
    ("lig_fifo_last", ["DEPTH=2"], "depth"),
    ("lig_fifo_last", ["HISTORY=0"], "history"),
    ("lig_fifo_last", ["HISTORY=65"], "history"),
    ("lig_afifo", ["DEPTH=4"], "depth"),
    ("lig_afifo", ["SYNC_STAGES=1"], "sync_stages"),
    ("lig_cross", ["DEPTH=2"], "depth"),
    ("lig_sync", ["STAGES=1"], "sync_stages"),
    ("lig_axi_cross", ["SYNC_STAGES=5"], "sync_stages"),
    ("lig_axil_cross", ["SYNC_STAGES=1"], "sync_stages"),
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
    ("lig_axi_mux", ["MASTERS=65"], "masters"),
    ("lig_axi_pages", ["ID_WIDTH=9"], "id_width"),
    ("lig_axi_pages", ["PAGES=1"], "pages"),
    ("lig_axi_pages", ["PAGES=3000"], "pages"),
    ("lig_axi_pages", ["PAGES=131072"], "pages"),
    ("lig_axi_pages", ["PAGE_BYTES=2048"], "page_bytes"),
    ("lig_axi_pages", ["PAGE_BYTES=12288"], "page_bytes"),
    ("lig_axi_pages", ["ADDRESS_WIDTH=12"], "address_width"),
    ("lig_axi_pages", ["ADDRESS_WIDTH=65"], "address_width"),
    ("lig_port_stats", ["COUNTER_WIDTH=4"], "counter_width"),
    ("lig_gateway", ["DATA_WIDTH=96"], "data_width"),
    ("lig_shell", ["ENDS=65"], "ends"),
    ("lig_control", ["BUS_WIDTH=128"], "bus_width"),
    ("lig_control", ["SETTINGS=513"], "registers"),
    ("lig_control", ["VALUES=0"], "registers"),
    ("lig_codes", ["WIDTH=9"], "width"),
    ("lig_axi_ram", ["DATA_WIDTH=32"], "data_width"),
    ("lig_axi_ram", ["ADDRESS_BITS=25"], "address_bits"),
    ("lig_uart_host", ["CLOCKS_PER_BIT=3"], "clocks_per_bit"),
    ("lig_pack", ["NESTING=0"], "nesting"),
    ("lig_pack", ["DATA_WIDTH=96"], "data_width"),
    ("lig_unpack", ["DATA_WIDTH=1024"], "data_width"),
    ("lig_unpack", ["NESTING=9"], "nesting"),
    ("lig_smt_sub", ["QUEUE=3"], "queue"),
    ("lig_smt_sub", ["DEPTH=16"], "depth"),
    ("lig_smt_sub", ["OUTSTANDING=0"], "outstanding"),
    ("lig_smt_pub", ["ROOMS=1"], "rooms"),
    ("lig_smt_pub", ["BURST_BEATS=12"], "burst_beats"),
    ("lig_smt_pub", ["OUTSTANDING=3"], "outstanding"),
    ("lig_gateway", ["QUEUE=6"], "queue"),
    # The other side of each range.
    ("lig_fifo", ["DEPTH=1"], "depth"),
    ("lig_fifo", ["DEPTH=131072"], "depth"),
    ("lig_fifo_drop", ["DEPTH=1"], "depth"),
    ("lig_fifo_drop", ["DEPTH=100"], "depth"),
    ("lig_fifo_last", ["DEPTH=100"], "depth"),
    ("lig_fifo_last", ["DEPTH=131072"], "depth"),
    ("lig_afifo", ["DEPTH=100"], "depth"),
    ("lig_afifo", ["DEPTH=131072"], "depth"),
    ("lig_afifo", ["SYNC_STAGES=5"], "sync_stages"),
    ("lig_bcast", ["OUTPUTS=0"], "outputs"),
    ("lig_arbiter", ["INPUTS=0"], "inputs"),
    ("lig_stats", ["COUNTER_WIDTH=65"], "counter_width"),
    ("lig_port_stats", ["COUNTER_WIDTH=65"], "counter_width"),
    ("lig_topic", ["PUBLISHERS=0"], "publishers"),
    ("lig_axi_read", ["OUTSTANDING=257"], "outstanding"),
    ("lig_axi_write", ["OUTSTANDING=1"], "outstanding"),
    ("lig_axi_write", ["OUTSTANDING=512"], "outstanding"),
    ("lig_axi_mux", ["MASTERS=0"], "masters"),
    ("lig_axi_pages", ["ID_WIDTH=0"], "id_width"),
    ("lig_axi_pages", ["PAGE_BYTES=32'd2147483648"], "page_bytes"),
    ("lig_shell", ["ENDS=0"], "ends"),
    ("lig_pack", ["NESTING=9"], "nesting"),
    ("lig_unpack", ["NESTING=0"], "nesting"),
    ("lig_smt_sub", ["QUEUE=1"], "queue"),
    ("lig_smt_sub", ["QUEUE=131072"], "queue"),
    ("lig_smt_pub", ["ROOMS=3"], "rooms"),
    ("lig_smt_pub", ["ROOMS=131072"], "rooms"),
]

#: Modules that take every multiple of 8 in 8..512 as DATA_WIDTH.
ANY_BYTES = ("lig_afifo", "lig_arbiter", "lig_axi_mux", "lig_axi_pages", "lig_bcast", "lig_fifo",
             "lig_fifo_drop", "lig_fifo_last", "lig_skid")  # fmt: skip

#: The same of the image cores: file under nodes/image, parameter words, rule.
ILLEGAL_CORES = [
    ("common/hdl/lig_image_lines", ["LINES=3"], "lines"),
    ("common/hdl/lig_image_lines", ["MAX_WIDTH=31"], "width"),
    ("common/hdl/lig_image_banks", ["LINES=2"], "lines"),
    ("common/hdl/lig_image_banks", ["MAX_WIDTH=31"], "width"),
    ("common/hdl/lig_image_banks", ["PIXELS=16"], "pixels"),
    ("common/hdl/lig_image_in", ["PIXELS=3"], "pixels"),
    ("common/hdl/lig_image_blur", ["MAX_WIDTH=32767"], "width"),
    ("common/hdl/lig_image_in", ["MAX_HEIGHT=0"], "size"),
    ("blur/image_blur", ["MAX_WIDTH=1"], "width"),
    ("equalise/image_equalise", ["MAX_PIXELS=20"], "size"),
]

#: The largest and smallest of what is legal elaborates.
LEGAL = [
    ("lig_topic", ["PUBLISHERS=64", "SUBSCRIBERS=64", "DATA_WIDTH=512"]),
    ("lig_topic_mixed", ["PUBLISHERS=64", "SUBSCRIBERS=64", "DATA_WIDTH=512", "PORT_WIDTH=512"]),
    ("lig_topic", ["PUBLISHERS=1", "SUBSCRIBERS=1", "DATA_WIDTH=64", "STATS=0"]),
    ("lig_fifo", ["DATA_WIDTH=8", "DEPTH=2"]),
    ("lig_fifo", ["DATA_WIDTH=512", "DEPTH=65536"]),
    ("lig_fifo_last", ["HISTORY=64"]),
    ("lig_fifo_last", ["DEPTH=4", "HISTORY=1", "DATA_WIDTH=8"]),
    ("lig_fifo_last", ["DEPTH=65536", "DATA_WIDTH=512"]),
    ("lig_fifo_drop", ["DEPTH=2", "DATA_WIDTH=8"]),
    ("lig_fifo_drop", ["DEPTH=65536", "DATA_WIDTH=512"]),
    ("lig_afifo", ["SYNC_STAGES=2", "DEPTH=8", "DATA_WIDTH=8"]),
    ("lig_cross", ["DEPTH=4", "WIDTH=1"]),
    ("lig_axi_cross", ["DATA_WIDTH=512", "ID_WIDTH=6"]),
    ("lig_axil_cross", ["ENABLE=0", "DATA_WIDTH=32"]),
    ("lig_skid", ["DATA_WIDTH=8"]),
    ("lig_skid", ["DATA_WIDTH=512"]),
    ("lig_gate", ["LINGER=1023"]),
    ("lig_bcast", ["OUTPUTS=1", "DATA_WIDTH=8"]),
    ("lig_bcast", ["OUTPUTS=64", "DATA_WIDTH=512"]),
    ("lig_arbiter", ["INPUTS=1", "DATA_WIDTH=8"]),
    ("lig_arbiter", ["INPUTS=64", "DATA_WIDTH=512"]),
    ("lig_stats", ["COUNTER_WIDTH=8"]),
    ("lig_stats", ["COUNTER_WIDTH=64"]),
    ("lig_port_stats", ["COUNTER_WIDTH=8"]),
    ("lig_port_stats", ["COUNTER_WIDTH=64"]),
    ("lig_axi_mux", ["MASTERS=1", "DATA_WIDTH=8"]),
    ("lig_shell", ["ENDS=1"]),
    ("lig_afifo", ["SYNC_STAGES=4", "DEPTH=65536"]),
    ("lig_axi_mux", ["MASTERS=64", "DATA_WIDTH=512"]),
    ("lig_axi_pages", ["PAGES=65536", "PAGE_BYTES=1073741824", "ADDRESS_WIDTH=64", "ID_WIDTH=8"]),
    ("lig_axi_pages", ["PAGES=2", "ADDRESS_WIDTH=13", "DATA_WIDTH=8"]),
    ("lig_shell", ["ENDS=64", "PAGES=1"]),
    ("lig_gateway", ["DATA_WIDTH=512", "BURST_BEATS=64", "DEPTH=1024", "OUTSTANDING=256"]),
    (
        "lig_gateway",
        ["DATA_WIDTH=64", "BURST_BEATS=1", "DEPTH=2", "OUTSTANDING=2", "QUEUE=2", "TIMEOUT=1"],
    ),
]


def elaborate(
    module: Path, parameters: list[str], packages: Sequence[Path] = ()
) -> subprocess.CompletedProcess[str]:
    words = ["--lint-only", "-Wall", "-Wno-UNUSEDPARAM", f"-I{RTL}", f"-I{CORES / 'common/hdl'}"]
    words += [f"-G{word}" for word in parameters]
    # Packages come before the modules that import them.
    shared = [RTL / f"lig_{name}_pkg.sv" for name in ("stream", "transfer", "fields")]
    files = [*shared, *packages, module]
    # Of a module as top, the far side of a bundle is nobody's.
    files.insert(0, HDL / "tools" / "lint.vlt")
    return subprocess.run(
        [HDL / "tools" / "verilator", *words, "--top-module", module.stem, *files],
        capture_output=True, text=True, check=False, timeout=900,
    )  # fmt: skip


@pytest.mark.parametrize(("module", "parameters", "rule"), ILLEGAL)
def test_illegal_parameters_are_refused(module, parameters, rule):
    judge(elaborate(RTL / f"{module}.sv", parameters), rule)


@pytest.mark.parametrize("width", [0, 12, 520])
@pytest.mark.parametrize("module", ANY_BYTES)
def test_no_width_but_whole_bytes_up_to_512_bits(module, width):
    judge(elaborate(RTL / f"{module}.sv", [f"DATA_WIDTH={width}"]), "data_width")


def judge(result: subprocess.CompletedProcess[str], rule: str) -> None:
    assert result.returncode != 0
    assert f": rule {rule}: " in result.stderr
    assert "In instance '" in result.stderr


@pytest.fixture(scope="module")
def packages(tmp_path_factory) -> list[Path]:
    """What the image cores import."""
    folder = tmp_path_factory.mktemp("messages")
    command = [sys.executable, "-m", "ligament.messages", "hdl", "--out", str(folder)]
    subprocess.run([*command, "--types", "sensor_msgs/msg/Image"], check=True)
    return [*sorted(folder.glob("*_pkg.sv")), CORES / "common" / "hdl" / "lig_image_pkg.sv"]


@pytest.mark.parametrize(("module", "parameters", "rule"), ILLEGAL_CORES)
def test_illegal_parameters_of_image_cores_are_refused(packages, module, parameters, rule):
    judge(elaborate(CORES / f"{module}.sv", parameters, packages), rule)


@pytest.mark.parametrize(("module", "parameters"), LEGAL)
def test_legal_extremes_elaborate(module, parameters, tmp_path):
    result = elaborate(within_bundles(RTL / f"{module}.sv", tmp_path), parameters)
    assert result.returncode == 0, result.stderr
