# SPDX-License-Identifier: Apache-2.0
"""The options of `ligament bench transport`, and the plan that follows from them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from ligament.bench.transport import cells as table
from ligament.bench.transport.cells import Cell
from ligament.errors import InputError, Problem, listing, nearest

PEERS = ("iceoryx2", "fastdds-loan", "fastdds", "cyclonedds")
Item = TypeVar("Item", int, str)


@dataclass(frozen=True)
class Options:
    """In typer's form. A list of the first four makes a table of all their combinations."""

    bytes: Annotated[
        str, typer.Option("--bytes", metavar="LIST", help="Sizes, as in 64,4096; up to 1 GiB.")
    ] = ""
    subscribers: Annotated[
        str, typer.Option("--subscribers", metavar="LIST", help="Subscriber processes, 1 to 64.")
    ] = ""
    wait: Annotated[
        str, typer.Option("--wait", metavar="LIST", help="sleep, poll: how subscribers wait.")
    ] = ""
    pacing_us: Annotated[
        str,
        typer.Option(
            "--pacing-us", metavar="LIST", help="Time between messages; 0: as fast as it goes."
        ),
    ] = ""
    metric: Annotated[
        str, typer.Option("--metric", metavar="LIST", help=f"Among {', '.join(table.METRICS)}.")
    ] = ""
    full: Annotated[
        bool, typer.Option("--full", help="All sizes, subscribers, waits and pacings: hours.")
    ] = False
    passes: Annotated[
        int, typer.Option("--passes", metavar="N", help="Turns of everybody (0: 10, quick 3).")
    ] = 0
    messages: Annotated[
        int, typer.Option("--messages", metavar="N", help="Per run (0: about half a second).")
    ] = 0
    peers: Annotated[
        str,
        typer.Option("--peers", metavar="LIST|none", help=f"Among {', '.join(PEERS)}."),
    ] = ",".join(PEERS)
    peers_dir: Annotated[
        Path | None,
        typer.Option("--peers-dir", metavar="DIR", help="Where their programs are (build/peers)."),
    ] = None
    build_peers: Annotated[
        bool,
        typer.Option("--build-peers", help="Fetch and build the peers first; needs the network."),
    ] = False
    cores: Annotated[
        str,
        typer.Option("--cores", metavar="LIST", help="Keep all processes on these, as in 0-1."),
    ] = ""
    force_poll: Annotated[
        bool, typer.Option("--force-poll", help="Poll also with more processes than cores.")
    ] = False


@dataclass(frozen=True)
class Plan:
    """What a run does."""

    cells: list[Cell]
    passes: int
    peers: list[str]
    peers_dir: Path | None
    cores: str
    notes: list[str]


def make_plan(quick: bool, options: Options) -> Plan:
    """Check all options; every mistake is named in one go."""
    problems: list[Problem] = []
    chosen = _choose_cells(quick, options, problems)
    names = _words("--peers", options.peers, (*PEERS, "none"), problems)
    for flag, value in (("--passes", options.passes), ("--messages", options.messages)):
        if not 0 <= value <= 1_000_000:
            problems.append(_problem(flag, str(value), "a number from 1 to 1000000; 0: by itself"))
    available = _cores(options.cores, problems)
    if problems:
        raise InputError(problems)
    kept, notes = _without_crowds(chosen, available, options.force_poll)
    counted = [table.with_counts(cell, quick, options.messages or None) for cell in kept]
    if not counted:
        raise InputError(_problem("--wait", options.wait, "a cell that can run here: " + notes[0]))
    return Plan(
        counted,
        options.passes or (3 if quick else 10),
        [name for name in names if name != "none"],
        options.peers_dir,
        options.cores,
        notes,
    )


def _choose_cells(quick: bool, options: Options, problems: list[Problem]) -> list[Cell]:
    metrics = _words("--metric", options.metric, table.METRICS, problems)
    sizes = _numbers("--bytes", options.bytes, 24, 1 << 30, problems)
    counts = _numbers("--subscribers", options.subscribers, 0, 64, problems)
    waits = _words("--wait", options.wait, table.WAITS, problems)
    pacings = _numbers("--pacing-us", options.pacing_us, 0, 60_000_000, problems)
    if 0 in counts and metrics != [table.PUBLISH_COST]:
        problems.append(_problem("--subscribers", "0", "at least 1; 0 only with publish_cost"))
    if options.full:
        return table.crossed_cells(
            metrics or table.METRICS,
            sizes or table.BYTES,
            counts or table.SUBSCRIBERS,
            waits or table.WAITS,
            pacings or table.PACINGS_US,
        )
    if sizes or counts or waits or pacings:
        return table.crossed_cells(
            metrics or [table.ONE_WAY], sizes or [64], counts or [1], waits or ["sleep"],
            pacings or [2000],
        )  # fmt: skip
    cells = table.quick_cells() if quick and not metrics else table.default_cells()
    return [cell for cell in cells if not metrics or cell.metric in metrics]


def _without_crowds(
    cells: Sequence[Cell], cores: int, forced: bool
) -> tuple[list[Cell], list[str]]:
    """Spinning processes that share a core measure the scheduler's time slice."""
    crowded = [c for c in cells if c.wait == "poll" and c.subscribers >= cores and not forced]
    notes = [
        f"skipped: {cell.title}: {cell.subscribers + 1} processes that spin do not fit "
        f"{cores} cores (--force-poll measures it all the same)"
        for cell in crowded
    ]
    return [cell for cell in cells if cell not in crowded], notes


def _cores(text: str, problems: list[Problem]) -> int:
    if not text:
        return len(os.sched_getaffinity(0))
    found: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            problems.append(_problem("--cores", text, "numbers and ranges, as in 0,2-3"))
            return 1
        found |= set(range(int(first), int(last if dash else first) + 1))
    if not found <= os.sched_getaffinity(0) or not found:
        usable = listing([str(core) for core in os.sched_getaffinity(0)])
        problems.append(_problem("--cores", text, f"cores that this process may use: {usable}"))
    return len(found)


def _numbers(flag: str, text: str, low: int, high: int, problems: list[Problem]) -> list[int]:
    def parse(word: str) -> int:
        if not word.isdecimal() or not low <= int(word) <= high:
            raise ValueError(word)
        return int(word)

    return _items(flag, text, parse, f"numbers from {low} to {high}, with commas", problems)


def _words(flag: str, text: str, known: Sequence[str], problems: list[Problem]) -> list[str]:
    def parse(word: str) -> str:
        if word not in known:
            raise ValueError(word)
        return word

    hint = next((nearest(w, known) for w in text.split(",") if w and w not in known), "")
    return _items(flag, text, parse, f"among {', '.join(known)}, with commas", problems, hint)


def _items(
    flag: str,
    text: str,
    parse: Callable[[str], Item],
    expected: str,
    problems: list[Problem],
    hint: str = "",
) -> list[Item]:
    found = []
    for word in [part.strip() for part in text.split(",")] if text else []:
        try:
            found.append(parse(word))
        except ValueError:
            problems.append(_problem(flag, word, expected, hint))
    return list(dict.fromkeys(found))


def _problem(flag: str, value: str, expected: str, hint: str = "") -> Problem:
    return Problem("bench-option", f"{flag} '{value}' cannot be used", None, expected, hint)
