# SPDX-License-Identifier: Apache-2.0
"""How the host's two clocks are mapped, and that meters are looked at with each figure."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from ligament.run.clocks import ClockSample, clock_record, sample_offset
from ligament.run.energy import Metered


def test_the_tightest_of_the_tries_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    tries = [(100, 9_100, 180), (200, 9_215, 230), (300, 9_400, 360)]
    readings: Iterator[int] = iter([reading for one in tries for reading in one])
    monkeypatch.setattr(time, "clock_gettime_ns", lambda _: next(readings))
    # Between 200 and 230: 215, and real time is 9,000 later, right to within 15 + 1.
    assert sample_offset(3) == ClockSample(215, 9_000, 16)


def test_both_samples_are_on_record() -> None:
    start, end = ClockSample(1, 2, 3), ClockSample(4, 5, 6)
    (monotonic, real) = clock_record(start, end)
    assert monotonic == {"id": "monotonic", "kind": "CLOCK_MONOTONIC", "reference": True}
    assert real["reference"] is False and real["kind"] == "CLOCK_REALTIME"
    samples = real["samples"]
    assert isinstance(samples, list)
    assert [tuple(sample.values()) for sample in samples] == [(1, 2, 3), (4, 5, 6)]


def test_meters_are_looked_at_with_each_figure_and_notes_are_handed_on() -> None:
    said: list[Any] = []

    class Inner:
        def note(self, text: str) -> None:
            said.append(text)

        def progress(self, text: str) -> None:
            said.append(f"all well: {text}")

        def figures(self, board: object) -> None:
            said.append(board)

    class Meter:
        def sample(self) -> None:
            said.append("sampled")

    metered = Metered(Inner(), Meter())  # type: ignore[arg-type]
    metered.note("started")
    metered.progress("ready")
    metered.figures("board")  # type: ignore[arg-type]
    assert said == ["started", "all well: ready", "sampled", "board"]
