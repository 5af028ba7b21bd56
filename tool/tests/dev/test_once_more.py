# SPDX-License-Identifier: Apache-2.0
"""dev/test runs a few failed tests again, alone: what fails twice fails the run."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from dev_script import dev_script

TESTS = """
from pathlib import Path
import pytest

def test_steady(): pass

def test_second_time():
    mark = Path(__file__).with_name("came")
    came, _ = mark.exists(), mark.touch()
    assert came

@pytest.mark.parametrize("n", range({wrong}))
def test_wrong(n): assert False
"""


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """dev/test, which writes its logs into a folder of the test."""
    module = dev_script("test")
    monkeypatch.setattr(module, "LOGS", tmp_path)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    return module


def _run(runner: ModuleType, folder: Path, wrong: int) -> Any:
    (folder / "test_few.py").write_text(TESTS.format(wrong=wrong))
    command = [sys.executable, "-m", "pytest", "-vv", "test_few.py"]
    suite = runner.Suite("few", command, r"\d+ (passed|failed).* in .*", runner="pytest")
    return runner.run_all([suite])[0]


def test_one_that_passes_alone_is_named(
    runner: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = _run(runner, tmp_path, wrong=0)
    assert not result.failed
    runner.summarise([result], 1.0)
    said = capsys.readouterr().out
    assert "unsteady: few test_few::test_second_time failed beside others, and passed alone" in said
    assert "1 failed, 1 passed" in result.closing()
    assert "run again, alone: 1 passed" in result.closing()


@pytest.mark.parametrize("wrong", [1, 5])
def test_what_fails_twice_fails_and_many_are_not_run_again(
    runner: ModuleType, tmp_path: Path, wrong: int
) -> None:
    result = _run(runner, tmp_path, wrong)
    assert result.failed
    assert (result.again is None) == (wrong == 5)


def test_who_is_idle_takes_what_the_others_leave(runner: ModuleType) -> None:
    """Two suites run at once; one of them has the lowest priority."""
    command = [sys.executable, "-c", "import os; print('nice', os.nice(0))"]
    suites = [
        runner.Suite("usual", command, "nice .*"),
        runner.Suite("idle", command, "nice .*", lane=2, idle=True),
    ]
    usual, idle = (int(done.closing().split()[1]) for done in runner.run_all(suites))
    assert idle == 19 > usual
