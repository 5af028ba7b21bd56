# SPDX-License-Identifier: Apache-2.0
"""Whom messages wait for: the nodes whose callbacks ran in a thread while a message waited for it.

waited_for(case)["/gaussian_blur"].most_common(1)    # [("/slam", 20_714_000)]
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Sequence

from ligament.advise.case import Case
from ligament.advise.jobs import Job

NOTICEABLE = 0.02
"""Of the chain's mean, or of the time of callbacks: less is not worth a change."""


def waited_for(case: Case) -> dict[str, Counter[str]]:
    """Of each node whose messages waited: nanoseconds, by the node that they waited for."""
    servers: dict[int, list[Job]] = defaultdict(list)
    for job in sorted(case.work.jobs, key=lambda one: one.begin_ns):
        if job.server >= 0:
            servers[job.server].append(job)
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for jobs in servers.values():
        begins = [job.begin_ns for job in jobs]
        for at, job in enumerate(jobs):
            sent = case.work.sent.get(job.trigger) if job.trigger else None
            if sent is None or sent.end_ns >= job.begin_ns:
                continue
            # Who began before the message came may still have run then.
            first = max(0, bisect_left(begins, sent.end_ns) - case.work.threads.get(job.server, 1))
            for other in jobs[first:at]:
                ran = min(other.end_ns, job.begin_ns) - max(other.begin_ns, sent.end_ns)
                if ran > 0 and other.node != job.node:
                    found[job.node][other.node] += ran
    return found


def waits_for_others(case: Case, node: str) -> bool:
    """Whether messages to a node wait noticeably for callbacks of its thread."""
    waits = [hop["between_ns"]["executor_wait"] for hop in case.entry["hops"] if hop["to"] == node]
    return float(sum(waits)) > NOTICEABLE * float(case.entry["latency_ns"]["mean"])


def in_the_way(case: Case, nodes: Sequence[str]) -> list[str]:
    """Of a container's nodes those that the chain's messages wait for most, and those that wait."""
    waiting = [node for node in nodes if waits_for_others(case, node)]
    blockers = waited_for(case)
    found = [blockers[node].most_common(1)[0][0] for node in waiting if blockers.get(node)]
    here = (node for node in dict.fromkeys([*found, *waiting]) if node in nodes)
    return [node for node in here if case.mapping.nodes[node].kind == "cpu"]
