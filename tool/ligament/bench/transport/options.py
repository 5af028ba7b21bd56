# SPDX-License-Identifier: Apache-2.0
"""The options of `ligament bench transport`, and the plan that follows from them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ligament.bench.options import Lists, option
from ligament.bench.transport import cells as table
from ligament.bench.transport.cells import Cell
from ligament.errors import listing

PEERS = ("iceoryx2", "fastdds-loan", "fastdds", "cyclonedds")


@dataclass(frozen=True)
class Options:
    """In typer's form. A list of the first four makes a table of all their combinations."""

    bytes: str = option("", "Sizes, as in 64,4096; up to 1 GiB.", metavar="LIST")
    subscribers: str = option("", "Subscriber processes, 1 to 64.", metavar="LIST")
    wait: str = option("", "sleep, poll: how subscribers wait.", metavar="LIST")
    pacing_us: str = option("", "Time between messages; 0: as fast as it goes.", metavar="LIST")
    metric: str = option("", f"Among {', '.join(table.METRICS)}.", metavar="LIST")
    full: bool = option(False, "All sizes, subscribers, waits and pacings: hours.")
    passes: int = option(0, "Turns of everybody (0: 10, quick 3).", metavar="N")
    messages: int = option(0, "Per run (0: about half a second).", metavar="N")
    peers: str = option(",".join(PEERS), f"Among {', '.join(PEERS)}.", metavar="LIST|none")
    peers_dir: Path | None = option(  # noqa: RUF009 - a field
        None, "Where their programs are (build/peers).", metavar="DIR"
    )
    build_peers: bool = option(False, "Fetch and build the peers first; needs the network.")
    cores: str = option("", "Keep all processes on these, as in 0-1.", metavar="LIST")
    force_poll: bool = option(False, "Poll also with more processes than cores.")


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
    lists = Lists()
    chosen = _choose_cells(quick, options, lists)
    names = lists.words("--peers", options.peers, (*PEERS, "none"))
    for flag, value in (("--passes", options.passes), ("--messages", options.messages)):
        if not 0 <= value <= 1_000_000:
            lists.refuse(flag, str(value), "a number from 1 to 1000000; 0: by itself")
    available = _cores(options.cores, lists)
    lists.raise_mistakes()
    kept, notes = _without_crowds(chosen, available, options.force_poll)
    counted = [table.with_counts(cell, quick, options.messages or None) for cell in kept]
    if not counted:
        lists.refuse("--wait", options.wait, "a cell that can run here: " + notes[0])
    lists.raise_mistakes()
    return Plan(
        counted,
        options.passes or (3 if quick else 10),
        [name for name in names if name != "none"],
        options.peers_dir,
        options.cores,
        notes,
    )


def _choose_cells(quick: bool, options: Options, lists: Lists) -> list[Cell]:
    metrics = lists.words("--metric", options.metric, table.METRICS)
    sizes = lists.numbers("--bytes", options.bytes, range(24, (1 << 30) + 1))
    counts = lists.numbers("--subscribers", options.subscribers, range(65))
    waits = lists.words("--wait", options.wait, table.WAITS)
    pacings = lists.numbers("--pacing-us", options.pacing_us, range(60_000_001))
    if 0 in counts and metrics != [table.PUBLISH_COST]:
        lists.refuse("--subscribers", "0", "at least 1; 0 only with publish_cost")
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


def _cores(text: str, lists: Lists) -> int:
    if not text:
        return len(os.sched_getaffinity(0))
    found: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            lists.refuse("--cores", text, "numbers and ranges, as in 0,2-3")
            return 1
        found |= set(range(int(first), int(last if dash else first) + 1))
    if not found <= os.sched_getaffinity(0) or not found:
        usable = listing([str(core) for core in os.sched_getaffinity(0)])
        lists.refuse("--cores", text, f"cores that this process may use: {usable}")
    return len(found)
