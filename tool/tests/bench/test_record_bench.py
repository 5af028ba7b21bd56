# SPDX-License-Identifier: Apache-2.0
"""The recorder's benchmark: a small cell measured, and judged as its goals say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ligament.bench import measuring, record
from ligament.bench.goals import judged
from ligament.bench.measuring import OURS, Measured, make_row
from ligament.errors import FailureError, InputError


@pytest.fixture(scope="module", autouse=True)
def _program() -> None:
    try:
        measuring.program("ligament-bench-record")
    except FailureError as missing:
        pytest.skip(str(missing))


def test_both_write_in_turn_and_leave_nothing(tmp_path: Path) -> None:
    result = Measured([])
    record.measure_cell(100_000, 30, 2, tmp_path, result)
    rows = {(r["peer"], r["metric"]): r for r in result.rows}
    assert set(rows) == {
        (who, metric)
        for who in (OURS, record.PLAIN)
        for metric in ("time_per_byte", "rate")
    }  # fmt: skip
    for who in (OURS, record.PLAIN):
        assert rows[who, "rate"]["n"] == 2
        # The rates of two passes are mean + d and mean - d, however unlike they are.
        mean, d = rows[who, "rate"]["mean"], rows[who, "rate"]["sd"] / 2**0.5
        harmonic = (mean + d) * (mean - d) / mean
        assert 1e9 / rows[who, "time_per_byte"]["mean"] == pytest.approx(harmonic)
    (ratio,) = result.comparisons
    assert (ratio["peer"], ratio["kind"]) == (record.PLAIN, "ratio")
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no folder"):
        record.measure(True, record.Options(str(tmp_path / "none")))


@pytest.mark.parametrize(("rate", "verdict"), [(2e9, "reached"), (0.5e9, "missed")])
def test_the_goal_is_a_gigabyte_per_second(rate: float, verdict: str) -> None:
    result: dict[str, Any] = {
        "rows": [make_row("record", {"bytes": 1_000_000, "count": 9}, "rate", "B/s", rate)]
    }
    (line,) = judged(record.FIGURES, result)
    assert line.verdict == verdict
