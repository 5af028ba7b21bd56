# SPDX-License-Identifier: Apache-2.0
"""How this host's monotonic and real-time clocks lie to each other, with an error bound."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class ClockSample:
    """realtime = monotonic + offset_ns, wrong by at most bound_ns, when monotonic read at_ns."""

    at_ns: int
    offset_ns: int
    bound_ns: int


def sample_offset(rounds: int = 64) -> ClockSample:
    """Read realtime between two monotonic readings and keep the tightest of `rounds` tries.

    The real reading lies somewhere between the two, so half their distance bounds the error.
    """
    best: ClockSample | None = None
    for _ in range(rounds):
        before = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        real = time.clock_gettime_ns(time.CLOCK_REALTIME)
        after = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        middle = (before + after) // 2
        sample = ClockSample(middle, real - middle, (after - before) // 2 + 1)
        if best is None or sample.bound_ns < best.bound_ns:
            best = sample
    assert best is not None
    return best


def clock_record(start: ClockSample, end: ClockSample) -> list[dict[str, object]]:
    """The `clocks` of run.json: the host's two clocks, mapped at the start and at the end."""
    return [
        {"id": "monotonic", "kind": "CLOCK_MONOTONIC", "reference": True},
        {
            "id": "realtime",
            "kind": "CLOCK_REALTIME",
            "reference": False,
            "samples": [asdict(start), asdict(end)],
        },
    ]
