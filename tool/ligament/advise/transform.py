# SPDX-License-Identifier: Apache-2.0
"""Jobs as they would be: of a fused node, on another device, without being interrupted."""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass, replace

import numpy as np

from ligament.advise.jobs import Job, Message, Output, Work

Time = Callable[[Job], int]


def fused(work: Work, members: Set[str], name: str) -> tuple[Work, frozenset[int]]:
    """The members' jobs inside each other, and which jobs are no longer called by anything.

    Where a member takes what another one publishes, its job runs in place of the publish call. A
    message that others take, too, is still published. One that two members take is taken once.
    """
    fusing = _Fusing(work, members, name)
    for at, job in enumerate(work.jobs):
        if job.node in members and at not in fusing.gone:
            fusing.rebuild(at)
    fusing.drop_second_takers()
    return replace(work, jobs=fusing.jobs, sent=fusing.sent), frozenset(fusing.gone)


@dataclass
class _Fusing:
    work: Work
    members: Set[str]
    name: str

    def __post_init__(self) -> None:
        self.gone: set[int] = set()
        self.jobs = list(self.work.jobs)
        self.sent = dict(self.work.sent)

    def rebuild(self, at: int) -> None:
        job = self.work.jobs[at]
        outputs, tail, compute = self._expanded(at, at)
        took = sum(out.gap_ns + out.call_ns for out in outputs) + tail
        self.jobs[at] = replace(
            job, node=self.name, outputs=outputs, compute_ns=compute, end_ns=job.begin_ns + took
        )

    def _expanded(self, at: int, into: int) -> tuple[list[Output], int, int]:
        """What a job publishes with the jobs inside it, the time after that, and all compute."""
        job = self.work.jobs[at]
        outputs: list[Output] = []
        pending, compute = 0, job.compute_ns
        for out in job.outputs:
            pending += out.gap_ns
            inner = self._inner(out.message)
            self.sent[out.message] = replace(self.sent[out.message], job=into, node=self.name)
            if not inner or len(inner) < len(self.work.takers[out.message]):
                outputs.append(Output(out.message, pending, out.call_ns))
                pending = 0
            for taker in inner:
                self.gone.add(taker)
                more, tail, own = self._expanded(taker, into)
                if more:
                    more[0] = replace(more[0], gap_ns=more[0].gap_ns + pending)
                    pending = 0
                outputs += more
                pending += tail
                compute += own
        return outputs, pending + max(0, job.tail_ns), compute

    def _inner(self, message: Message) -> list[int]:
        return [
            k
            for k in self.work.takers.get(message, ())
            if self.work.jobs[k].node in self.members and k not in self.gone
        ]

    def drop_second_takers(self) -> None:
        for takers in self.work.takers.values():
            mine = [k for k in takers if self.work.jobs[k].node in self.members]
            left = [k for k in mine if k not in self.gone]
            self.gone.update(k for k in left[1:] if not self.jobs[k].outputs)


def retimed(work: Work, node: str, time: Time) -> Work:
    """The node's jobs with other compute: `time` says what a job that computes takes instead."""
    jobs = [
        _with_compute(job, time(job)) if job.node == node and job.compute_ns > 0 else job
        for job in work.jobs
    ]
    return replace(work, jobs=jobs)


def _with_compute(job: Job, compute_ns: int) -> Job:
    """Compute comes before the first message: that is what the message is made of."""
    change = compute_ns - job.compute_ns
    outputs = list(job.outputs)
    if outputs:
        change = max(change, -outputs[0].gap_ns)
        outputs[0] = replace(outputs[0], gap_ns=outputs[0].gap_ns + change)
    else:
        change = max(change, -job.took_ns)
    return replace(job, outputs=outputs, compute_ns=compute_ns, end_ns=job.end_ns + change)


def uninterrupted(work: Work, off_core_ns: dict[str, int]) -> Work:
    """Without the time that callbacks of each node lost to other threads of the computer.

    Nobody recorded which ones lost it: it is taken from those that were longer than the median.
    """
    jobs = list(work.jobs)
    for node, lost in off_core_ns.items():
        places = [k for k, job in enumerate(jobs) if job.node == node and job.outputs]
        took = np.array([jobs[k].took_ns for k in places], dtype=np.float64)
        over = np.maximum(0, took - np.median(took)) if len(took) else took
        share = min(1.0, lost / over.sum()) if over.sum() > 0 else 0.0
        for k, much in zip(places, over * share, strict=True):
            jobs[k] = _shorter(jobs[k], int(much))
    return replace(work, jobs=jobs)


def _shorter(job: Job, much: int) -> Job:
    longest = max(range(len(job.outputs)), key=lambda k: job.outputs[k].gap_ns)
    much = min(much, job.outputs[longest].gap_ns)
    outputs = list(job.outputs)
    outputs[longest] = replace(outputs[longest], gap_ns=outputs[longest].gap_ns - much)
    return replace(job, outputs=outputs, end_ns=job.end_ns - much)
