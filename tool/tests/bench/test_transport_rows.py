# SPDX-License-Identifier: Apache-2.0
"""Statistics, rows and comparisons of the transport benchmark, on values that are known."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from rich.console import Console

from ligament import resources
from ligament.bench import values
from ligament.bench.goals import judged
from ligament.bench.intervals import coverage, interval_of
from ligament.bench.transport import cells, goals, rows, table
from ligament.bench.transport.cells import Cell
from ligament.bench.transport.figures import Figures, read_figures
from ligament.bench.transport.passes import Run
from ligament.bench.transport.peers import Contestant
from ligament.errors import FailureError

SLEEP = Cell(cells.ONE_WAY, messages=3, warmup=1)


def run(number: int, cell: Cell, peer: str, figures: Figures) -> Run:
    kinds = {
        "ligament": "ours", "futex": "floor", "broadcast": "floor", "line": "floor",
    }  # fmt: skip
    return Run(number, cell, Contestant(peer, kinds.get(peer, "peer"), Path()), figures)


def one_way(*latencies: list[float], publish: float = 100, cpu: float = 0) -> Figures:
    count = len(latencies[0])
    return Figures(
        latencies=list(latencies), publish_ns=[publish] * count, loan_publish_ns=[publish] * count,
        cpu_ns=cpu, sent=count, system_calls={"futex_wakes": count},
    )  # fmt: skip


def test_the_interval_of_ten_passes_lies_between_the_second_and_the_ninth() -> None:
    found = interval_of([7, 3, 9, 1, 10, 2, 8, 4, 6, 5])
    assert (found.median, found.low, found.high, found.passes) == (5.5, 2, 9, 10)
    assert "values 2 and 9 of 10 passes, 97.9%" in found.method


@pytest.mark.parametrize(
    ("count", "low", "high", "sure"),
    [(1, 1, 1, "0.0%"), (3, 1, 3, "75.0%"), (6, 1, 6, "96.9%"), (20, 6, 15, "95.9%")],
)
def test_few_passes_say_how_sure_they_are(count: int, low: int, high: int, sure: str) -> None:
    found = interval_of([float(k) for k in range(1, count + 1)])
    assert (found.low, found.high) == (low, high)
    assert found.method.endswith(sure)


def test_an_interval_that_is_just_sure_enough_is_taken() -> None:
    found = interval_of(range(1, 11), wanted=coverage(10, 3))
    assert (found.low, found.high) == (3, 8)


def test_coverage_is_that_of_the_binomial() -> None:
    assert coverage(10, 2) == pytest.approx(1 - 2 * 11 / 1024)
    assert coverage(5, 1) == pytest.approx(1 - 2 / 32)


def test_a_row_pools_the_passes() -> None:
    runs = [run(1, SLEEP, "ligament", one_way([1, 2, 3], cpu=30)),
            run(2, SLEEP, "ligament", one_way([4, 5, 6], cpu=60))]  # fmt: skip
    found = {row["metric"]: row for row in rows.rows_of_runs(runs)}
    latency = found[cells.ONE_WAY]
    assert (latency["n"], latency["p50"], latency["p99"], latency["mean"]) == (6, 3, 6, 3.5)
    assert "worst_p99" not in latency
    assert (found[rows.CPU]["n"], found[rows.CPU]["p50"]) == (2, 10)
    assert found[rows.CALLS]["mean"] == 1


def test_several_subscribers_are_told_by_the_median_one_and_the_worst() -> None:
    cell = Cell(cells.ONE_WAY, subscribers=3)
    runs = [run(1, cell, "ligament", one_way([1, 1, 1], [5, 5, 5], [90, 90, 99]))]
    row = rows.rows_of_runs(runs)[0]
    assert (row["p50"], row["p99"], row["worst_p99"], row["n"]) == (5, 5, 99, 9)


def test_ours_is_compared_within_each_pass() -> None:
    # The second pass was ten times slower for everybody: the ratio does not move.
    runs = [run(1, SLEEP, "ligament", one_way([10, 10, 10])),
            run(1, SLEEP, "iceoryx2", one_way([20, 20, 20])),
            run(1, SLEEP, "futex", one_way([8, 8, 8])),
            run(2, SLEEP, "ligament", one_way([100, 100, 100])),
            run(2, SLEEP, "iceoryx2", one_way([200, 200, 200])),
            run(2, SLEEP, "futex", one_way([80, 80, 80]))]  # fmt: skip
    found = {(c["metric"], c["peer"], c["kind"]): c for c in rows.comparisons_of(runs)}
    ratio = found[cells.ONE_WAY, "iceoryx2", "ratio"]
    assert (ratio["median"], ratio["low"], ratio["high"], ratio["passes"]) == (0.5, 0.5, 0.5, 2)
    assert found[cells.ONE_WAY, "futex", "difference"]["high"] == 20
    assert (cells.PUBLISH_COST, "futex", "ratio") not in found


def test_a_pass_that_one_lacks_is_not_compared() -> None:
    runs = [run(1, SLEEP, "ligament", one_way([10])), run(2, SLEEP, "ligament", one_way([10])),
            run(2, SLEEP, "iceoryx2", one_way([40]))]  # fmt: skip
    found = [c for c in rows.comparisons_of(runs) if c["metric"] == cells.ONE_WAY]
    assert [(c["median"], c["passes"]) for c in found] == [(0.25, 1)]


# --- goals and the table ----------------------------------------------------------------------


def told(runs: list[Run]) -> list[str]:
    result = {"rows": rows.rows_of_runs(runs), "comparisons": rows.comparisons_of(runs)}
    return [line.sentence() for line in judged(goals.FIGURES, result)]


def verdicts(futex: float, iceoryx2: float) -> list[str]:
    runs = [r for k in range(1, 11) for r in (
        run(k, SLEEP, "ligament", one_way([10_000.0 + k])),
        run(k, SLEEP, "futex", one_way([futex])),
        run(k, SLEEP, "iceoryx2", one_way([iceoryx2])))]  # fmt: skip
    return told(runs)


@pytest.mark.parametrize(
    ("futex", "iceoryx2", "word"), [(9000, 11_000, "reached"), (5000, 9000, "missed")]
)
def test_goals_are_judged_by_the_interval(futex: float, iceoryx2: float, word: str) -> None:
    found = verdicts(futex, iceoryx2)
    assert len(found) == 2 and all(f": {word} (" in line for line in found), found


@pytest.mark.parametrize(("line", "word"), [(100, "reached"), (50, "missed")])
def test_spinning_is_judged_by_the_bare_line_of_the_run(line: float, word: str) -> None:
    cell = Cell(cells.ONE_WAY, wait="poll")
    runs = [r for k in range(1, 11) for r in (
        run(k, cell, "ligament", one_way([125.0 + k / 2])),
        run(k, cell, "line", one_way([line])))]  # fmt: skip
    found = told(runs)
    assert len(found) == 1 and "<= 1.3 x line" in found[0] and f": {word} (" in found[0], found


def test_an_interval_around_the_goal_decides_nothing() -> None:
    assert all("not decided" in line for line in verdicts(7005.5, 10_005.5))


@pytest.mark.parametrize(("publish", "calls", "words"), [
    (70, 0, ["reached", "reached"]), (90, 0, ["missed", "reached"]), (70, 1, ["reached", "missed"]),
])  # fmt: skip
def test_the_publishers_goal_leaves_out_the_clock(
    publish: float, calls: int, words: list[str]
) -> None:
    cell = Cell(cells.PUBLISH_COST, subscribers=8, wait="none", pacing_us=0)
    figures = one_way([1.0], publish=publish)
    figures.system_calls, figures.clock_ns = {"futex_wakes": calls}, 20
    found = told([run(1, cell, "ligament", figures)])
    assert len(found) == 2, found
    assert all(f": {word} (" in line for word, line in zip(words, found, strict=True)), found


def test_the_table_shows_who_the_ratio_and_the_method() -> None:
    runs = [run(1, SLEEP, "ligament", one_way([10_000])),
            run(1, SLEEP, "iceoryx2", one_way([20_000])),
            run(1, SLEEP, "futex", one_way([8000]))]  # fmt: skip
    out = io.StringIO()
    result: dict[str, Any] = {
        "rows": rows.rows_of_runs(runs), "comparisons": rows.comparisons_of(runs),
    }  # fmt: skip
    table.print_result(Console(file=out, width=80), result)
    text = out.getvalue()
    assert "one way, 64 B, 1 subscriber, sleep, every 2 ms" in text
    assert "0.50 (0.50..0.50)" in text and "ours - futex: +2 us" in text
    assert "order statistics" in text
    assert all(len(line) <= 80 for line in text.splitlines()[:6]), text


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [(0.9, 1.1, "no difference shown (0.90..1.10)"), (0.9, 0.99, "0.95 (0.90..0.99)")],
)
def test_a_ratio_is_told_where_its_interval_leaves_out_one(
    low: float, high: float, said: str
) -> None:
    runs = [run(1, SLEEP, "ligament", one_way([950])), run(1, SLEEP, "iceoryx2", one_way([1000]))]
    (ratio, *_) = rows.comparisons_of(runs)
    assert table.ratio_text(SLEEP, "iceoryx2", [ratio | {"low": low, "high": high}]) == said


def test_the_result_follows_the_schema() -> None:
    cell = Cell(cells.ONE_WAY, subscribers=2)
    runs = [run(1, cell, name, one_way([1.0, 2.0], [3.0, 4.0]))
            for name in ("ligament", "broadcast", "iceoryx2")]  # fmt: skip
    context = {"machine": {}, "commit": None, "command": [], "versions": {}}
    result = {
        "schema": "ligament/bench/1",
        "context": context,
        "rows": rows.rows_of_runs(runs),
        "comparisons": rows.comparisons_of(runs),
        "notes": ["n"],
        "failures": ["f"],
    }
    schema = json.loads((resources.spec_dir() / "report" / "bench.schema.json").read_text())
    jsonschema.validate(json.loads(json.dumps(result)), schema)


# --- what a program printed -------------------------------------------------------------------

SUBSCRIBER = {"role": "subscribe", "index": 0, "received": 2, "lost": 0, "latency_ns": [1, 2],
              "cpu_ns": 1, "wall_ns": 100}  # fmt: skip
PUBLISHER = {"role": "publish", "sent": 2, "publish_ns": [1, 2], "loan_publish_ns": [2, 3],
             "failed": 0, "cpu_ns": 1, "wall_ns": 100}  # fmt: skip


def test_good_lines_are_figures() -> None:
    lines = ["ready", json.dumps(SUBSCRIBER), json.dumps(PUBLISHER)]
    figures = read_figures(lines, SLEEP, 1)
    assert (figures.latencies, figures.sent, figures.cpu_ns) == ([[1, 2]], 2, 2)
    assert figures.rates == [pytest.approx(2e7)]


def test_a_subscriber_that_woke_for_the_end_only_was_not_fast() -> None:
    publisher = {**PUBLISHER, "wall_ns": 1000}
    figures = read_figures([json.dumps(SUBSCRIBER), json.dumps(publisher)], SLEEP, 1)
    assert figures.rates == [pytest.approx(2e6)]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.00187, "1/530"), (6.2e-05, "1/16k"), (0.538, "0.54"), (14.83, "14.8"), (126411.6, "126k"),
     (0.0, "0"), (0.1, "0.10"), (9.999, "10.00"), (2.5e6, "2.5M")],
)  # fmt: skip
def test_factors_are_short(value: float, text: str) -> None:
    assert values.factor_text(value) == text


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"latency_ns": [1, -5]}, "holds -5, which is no time"),
        ({"latency_ns": [1, float("nan")]}, "holds nan"),
        ({"latency_ns": [1, True]}, "holds True"),
        ({"latency_ns": "many"}, "is no list"),
        ({"latency_ns": [1]}, "received 2 messages and lists 1"),
        ({"received": None}, "'received' is no number"),
        ({"lost": -1}, "'lost' is no number"),
        ({"role": 7}, "'role' is no text"),
        ({"role": "publisher"}, "0 results with the role 'subscribe' came, 1 were expected"),
        ({"received": 0, "latency_ns": []}, "no message at all"),
    ],
)
def test_nonsense_is_named(change: dict[str, Any], text: str) -> None:
    with pytest.raises(FailureError, match=text):
        read_figures([json.dumps({**SUBSCRIBER, **change}), json.dumps(PUBLISHER)], SLEEP, 1)


def test_messages_that_came_torn_late_or_twice_are_noted() -> None:
    spoilt = {**SUBSCRIBER, "torn": 2, "disorder": 1}
    figures = read_figures([json.dumps(spoilt), json.dumps(PUBLISHER)], SLEEP, 1)
    runs = [run(1, SLEEP, "fastdds-loan", figures), run(1, SLEEP, "ligament", one_way([1]))]
    notes = rows.notes_of_runs(runs)
    assert len(notes) == 1 and "fastdds-loan: 3 messages" in notes[0]


@pytest.mark.parametrize("line", ["{", "{]", '{"role"'])
def test_a_broken_line_is_named(line: str) -> None:
    with pytest.raises(FailureError, match="no JSON"):
        read_figures([line], SLEEP, 1)


def test_a_publisher_that_failed_to_send_is_no_result() -> None:
    lines = [json.dumps(SUBSCRIBER), json.dumps({**PUBLISHER, "failed": 3})]
    with pytest.raises(FailureError, match="failed to send 3"):
        read_figures(lines, SLEEP, 1)
