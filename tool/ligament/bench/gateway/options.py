# SPDX-License-Identifier: Apache-2.0
"""What `ligament bench gateway` is asked for, and the plan that follows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ligament.bench.hmt.options import WIDTHS
from ligament.bench.options import Lists, option

#: Image payloads of the published experiments, and how many messages of each are sent here.
MESSAGES = {10_000: 100, 100_000: 20, 1_000_000: 3, 10_000_000: 1}
SUBSCRIBERS = [2, 4, 8]
LATENCIES = [20, 50, 100, 200]
#: Words that the published design's gateway reads at a time: by its sources, by its text, fitted.
READ_WORDS = {1: "published-sources", 32: "published-text", 4: "published-fitted"}
READINGS = tuple(name.removeprefix("published-") for name in READ_WORDS.values())
#: Cycles of the latency that tables show, unless others are asked for.
LATENCY = 50


@dataclass(frozen=True)
class Shape:
    """A pair of designs: one over memory, one with a gateway."""

    width: int
    subscribers: int
    #: Beats of a burst; 0: the published design.
    burst: int
    #: Of that: how many words its gateway reads at a time.
    read_words: int = 32

    @property
    def name(self) -> str:
        """As a folder's name."""
        return f"{self.width}-{self.subscribers}-{self.burst}"


@dataclass(frozen=True)
class Experiment:
    """What is sent through a pair."""

    publisher: str
    bytes: int
    messages: int
    read_latency: int
    #: Whether what software does takes its time, or none.
    software: bool


@dataclass(frozen=True)
class Options:
    """Options of its own."""

    subscribers: str = option("", "Cores that subscribe, a list (2,4,8).")
    widths: str = option("", "Bits of stream and port, a list (64,512).")
    latencies: str = option("", "Cycles to memory's first beat, a list (20,200).")
    sizes: str = option("", "Bytes, a list (10000,1000000).")
    plot: str = option("", "Write times and speed-ups as SVG.", metavar="FILE")
    published: bool = option(False, "The published design, as sources and text say; fitted.")
    readings: str = option("", "Of --published: among sources, text, fitted; all.")


@dataclass(frozen=True)
class Plan:
    """What is simulated."""

    shapes: list[Shape]
    sizes: list[int]
    latencies: list[int]
    published: bool

    def experiments(self) -> Iterator[Experiment]:
        """For each shape. Without software's time where that would show: small messages."""
        for publisher in ("hw", "sw"):
            for size in self.sizes:
                for latency in self.latencies:
                    count = MESSAGES[size]
                    yield Experiment(publisher, size, count, latency, True)
                    if size < 1_000_000 and not self.published:
                        yield Experiment(publisher, size, count, latency, False)


def plan_of(quick: bool, options: Options) -> Plan:
    """Read the options."""
    lists = Lists()
    if options.published and options.widths not in ("", "64"):
        lists.refuse("--widths", options.widths, "64: --published is 64 bits wide")
    if options.published and options.latencies:
        lists.refuse("--latencies", options.latencies, "none: --published has a latency of its own")
    widths = lists.numbers("--widths", options.widths, WIDTHS)
    subscribers = lists.numbers("--subscribers", options.subscribers, range(1, 17))
    latencies = lists.numbers("--latencies", options.latencies, range(1, 1001))
    sizes = lists.numbers("--sizes", options.sizes, MESSAGES)
    readings = lists.words("--readings", options.readings, READINGS) or READINGS
    if options.readings and not options.published:
        lists.refuse("--readings", options.readings, "none: only --published has readings")
    lists.raise_mistakes()
    usual = [LATENCY] if quick or options.published else LATENCIES
    shapes = [
        Shape(width, count, 0 if options.published else burst_of(width), words)
        for width in widths or [64]
        for count in subscribers or ([2, 8] if quick else SUBSCRIBERS)
        for words in (_words_of(readings) if options.published else [32])
    ]
    few = list(MESSAGES)[:2] if quick else list(MESSAGES)
    return Plan(shapes, sizes or few, latencies or usual, options.published)


def _words_of(readings: Sequence[str]) -> list[int]:
    return [words for words, name in READ_WORDS.items() if name.split("-")[1] in readings]


def burst_of(width: int) -> int:
    """Beats: 256 bytes at 64 bits, 1024 at 512."""
    return 32 if width == 64 else 16
