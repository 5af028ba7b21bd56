# SPDX-License-Identifier: Apache-2.0
"""Energy per message in report.json, on the terminal and on the page."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from made_up_traces import Trace

from ligament import resources
from ligament.cli.main import main
from ligament.report.energy import energy_per_message

MakeRun = Callable[..., Path]


def with_energy(run: Path, energy: dict[str, Any] | None) -> Path:
    record = json.loads((run / "run.json").read_text()) | {"energy": energy}
    (run / "run.json").write_text(json.dumps(record))
    return run


def trace() -> Trace:
    made = Trace().names()
    for seq in (1, 2, 3, 4):
        made.frame(seq * 10_000, seq)
    return made


def test_energy_is_shared_by_all_messages_that_came_through(
    make_run: MakeRun, capsys: pytest.CaptureFixture[str]
) -> None:
    measured = {"joules": 6.0, "elapsed_ns": 1, "meters": [], "text": "measured by x"}
    run = with_energy(make_run(trace()), measured)
    page = run / "report.html"
    assert main(["report", str(run), "--warm-up", "2", "--html", str(page)]) == 0
    report = json.loads((run / "report.json").read_text())
    schema = json.loads((resources.spec_dir() / "report" / "report.schema.json").read_text())
    jsonschema.validate(report, schema)
    energy = report["variants"][0]["energy"]
    assert energy == {"joules": 6.0, "per_message_j": 1.5, "text": "measured by x"}
    assert "1.5e+03 mJ" in capsys.readouterr().out
    assert ">1.50 J<" in page.read_text() and "measured by x" in page.read_text()


def test_without_a_meter_it_says_no_meter(
    make_run: MakeRun, capsys: pytest.CaptureFixture[str]
) -> None:
    none = {"joules": None, "elapsed_ns": 1, "meters": [], "text": "no meter (no RAPL ...)"}
    run = with_energy(make_run(trace()), none)
    page = run / "report.html"
    assert main(["report", str(run), "--html", str(page)]) == 0
    assert "no meter" in capsys.readouterr().out
    assert "<em>no meter</em>" in page.read_text()


@pytest.mark.parametrize("energy", [None, 3, "much", []])
def test_a_record_without_energy_has_none(energy: Any) -> None:
    assert energy_per_message(energy, 3) is None


@pytest.mark.parametrize("joules", [None, -1.0, "12", True])
def test_a_value_that_is_no_energy_counts_as_none(joules: Any) -> None:
    made = energy_per_message({"joules": joules, "text": "t"}, 3)
    assert made == {"joules": None, "per_message_j": None, "text": "t"}


def test_no_message_no_share() -> None:
    made = energy_per_message({"joules": 2.0, "text": "t"}, 0)
    assert made is not None and made["per_message_j"] is None
