# SPDX-License-Identifier: Apache-2.0
"""What `ligament bench hmt` is asked for, and the plan that follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from ligament.bench.hmt.network import Shape
from ligament.errors import InputError, Problem

#: Sizes of the published table: RGB images of side 32..1024.
SIZES = (3072, 12288, 49152, 196608, 786432, 3145728)
WIDTHS = (64, 128, 256, 512)
PUBLISHED_WIDTHS = (64, 512)
#: Beats of framing that the published system spends on an Image.
PUBLISHED_HEADER_BEATS = 15


@dataclass(frozen=True)
class Options:
    """Options of its own."""

    publishers: Annotated[
        str, typer.Option("--publishers", help="How many, a list with commas (1,2,3,4).")
    ] = ""
    subscribers: Annotated[
        str, typer.Option("--subscribers", help="How many, a list with commas (1,2,9).")
    ] = ""
    widths: Annotated[
        str, typer.Option("--widths", help="Bits per beat, a list with commas (64,512).")
    ] = ""
    published: Annotated[
        bool,
        typer.Option(
            "--published", help="The published design: 64 bits, 15 beats of framing, one request."
        ),
    ] = False
    area: Annotated[
        bool, typer.Option("--area", help="Count cells with Yosys as well: 24 networks, 2 designs.")
    ] = False
    no_cycles: Annotated[
        bool, typer.Option("--no-cycles", help="Simulate nothing: with --area, the cells alone.")
    ] = False


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


def numbers_of(option: str, text: str, default: list[int], legal: range | list[int]) -> list[int]:
    """A list with commas, each number a legal one."""
    try:
        numbers = [int(word) for word in text.split(",") if word]
    except ValueError:
        numbers = [-1]
    if wrong := [number for number in numbers if number not in legal]:
        raise InputError(
            Problem(
                "bench-option",
                f"--{option} {text}: {'not a number' if wrong[0] == -1 else wrong[0]}",
                expected=f"of {legal[0]}..{legal[-1]}"
                if isinstance(legal, range)
                else "one of " + ", ".join(str(number) for number in legal),
            )
        )
    return numbers or default


def _subscribers(width: int, quick: bool) -> list[int]:
    """All that the published table has at its widths, fewer between them."""
    if quick:
        return [1, 9]
    return list(range(1, 10)) if width in PUBLISHED_WIDTHS else [1, 2, 4, 9]


def plan_of(quick: bool, options: Options) -> Plan:
    """Read the options."""
    if options.no_cycles and not options.area:
        raise InputError(
            Problem("bench-option", "--no-cycles leaves nothing to measure", expected="--area")
        )
    if options.published and options.widths not in ("", "64"):
        raise InputError(
            Problem("bench-option", f"--published is 64 bits wide, not {options.widths}")
        )
    widths = [64] if options.published else [64, 512] if quick else list(WIDTHS)
    widths = numbers_of("widths", options.widths, widths, list(WIDTHS))
    ends = range(1, 65)
    publishers = numbers_of(
        "publishers", options.publishers, [1, 2] if quick else [1, 2, 3, 4], ends
    )
    shapes = [
        Shape(w, p, s)
        for w in widths
        for p in publishers
        for s in numbers_of("subscribers", options.subscribers, _subscribers(w, quick), ends)
    ]
    return Plan(shapes, SIZES, 2 if quick else 3, options.published)
