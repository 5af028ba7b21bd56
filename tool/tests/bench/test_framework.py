# SPDX-License-Identifier: Apache-2.0
"""Results of benchmarks have one form, whoever measured."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import jsonschema
import pytest

from ligament import resources
from ligament.bench import floor, framework, measuring, transport
from ligament.bench import goals as goals_of
from ligament.cli.main import main
from ligament.errors import FailureError, InputError

ROW = {"bench": "b", "params": {"bytes": 1}, "peer": "ligament", "metric": "m", "unit": "ns",
       "n": 2, "p50": 1.0, "p99": 2.0, "mean": 1.5, "sd": 0.5}  # fmt: skip


def test_a_result_has_a_row_per_line() -> None:
    exact = {**ROW, "p50": 1234567891.0, "mean": 1 / 3}
    result = {"schema": framework.SCHEMA, "context": {"quick": True}, "rows": [ROW, exact]}
    text = framework.result_text(result)
    assert json.loads(text) == {**result, "rows": [ROW, {**exact, "mean": 0.3333333333}]}
    first = next(line for line in text.splitlines() if '"bench"' in line)
    assert first == f"    {json.dumps(ROW)},"


def program(tmp_path: Path, body: str) -> list[str]:
    path = tmp_path / "program"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return [str(path)]


def test_rows_are_read_and_other_lines_ignored(tmp_path: Path) -> None:
    assert measuring.rows_of(program(tmp_path, f"echo measuring; echo '{json.dumps(ROW)}'")) == [
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
        measuring.rows_of(program(tmp_path, body))


def test_an_unknown_benchmark_names_the_nearest() -> None:
    with pytest.raises(InputError, match="did you mean 'messages'"):
        framework.run_bench("mesages", quick=True)


def test_a_missing_program_says_how_to_get_it() -> None:
    with pytest.raises(FailureError, match="make bench"):
        measuring.program("ligament-bench-absent")


def test_every_benchmark_of_the_table_can_measure() -> None:
    for bench in framework.BENCHES:
        assert callable(bench.module().measure), bench.name


def test_the_table_says_which_benches_have_options() -> None:
    for bench in framework.BENCHES:
        assert hasattr(bench.module(), "Options") == bench.has_options, bench.name


@pytest.mark.parametrize("bench", [b for b in framework.BENCHES if b.own_options()])
def test_the_options_of_a_benchmark_are_in_its_help_only(
    bench: framework.Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    own = bench.own_options()
    assert own is not None
    assert main(["bench", bench.name, "--help"]) == 0
    said = capsys.readouterr().out
    assert "--quick" in said and "--json" in said
    for option in dataclasses.fields(own):
        flag = "--" + option.name.replace("_", "-")
        assert flag in said
        assert main(["bench", "floor", flag, "1"]) == 2, "not an option of every benchmark"


def test_options_and_what_failed_reach_the_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def measure(quick: bool, options: transport.Options) -> measuring.Measured:
        return measuring.Measured(
            [ROW | {"params": {"bytes": options.bytes}}],
            notes=["a note"], failures=["pass 1, somebody: died"], versions={"peer": "1.0"},
        )  # fmt: skip

    monkeypatch.setattr(transport, "measure", measure)
    path = tmp_path / "result.json"
    assert main(["bench", "transport", "--bytes", "77", "--json", str(path)]) == 1
    result = json.loads(path.read_text())
    assert result["rows"][0]["params"] == {"bytes": "77"}
    assert result["notes"] == ["a note"] and result["failures"] == ["pass 1, somebody: died"]
    assert result["context"]["versions"]["peer"] == "1.0"
    said = capsys.readouterr()
    assert "somebody: died" in said.err and "note: a note" in said.out


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


def test_goals_are_told_and_what_is_exact_and_missed_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    goals = (goals_of.Goal("cells", "m", 0.5, exact=True), goals_of.Goal("time", "m", 2))
    monkeypatch.setattr(floor, "measure", lambda quick: [ROW])
    monkeypatch.setattr(floor, "FIGURES", goals_of.Figures(goals, {}), raising=False)
    path = tmp_path / "result.json"
    assert main(["bench", "floor", "--json", str(path)]) == 1
    said = capsys.readouterr().out
    assert "goal: cells: <= 0.5 ns: missed (1 ns)" in said
    assert "goal: time: <= 2 ns: reached (1 ns)" in said
    assert json.loads(path.read_text())["failures"] == ["missed: cells: <= 0.5 ns: missed (1 ns)"]


def test_the_floor_is_measured() -> None:
    try:
        row = floor.measure_floor(1000.0, 20)
    except FailureError as error:
        pytest.skip(str(error))
    assert (row["n"], row["peer"], row["params"]["pacing_us"]) == (20, "futex", 1000)
    assert 0 < row["p50"] <= row["p99"]
