# SPDX-License-Identifier: Apache-2.0
"""Sources that wait for an answer: a simulator in lock step sends an image after each command.

Such a source publishes outside callbacks, so in the trace nothing calls it; but its thread takes
the answers in callbacks. Two signs tell it from a source with a period of its own:

1. Between two of its steps its thread nearly always took exactly one message of a topic.
2. The time from that callback to the next step varies less than the time between steps. With a
   period of its own it would be the other way round.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from ligament.advise.jobs import Work

FEWEST_STEPS = 20
ALTERNATES = 0.9
"""Of all steps, those with exactly one answer before them: a start and a stop are exceptions."""

Times = NDArray[np.int64]


def awaited(work: Work) -> dict[int, list[tuple[int, int]]]:
    """For each callback that took an answer, the jobs that waited for it and how many ns they began
    after its end. Jobs are indices. Empty where no source waits.
    """
    callbacks = _callbacks(work)
    found: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for thread, jobs in _sources(work).items():
        steps = _steps(work, jobs)
        for answers in callbacks[thread].values():
            ends = [work.jobs[answer].end_ns for answer in answers]
            if len(steps) < FEWEST_STEPS or not _waits(steps, np.array(ends, dtype=np.int64)):
                continue
            for at in jobs:
                begin = work.jobs[at].begin_ns
                place = bisect_right(ends, begin) - 1
                if place >= 0:
                    found[answers[place]].append((at, begin - ends[place]))
            break
    return dict(found)


def _callbacks(work: Work) -> dict[int, dict[str, list[int]]]:
    """Of each thread, the jobs that a message called, by topic."""
    found: dict[int, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for at, job in enumerate(work.jobs):
        if job.trigger in work.sent:
            found[job.thread][work.sent[job.trigger].topic].append(at)
    return found


def _sources(work: Work) -> dict[int, list[int]]:
    """Of each thread that publishes outside callbacks, those jobs in order."""
    found: dict[int, list[int]] = defaultdict(list)
    for at, job in enumerate(work.jobs):
        if job.server < 0 and job.trigger is None:
            found[-job.thread - 1].append(at)
    return found


def _steps(work: Work, jobs: list[int]) -> Times:
    """When a source sent what others take: of several topics in a step, the most frequent one."""
    begins: dict[str, list[int]] = defaultdict(list)
    for at in jobs:
        for out in work.jobs[at].outputs:
            if work.takers.get(out.message):
                begins[work.sent[out.message].topic].append(work.jobs[at].begin_ns)
    return np.array(max(begins.values(), key=len, default=[]), dtype=np.int64)


def _waits(steps: Times, ends: Times) -> bool:
    before = np.searchsorted(ends, steps, side="right")
    is_answered = np.diff(before) == 1
    if np.mean(is_answered) < ALTERNATES:
        return False
    lags = (steps[1:] - ends[before[1:] - 1])[is_answered]
    return _spread(lags) < _spread(np.diff(steps)[is_answered])


def _spread(times: Times) -> float:
    """Without the few that something else held up."""
    low, high = np.percentile(times, [10, 90])
    return float(high - low)
