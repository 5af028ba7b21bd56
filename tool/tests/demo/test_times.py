# SPDX-License-Identifier: Apache-2.0
"""What `ligament demo --json` says of its time: set-up, first frames, whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from ligament.demo import times
from ligament.demo.times import BEGAN, Times


@pytest.fixture
def clock(monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(times.time, "time", lambda: now[0])
    monkeypatch.delenv(BEGAN, raising=False)
    return now


def test_without_a_set_up_all_is_since_the_demo_began(tmp_path: Path, clock) -> None:
    measured = Times(tmp_path / "times.json")
    clock[0] = 1010.0
    measured.first_frames()
    clock[0] = 1050.0
    assert measured.whole() == {"set_up": 0.0, "first_frames": 10.0, "whole": 50.0}


def test_the_set_up_before_the_demo_counts(tmp_path: Path, clock, monkeypatch) -> None:
    monkeypatch.setenv(BEGAN, "900.5")
    measured = Times(tmp_path / "times.json")
    clock[0] = 1010.0
    measured.first_frames()
    assert measured.whole() == {"set_up": 99.5, "first_frames": 109.5, "whole": 109.5}


def test_first_frames_that_were_shown_by_themselves_are_those_of_the_whole(
    tmp_path: Path, clock, monkeypatch
) -> None:
    monkeypatch.setenv(BEGAN, "900")
    Times(tmp_path / "times.json").first_frames(keep=True)
    clock[0] = 1200.0
    measured = Times(tmp_path / "times.json")
    clock[0] = 1260.0
    measured.first_frames()
    assert measured.whole() == {"set_up": 100.0, "first_frames": 100.0, "whole": 360.0}


def test_those_of_an_earlier_demo_are_not(tmp_path: Path, clock, monkeypatch) -> None:
    monkeypatch.setenv(BEGAN, "100")
    Times(tmp_path / "times.json").first_frames(keep=True)
    monkeypatch.setenv(BEGAN, "990")
    measured = Times(tmp_path / "times.json")
    measured.first_frames()
    assert measured.whole() == {"set_up": 10.0, "first_frames": 10.0, "whole": 10.0}
