# SPDX-License-Identifier: Apache-2.0
"""Sources that wait for an answer: a simulator in lock step sends an image after each command.

Such a source publishes outside callbacks, so in the trace nothing calls it; but its thread takes
the answers in callbacks. Two signs tell it from a source with a period of its own:

1. Between two of its steps its thread nearly always took exactly one message of a topic.
2. The time from the last of these callbacks to the next step varies less than the time between
   steps. With a period of its own it would be the other way round.

Where several topics show the first sign, it waits for the one, or for all of them, whose times vary
least: a message that comes in between by chance does not pace it.
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
Answers = list[tuple[int, int]]
"""Of one topic: when the callback that took a message ended, and its job."""


def awaited(work: Work) -> dict[int, list[tuple[int, int]]]:
    """For each callback that took an answer, the jobs that waited for it and how many ns they began
    after its end, or after the end of the last of several answers. Jobs are indices. Empty where no
    source waits.
    """
    callbacks = _callbacks(work)
    found: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for thread, jobs in _sources(work).items():
        paced = _paced_by(_steps(work, jobs), [_ends(work, a) for a in callbacks[thread].values()])
        for at in jobs:
            begin = work.jobs[at].begin_ns
            places = [(ends, bisect_right(ends, (begin, len(work.jobs))) - 1) for ends in paced]
            before = [ends[place] for ends, place in places if place >= 0]
            for _, answer in before:
                found[answer].append((at, begin - max(before)[0]))
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


def _ends(work: Work, answers: list[int]) -> Answers:
    return sorted((work.jobs[answer].end_ns, answer) for answer in answers)


def _paced_by(steps: Times, topics: list[Answers]) -> list[Answers]:
    """The topics whose messages a source waits for; none where it has a period of its own."""
    if len(steps) < FEWEST_STEPS:
        return []
    once = [answers for answers in topics if np.mean(_counts(steps, answers) == 1) >= ALTERNATES]
    choices = [[answers] for answers in once] + ([once] if len(once) > 1 else [])
    best = min(choices, key=lambda chosen: _spread(_lags(steps, chosen)), default=[])
    return best if best and _spread(_lags(steps, best)) < _spread(np.diff(steps)) else []


def _before(steps: Times, answers: Answers) -> Times:
    return np.searchsorted([end for end, _ in answers], steps, side="right")


def _counts(steps: Times, answers: Answers) -> Times:
    return np.diff(_before(steps, answers))


def _lags(steps: Times, chosen: list[Answers]) -> Times:
    """From the last answer to each step but the first, where each topic had one answer."""
    answered = np.all([_counts(steps, answers) == 1 for answers in chosen], axis=0)
    last = np.max(
        [
            np.array([end for end, _ in answers])[_before(steps, answers)[1:][answered] - 1]
            for answers in chosen
        ],
        axis=0,
    )
    return np.asarray(steps[1:][answered] - last, dtype=np.int64)


def _spread(times: Times) -> float:
    """Without the few that something else held up."""
    low, high = np.percentile(times, [10, 90])
    return float(high - low)
