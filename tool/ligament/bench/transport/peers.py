# SPDX-License-Identifier: Apache-2.0
"""Who takes part: our program, the peers' programs, the floors; and which command each needs."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ligament.bench.children import Children
from ligament.bench.measuring import OURS, REPOSITORY, program, say
from ligament.bench.transport import cells as table
from ligament.bench.transport.cells import Cell
from ligament.bench.transport.options import Plan
from ligament.errors import FailureError

BUILD_SCRIPT = REPOSITORY / "benchmarks" / "transport" / "peers" / "build"
PROGRAM = "ligament-bench-transport"
#: A peer's program and its variant.
_PROGRAMS = {
    "iceoryx2": ("iceoryx2", ""),
    "fastdds-loan": ("fastdds", "loan"),
    "fastdds": ("fastdds", "default"),
    "cyclonedds": ("cyclonedds", ""),
}
_READERS_PER_PROCESS = 16


@dataclass(frozen=True)
class Contestant:
    """One that is measured: `kind` is ours, peer or floor."""

    name: str
    kind: str
    path: Path
    arguments: tuple[str, ...] = ()

    def takes_part(self, cell: Cell) -> bool:
        """Whether the cell is a question to it."""
        if self.kind == "floor":
            return self.name in floors_of(cell)
        # The peers' programs have no subscriptions that nobody takes from.
        return self.kind == "ours" or cell.wait != "none"

    def command(self, role: str, cell: Cell, topic: str, index: int = 0) -> list[str]:
        """The command line of one end."""
        words = [str(self.path), role, *self.arguments, "--topic", topic, "--wait", cell.wait]
        words += ["--bytes", str(cell.bytes), "--messages", str(cell.messages)]
        words += ["--warmup", str(cell.warmup)]
        if role in ("subscribe", "pong"):
            words += ["--index", str(index)]
        if role == "subscribe" and cell.wait == "none":
            return [*words, "--readers", str(readers_of(cell)[index])]
        if role in ("publish", "ping"):
            words += ["--subscribers", str(cell.subscribers), "--pacing-us", str(cell.pacing_us)]
        return words

    def floor_command(self, cell: Cell) -> list[str]:
        """The command line of a floor, which has all its processes in one."""
        words = [str(self.path)]
        words += ["ping"] if cell.metric == table.ROUND_TRIP else []
        words += ["--floor", self.name, "--bytes", str(cell.bytes), "--warmup", str(cell.warmup)]
        if self.name == "memcpy":
            return [*words, "--messages", str(max(20, min(cell.messages, 100)))]
        words += ["--messages", str(cell.messages), "--pacing-us", str(cell.pacing_us)]
        return [*words, "--subscribers", str(cell.subscribers)]


def floors_of(cell: Cell) -> list[str]:
    """What bounds a cell from below on this machine."""
    if cell.metric not in (table.ONE_WAY, table.ROUND_TRIP):
        return []
    if cell.subscribers > 1:
        return ["broadcast"] if cell.wait == "sleep" else []
    wake = ["futex"] if cell.wait == "sleep" else ["line", "lines"]
    return [*wake, "memcpy"] if cell.metric == table.ONE_WAY else wake


def readers_of(cell: Cell) -> list[int]:
    """How many subscriptions each process has: one, unless nobody takes from them."""
    if cell.wait != "none":
        return [1] * cell.subscribers
    left = cell.subscribers
    shares = []
    while left > 0:
        shares.append(min(left, _READERS_PER_PROCESS))
        left -= shares[-1]
    return shares


def find(plan: Plan) -> tuple[list[Contestant], list[str]]:
    """Those that are here, and a sentence on each peer that is not."""
    own = program(PROGRAM)
    found = [Contestant(OURS, "ours", own)]
    missing = []
    folder = plan.peers_dir or REPOSITORY / "build" / "peers"
    for name in plan.peers:
        stem, variant = _PROGRAMS[name]
        path = folder / stem
        if path.is_file():
            words = ("--variant", variant) if variant else ()
            found.append(Contestant(name, "peer", path, words))
        else:
            missing.append(
                f"the peer {name} is missing ({path}); benchmarks/transport/peers/build {stem} "
                f"builds it, or --build-peers all"
            )
    floors = {floor: None for cell in plan.cells for floor in floors_of(cell)}
    return [*found, *(Contestant(floor, "floor", own) for floor in floors)], missing


def build(names: Sequence[str]) -> None:
    """Run the script that fetches and builds the peers; it says itself what it does."""
    if not BUILD_SCRIPT.is_file():
        raise FailureError(
            f"the script that builds the peers is missing: {BUILD_SCRIPT}",
            hint="peers can be built in a checkout of the repository only",
        )
    stems = list(dict.fromkeys(_PROGRAMS[name][0] for name in names))
    if not stems:
        return
    say("transport", f"building the peers: {', '.join(stems)} (fetches their sources; minutes)")
    command = [str(BUILD_SCRIPT), *stems]
    # Its progress goes where ours goes: stdout is for the table.
    result = subprocess.run(command, stdout=sys.stderr, check=False)
    if result.returncode != 0:
        say("transport", "not all peers could be built; those that are there take part")


def versions(contestants: Sequence[Contestant]) -> dict[str, str]:
    """What each peer's program says it is; one that says nothing is still measured."""
    found = {}
    for contestant in (c for c in contestants if c.kind == "peer"):
        with contextlib.suppress(FailureError), Children(timeout_s=2.0) as children:
            child = children.start(contestant.name, [str(contestant.path), "--version"])
            children.await_end([child])
            if child.lines:
                found[contestant.name] = child.lines[0][:100]
    return found
