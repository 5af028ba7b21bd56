# SPDX-License-Identifier: Apache-2.0
"""What `ligament bench hmt` is asked for, and the plan that follows."""

from __future__ import annotations

from dataclasses import dataclass

from ligament.bench.hmt.network import Shape
from ligament.bench.options import Lists, option

#: Sizes of the published table: RGB images of side 32..1024.
SIZES = (3072, 12288, 49152, 196608, 786432, 3145728)
WIDTHS = (64, 128, 256, 512)
PUBLISHED_WIDTHS = (64, 512)
#: Beats of framing that the published system spends on an Image.
PUBLISHED_HEADER_BEATS = 15


@dataclass(frozen=True)
class Options:
    """Options of its own."""

    publishers: str = option("", "How many, a list with commas (1,2,3,4).")
    subscribers: str = option("", "How many, a list with commas (1,2,9).")
    widths: str = option("", "Bits per beat, a list with commas (64,512).")
    published: bool = option(
        False, "The published design: 64 bits, 15 beats of framing, one request."
    )
    area: bool = option(False, "Cells and clocks as well, with Yosys and nextpnr.")
    no_cycles: bool = option(False, "Simulate nothing: with --area, the cells alone.")


@dataclass(frozen=True)
class Plan:
    """What is simulated."""

    shapes: list[Shape]
    sizes: tuple[int, ...]
    messages: int
    published: bool

    @property
    def peer(self) -> str:
        """Whose figures these are."""
        return "published-framing" if self.published else "ligament"

    def header_beats(self, width: int) -> int:
        """Beats of framing; spec/wire/stream.md has ours."""
        if self.published:
            return PUBLISHED_HEADER_BEATS
        return 2 if width == 64 else 1


def _subscribers(width: int, quick: bool) -> list[int]:
    """All that the published table has at its widths, fewer between them."""
    if quick:
        return [1, 9]
    return list(range(1, 10)) if width in PUBLISHED_WIDTHS else [1, 2, 4, 9]


def plan_of(quick: bool, options: Options) -> Plan:
    """Read the options."""
    lists = Lists()
    if options.no_cycles and not options.area:
        lists.refuse("--no-cycles", "without --area", "--area, else nothing is left to measure")
    if options.published and options.widths not in ("", "64"):
        lists.refuse("--widths", options.widths, "64: --published is 64 bits wide")
    ends = range(1, 65)
    widths = lists.numbers("--widths", options.widths, WIDTHS)
    publishers = lists.numbers("--publishers", options.publishers, ends)
    subscribers = lists.numbers("--subscribers", options.subscribers, ends)
    lists.raise_mistakes()
    usual = [64] if options.published else [64, 512] if quick else WIDTHS
    shapes = [
        Shape(w, p, s)
        for w in widths or usual
        for p in publishers or ([1, 2] if quick else [1, 2, 3, 4])
        for s in subscribers or _subscribers(w, quick)
    ]
    return Plan(shapes, SIZES, 2 if quick else 3, options.published)
