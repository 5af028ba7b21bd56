# SPDX-License-Identifier: Apache-2.0
"""What an edge may cost over the engine's own API."""

from __future__ import annotations

from ligament.bench.dds.cells import ONE_WAY, ROUND_TRIP
from ligament.bench.dds.runs import INSIDE, OURS, PEER
from ligament.bench.goals import Figures, Goal, Row

_IMAGES = {"pacing_us": 100_000}
_CELL = "{size}, {settings}, {subscribers} subscriber(s), {pacing}"


def _limit(row: Row) -> float:
    """Closer where a message is small, as nothing but the edge's own work is in it."""
    return 1.05 if row["params"]["bytes"] == 64 else 1.10


FIGURES = Figures(
    goals=(
        Goal(f"one way, {_CELL}", ONE_WAY, _limit, contestant=INSIDE, against=PEER),
        Goal(f"round trip, {_CELL}", ROUND_TRIP, _limit, contestant=INSIDE, against=PEER),
        Goal("lost of a camera's images, {settings}", ONE_WAY, 0, _IMAGES, value="lost",
             contestant=INSIDE, unit="1"),
        Goal("an edge with {endpoints} endpoints: start", "edge_start", 1e9),
        Goal("an edge with {endpoints} endpoints: memory", "edge_memory", 40e6),
        Goal("an edge with {endpoints} endpoints: idle, of one core", "edge_idle_cpu", 0.01,
             unit="share"),
    ),
    results={
        "dds_small": "64 bytes alone, in more passes",
        "dds": "an edge inside each end, beside the engine's API",
        "dds_cable": "the same, and between two network namespaces",
    },
    ours=(OURS, INSIDE),
    words={
        "`default`": "the engine's own settings, but for the interface, which is loopback",
        "`tuned`": "datagrams as large as UDP allows, and larger receive buffers",
        "`cable`": "two network namespaces with a veth pair between them, as on two hosts",
    },
)  # fmt: skip
