# SPDX-License-Identifier: Apache-2.0
"""The advise bench: which graphs, what their rows and goals are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from ligament.advise.check import Checked
from ligament.bench import advise
from ligament.bench.advise import FIGURES, Options
from ligament.bench.goals import lines_of
from ligament.errors import FailureError, InputError


def checked(name: str, measured: float) -> Checked:
    found = Checked(name, "do it")
    found.note("p50", 1000.0, measured)
    found.note("p99", 2000.0, 2000.0)
    return found


def test_each_driving_graph_has_rows_and_goals_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Any, ...]] = []

    def drives(name: str, quick: bool, passes: int, only: Sequence[str]) -> list[Checked]:
        asked.append((name, quick, passes, only))
        if name == "slam":
            raise FailureError("no simulator here")
        left = Checked("gpu_blur", "put it on the GPU", left_out="no run tells")
        return [checked("one_process", 2000.0), left]

    monkeypatch.setattr(advise, "checked_drives", drives)
    result = advise.measure(False, Options(passes=2, only="one_process", graphs="lanes,slam"))
    assert asked == [(name, False, 2, ("one_process",)) for name in ("lanes", "slam")]
    assert result.notes == ["gpu_blur of lanes: no run tells"]
    assert result.failures == ["slam: no simulator here"]
    lines = {line.what: line for line in lines_of(FIGURES, {"rows": result.rows})}
    assert lines["p50 after `one_process` of `lanes`: off by"].verdict == "missed"
    assert lines["p99 after `one_process` of `lanes`: off by"].verdict == "reached"
    # Another row's goals than the perception graph's.
    assert "p50 after `one_process`: off by" not in lines


def test_a_graph_that_is_none_is_refused() -> None:
    with pytest.raises(InputError, match="road"):
        advise.measure(True, Options(graphs="lanes,road"))
