# SPDX-License-Identifier: Apache-2.0
"""What a run comes to (why it ended, its processes, how the end went), and who is told."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Protocol

from ligament.run.losses import Loss
from ligament.run.moving import Move
from ligament.run.status import StatusBoard


class Observer(Protocol):
    """Who is told what happens: the terminal, or a test."""

    def note(self, text: str) -> None:
        """Something happened that a person should see once."""

    def progress(self, text: str) -> None:
        """All goes as it should: good to know, and nothing to act on."""

    def figures(self, board: StatusBoard) -> None:
        """New figures are on the board; called at most a few times a second."""


@dataclass(frozen=True)
class Verdict:
    """Why the graph ended: `finished`, `duration`, `interrupted` or `failed`, and in words."""

    reason: str
    text: str
    exit_code: int = 0
    container: str | None = None


@dataclass
class ProcessRecord:
    """What run.json keeps of one process."""

    container: str
    pid: int
    started_ns: int
    ready_ns: int | None = None
    ended_ns: int | None = None
    exit: str | None = None
    log: str = ""


@dataclass
class Shutdown:
    """How the end went. Times are CLOCK_MONOTONIC; `drain_ns` is how long the stop took."""

    stop_ns: int = 0
    drain_ns: int = 0
    killed: list[str] = field(default_factory=list)


@dataclass
class NodeError:
    """One sentence that a node (None: the container itself) reported, and how often."""

    node: str | None
    text: str
    container: str
    count: int = 1


@dataclass
class RunResult:
    """Everything that a run leaves for run.json."""

    verdict: Verdict
    processes: list[ProcessRecord]
    shutdown: Shutdown
    restarts: dict[str, int]
    stuck: list[str]
    errors: list[NodeError] = field(default_factory=list)
    losses: list[Loss] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)


def now_ns() -> int:
    """CLOCK_MONOTONIC, the clock of every time in run.json."""
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)
