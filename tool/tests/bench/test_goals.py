# SPDX-License-Identifier: Apache-2.0
"""Goals: which rows they are of, what is judged, and the verdict."""

from __future__ import annotations

from typing import Any

import pytest

from ligament.bench import values
from ligament.bench.goals import (
    MISSED,
    REACHED,
    UNDECIDED,
    Figures,
    Goal,
    failures,
    judged,
    lines_of,
)

SUMMARY = {"n": 3, "p99": 20.0, "mean": 11.0, "sd": 1.0}


def row(metric: str, p50: float, peer: str = "ligament", **params: Any) -> dict[str, Any]:
    head = {"bench": "b", "params": params, "peer": peer, "metric": metric, "unit": "us"}
    return {**head, **SUMMARY, "p50": p50}


def comparison(
    peer: str, low: float, high: float, kind: str = "ratio", passes: int = 10
) -> dict[str, Any]:
    return {"params": {"bytes": 64}, "metric": "time", "peer": peer, "kind": kind, "unit": "1",
            "passes": passes, "median": (low + high) / 2, "low": low, "high": high,
            "method": "m"}  # fmt: skip


def lines(*goals: Goal, rows: list[dict[str, Any]], **more: Any) -> list[Any]:
    figures = Figures(goals, {}, floors=("bare", "copy"))
    return lines_of(figures, {"rows": rows, **more})


@pytest.mark.parametrize(
    ("goal", "p50", "verdict"),
    [
        (Goal("t", "time", 10), 10, REACHED),
        (Goal("t", "time", 10), 10.1, MISSED),
        (Goal("t", "time", 10, at_least=True), 10, REACHED),
        (Goal("t", "time", 10, at_least=True), 9.9, MISSED),
        (Goal("t", "time", 19, value="p99"), 5, MISSED),
        (Goal("t", "time", 0), 0, REACHED),
        (Goal("t", "time", -0.5), -0.4, MISSED),
        (Goal("t", "time"), 5, ""),
    ],
)
def test_a_value_is_judged(goal: Goal, p50: float, verdict: str) -> None:
    [line] = lines(goal, rows=[row("time", p50, bytes=64)])
    assert line.verdict == verdict


@pytest.mark.parametrize(
    ("low", "high", "passes", "verdict"),
    [
        (0.8, 1.0, 10, REACHED),
        (0.8, 1.1, 10, UNDECIDED),
        (1.0, 1.1, 10, UNDECIDED),
        (1.01, 1.1, 10, MISSED),
        (0.8, 0.9, 6, REACHED),
        (0.8, 0.9, 5, UNDECIDED),
        (1.8, 1.9, 5, UNDECIDED),
    ],
)
def test_a_comparison_needs_its_whole_interval(
    low: float, high: float, passes: int, verdict: str
) -> None:
    goal = Goal("t", "time", 1.0, against="peer")
    made = [comparison("peer", low, high, passes=passes), comparison("other", 0, 0)]
    [line] = lines(goal, rows=[row("time", 5, bytes=64)], comparisons=made)
    assert line.verdict == verdict
    assert ("of 5 passes" in line.goal_text) == (passes == 5)


def test_a_difference_is_drawn_over_the_floor() -> None:
    goal = Goal("t", "time", 3.0, against="bare", kind="difference")
    rows = [row("time", 9, bytes=64), row("time", 5, "bare", bytes=64)]
    [line] = lines(goal, rows=rows, comparisons=[comparison("bare", 2, 6, "difference")])
    assert line.verdict == UNDECIDED and line.ratio(line.judged) == 9 / 8
    assert line.goal_text == "<= bare + 3 us: 4 us [2 us, 6 us]"


def test_peers_and_floors_are_of_the_same_cell() -> None:
    rows = [row("time", 5, bytes=64), row("time", 7, "slow", bytes=64),
            row("time", 6, "quick", bytes=64), row("time", 1, "quick", bytes=4096),
            row("time", 2, "copy", bytes=64), row("time", 4, "bare", bytes=64)]  # fmt: skip
    [line] = lines(Goal("{size}", "time", where={"bytes": 64}), rows=rows)
    assert (line.what, line.peer, line.floor) == ("64 B", ("quick", 6.0), ("bare", 4.0))


def test_a_value_may_be_a_share_or_a_rest() -> None:
    rows = [row("time", 6, bytes=64), row("whole", 8, bytes=64), row("clock", 2, bytes=64)]
    share, rest, alone = (
        Goal("share", "time", 0.5, over="whole", unit="share"),
        Goal("rest", "time", 4, less="clock"),
        Goal("nobody's", "time", 4, less="nothing"),
    )
    found = lines(share, rest, alone, rows=rows)
    assert [(line.what, line.ours_text, line.verdict) for line in found] == [
        ("share", "75 %", MISSED), ("rest", "4 us", REACHED)]  # fmt: skip


def test_a_line_shows_the_worst_of_its_rows() -> None:
    rows = [row("time", p50, nodes=nodes) for nodes, p50 in ((1, 5.0), (2, 9.0), (3, 7.0))]
    every, most, least = (
        Goal("at all", "time", lambda r: 6.0 * r["params"]["nodes"]),
        Goal("most", "time"),
        Goal("least", "time", at_least=True),
    )
    assert [line.told for line in lines(every, most, least, rows=rows)] == [5.0, 9.0, 5.0]


def test_rows_without_a_limit_are_no_lines_of_a_goal() -> None:
    goal = Goal("{nodes}", "time", lambda r: 1.0 if r["params"]["nodes"] == 2 else None)
    found = lines(goal, rows=[row("time", 5, nodes=n) for n in (1, 2)])
    assert [line.what for line in found] == ["2"]


def test_only_what_is_exact_fails() -> None:
    figures = Figures((Goal("cells", "cells", 1, exact=True), Goal("time", "time", 1)), {})
    result = {"rows": [row("cells", 2, bytes=1), row("time", 2, bytes=1)]}
    assert len(judged(figures, result)) == 2
    assert failures(figures, result) == ["missed: cells: <= 1 us: missed (2 us)"]


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (9484, "ns", "9.48 us"), (0.0436, "s", "43.6 ms"), (52_100, "B", "52.1 kB"),
        (1710, "percent", "1,710 %"), (0.031, "share", "3.1 %"), (354, "1", "354"),
        (1.0, "1", "1.00"), (0, "1", "0"), (393_221, "cycles", "393,221 cycles"),
        (1.15e6, "events/s", "1.15 Mevents/s"), (166, "MHz", "166 MHz"),
    ],
)  # fmt: skip
def test_a_value_has_its_unit(value: float, unit: str, text: str) -> None:
    assert values.value_text(value, unit) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(64, "64 B"), (4096, "4 kB"), (10_000, "10 kB"), (10 << 20, "10 MB"), (921_668, "922 kB")],
)
def test_sizes(count: int, text: str) -> None:
    assert values.size_text(count) == text
