# SPDX-License-Identifier: Apache-2.0
"""The upper confidence bound of a mean, by Student's t."""

from __future__ import annotations

import math
import statistics


def upper_bound(values: list[float], sure: float = 0.95) -> float:
    """The one-sided upper confidence bound of the mean."""
    if len(values) < 2:
        return math.inf
    error = statistics.stdev(values) / math.sqrt(len(values))
    return statistics.fmean(values) + student_quantile(sure, len(values) - 1) * error


def student_quantile(sure: float, freedom: int) -> float:
    """Of Student's distribution, by the expansion around the normal one (within 1 % from 4 on)."""
    z = statistics.NormalDist().inv_cdf(sure)
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return math.fsum(term / float(freedom) ** power for power, term in enumerate(terms))
