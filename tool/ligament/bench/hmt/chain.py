# SPDX-License-Identifier: Apache-2.0
"""A chain of three nodes over hardware topics, sequential and dataflow (the paper's figure 5)."""

from __future__ import annotations

from pathlib import Path

from ligament.bench.hmt import network
from ligament.bench.hmt.network import BUILD, DRIVER, RTL, Shape
from ligament.bench.measuring import Row, make_row

MODES = ("sequential", "dataflow")
SOURCES = [DRIVER.with_name(name) for name in ("hmt_node.sv", "hmt_chain.sv")]
#: Cycles of work per beat of each node, as hmt_chain.sv has them.
WORK = (1, 2, 1)
#: Images of side 64, 128 and 256: what a sequential node can hold.
SIZES = (12288, 49152, 196608)
#: Messages behind the first, from which the interval is told.
FOLLOWING = 3


def measure(width: int, quick: bool) -> list[Row]:
    """Cycles of a message through the chain alone, and between messages that follow each other."""
    rows = []
    for mode in MODES:
        program = build(width, mode)
        for size in SIZES[:1] if quick else SIZES:
            header = -(-128 // width)
            alone = network.run(program, size, 1, header)
            several = network.run(program, size, 1 + FOLLOWING, header)
            params = {"bytes": size, "width": width, "mode": mode, "nodes": len(WORK)}
            stage = max(WORK) * (header + -(-size * 8 // width))
            interval = (several["cycles"] - alone["cycles"]) / FOLLOWING
            for metric, unit, value in (
                ("chain", "cycles", alone["transfers"][0]),
                ("interval", "cycles", interval),
                ("chain_over_stage", "1", alone["transfers"][0] / stage),
            ):
                rows.append(make_row("hmt", params, metric, unit, value))
    return rows


def build(width: int, mode: str) -> Path:
    """The program of a chain, with the driver of the networks: one publisher, one subscriber."""
    folder = BUILD / f"chain-{width}-{mode}"
    words = [
        *network.common_words(folder),
        *("--top-module", "hmt_chain", "--prefix", "Vhmt_top", f"-GDATA_WIDTH={width}"),
        *(f"-GDATAFLOW={int(mode == 'dataflow')}", *map(str, SOURCES), str(DRIVER)),
    ]
    sources = [*RTL.glob("*.sv"), *SOURCES, DRIVER, Path(__file__)]
    return network.verilate(folder, words, network.header_of(Shape(width, 1, 1)), sources)
