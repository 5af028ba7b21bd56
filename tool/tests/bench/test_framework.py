# SPDX-License-Identifier: Apache-2.0
"""Results of benchmarks have one form, whoever measured."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from ligament import resources
from ligament.bench import floor, framework
from ligament.cli.main import main
from ligament.errors import FailureError, InputError

ROW = {"bench": "b", "params": {"bytes": 1}, "peer": "ligament", "metric": "m", "unit": "ns",
       "n": 2, "p50": 1.0, "p99": 2.0, "mean": 1.5, "sd": 0.5}  # fmt: skip


def program(tmp_path: Path, body: str) -> list[str]:
    path = tmp_path / "program"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return [str(path)]


def test_rows_are_read_and_other_lines_ignored(tmp_path: Path) -> None:
    assert framework.rows_of(program(tmp_path, f"echo measuring; echo '{json.dumps(ROW)}'")) == [
        ROW
    ]


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("echo 'no such clock' >&2; exit 3", "no such clock"),
        ("exit 4", "exit 4"),
        ("echo hello", "printed no rows"),
        ('echo \'{"bench": "b"}\'', "lacks .*metric"),
    ],
)
def test_a_program_that_fails_is_no_result(tmp_path: Path, body: str, text: str) -> None:
    with pytest.raises(FailureError, match=text):
        framework.rows_of(program(tmp_path, body))


def test_an_unknown_benchmark_names_the_nearest() -> None:
    with pytest.raises(InputError, match="did you mean 'messages'"):
        framework.run_bench("mesages", quick=True)


def test_a_missing_program_says_how_to_get_it() -> None:
    with pytest.raises(FailureError, match="make setup"):
        framework.program("ligament-bench-absent")


def test_every_benchmark_of_the_table_can_measure() -> None:
    for bench in framework.BENCHES:
        module = __import__(bench.module, fromlist=["measure"])
        assert callable(module.measure), bench.name


def test_the_result_file_follows_the_schema(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(floor, "measure", lambda quick: [ROW | {"params": {"quick": quick}}])
    path = tmp_path / "result.json"
    assert main(["bench", "floor", "--quick", "--json", str(path)]) == 0
    result = json.loads(path.read_text())
    schema = json.loads((resources.spec_dir() / "report" / "bench.schema.json").read_text())
    jsonschema.validate(result, schema)
    assert result["rows"][0]["params"] == {"quick": True}
    assert result["context"]["quick"] is True


def test_the_floor_is_measured() -> None:
    try:
        row = floor.measure_floor(1000.0, 20)
    except FailureError as error:
        pytest.skip(str(error))
    assert (row["n"], row["peer"], row["params"]["pacing_us"]) == (20, "futex", 1000)
    assert 0 < row["p50"] <= row["p99"]
