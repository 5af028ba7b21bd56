# SPDX-License-Identifier: Apache-2.0
"""The numbers of a row of results."""

from __future__ import annotations

import pytest

from ligament.report.statistics import is_within_noise, summarise


def test_percentiles_are_measured_values() -> None:
    summary = summarise(range(1, 101))
    assert (summary["p50"], summary["p99"], summary["min"], summary["max"]) == (50, 99, 1, 100)
    assert summary["mean"] == pytest.approx(50.5)
    assert summary["sd"] == pytest.approx(29.011, abs=0.001)
    assert summary["jitter"] == pytest.approx(1.0)


def test_the_median_interval_follows_order_statistics() -> None:
    summary = summarise(range(1, 101))
    # Ranks 50 -+ 9.8, outwards.
    assert (summary["p50_low"], summary["p50_high"]) == (41, 61)


def test_one_value_and_none() -> None:
    one = summarise([5])
    assert (one["p50"], one["p99"], one["sd"], one["jitter"]) == (5, 5, 0, 0)
    assert summarise([]) == {"n": 0}


def test_noise_is_said() -> None:
    low, high = summarise(range(1, 101)), summarise(range(51, 151))
    assert is_within_noise(low, summarise(range(2, 102)))
    assert not is_within_noise(low, high)
    assert not is_within_noise(high, low)
