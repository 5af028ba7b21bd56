# SPDX-License-Identifier: Apache-2.0
"""What holds a chain back, in sentences: the largest parts of its time first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ligament.advise.blockers import waited_for
from ligament.advise.case import Case, interrupted_share
from ligament.advise.times import time_text
from ligament.report.names import SHARES

WORTH_TELLING = 0.02
"""Of the chain's mean; what is less is not told."""
BUSY = 0.9
WORDS = {
    "compute": "computes",
    "copy": "copies messages",
    "serialise": "serialises messages",
    "transport": "is not in any span between its take and its publish",
    "queue_wait": "waits for its device",
}
BETWEEN = {
    "compute": "is computed inside the publish call",
    "copy": "is copied",
    "serialise": "is serialised",
    "transport": "is on its way",
    "queue_wait": "waits behind earlier messages",
    "executor_wait": "waits for another callback in the same thread",
}


def what_holds(case: Case) -> list[str]:
    """Sentences, the largest part first; then what bounds the rate, and what is lost."""
    entry = case.entry
    mean = entry["latency_ns"]["mean"]
    parts = sorted(_parts(case), key=lambda part: -part[0])
    told = [
        f"{text} for {_percent(spent / mean)} of the chain's time ({time_text(spent)} on average)"
        for spent, text in parts
        if spent >= WORTH_TELLING * mean
    ]
    passing = entry["message_passing"]
    told.append(f"message passing is {_percent(passing)} of the chain's time; the rest is compute")
    return [*told, *_busy(case), *_interrupted(case), *_dropped(entry)]


def _parts(case: Case) -> Iterator[tuple[float, str]]:
    blockers = waited_for(case)
    for hop in case.entry["hops"]:
        for share in SHARES:
            text = f"a message of {hop['topic']} from {hop['from']} to {hop['to']} {BETWEEN[share]}"
            if share == "executor_wait" and blockers.get(hop["to"]):
                text += f", mostly of {blockers[hop['to']].most_common(1)[0][0]},"
            yield hop["between_ns"].get(share, 0.0), text
            if hop["node_ns"] and share in WORDS:
                yield hop["node_ns"].get(share, 0.0), f"{hop['to']} {WORDS[share]}"


def _busy(case: Case) -> Iterator[str]:
    """Processes whose threads have no time left: they bound the rate of messages."""
    jobs = [job for job in case.work.jobs if job.server >= 0]
    if not jobs:
        return
    elapsed = max(job.end_ns for job in jobs) - min(job.begin_ns for job in jobs)
    for server, threads in case.work.threads.items():
        mine = [job for job in jobs if job.server == server]
        busy = sum(job.took_ns for job in mine) / max(1, elapsed * threads)
        if busy >= BUSY:
            nodes = ", ".join(sorted({job.node for job in mine}))
            share = _percent(busy)
            yield f"the process of {nodes} is busy for {share} of the run: it sets the rate"


def _interrupted(case: Case) -> Iterator[str]:
    share = interrupted_share(case)
    if share > WORTH_TELLING:
        text = f"callbacks did not have a core for {_percent(share)} of their time"
        yield f"{text}: other programs had it"


def _dropped(entry: dict[str, Any]) -> Iterator[str]:
    if entry["drops"]:
        yield f"{entry['drops']} messages were dropped before a callback took them"


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"
