# SPDX-License-Identifier: Apache-2.0
"""What messages needed between publish call and job, by kind: measured in a run, or drawn.

A job waits first until a thread, its node and a core are free for it; that is not counted here, as
the replay makes it wait by itself. What is left is the time of the message's way.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ligament.advise.jobs import Job, Message, Work
from ligament.advise.setting import Kind, Setting

Samples = NDArray[np.float64]
LEAST = 5
"""Fewer samples of a kind say nothing."""


class UnknownKindError(Exception):
    """Nothing is known of the time of a kind of message."""

    def __init__(self, kind: Kind) -> None:
        super().__init__(str(kind))
        self.kind = kind


@dataclass
class Measured:
    """Of one run: each job's own wait and each message's own publish call, and all by kind."""

    waits: dict[int, tuple[Kind, int]] = field(default_factory=dict)
    calls: dict[Message, Kind] = field(default_factory=dict)
    samples: dict[Kind, Samples] = field(default_factory=dict)


def measure(work: Work, setting: Setting, since_ns: int = 0) -> Measured:
    """Take a run apart; `setting` is how it was run.

    Samples are of messages since then: the first ones of a run meet cold caches and discovery.
    """
    found = Measured()
    by_kind: dict[Kind, list[float]] = defaultdict(list)
    free = _Free(work, setting)
    for at, job in enumerate(work.jobs):
        sent = work.sent.get(job.trigger) if job.trigger else None
        if sent is None:
            continue
        visible = sent.end_ns
        until = min(max(visible, free.until(job)), max(job.begin_ns, visible))
        kind = setting.wait_kind(work.jobs[sent.job], job, sent.topic, until <= visible)
        # Negative: the reader ran while the publish call, which woke it, had not returned yet.
        wait = job.begin_ns - until
        found.waits[at] = (kind, wait)
        if job.begin_ns >= since_ns:
            by_kind[kind].append(max(0, wait))
    for job in work.jobs:
        for out in job.outputs:
            called = setting.call_kind(work, out.message, work.sent[out.message])
            if called is not None:
                found.calls[out.message] = called
                if job.begin_ns >= since_ns:
                    by_kind[called].append(out.call_ns)
    found.samples = {
        kind: np.asarray(values, dtype=np.float64)
        for kind, values in by_kind.items()
        if len(values) >= LEAST
    }
    return found


def parallel_nodes(work: Work) -> frozenset[str]:
    """Nodes of which two callbacks ran at the same time."""
    nodes: dict[str, list[Job]] = defaultdict(list)
    for job in work.jobs:
        nodes[job.node].append(job)
    return frozenset(name for name, jobs in nodes.items() if len(_full(jobs, 2)[0]))


def most_at_once(work: Work) -> int:
    """How many jobs needed a core at the same time, at most."""
    count = 1
    sending = [_sending(job) for job in work.jobs if job.server >= 0]
    while len(_full(sending, count + 1)[0]):
        count += 1
    return count


class _Free:
    """Until when a job's thread, node and cores were taken by others, before it began."""

    def __init__(self, work: Work, setting: Setting) -> None:
        self._setting = setting
        real = [job for job in work.jobs if job.server >= 0]
        servers: dict[int, list[Job]] = defaultdict(list)
        nodes: dict[str, list[Job]] = defaultdict(list)
        for job in real:
            servers[setting.server(job)].append(job)
            nodes[job.node].append(job)
        self._servers = {s: _full(jobs, setting.capacity(s)) for s, jobs in servers.items()}
        self._nodes = {n: _full(jobs, 1) for n, jobs in nodes.items() if n not in setting.parallel}
        sending = [_sending(job) for job in real]
        self._cores = _full(sending, setting.cores)

    def until(self, job: Job) -> int:
        """The last time before its begin at which one of them was taken; 0: never."""
        of = [self._cores]
        if job.server >= 0:
            of.append(self._servers[self._setting.server(job)])
            of += [self._nodes[job.node]] if job.node in self._nodes else []
        return max(_last(intervals, job.begin_ns) for intervals in of)


def _sending(job: Job) -> Job:
    """A job until it has sent all that it sends."""
    tail = job.end_ns - job.needed_until_ns
    return replace(job, end_ns=job.end_ns - tail, left_ns=job.left_ns - tail, outputs=[])


Intervals = tuple[NDArray[np.int64], NDArray[np.int64]]


def _full(jobs: Iterable[Job], capacity: int) -> Intervals:
    """The stretches of time in which as many jobs ran as there is room for."""
    marks = sorted(
        [(job.begin_ns, 1) for job in jobs] + [(max(job.end_ns, job.left_ns), -1) for job in jobs],
        key=lambda mark: (mark[0], mark[1]),
    )
    begins, ends = [], []
    running = 0
    for time, step in marks:
        before, running = running, running + step
        if before < capacity <= running:
            begins.append(time)
        elif running < capacity <= before:
            ends.append(time)
    return np.asarray(begins, dtype=np.int64), np.asarray(ends, dtype=np.int64)


def _last(intervals: Intervals, time: int) -> int:
    begins, ends = intervals
    place = int(np.searchsorted(begins, time, side="left")) - 1
    return 0 if place < 0 else int(min(ends[place], time))
