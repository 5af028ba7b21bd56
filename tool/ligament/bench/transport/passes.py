# SPDX-License-Identifier: Apache-2.0
"""The turns: in each pass every contestant runs once in every cell, in an order that rotates."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ligament.bench.children import Child, Children
from ligament.bench.measuring import in_turn, say
from ligament.bench.transport import cells as table
from ligament.bench.transport.cells import Cell
from ligament.bench.transport.figures import Figures, read_figures
from ligament.bench.transport.options import Plan
from ligament.bench.transport.peers import Contestant, readers_of
from ligament.errors import FailureError

#: What a run may take beyond its messages: 30 s to match, and a loaded machine.
GRACE_S = 60.0
#: How long a publisher sends when throughput is measured, and how many results are still handy.
SENDING_NS = 300_000_000
MOST_MESSAGES = 500_000


@dataclass(frozen=True)
class Run:
    """One contestant in one cell in one pass."""

    number: int
    cell: Cell
    contestant: Contestant
    figures: Figures


def measure_passes(plan: Plan, contestants: Sequence[Contestant]) -> tuple[list[Run], list[str]]:
    """All runs; and a sentence on each contestant that failed: it is left out of that cell."""
    runs: list[Run] = []
    failed: dict[tuple[Cell, str], str] = {}
    lengths: dict[tuple[Cell, str], Cell] = {}
    clock = Progress(plan, contestants)
    for number in range(1, plan.passes + 1):
        for place, cell in enumerate(plan.cells, 1):
            clock.step(number, place, cell)
            those = [c for c in contestants if c.takes_part(cell)]
            for contestant in in_turn(those, number - 1):
                if (cell, contestant.name) in failed:
                    continue
                where = f"pass {number}, {cell.title}, {contestant.name}"
                key = (cell, contestant.name)
                try:
                    if cell.metric == table.THROUGHPUT and key not in lengths:
                        lengths[key] = long_enough(contestant, cell, plan.cores)
                    figures = run_once(contestant, lengths.get(key, cell), plan.cores)
                except FailureError as error:
                    failed[cell, contestant.name] = f"{where}: {error}"
                    say("transport", f"failed: {failed[cell, contestant.name]}")
                else:
                    runs.append(Run(number, cell, contestant, figures))
    # Part of the passes is no result: who failed once has no row in that cell.
    kept = [run for run in runs if (run.cell, run.contestant.name) not in failed]
    return kept, list(failed.values())


def long_enough(contestant: Contestant, cell: Cell, cores: str) -> Cell:
    """The cell with so many messages that sending them takes this contestant a while.

    One sends in 3 ms what takes another a second; in 3 ms a subscriber has hardly woken.
    """
    pilot = replace(cell, messages=max(20, cell.messages // 10), warmup=20)
    each_ns = run_once(contestant, pilot, cores).wall_ns / pilot.messages
    wanted = int(SENDING_NS / max(each_ns, 1.0))
    return replace(cell, messages=min(max(wanted, cell.messages // 10), MOST_MESSAGES))


def run_once(contestant: Contestant, cell: Cell, cores: str = "") -> Figures:
    """One run; all its processes are gone afterwards."""
    pin = ["taskset", "--cpu-list", cores] if cores else []
    timeout_s = GRACE_S + 20 * cell.paced_s
    with Children(timeout_s) as children:
        if contestant.kind == "floor":
            child = children.start(contestant.name, [*pin, *contestant.floor_command(cell)])
            children.await_end([child])
            return read_figures(child.lines, cell, cell.subscribers)
        ends = _run_ends(children, contestant, cell, pin)
        lines = [line for end in ends for line in end.lines]
        return read_figures(lines, cell, len(readers_of(cell)))


def _run_ends(
    children: Children, contestant: Contestant, cell: Cell, pin: list[str]
) -> list[Child]:
    there, here = ("pong", "ping") if cell.metric == table.ROUND_TRIP else ("subscribe", "publish")
    topic = fresh_topic()
    receivers = [
        children.start(f"{there} {k}", [*pin, *contestant.command(there, cell, topic, k)])
        for k in range(len(readers_of(cell)))
    ]
    children.await_ready(receivers)
    sender = children.start(here, [*pin, *contestant.command(here, cell, topic)])
    if cell.wait == "none":
        children.await_end([sender])
        children.ask_to_end(receivers)
    children.await_end([sender, *receivers])
    return [*receivers, sender]


_topics = 0


def fresh_topic() -> str:
    """A name that no other run of this machine has."""
    global _topics  # noqa: PLW0603 - a counter
    _topics += 1
    return f"ligament-bench-{os.getpid()}-{_topics}"


class Progress:
    """One line per pass and cell, with the time that is left."""

    def __init__(self, plan: Plan, contestants: Sequence[Contestant]) -> None:
        self._plan = plan
        self._work = [
            cell.seconds * sum(c.takes_part(cell) for c in contestants) for cell in plan.cells
        ]
        self._start = time.monotonic()
        self._done = 0.0
        self._all = sum(self._work) * plan.passes
        say(
            "transport",
            f"{len(plan.cells)} cells, {plan.passes} passes, "
            f"{', '.join(c.name for c in contestants)}: about {clock_text(self._all)}",
        )

    def step(self, number: int, place: int, cell: Cell) -> None:
        """Say what comes now."""
        spent = time.monotonic() - self._start
        # The estimate counts as one cell's experience: the first line is not nonsense.
        speed = (spent + self._work[0]) / (self._done + self._work[0])
        left = clock_text((self._all - self._done) * speed)
        say(
            "transport",
            f"pass {number}/{self._plan.passes}, cell {place}/{len(self._work)}, {left} left: "
            f"{cell.title}",
        )
        self._done += self._work[place - 1]


def clock_text(seconds: float) -> str:
    """Minutes and seconds."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d} min"
