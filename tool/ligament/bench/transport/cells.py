# SPDX-License-Identifier: Apache-2.0
"""What is measured: a cell is one question at one set of parameters. Which cells a run has."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from ligament.bench.values import size_text

ONE_WAY, ROUND_TRIP = "latency_one_way", "latency_round_trip"
THROUGHPUT, PUBLISH_COST = "throughput", "publish_cost"
METRICS = (ONE_WAY, ROUND_TRIP, THROUGHPUT, PUBLISH_COST)
WORDS = {
    ONE_WAY: "one way",
    ROUND_TRIP: "round trip",
    THROUGHPUT: "throughput",
    PUBLISH_COST: "publish cost",
}

#: Everything that --full crosses, and what the lists of options may name.
BYTES = (64, 4096, 65536, 1_048_576, 10_485_760)
SUBSCRIBERS = (1, 2, 4, 8)
WAITS = ("sleep", "poll")
PACINGS_US = (2000, 25_000, 0)
#: Subscriptions in publish_cost: nobody takes from them, so their processes need no core.
IDLE_SUBSCRIPTIONS = (0, 1, 8, 64)


@dataclass(frozen=True, order=True)
class Cell:
    """One question; `wait` is `none` where subscriptions exist and nobody takes from them."""

    metric: str
    bytes: int = 64
    subscribers: int = 1
    wait: str = "sleep"
    pacing_us: int = 2000
    messages: int = 0
    warmup: int = 0

    @property
    def params(self) -> dict[str, Any]:
        """As they stand in rows."""
        return {
            "bytes": self.bytes,
            "subscribers": self.subscribers,
            "wait": self.wait,
            "pacing_us": self.pacing_us,
        }

    @property
    def title(self) -> str:
        """For people."""
        pacing = f"every {self.pacing_us / 1000:g} ms" if self.pacing_us else "as fast as it goes"
        who = f"{self.subscribers} {'subscription' if self.wait == 'none' else 'subscriber'}"
        who += "s" * (self.subscribers != 1)
        return f"{WORDS[self.metric]}, {size_text(self.bytes)}, {who}, {self.wait}, {pacing}"

    @property
    def paced_s(self) -> float:
        """How long its messages take at its pace."""
        return (self.messages + self.warmup) * self.pacing_us * 1e-6

    @property
    def seconds(self) -> float:
        """About how long one run takes: starting, settling, messages."""
        return 0.4 + 0.05 * self.subscribers + (self.paced_s or 0.1)


def default_cells() -> list[Cell]:
    """The goals of the project, each once, and sizes from the smallest to the largest."""
    megabyte = 1 << 20
    return [
        *(Cell(ONE_WAY, size) for size in (64, 65536, megabyte, 10 * megabyte)),
        *(Cell(ONE_WAY, size, wait="poll") for size in (64, megabyte)),
        Cell(ONE_WAY, megabyte, subscribers=8, pacing_us=25_000),
        Cell(ROUND_TRIP, 64),
        Cell(ROUND_TRIP, 64, wait="poll"),
        *(Cell(THROUGHPUT, size, pacing_us=0) for size in (64, megabyte)),
        # With one that spins, which the peers can do as well; and without anybody who takes.
        Cell(PUBLISH_COST, wait="poll", pacing_us=0),
        *publish_cells(IDLE_SUBSCRIPTIONS),
    ]


def quick_cells() -> list[Cell]:
    """One of each kind that fits a minute with all peers."""
    return [Cell(ONE_WAY, 1 << 20), Cell(ONE_WAY, 64, wait="poll"), *publish_cells((0, 64))]


def publish_cells(subscriptions: Iterable[int], size: int = 64) -> list[Cell]:
    """Publishing as fast as it goes, with nobody asleep."""
    return [Cell(PUBLISH_COST, size, count, "none", 0) for count in subscriptions]


def crossed_cells(
    metrics: Sequence[str],
    sizes: Sequence[int],
    subscribers: Sequence[int],
    waits: Sequence[str],
    pacings_us: Sequence[int],
) -> list[Cell]:
    """All combinations that make sense: a round trip has one subscriber, throughput no pacing."""
    cells = []
    for metric, size, count, wait, pacing in product(
        metrics, sizes, subscribers, waits, pacings_us
    ):
        if metric == PUBLISH_COST:
            # Somebody asleep would add his wake, which is the cost of latency's cells.
            cells.append(Cell(metric, size, count, "poll" if wait == "poll" else "none", 0))
        elif metric == THROUGHPUT:
            cells.append(Cell(metric, size, count, wait, 0))
        else:
            cells.append(Cell(metric, size, 1 if metric == ROUND_TRIP else count, wait, pacing))
    return list(dict.fromkeys(cells))


def with_counts(cell: Cell, quick: bool, messages: int | None = None) -> Cell:
    """A cell with its number of messages: half a second of them, or as many as asked for."""
    if messages is None:
        messages = _messages(cell)
        messages = max(20, messages // 4) if quick else messages
    # At least one lap over all blocks of a writer: each is written as a whole once.
    return replace(cell, messages=messages, warmup=max(20, messages // 10))


def _messages(cell: Cell) -> int:
    if cell.pacing_us >= 10_000:
        return 40
    if cell.pacing_us > 0:
        # Transports that copy need 40 ms for each of 10 MB.
        return 200 if cell.bytes <= 1 << 20 else 60
    return 20_000 if cell.bytes <= 65536 else 2000 if cell.bytes <= 1 << 20 else 200
