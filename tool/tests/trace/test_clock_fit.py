# SPDX-License-Identifier: Apache-2.0
"""A clock is placed so that the truth lies within the bound, and the bound is not idle talk."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ligament.trace.clock_fit import MOST_FACTS, Facts, Ints, fit

SECOND = 1_000_000_000
BOOT = 700 * 3600 * SECOND  # the other host is up for a month


def facts_of(
    truth, count: int, slowest_ns: int, seed: int, fastest_ns: int = 0
) -> tuple[Facts, Ints]:
    """Messages both ways, each with a delay of its own, over 20 s."""
    chance = np.random.default_rng(seed)
    at = BOOT + np.sort(chance.integers(0, 20 * SECOND, count))
    offset = np.array([truth(int(t)) for t in at], dtype=np.int64)
    there, back = chance.integers(fastest_ns, slowest_ns, (2, count))
    return Facts(at, offset - there, at, offset + back), at


@given(
    offset=st.integers(-(10**15), 10**15),
    drift=st.floats(-4e-4, 4e-4),
    seed=st.integers(0, 1000),
    count=st.integers(1, 300),
)
def test_truth_of_a_steady_clock_lies_within_the_bound(
    offset: int, drift: float, seed: int, count: int
) -> None:
    def truth(t: int) -> int:
        return offset + round(drift * (t - BOOT))

    facts, _ = facts_of(truth, count, 300_000, seed)
    found = fit(facts)
    assert found is not None
    assert found.model == "line"
    times = BOOT + np.arange(0, 20 * SECOND, SECOND // 7)
    offsets, bounds = found.at(times)
    wrong = np.abs(offsets - np.array([truth(int(t)) for t in times]))
    assert np.all(wrong <= bounds)


def test_bound_is_much_less_than_a_round_trip_where_there_are_many_messages() -> None:
    facts, at = facts_of(lambda t: 5, 3 * MOST_FACTS, 400_000, seed=3)
    found = fit(facts)
    assert found is not None
    offsets, bounds = found.at(at)
    assert bounds.max() < 10_000
    assert np.abs(offsets - 5).max() <= bounds.max()
    assert abs(found.drift_ppm() or 0.0) < 1


def test_directions_of_unequal_delay_do_not_deceive() -> None:
    """Half a round trip would be wrong by 1 ms here, and would not say so."""
    chance = np.random.default_rng(1)
    at = BOOT + np.sort(chance.integers(0, 20 * SECOND, 500))
    slow, fast = 2_000_000 + chance.integers(0, 50_000, 500), chance.integers(0, 50_000, 500)
    found = fit(Facts(at, 0 - slow, at, 0 + fast))
    assert found is not None
    offsets, bounds = found.at(at)
    assert np.all(np.abs(offsets) <= bounds)
    assert bounds.min() > 900_000


def test_clock_that_is_slewed_meanwhile_is_no_line_and_still_within_the_bound() -> None:
    def truth(t: int) -> int:
        passed = t - BOOT
        return round(4e-4 * passed if passed < 10 * SECOND else 8e6 - 4e-4 * passed)

    facts, at = facts_of(truth, 2000, 100_000, seed=5)
    found = fit(facts)
    assert found is not None
    assert found.model == "envelope"
    assert found.drift_ppm() is None
    times = np.sort(np.concatenate([at, at + 3_000_000]))
    offsets, bounds = found.at(times)
    assert np.all(np.abs(offsets - [truth(int(t)) for t in times]) <= bounds)


@pytest.mark.parametrize(
    "facts",
    [
        Facts.of([(0, 100)], [(SECOND, -2_000_000)]),  # 2.1 ms in a second
        Facts.of([(0, 100)], []),
        Facts.of([], [(0, 100)]),
        Facts.of([], []),
    ],
)
def test_contradictions_and_one_side_give_no_clock(facts: Facts) -> None:
    assert fit(facts) is None
