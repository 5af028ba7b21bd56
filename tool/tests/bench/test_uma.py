# SPDX-License-Identifier: Apache-2.0
"""`ligament bench uma`: what it makes of times, its tables, and a small real run of each cell."""

from __future__ import annotations

import io
import json
from typing import Any

import jsonschema
import pytest
from rich.console import Console

from ligament import resources
from ligament.bench import framework, uma
from ligament.bench.uma.measure import (
    CELLS,
    WORKLOADS,
    Cell,
    rows_of_cell,
    run_cell,
    student_quantile,
    upper_bound,
)

FOUND = {
    "native_ns": [1_000_000, 1_000_000, 2_000_000],
    "ros_ns": [1_100_000, 1_200_000, 2_600_000],
    "launch_ns": [3000, 4000, 9000],
    "device": "some device",
    "bytes": 4096,
    "steps": 10,
    "cpu_repeats": 3,
    "gpu_repeats": 2,
    "warm_up": 2,
    "host_copies": 0,
    "messages": 60,
}


def result(rows: list[dict[str, Any]]) -> dict[str, Any]:
    context: dict[str, Any] = {"machine": {}, "commit": None, "command": ["uma"], "versions": {}}
    return {"schema": framework.SCHEMA, "context": context, "rows": rows, "notes": ["a note"]}


def test_the_overhead_is_that_of_each_pair_of_runs() -> None:
    native, ros, overhead, step, launch = rows_of_cell(Cell("cache", 2, "ROS-SHM-ZC", "ZC"), FOUND)
    assert (native["peer"], ros["peer"]) == ("native", "ligament")
    assert native["p50"] == 1.0
    assert (overhead["metric"], overhead["unit"]) == ("overhead", "percent")
    assert overhead["mean"] == pytest.approx(20.0)
    assert overhead["upper95"] == pytest.approx(20.0 + 2.92 * 10.0 / 3**0.5, rel=0.02)
    assert step["p50"] == pytest.approx(20.0)
    assert (launch["metric"], launch["p50"]) == ("launch", 4.0)
    assert overhead["params"]["nodes"] == 2
    document = json.loads((resources.spec_dir() / "report" / "bench.schema.json").read_text())
    jsonschema.validate(result([native, ros, overhead, step, launch]), document)


@pytest.mark.parametrize(("freedom", "quantile"), [(4, 2.132), (9, 1.833), (29, 1.699)])
def test_the_bound_is_students(freedom: int, quantile: float) -> None:
    assert student_quantile(0.95, freedom) == pytest.approx(quantile, rel=0.01)


def test_one_run_has_no_bound() -> None:
    assert upper_bound([1.0]) == float("inf")


def test_tables_have_the_papers_figures_beside_ours() -> None:
    rows = rows_of_cell(Cell("concurrent", 3, "ROS-SHM-ZC", "ZC"), FOUND)
    printed = io.StringIO()
    uma.print_result(Console(file=printed, width=80), result(rows))
    text = printed.getvalue()
    assert "1316.1 (33.9)" in text  # TX2, concurrent, ZC without ROS
    assert "256.9 (6.1)" in text
    assert "+20.0%" in text
    assert "-11%" in text
    assert "+76%" in text
    assert "note: a note" in text


@pytest.mark.parametrize("workload", WORKLOADS)
@pytest.mark.parametrize("line", CELLS, ids=str)
def test_each_cell_runs_and_counts_its_copies(workload: str, line: tuple[int, str, str]) -> None:
    options = uma.Options(rows=32, columns=32, part_us=20, steps=4, runs=2)
    found = run_cell(Cell(workload, *line), options, 2)
    assert len(found["native_ns"]) == len(found["ros_ns"]) == 2
    assert found["messages"] == 16
    assert found["host_copies"] == (16 if line[1] == "ROS-SC" else 0)
    assert found["device"]
    assert len(found["launch_ns"]) == 500
