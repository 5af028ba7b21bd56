# SPDX-License-Identifier: Apache-2.0
"""How a host's clock lies to the reference, from facts that bound it; with the error that is left.

Let d(t) be what must be added to the host's reading t to get the reference's. Facts say "d was at
least (at most) so much at t". Method and why: spec/run/deploy.md, "One clock".
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

MAX_SLEW = 1e-3
"""How fast two clocks that the kernel slews (500 ppm each) may part, in ns per ns."""
MOST_FACTS = 2048
"""Of each kind; of more, the tightest of each stretch of time."""
_TOLERANCE_NS = 1.0
"""Readings are whole nanoseconds."""


@dataclass(frozen=True)
class Facts:
    """`d(lower_at) >= lower` and `d(upper_at) <= upper`; all in ns, in any order."""

    lower_at: Ints
    lower: Ints
    upper_at: Ints
    upper: Ints

    @staticmethod
    def of(lower: list[tuple[int, int]], upper: list[tuple[int, int]]) -> Facts:
        """From pairs (at, value)."""
        low = np.array(lower, dtype=np.int64).reshape(-1, 2)
        high = np.array(upper, dtype=np.int64).reshape(-1, 2)
        return Facts(low[:, 0], low[:, 1], high[:, 0], high[:, 1])

    def joined(self, other: Facts) -> Facts:
        """Both together."""
        return Facts(
            np.concatenate([self.lower_at, other.lower_at]),
            np.concatenate([self.lower, other.lower]),
            np.concatenate([self.upper_at, other.upper_at]),
            np.concatenate([self.upper, other.upper]),
        )

    def is_two_sided(self) -> bool:
        """Whether there are facts of both kinds: else there is no bound."""
        return bool(len(self.lower) and len(self.upper))


class ClockMap(Protocol):
    """The offset at any time, and how wrong it may be."""

    @property
    def model(self) -> str:
        """What was fitted: `same`, `line` or `envelope`."""

    def at(self, times: Ints) -> tuple[Ints, Ints]:
        """Offset and bound at each time (the host's own reading), in ns."""

    def drift_ppm(self) -> float | None:
        """How fast the host's clock loses against the reference; None: it changed."""


class SameClock:
    """The reference itself."""

    model = "same"

    def at(self, times: Ints) -> tuple[Ints, Ints]:
        """Nothing to add, and no error."""
        return np.zeros_like(times), np.zeros_like(times)

    def drift_ppm(self) -> float | None:
        """None of its own."""
        return 0.0


@dataclass(frozen=True)
class LineMap:
    """d(t) is one of the lines a + b x that fit, x = (t - t0) / span.

    `corners`: the extreme ones, as pairs (a, b).
    """

    base_ns: int
    t0: int
    span: float
    corners: Floats
    model: str = "line"

    def at(self, times: Ints) -> tuple[Ints, Ints]:
        """The middle between the smallest and the largest value that a line has there."""
        low = np.full(len(times), np.inf)
        high = np.full(len(times), -np.inf)
        x = (times - self.t0) / self.span
        for a, b in self.corners:
            value = a + b * x
            np.minimum(low, value, out=low)
            np.maximum(high, value, out=high)
        return _interval(self.base_ns, low, high)

    def drift_ppm(self) -> float | None:
        """By the line in the middle."""
        slopes = self.corners[:, 1]
        return float((slopes.min() + slopes.max()) / 2 / self.span * 1e6)


@dataclass(frozen=True)
class EnvelopeMap:
    """d(t) changes by at most MAX_SLEW: each fact holds around its time, less and less tightly."""

    base_ns: int
    t0: int
    lower: tuple[Floats, Floats]
    upper: tuple[Floats, Floats]
    model: str = "envelope"

    def at(self, times: Ints) -> tuple[Ints, Ints]:
        """The middle of the narrowest interval that the facts around leave."""
        x = (times - self.t0).astype(np.float64)
        low = _envelope(*self.lower, x)
        high = -_envelope(self.upper[0], -self.upper[1], x)
        return _interval(self.base_ns, low, high)

    def drift_ppm(self) -> float | None:
        """It changed."""
        return None


def fit(facts: Facts) -> ClockMap | None:
    """Return the mapping that the facts leave.

    None: they contradict each other, or all are of one side.
    """
    if not facts.is_two_sided():
        return None
    base = int(facts.lower.max() // 2 + facts.upper.min() // 2)
    t0 = int(min(facts.lower_at.min(), facts.upper_at.min()))
    lower = _tightest(*_relative(facts.lower_at, facts.lower, t0, base))
    negated = _tightest(*_relative(facts.upper_at, -facts.upper, t0, -base))
    upper = (negated[0], -negated[1])
    span = float(max(lower[0].max(), upper[0].max(), 1.0))
    corners = _fitting_lines(lower, upper, span)
    if len(corners):
        return LineMap(base, t0, span, corners)
    envelope = EnvelopeMap(base, t0, lower, upper)
    edges = np.concatenate([lower[0], upper[0]])
    low = _envelope(*lower, edges)
    high = -_envelope(upper[0], -upper[1], edges)
    return envelope if bool(np.all(low <= high + _TOLERANCE_NS)) else None


def _interval(base: int, low: Floats, high: Floats) -> tuple[Ints, Ints]:
    offset = np.rint((low + high) / 2).astype(np.int64) + base
    # Half the width, and what rounding adds.
    return offset, np.ceil(np.maximum(0.0, (high - low) / 2)).astype(np.int64) + 1


def _relative(at: Ints, value: Ints, t0: int, base: int) -> tuple[Floats, Floats]:
    """As floats, near zero: so no nanosecond is lost."""
    return (at - t0).astype(np.float64), (value - base).astype(np.float64)


def _tightest(at: Floats, value: Floats) -> tuple[Floats, Floats]:
    """Sorted by time; of many, the largest value of each stretch: leaving out facts is safe."""
    order = np.argsort(at, kind="stable")
    at, value = at[order], value[order]
    if len(at) <= MOST_FACTS:
        return at, value
    edges = np.linspace(0, len(at), MOST_FACTS + 1).astype(int)
    best = [int(a) + int(np.argmax(value[a:b])) for a, b in pairwise(edges)]
    return at[best], value[best]


def _fitting_lines(
    lower: tuple[Floats, Floats], upper: tuple[Floats, Floats], span: float
) -> Floats:
    """The corners of all lines (a, b) that are above every lower and below every upper fact.

    A box of lines is cut by one fact after the other; nothing may be left of it.
    """
    steepest = MAX_SLEW * span
    reach = max(np.abs(lower[1]).max(), np.abs(upper[1]).max()) + steepest + 1.0
    polygon = [(-reach, -steepest), (reach, -steepest), (reach, steepest), (-reach, steepest)]
    for sign, (at, value) in ((1.0, lower), (-1.0, upper)):
        for x, v in zip(at / span, value, strict=True):
            polygon = _cut(polygon, sign, float(x), float(v))
            if not polygon:
                return np.empty((0, 2))
    return np.array(polygon)


def _cut(
    polygon: list[tuple[float, float]], sign: float, x: float, value: float
) -> list[tuple[float, float]]:
    """Keep the part of a convex polygon where sign * (a + b x - value) >= 0.

    The algorithm of Sutherland and Hodgman, for one edge.
    """
    sides = [sign * (a + b * x - value) + _TOLERANCE_NS for a, b in polygon]
    if min(sides) >= 0:
        return polygon
    kept: list[tuple[float, float]] = []
    for k, (point, side) in enumerate(zip(polygon, sides, strict=True)):
        before, other = polygon[k - 1], sides[k - 1]
        if (side >= 0) != (other >= 0):
            share = other / (other - side)
            kept.append(
                (
                    before[0] + share * (point[0] - before[0]),
                    before[1] + share * (point[1] - before[1]),
                )
            )
        if side >= 0:
            kept.append(point)
    return kept


def _envelope(at: Floats, value: Floats, x: Floats) -> Floats:
    """The largest of all `value - MAX_SLEW * |x - at|`; `at` is sorted."""
    rising = np.maximum.accumulate(value + MAX_SLEW * at)
    falling = np.maximum.accumulate((value - MAX_SLEW * at)[::-1])[::-1]
    place = np.searchsorted(at, x, side="right")
    before = np.where(place > 0, rising[np.maximum(place - 1, 0)] - MAX_SLEW * x, -np.inf)
    after = np.where(
        place < len(at), falling[np.minimum(place, len(at) - 1)] + MAX_SLEW * x, -np.inf
    )
    result: Floats = np.maximum(before, after)
    return result


def describe(found: ClockMap, times: Ints, facts: dict[str, int]) -> dict[str, Any]:
    """What the table's metadata says of a clock: at the middle of `times`, and at the worst."""
    offsets, bounds = found.at(times)
    middle = len(times) // 2
    return {
        "model": found.model,
        "offset_ns": int(offsets[middle]),
        "bound_ns": int(bounds.max()),
        "drift_ppm": found.drift_ppm(),
        **facts,
    }
