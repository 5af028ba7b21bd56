# SPDX-License-Identifier: Apache-2.0
"""The median over passes and how sure it is, from order statistics."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ligament.report.statistics import percentile


@dataclass(frozen=True)
class Interval:
    """A median over passes with its confidence interval."""

    median: float
    low: float
    high: float
    passes: int
    method: str


def interval_of(values: Sequence[float], wanted: float = 0.95) -> Interval:
    """Distribution-free: the k-th smallest and k-th largest of n values.

    They enclose the median with probability 1 - 2 P(Binomial(n, 1/2) < k). The largest k that
    still gives `wanted` is taken; with fewer than six passes none does: `method` says what it has.
    """
    ordered = sorted(values)
    count = len(ordered)
    rank = 1
    while rank + 1 <= (count + 1) // 2 and coverage(count, rank + 1) >= wanted:
        rank += 1
    middle = (percentile(ordered, 0.5) + ordered[count // 2]) / 2
    sure = coverage(count, rank)
    method = f"order statistics: values {rank} and {count + 1 - rank} of {count} passes, {sure:.1%}"
    return Interval(middle, ordered[rank - 1], ordered[count - rank], count, method)


def coverage(count: int, rank: int) -> float:
    """Probability that the rank-th smallest and largest of `count` values enclose the median."""
    below: int = sum(math.comb(count, k) for k in range(rank))
    return max(0.0, 1.0 - 2.0 * below / 2.0**count)
