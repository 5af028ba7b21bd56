# SPDX-License-Identifier: Apache-2.0
"""What may be said of two figures: a ratio with its interval, or that no difference is shown."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

NO_DIFFERENCE = "no difference shown"
"""Said where the interval of a difference contains zero, and so that of a ratio contains one."""


@dataclass(frozen=True)
class Interval:
    """An estimate with the ends of its 95 % confidence interval."""

    estimate: float
    low: float
    high: float


def median_of(summary: Any) -> Interval | None:
    """The median with its interval; None where there is none, or something else stands there."""
    if not isinstance(summary, Mapping):
        return None
    values = [summary.get(key) for key in ("p50", "p50_low", "p50_high")]
    if not all(isinstance(v, int | float) and math.isfinite(v) for v in values):
        return None
    estimate, low, high = (float(v) for v in values if v is not None)
    return Interval(estimate, low, high) if 0 < low <= estimate <= high else None


def ratio_interval(base: Interval, new: Interval) -> Interval:
    """The ratio of two independent estimates: their intervals combined on the logarithmic scale.

    The method of variance estimates recovery (Zou and Donner 2008): no distribution is assumed
    beyond what the two intervals were made with, and they need not be symmetric.
    """
    middle = math.log(new.estimate / base.estimate)
    down = math.hypot(math.log(new.estimate / new.low), math.log(base.high / base.estimate))
    up = math.hypot(math.log(new.high / new.estimate), math.log(base.estimate / base.low))
    return Interval(math.exp(middle), math.exp(middle - down), math.exp(middle + up))


def ratio_text(ratio: Interval) -> str:
    """A ratio as a reader should take it: with its interval, or as no difference."""
    if ratio.low <= 1.0 <= ratio.high:
        return NO_DIFFERENCE
    # Close to 1 two digits would show an end of the interval as 1.00.
    digits = 3 if 0.9 < ratio.estimate < 1.1 else 2
    low, middle, high = (f"{v:.{digits}f}" for v in (ratio.low, ratio.estimate, ratio.high))
    return f"x {middle} ({low} .. {high})"
