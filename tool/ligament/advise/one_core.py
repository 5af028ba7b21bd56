# SPDX-License-Identifier: Apache-2.0
"""Of a run on one core: what jobs took themselves.

Where all threads share a core, a reader that is woken often takes it from the publisher at once,
and the publisher's callback ends only after the reader's. The time in between is the reader's.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace

from ligament.advise.jobs import Job, Message, Output, Sent, Work

Interval = tuple[int, int]


def without_preemption(work: Work) -> Work:
    """The same work, without the time in which jobs of other threads ran that began later."""
    begins = [job.begin_ns for job in work.jobs]
    sent = dict(work.sent)
    jobs = []
    for at, job in enumerate(work.jobs):
        others = _inside(work, begins, at)
        jobs.append(_own(job, others, sent) if others else job)
    return replace(work, jobs=jobs, sent=sent)


def _inside(work: Work, begins: list[int], at: int) -> list[Interval]:
    """When jobs of other threads ran inside this one, those that overlap as one."""
    job = work.jobs[at]
    found: list[Interval] = []
    for other in work.jobs[at + 1 : bisect_left(begins, job.end_ns)]:
        if other.thread == job.thread or other.server < 0:
            continue
        begin, end = other.begin_ns, min(other.end_ns, job.end_ns)
        if found and begin <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((begin, end))
    return found


def _own(job: Job, others: list[Interval], sent: dict[Message, Sent]) -> Job:
    outputs, time, taken = [], job.begin_ns, 0
    for out in job.outputs:
        gap, lost = _less(others, time, time + out.gap_ns)
        taken += lost
        time += out.gap_ns
        call, lost = _less(others, time, time + out.call_ns)
        taken += lost
        time += out.call_ns
        # It was there for its readers before they took the core.
        sent[out.message] = replace(sent[out.message], end_ns=time - lost)
        outputs.append(Output(out.message, gap, call))
    taken += _less(others, time, job.end_ns)[1]
    compute = min(job.compute_ns, job.took_ns - taken)
    own = job.end_ns - taken
    return replace(job, outputs=outputs, end_ns=own, left_ns=own, compute_ns=compute)


def _less(others: list[Interval], begin: int, end: int) -> tuple[int, int]:
    """How long a stretch is without the others' time, and how much that is."""
    lost = sum(max(0, min(high, end) - max(low, begin)) for low, high in others)
    return end - begin - lost, lost
