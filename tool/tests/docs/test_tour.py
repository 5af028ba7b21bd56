# SPDX-License-Identifier: Apache-2.0
"""The tour is taken: each of its commands runs, and prints what the page shows."""

from __future__ import annotations

from pathlib import Path

import pytest
from page_steps import follow, missing_lines, page_steps

REPO = Path(__file__).resolve().parents[3]
TOUR = REPO / "docs" / "tour.md"
PRINTED = "first\n\nit took 12.5 ms\n┃ a ┃ 3 ┃\nlast\n"


def test_the_tour_shows_what_each_of_its_commands_prints() -> None:
    steps = page_steps(TOUR.read_text())
    commands = [step for step in steps if step.path == "$"]
    assert len(commands) >= 8
    assert all(step.shown for step in commands)
    verbs = {step.content.split()[1] for step in commands}
    assert verbs >= {"check", "graph", "run", "report"}
    assert {step.path for step in steps} >= {"graph.yaml", "nodes/invert/invert.cpp"}


@pytest.mark.parametrize(
    "shown",
    [
        ("first", "it took 7 us", "┃  a  ┃ 44 ┃", "last"),
        ("…", "it took 1,200 s", "…"),
        ("first", "…", "last"),
        ("first", "…"),
    ],
)
def test_what_differs_from_run_to_run_may_differ(shown: tuple[str, ...]) -> None:
    assert missing_lines(shown, PRINTED) == []


@pytest.mark.parametrize(
    "shown",
    [
        ("first",),  # there is more
        ("first", "it takes 12.5 ms", "…"),
        ("…", "last", "first"),
        ("it took 12.5 ms", "…"),  # not the first
        ("first", "┃ a ┃ 3 ┃", "…"),  # one is left out without a word
        ("…", "it took 12.5 ms per frame", "…"),
    ],
)
def test_what_else_a_page_shows_is_missed(shown: tuple[str, ...]) -> None:
    assert missing_lines(shown, PRINTED)


@pytest.mark.timeout(600)
def test_the_tour_can_be_taken_outside_the_repository(tmp_path: Path) -> None:
    output = follow(TOUR, tmp_path)
    assert output.count("processes: all 200 frames equal variant one_process") == 2
