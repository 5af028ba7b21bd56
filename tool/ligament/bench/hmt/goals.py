# SPDX-License-Identifier: Apache-2.0
"""What a network may take, and table I of the published system."""

from __future__ import annotations

from ligament.bench.goals import Figures, Goal, Row
from ligament.bench.hmt.options import SIZES

#: Cycles above body and framing that a transfer may take.
SLACK_CYCLES = 8
FRAMING_BEATS = 2
RATE = 0.999
#: How far a message in dataflow may be above its slowest stage.
CHAIN = 1.1
#: Of the simulator, for the largest message through the 2:9 network.
SIMULATION_MS = 60.0
PUBLISHED_FRAMING = "published-framing"
#: Table I of the published system, ms at 100 MHz, 64 bits: through memory, over its streams, and
#: the ratio, as printed there.
PUBLISHED = dict(
    zip(
        SIZES,
        (
            (0.06, "<0.01", "17.21"),
            (0.07, "0.02", "4.71"),
            (0.19, "0.06", "3.11"),
            (0.63, "0.24", "2.54"),
            (2.34, "0.98", "2.38"),
            (9.24, "3.93", "2.35"),
        ),
        strict=True,
    )
)
#: LUTs of the published systems with their nodes: over memory, over topics.
PUBLISHED_LUT = {"memory": 134_252, "topics": 44_939}


def beats_of(size: int, width: int) -> int:
    """Beats of a body."""
    return -(-size * 8 // width)


def _beats(row: Row) -> float:
    return beats_of(row["params"]["bytes"], row["params"]["width"])


def _transfer_limit(row: Row) -> float:
    return _beats(row) + FRAMING_BEATS + SLACK_CYCLES


def _declared(row: Row) -> float | None:
    """Cells and clocks have their goal beside them."""
    goal: float | None = row["params"].get("goal")
    return goal


def _published(row: Row) -> str:
    """At 100 MHz, where the published system was measured."""
    memory, streams, _ = PUBLISHED[row["params"]["bytes"]]
    if row["params"]["width"] != 64:
        return ""
    return f"published: {memory if row['params'].get('way') else streams} ms at 100 MHz"


def _published_lut(row: Row) -> str:
    lut = f"published, with nodes: {PUBLISHED_LUT[row['params']['way']]:,}"
    return lut if row["metric"] == "lut" else ""


_STREAMS, _MEMORY = {"way": None}, {"way": "memory", "width": (64, 512)}
_NETWORK = {"way": None, "graph": None}
FIGURES = Figures(
    goals=(
        Goal("transfer of {size}, {width} bits, worst of all networks", "transfer",
             _transfer_limit, {**_STREAMS, "width": 64}, value="p99", floor=_beats,
             published=_published, exact=True),
        Goal("transfer, {width} bits, worst of all networks and sizes", "transfer",
             _transfer_limit, {**_STREAMS, "width": (128, 256, 512)}, value="p99", floor=_beats,
             exact=True),
        Goal("transfer of {size} over memory, {width} bits, one core to one", "transfer", None,
             _MEMORY, floor=_beats, published=_published),
        Goal("beats per cycle at a subscriber, {width} bits, worst of all networks", "rate", RATE,
             at_least=True, exact=True),
        Goal("three nodes in dataflow over the slowest, {width} bits", "chain_over_stage", CHAIN,
             {"mode": "dataflow"}, exact=True),
        Goal("published framing: transfer of {size}", "transfer", None, {"way": None},
             contestant=PUBLISHED_FRAMING, floor=_beats, published=_published),
        Goal("published framing: transfer of {size} over memory", "transfer", None, _MEMORY,
             contestant=PUBLISHED_FRAMING, published=_published),
        Goal("simulating a message of {size}, wall time", "simulation_wall", SIMULATION_MS),
        *(
            Goal(f"{metric} of the {{publishers}}:{{subscribers}} network, {{width}} bits"
                 " (goal: made of verilog-axis's modules)", metric, _declared, _NETWORK, exact=True)
            for metric in ("lut", "ff", "ramb18")
        ),
        *(
            Goal(f"{metric} between the driving graph's nodes, topics as streams (goal: in memory)",
                 metric, _declared, {"graph": "driving"}, exact=True, published=_published_lut)
            for metric in ("lut", "ff", "ramb18")
        ),
        Goal("clock of a {design}, {width} bits, on an {part}", "fmax", _declared, at_least=True,
             exact=True),
        Goal("clock of a {design}, {width} bits, on UltraScale+ if wires take as long as cells",
             "clock", _declared, at_least=True, exact=True),
        Goal("cells of the longest path of a {design}, {width} bits, on UltraScale+", "cells"),
        Goal("time for each wire of a {design}, {width} bits, on UltraScale+ at 250 MHz", "wire"),
    ),
    results={
        "hmt": "networks of 1 to 4 publishers and 1 to 9 subscribers",
        "hmt_published": "the published design simulated",
        "hmt_area": "cells and clocks",
    },
    # Beside a load of 12 on 2 cores.
    without={"hmt_published": ("simulation_wall",)},
    ours=("ligament", PUBLISHED_FRAMING),
)  # fmt: skip
