# SPDX-License-Identifier: Apache-2.0
"""The numbers of a row of results."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ligament.report.statistics import (
    batch_medians,
    difference_interval,
    histogram,
    is_within_noise,
    percentile,
    summarise,
)


def test_percentiles_are_measured_values() -> None:
    summary = summarise(range(1, 101))
    assert (summary["p50"], summary["p99"], summary["min"], summary["max"]) == (50, 99, 1, 100)
    assert summary["mean"] == pytest.approx(50.5)
    assert summary["sd"] == pytest.approx(29.011, abs=0.001)
    assert summary["jitter"] == pytest.approx(1.0)


@given(
    values=st.lists(st.integers(-50, 50), min_size=1, max_size=40),
    percent=st.integers(0, 100),
)
def test_a_percentile_is_the_smallest_value_that_reaches_its_share(
    values: list[int], percent: int
) -> None:
    """The definition of the nearest rank, counted and not computed by an index."""
    reach = [v for v in values if 100 * sum(w <= v for w in values) >= percent * len(values)]
    assert percentile(sorted(values), percent / 100) == min(reach)


def test_a_percentile_of_a_hundred_values_is_the_one_of_that_rank() -> None:
    found = [percentile(range(1, 101), rank / 100) for rank in range(1, 101)]
    assert found == [float(rank) for rank in range(1, 101)]


def test_the_median_interval_follows_order_statistics() -> None:
    # Alternately low and high, so that no value tells anything of the next one.
    summary = summarise([value for k in range(50) for value in (1 + k, 100 - k)])
    # Ranks 50 -+ 9.8, outwards.
    assert (summary["p50_low"], summary["p50_high"]) == (41, 61)


@pytest.mark.parametrize("count", [0, 1, 2, 29, 60, 600])
def test_the_median_interval_lies_among_the_values(count: int) -> None:
    summary = summarise(slow_drift(count, 1))
    if count:
        ends = [summary[key] for key in ("min", "p50_low", "p50", "p50_high", "max")]
        assert ends == sorted(ends)


def test_the_interval_of_dependent_values_covers_the_median() -> None:
    """Order statistics alone hold the true median, 100, in about 60 of 100 such runs."""
    held = 0
    for seed in range(200):
        summary = summarise(slow_drift(600, seed))
        held += summary["p50_low"] <= 100 <= summary["p50_high"]
    assert held >= 180


def test_one_value_and_none() -> None:
    one = summarise([5])
    assert (one["p50"], one["p99"], one["sd"], one["jitter"]) == (5, 5, 0, 0)
    assert summarise([]) == {"n": 0}


def test_noise_is_said() -> None:
    low, high = summarise(range(1, 101)), summarise(range(51, 151))
    assert is_within_noise(low, summarise(range(2, 102)))
    assert not is_within_noise(low, high)
    assert not is_within_noise(high, low)


def slow_drift(count: int, seed: int) -> list[float]:
    """Values whose neighbours depend on each other, around 100."""
    generator = np.random.default_rng(seed)
    values, level = [], 0.0
    for step in generator.normal(size=count):
        level = 0.9 * level + step
        values.append(100 + level)
    return values


def test_no_difference_is_seen_where_there_is_none() -> None:
    """With dependent neighbours, 95 of 100 intervals hold the truth: count over many pairs."""
    held = 0
    for seed in range(100):
        one, other = slow_drift(3000, 2 * seed), slow_drift(3000, 2 * seed + 1)
        difference = float(np.median(other) - np.median(one))
        interval = difference_interval(batch_medians(other), batch_medians(one), difference)
        assert interval is not None
        held += interval[0] <= 0 <= interval[1]
    assert 88 <= held <= 100


def test_a_difference_is_seen_where_there_is_one() -> None:
    one = slow_drift(3000, 1)
    other = [value + 2 for value in slow_drift(3000, 2)]
    interval = difference_interval(batch_medians(other), batch_medians(one), 2.0)
    assert interval is not None
    assert 0 < interval[0] < 2 < interval[1] < 4


def test_too_few_values_have_no_interval() -> None:
    assert difference_interval(batch_medians(range(29)), batch_medians(range(300)), 1.0) is None


def test_a_histogram_holds_every_value() -> None:
    made = histogram([*range(1000), 10**9])
    assert sum(made["counts"]) == 1001
    assert made["counts"][-1] == 1
    assert made["low_ns"] == 0
    assert made["width_ns"] < 100
