# SPDX-License-Identifier: Apache-2.0
"""On which cores containers run.

A graph in which only one node has work at a time (one frame in flight) is quickest on one core: the
next node wakes where the caches are warm, and no idle core has to be woken. A graph whose nodes
work at once wants all cores, which is the default.
"""

from __future__ import annotations

import os

from ligament.errors import InputError, Problem


def check_cores(text: str | None) -> str | None:
    """A list of cores as taskset takes it (`1`, `0,2-3`), all of them ours; None is any core."""
    if text is None:
        return None
    allowed = os.sched_getaffinity(0)
    wanted = _parse(text)
    if wanted and wanted <= allowed:
        return text
    raise InputError(
        Problem(
            "cores",
            f"--cores: '{text}' names no cores that may be used here",
            expected=f"a list like 0,2-3 of the cores {', '.join(map(str, sorted(allowed)))}",
        )
    )


def one_core() -> str:
    """One core for work that is done in turn: the last one, as the first takes most interrupts."""
    return str(max(os.sched_getaffinity(0)))


def _parse(text: str) -> set[int]:
    """The cores of a list; nothing if it is no list."""
    cores: set[int] = set()
    for part in text.split(","):
        low, dash, high = part.partition("-")
        if not low.isdecimal() or (dash and not high.isdecimal()):
            return set()
        cores |= set(range(int(low), int(high or low) + 1))
    return cores
