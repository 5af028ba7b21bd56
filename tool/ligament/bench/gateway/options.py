# SPDX-License-Identifier: Apache-2.0
"""What `ligament bench gateway` is asked for, and the plan that follows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import typer

from ligament.bench.hmt.options import WIDTHS, numbers_of
from ligament.errors import InputError, Problem

#: Image payloads of the published experiments, and how many messages of each are sent here.
MESSAGES = {10_000: 100, 100_000: 20, 1_000_000: 3, 10_000_000: 1}
SUBSCRIBERS = [2, 4, 8]
LATENCIES = [20, 50, 100, 200]
#: Cycles of the latency that tables show, unless others are asked for.
LATENCY = 50


@dataclass(frozen=True)
class Shape:
    """A pair of designs: one over memory, one with a gateway."""

    width: int
    subscribers: int
    #: Beats of a burst; 0: the published design.
    burst: int
    #: Of that: whether its gateway reads word by word.
    word_wise: bool = False

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

    subscribers: Annotated[
        str, typer.Option("--subscribers", help="Cores that subscribe, a list (2,4,8).")
    ] = ""
    widths: Annotated[
        str, typer.Option("--widths", help="Bits of stream and port, a list (64,512).")
    ] = ""
    latencies: Annotated[
        str, typer.Option("--latencies", help="Cycles to memory's first beat, a list (20,200).")
    ] = ""
    sizes: Annotated[str, typer.Option("--sizes", help="Bytes, a list (10000,1000000).")] = ""
    plot: Annotated[
        str, typer.Option("--plot", metavar="FILE", help="Write times and speed-ups as SVG.")
    ] = ""
    published: Annotated[
        bool,
        typer.Option("--published", help="The published design, by its sources and by its text."),
    ] = False


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
    if options.published and options.widths not in ("", "64"):
        raise InputError(
            Problem("bench-option", f"--published is 64 bits wide, not {options.widths}")
        )
    if options.published and options.latencies:
        raise InputError(
            Problem("bench-option", "--published has a latency of its own: leave out --latencies")
        )
    widths = numbers_of("widths", options.widths, [64], list(WIDTHS))
    subscribers = numbers_of(
        "subscribers", options.subscribers, [2, 8] if quick else SUBSCRIBERS, range(1, 17)
    )
    latencies = [LATENCY] if quick or options.published else LATENCIES
    latencies = numbers_of("latencies", options.latencies, latencies, range(1, 1001))
    sizes = list(MESSAGES)[:2] if quick else list(MESSAGES)
    sizes = numbers_of("sizes", options.sizes, sizes, list(MESSAGES))
    shapes = [
        Shape(width, count, 0 if options.published else burst_of(width), word_wise)
        for width in widths
        for count in subscribers
        for word_wise in ((True, False) if options.published else (False,))
    ]
    return Plan(shapes, sizes, latencies, options.published)


def burst_of(width: int) -> int:
    """Beats: 256 bytes at 64 bits, 1024 at 512."""
    return 32 if width == 64 else 16
