# SPDX-License-Identifier: Apache-2.0
"""What is measured between two processes or more: messages one way, and calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ligament.bench.measuring import OURS
from ligament.bench.rmw.contestants import SHIPPED, TUNED

ONE_WAY, ROUND_TRIP = "latency_one_way", "latency_round_trip"
#: A publish call by the clock, in which others run too, and its own CPU time.
PUBLISH, PUBLISH_CPU = "publish_cost", "publish_cpu"
MEGABYTE = 1 << 20
#: Peers that are no middleware: two copies and a wake-up, and our own call with one reader.
COPIES, ONE_READER = "two copies + 60 us", "one subscriber"
#: What a hand-over may cost beside the copies.
HANDOVER_NS = 60_000


@dataclass(frozen=True)
class Cell:
    """One question."""

    metric: str
    bytes: int
    pacing_us: int
    messages: int
    subscribers: int = 1
    contestants: tuple[str, ...] = (OURS, SHIPPED, TUNED)
    depth: int = 10
    #: At least once around every history, and the writer's ring.
    warmup: int = 12

    @property
    def has_floor(self) -> bool:
        """Where the copies are most of the time."""
        return self.metric == ONE_WAY and self.bytes >= MEGABYTE and self.subscribers == 1

    @property
    def everybody(self) -> tuple[str, ...]:
        """The contestants and the floor, which takes turns with them."""
        return (*self.contestants, *((COPIES,) if self.has_floor else ()))

    @property
    def params(self) -> dict[str, Any]:
        """As they stand in rows."""
        return {
            "bytes": self.bytes,
            "subscribers": self.subscribers,
            "pacing_us": self.pacing_us,
            "depth": self.depth,
        }

    @property
    def title(self) -> str:
        """For people."""
        return f"{self.metric}, {self.bytes} B, {self.subscribers} subscriber(s)"

    @property
    def words(self) -> list[str]:
        """Options of the program."""
        values = {
            "bytes": self.bytes,
            "messages": self.messages,
            "warmup": self.warmup,
            "pacing-us": self.pacing_us,
            "subscribers": self.subscribers,
            "depth": self.depth,
        }
        return [word for key, value in values.items() for word in (f"--{key}", str(value))]

    @property
    def timeout_s(self) -> float:
        """A watchdog: matching, its messages several times over, silence at the end."""
        return 30 + 10 * (self.messages + self.warmup) * self.pacing_us * 1e-6


def cells(quick: bool) -> list[Cell]:
    """A small message and images to one subscriber, an image to eight, a call."""
    few = (OURS, SHIPPED)
    small = Cell(ONE_WAY, 64, 2000, 100, contestants=few)
    image = Cell(ONE_WAY, MEGABYTE, 20_000, 40)
    service = Cell(ROUND_TRIP, 64, 2000, 100, contestants=few)
    if quick:
        return [small, image, service]
    large = Cell(ONE_WAY, 10 * MEGABYTE, 100_000, 12)
    eight = Cell(ONE_WAY, MEGABYTE, 20_000, 40, subscribers=8, contestants=few)
    return [small, image, large, eight, service]
