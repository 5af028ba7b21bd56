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
    """Nearest rank, so the result is a value that was measured. `ordered` is sorted."""
    return float(ordered[max(1, math.ceil(fraction * len(ordered))) - 1])


def median_interval(ordered: Ordered) -> tuple[float, float]:
    """95 % confidence interval of the median from order statistics: no distribution assumed.

    Its ranks are n/2 -+ 0.98 sqrt(n). It takes the values as independent, which neighbouring
    messages of one run are not quite: it is the least that must separate two medians.
    """
    count = len(ordered)
    half = 0.98 * math.sqrt(count)
    low = max(0, math.floor(count / 2 - half))
    high = min(count - 1, math.ceil(count / 2 + half))
    return float(ordered[low]), float(ordered[high])


def summarise(values: Any) -> dict[str, Any]:
    """Count, percentiles, mean, standard deviation, extremes and the median's interval."""
    array = np.asarray(values, dtype=np.float64)
    if len(array) == 0:
        return {"n": 0}
    ordered = np.sort(array)
    low, high = median_interval(ordered)
    return {
        "n": len(array),
        "p50": percentile(ordered, 0.50),
        "p99": percentile(ordered, 0.99),
        "mean": float(array.mean()),
        "sd": float(array.std(ddof=1)) if len(array) > 1 else 0.0,
        "min": float(ordered[0]),
        "max": float(ordered[-1]),
        "p50_low": low,
        "p50_high": high,
        # Mean step between neighbouring messages: what a consumer downstream sees as jitter.
        "jitter": float(np.abs(np.diff(array)).mean()) if len(array) > 1 else 0.0,
    }


def is_within_noise(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether the intervals of two medians overlap, so that no difference is shown."""
    return bool(one["p50_low"] <= other["p50_high"] and other["p50_low"] <= one["p50_high"])
