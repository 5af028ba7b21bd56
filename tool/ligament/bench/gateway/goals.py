# SPDX-License-Identifier: Apache-2.0
"""What a gateway should gain, and what the paper says of its own."""

from __future__ import annotations

from ligament.bench.gateway.design import PUBLISHED
from ligament.bench.goals import Figures, Goal, Row

#: The slowest of this many cores, by publisher: the least speed-up at 10 kB, and from 1 MB on.
SUBSCRIBERS = 8
CORES = {"hw": (4.0, 8.0), "sw": (1.0, 7.0)}
LARGE, SMALL = 1_000_000, 10_000
#: To software, everywhere, as sure as the median is: copies meet other programs at other moments.
SOFTWARE = 0.99
EFFICIENCY = 0.9
#: Speed-ups that the paper's text gives, by publisher and path: smallest to largest messages.
PAPER = {
    ("hw", "hw"): "8 cores: 1.94 .. 7.95",
    ("hw", "sw"): "about 0.5 .. 1",
    ("sw", "hw"): "below 1 .. 3.79",
    ("sw", "sw"): "1.06 .. 2.05",
}
NAMES = {"hw": "hardware", "sw": "software"}


def _cores_goal(row: Row) -> float | None:
    """At the smallest and at large messages."""
    small, large = CORES[row["params"]["publisher"]]
    size = row["params"]["bytes"]
    return large if size >= LARGE else small if size == SMALL else None


def _large(row: Row) -> float | None:
    """Filling the pipeline is a part of a small message."""
    return EFFICIENCY if row["params"]["bytes"] >= LARGE else None


def _paper(row: Row) -> str:
    return f"paper: {PAPER[row['params']['publisher'], row['params']['path']]}"


_HW, _SW = {"path": "hw"}, {"path": "sw"}
_EIGHT, _FEWER = {**_HW, "subscribers": SUBSCRIBERS}, {**_HW, "subscribers": (2, 4)}
_TO_CORES = "from {publisher} to the slowest of {subscribers} cores, {size}, {width} bits"
_READINGS = {of: of.replace("-", " design, ") for of in PUBLISHED}
#: Cores whose lines are shown: fitted, the least are of two.
_SHOWN = {of: (2, 8) if of == "published-fitted" else (SUBSCRIBERS,) for of in PUBLISHED}
FIGURES = Figures(
    goals=(
        Goal(_TO_CORES, "speedup", _cores_goal, {**_EIGHT, "software": True}, at_least=True,
             exact=True, published=_paper),
        Goal(_TO_CORES + ", software in no time", "speedup", _cores_goal,
             {**_EIGHT, "software": False}, at_least=True, exact=True),
        Goal("from {publisher} to the slowest of {subscribers} cores, {width} bits", "speedup",
             None, {**_FEWER, "software": True}, at_least=True),
        Goal("from {publisher} to software, {width} bits", "speedup", SOFTWARE,
             {**_SW, "software": True}, at_least=True, exact=True, published=_paper),
        Goal("share of the port's busy cycles that move data, {size}, {width} bits, over memory",
             "port_efficiency", _large, {"transport": "smt"}, at_least=True, exact=True),
        *(
            Goal(f"{text}: from {{publisher}} to the slowest of {{subscribers}} cores, {{size}}",
                 "speedup", None, {**_HW, "subscribers": _SHOWN[peer]}, contestant=peer,
                 published=_paper)
            for peer, text in _READINGS.items()
        ),
        *(
            Goal(f"{text}: from {{publisher}} to software, {{size}}", "speedup", None,
                 {**_SW, "subscribers": SUBSCRIBERS}, contestant=peer, published=_paper)
            for peer, text in _READINGS.items()
        ),
    ),
    results={
        "gateway": "64 bits, the least over latencies of 20 to 200 cycles",
        "gateway_512": "512 bits, 8 cores",
        "gateway_fitted": "the published design, fitted: all ranges together",
        "gateway_published": "the published design, as its sources and its text have it",
    },
    ours=("ligament", *PUBLISHED),
)  # fmt: skip
