# SPDX-License-Identifier: Apache-2.0
"""What jobs run in, as it was or as it would be: servers, cores, and the ways of messages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ligament.advise.jobs import Job, Message, Sent, Work

THREAD, SHM, DDS = "thread", "shm", "dds"
"""A message's way: to its own thread, to another thread or process, through DDS."""
TOLD = {
    THREAD: "a message to the same thread",
    SHM: "a message through shared memory",
    DDS: "a message through DDS",
}


@dataclass(frozen=True)
class Kind:
    """What the time of a message depends on.

    `asleep`: its reader slept, so it was woken; None: of a publish call, not of a wait. `topic`:
    where the size of the message counts, whose it is.
    """

    way: str
    asleep: bool | None
    one_core: bool = False
    topic: str = ""

    def __str__(self) -> str:
        what = "publish call of " if self.asleep is None else ""
        reader = {True: ", reader asleep", False: ", reader busy before", None: ""}[self.asleep]
        core = ", all on one core" if self.one_core else ""
        return f"{what}{TOLD[self.way]}{reader}{core}"


@dataclass(frozen=True)
class Setting:
    """Which server each node is in, the servers' threads, the cores for all of them."""

    server_of: Mapping[str, int]
    threads: Mapping[int, int]
    cores: int
    dds: bool = False
    """Whether processes meet in DDS only."""
    awake: bool = False
    """Whether readers look for messages all the time (`wait: poll`)."""
    gone: frozenset[int] = field(default_factory=frozenset)
    """Jobs that are part of others."""
    parallel: frozenset[str] = field(default_factory=frozenset)
    """Nodes whose callbacks ran at the same time; those of others never do."""

    def server(self, job: Job) -> int:
        """Where a job runs."""
        return job.server if job.server < 0 else self.server_of.get(job.node, job.server)

    def capacity(self, server: int) -> int:
        """How many jobs run there at once."""
        return max(1, self.threads.get(server, 1))

    def way(self, sender: Job, taker: Job) -> str:
        """The way of a message from one job to another."""
        one, other = self.server(sender), self.server(taker)
        if one != other:
            return DDS if self.dds else SHM
        return THREAD if self.capacity(one) == 1 else SHM

    def wait_kind(self, sender: Job, taker: Job, topic: str, asleep: bool) -> Kind:
        """What a message's time between publish call and job depends on."""
        way = self.way(sender, taker)
        asleep = asleep and not self.awake and way != THREAD
        return Kind(way, asleep, self.cores == 1, topic if way == DDS else "")

    def call_kind(self, work: Work, message: Message, sent: Sent) -> Kind | None:
        """What a publish call's time depends on; None: nobody takes the message."""
        takers = [work.jobs[k] for k in work.takers.get(message, ()) if k not in self.gone]
        ways = {self.way(work.jobs[sent.job], taker) for taker in takers}
        way = next((one for one in (DDS, SHM, THREAD) if one in ways), None)
        if way is None:
            return None
        return Kind(way, None, self.cores == 1, sent.topic if way == DDS else "")
