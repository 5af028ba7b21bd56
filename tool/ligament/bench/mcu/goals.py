# SPDX-License-Identifier: Apache-2.0
"""Goals of `ligament bench mcu`, and what the paper published."""

from __future__ import annotations

from typing import Any

from ligament.bench.goals import Figures, Goal
from ligament.bench.mcu.options import LARGER_SIZES, PAPER_SIZES, PUBLISHED

#: Its table II: ms per byte of a round trip, and the standard deviation.
PAPER = {
    ("rpmsg", 16): (0.614, 0.0133),
    ("rpmsg", 32): (0.305, 0.0067),
    ("uart", 16): (0.789, 0.028),
    ("uart", 32): (0.480, 0.0158),
}


def paper_ms(link: str, size: int) -> float | None:
    """A round trip of the published system."""
    found = PAPER.get((link, size))
    return None if found is None else found[0] * size


def _published(row: dict[str, Any]) -> str:
    value = paper_ms(row["params"]["link"], row["params"].get("bytes", 0))
    return "" if value is None else f"{value:.2f} ms (published)"


def _core_published(row: dict[str, Any]) -> str:
    """The published link is to a core, too."""
    return _published({"params": {**row["params"], "link": "rpmsg"}})


WHY_TIMES = (
    "four processes of two cores wake each other on the way, the emulator among them: with bare"
    " RPMsg, without agent and client, this machine takes more than half of it"
)
WHY_SPINNING = "the emulator and the node that measures still wake each other"
WHY_COPIES = (
    "a message is taken out of the core's reach before it is checked, and what is sent is kept"
    " until it is acknowledged"
)


ONE_WAY_SIZES = (*PAPER_SIZES, *LARGER_SIZES)
#: As counts.py calls them.
CORES = ("Cortex-M4F", "Cortex-M4F with FreeRTOS", "Cortex-R5F")
CORE_STAGES = ("core, take", "core, publish")
FIGURES = Figures(
    goals=(
        Goal(
            "{size} there and back over RPMsg, an agent that spins", "round_trip", 100_000,
            {"link": "spin", "at": "shm", "bytes": PAPER_SIZES},
            published=_core_published, why=WHY_SPINNING,
        ),
        Goal(
            "{size} there and back over RPMsg, an agent that spins, 99th percentile", "round_trip",
            None, {"link": "spin", "at": "shm", "bytes": PAPER_SIZES}, value="p99",
        ),
        Goal(
            "{size} there and back over RPMsg, an agent that spins", "round_trip", None,
            {"link": "spin", "at": "shm", "bytes": LARGER_SIZES},
        ),
        Goal(
            "{size} there and back over RPMsg", "round_trip", 100_000,
            {"link": "rpmsg", "at": "shm", "bytes": PAPER_SIZES},
            published=_published, why=WHY_TIMES,
        ),
        Goal(
            "{size} there and back over RPMsg, 99th percentile", "round_trip", None,
            {"link": "rpmsg", "at": "shm", "bytes": PAPER_SIZES}, value="p99",
        ),
        Goal(
            "{size} there and back over RPMsg", "round_trip", None,
            {"link": "rpmsg", "at": "shm", "bytes": LARGER_SIZES},
        ),
        Goal(
            "{size} over RPMsg, an rclpy node with {at}", "round_trip", None,
            {"at": ("rclpy", "dds")}, published=_published,
        ),
        Goal(
            "{size} there and back over {link}", "round_trip", None,
            {"at": "shm", "link": ("udp", "uart")}, published=_published,
        ),
        Goal(
            "{size} there and back over RPMsg, Cortex-R5F", "round_trip", 200_000,
            {"at": "shm", "link": "r5f", "bytes": PAPER_SIZES},
            published=_core_published, why=WHY_TIMES,
        ),
        Goal(
            "{size} there and back over RPMsg, Cortex-R5F", "round_trip", None,
            {"at": "shm", "link": "r5f", "bytes": LARGER_SIZES},
        ),
        Goal(
            "{size} there and back over RPMsg, core with FreeRTOS", "round_trip", None,
            {"at": "shm", "link": "freertos"},
        ),
        Goal(
            "{size}, the published path up to its {link}", "round_trip", None,
            {"at": "shm", "link": tuple(place.link for place in PUBLISHED)},
        ),
        Goal("fixed cost of a round trip over {link}", "fixed_cost", None, {"at": "shm"}),
        Goal("cost of a byte there and back over {link}", "cost_per_byte", None, {"at": "shm"}),
        Goal(
            "copies of a sample of {size}: {where}", "copies", 1.0, {"where": "agent"},
            why=WHY_COPIES,
        ),
        Goal("copies of a sample of {size}: {where}", "copies", None, {"where": CORE_STAGES}),
        Goal(
            "{size} one way, {way} over {link}", "one_way", None, {"bytes": ONE_WAY_SIZES},
        ),
        Goal(
            "the same, 99th percentile: {size} {way} over {link}", "one_way", None,
            {"bytes": ONE_WAY_SIZES}, value="p99",
        ),
        Goal(
            "how wrong that may be, by the core's clock, {size} over {link}", "one_way_bound", None,
            {"bytes": ONE_WAY_SIZES},
        ),
        Goal("{size} on the serial line, there and back", "line_time"),
        Goal("{size} over uart without its line's time", "round_trip_without_line"),
        Goal(
            "instructions of a {core} per {stage}, {size}", "instructions", where={"core": CORES},
        ),
        Goal("instructions of an event that is {event}, {core}", "event_instructions"),
        Goal(
            "code of the client in an image that {does}", "client_code", 16_000, exact=True,
            published="34 kB (reference client)",
        ),
        Goal("code of an image that {does}", "code"),
        Goal("memory of an image that {does}", "memory"),
        Goal("stack of a {core}, messages up to 4 kB", "stack", where={"core": CORES}),
    ),
    results={
        "mcu": "emulated cores, and clients on this computer",
    },
    floors=("bare RPMsg",),
    free=("goal", "at"),
)  # fmt: skip
