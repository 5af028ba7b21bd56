# SPDX-License-Identifier: Apache-2.0
"""A step of the build: what is told while it runs, and what of a failure is shown."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ligament.build.ninja import Step, run_step
from ligament.errors import FailureError


def step(folder: Path, program: str) -> Step:
    log = folder / "deep" / "step.log"
    return Step("compiling", [sys.executable, "-c", program], log, [], folder)


def test_progress_is_what_ninja_prints_and_the_log_holds_all(tmp_path: Path) -> None:
    told: list[tuple[int, int, str]] = []
    program = "print('[1/3] one'); print('between'); print('[3/3] a [2/2] b')"
    text = run_step(step(tmp_path, program), lambda *words: told.append(words))
    assert told == [(1, 3, "one"), (3, 3, "a [2/2] b")]
    assert text == "[1/3] one\nbetween\n[3/3] a [2/2] b\n"
    assert (tmp_path / "deep" / "step.log").read_text() == text


def test_a_failure_without_a_known_mistake_shows_its_last_lines(tmp_path: Path) -> None:
    program = "print('\\n'.join(f'line {n}' for n in range(20))); raise SystemExit(3)"
    with pytest.raises(FailureError) as raised:
        run_step(step(tmp_path, program))
    shown = "\n".join(f"line {n}" for n in range(8, 20))
    assert str(raised.value).startswith(f"compiling failed:\n{shown}")
    assert "line 7" not in str(raised.value)


def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    missing = Step("configuring", ["/nowhere/cmake"], tmp_path / "log", [], tmp_path)
    with pytest.raises(FailureError, match="configuring: cannot run /nowhere/cmake: No such file"):
        run_step(missing)
