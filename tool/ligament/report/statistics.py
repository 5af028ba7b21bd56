# SPDX-License-Identifier: Apache-2.0
"""The numbers of a row of results: n, p50, p99, mean, sd; and how sure they are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ordered = Sequence[float] | NDArray[np.float64]


def percentile(ordered: Ordered, fraction: float) -> float:
    """Nearest rank, so the result is a value that was measured. `ordered` is sorted.

    Rounded first: 0.07 * 100 is a little more than 7, and the seventh of 100 values is meant.
    """
    return float(ordered[max(1, math.ceil(round(fraction * len(ordered), 9))) - 1])


def median_interval(ordered: Ordered) -> tuple[float, float]:
    """95 % confidence interval of the median from order statistics: no distribution assumed.

    Its ranks are n/2 -+ 0.98 sqrt(n). It takes the values as independent; `summarise` widens it
    where neighbours depend on each other.
    """
    count = len(ordered)
    half = 0.98 * math.sqrt(count)
    low = max(0, math.floor(count / 2 - half))
    high = min(count - 1, math.ceil(count / 2 + half))
    return float(ordered[low]), float(ordered[high])


def summarise(values: Any) -> dict[str, Any]:
    """Count, percentiles, mean, standard deviation, extremes and the median's interval.

    `values` come in the order of time. Where one depends on the one before it, single values know
    less than their number says: the interval is then the wider one of the batches' medians.
    """
    array = np.asarray(values, dtype=np.float64)
    if len(array) == 0:
        return {"n": 0}
    ordered = np.sort(array)
    middle = percentile(ordered, 0.50)
    low, high = median_interval(ordered)
    half = _half_of_dependent(array)
    return {
        "n": len(array),
        "p50": middle,
        "p99": percentile(ordered, 0.99),
        "mean": float(array.mean()),
        "sd": float(array.std(ddof=1)) if len(array) > 1 else 0.0,
        "min": float(ordered[0]),
        "max": float(ordered[-1]),
        "p50_low": min(low, max(middle - half, float(ordered[0]))),
        "p50_high": max(high, min(middle + half, float(ordered[-1]))),
        # Mean step between neighbouring messages: what a consumer downstream sees as jitter.
        "jitter": float(np.abs(np.diff(array)).mean()) if len(array) > 1 else 0.0,
    }


def rate_hz(times_ns: Any) -> float | None:
    """How often something happened; None for fewer than two times."""
    span = int(times_ns.max() - times_ns.min()) if len(times_ns) > 1 else 0
    return (len(times_ns) - 1) * 1e9 / span if span > 0 else None


BINS = 60


SHARES_OF_QUANTILES = (*(k / 100 for k in range(100)), 0.995, 0.999, 0.9999, 1.0)


FEW_SHARES = (0.0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1.0)
"""Enough to draw one of many distributions below each other."""


def quantiles(values: Any, shares: Sequence[float] = SHARES_OF_QUANTILES) -> list[dict[str, float]]:
    """Points of the distribution function: with nothing left out, far into its tail."""
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    return [{"share": share, "value_ns": percentile(ordered, share)} for share in shares]


def histogram(values: Any) -> dict[str, Any]:
    """Bins of equal width from the smallest value on; the last holds all beyond 1.5 times p99."""
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    low = float(ordered[0])
    high = min(float(ordered[-1]), low + 1.5 * (percentile(ordered, 0.99) - low))
    width = max((high - low) / BINS, 1.0)
    places = np.minimum(((ordered - low) / width).astype(np.int64), BINS - 1)
    counts = np.bincount(places, minlength=BINS)
    return {"low_ns": low, "width_ns": width, "counts": [int(count) for count in counts]}


BATCHES = 30
FEW_BATCHES = 10
LEAST_IN_BATCH = 5


def batch_medians(values: Any) -> NDArray[np.float64]:
    """Medians of batches of neighbouring values; empty where there are too few values.

    Neighbouring messages depend on each other, batches hardly do: so the spread of their medians
    tells how sure the median is, where an interval from single messages would be too narrow.
    """
    array = np.asarray(values, dtype=np.float64)
    batches = min(BATCHES, len(array) // LEAST_IN_BATCH)
    if batches < 6:
        return np.empty(0)
    return np.array([float(np.median(part)) for part in np.array_split(array, batches)])


def difference_interval(
    one: NDArray[np.float64], other: NDArray[np.float64], difference: float
) -> tuple[float, float] | None:
    """95 % interval around a difference of medians, from both sides' batch medians (Welch)."""
    if len(one) == 0 or len(other) == 0:
        return None
    a, b = (float(side.var(ddof=1)) / len(side) for side in (one, other))
    if a + b == 0:
        return difference, difference
    freedom = (a + b) ** 2 / (a**2 / (len(one) - 1) + b**2 / (len(other) - 1))
    half = _student(freedom) * math.sqrt(a + b)
    return difference - half, difference + half


def _student(freedom: float) -> float:
    """Student's t at 97.5 %, to three digits for five degrees of freedom and more."""
    return 1.96 + 2.37 / freedom + 2.8 / freedom**2 + 2.2 / freedom**3


def _half_of_dependent(array: NDArray[np.float64]) -> float:
    """Half of the interval of a median that batches of neighbours tell; 0 for too few values.

    Many short batches miss a slow drift, a few long ones hardly: the more careful of both.
    """
    halves = [0.0]
    for batches in (FEW_BATCHES, BATCHES):
        size = len(array) // batches
        if size >= LEAST_IN_BATCH:
            medians = np.median(array[: size * batches].reshape(batches, size), axis=1)
            spread = float(medians.std(ddof=1)) / math.sqrt(batches)
            halves.append(_student(batches - 1) * spread)
    return max(halves)


def is_within_noise(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether the intervals of two medians overlap, so that no difference is shown."""
    return bool(one["p50_low"] <= other["p50_high"] and other["p50_low"] <= one["p50_high"])
