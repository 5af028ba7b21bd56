# SPDX-License-Identifier: Apache-2.0
"""What is common to all verbs: the table, exit codes, JSON, errors."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ligament import __version__
from ligament.cli import main as cli
from ligament.errors import FailureError
from ligament.resources import spec_dir

CASES = spec_dir() / "cases" / "graph"
PIPELINE = str(CASES / "pipeline.yaml")


def _run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = cli.main(list(words))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_help_lists_every_verb(capsys: pytest.CaptureFixture[str]) -> None:
    for words in ([], ["--help"], ["-h"], ["help"]):
        code, out, _ = _run(capsys, *words)
        assert code == 0
        assert all(f"  {verb.name} " in out and verb.text in out for verb in cli.VERBS)


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(capsys, "--version") == (0, f"ligament {__version__}\n", "")


def test_verbs_have_names_of_their_own_and_known_stages() -> None:
    assert len({v.name for v in cli.VERBS}) == len(cli.VERBS)
    assert {v.stage for v in cli.VERBS} <= set(cli.STAGES)


@pytest.mark.parametrize("verb", [v.name for v in cli.VERBS])
def test_every_verb_explains_itself(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = _run(capsys, verb, "--help")
    assert code == 0, err
    assert f"ligament {verb}" in out


def _options(command: Any) -> Iterator[Any]:
    yield from command.params
    for below in getattr(command, "commands", {}).values():
        yield from _options(below)


@pytest.mark.parametrize("verb", [v for v in cli.VERBS if v.json_is_flag], ids=lambda v: v.name)
def test_no_verb_prints_json_unasked(verb: cli.Verb) -> None:
    found = [o for o in _options(cli.command_of(verb)) if "--json" in o.opts]
    assert all(option.default is False for option in found)
    assert found


def test_run_says_what_its_json_holds_and_where_figures_are() -> None:
    [verb] = [v for v in cli.VERBS if v.name == "run"]
    [option] = [o for o in _options(cli.command_of(verb)) if "--json" in o.opts]
    for word in ("run.json", "state", "processes", "losses", "status.jsonl", "`ligament report`"):
        assert word in option.help


def test_unknown_verb_names_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = _run(capsys, "chek")
    assert code == 2
    assert "did you mean 'check'?" in err


def test_unknown_option_exits_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(capsys, "check", PIPELINE, "--jsn")[0] == 2


def test_broken_verb_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = cli.Verb("broken", "Never works.")
    monkeypatch.setattr(cli, "VERBS", (*cli.VERBS, broken))
    code, _, err = _run(capsys, "broken")
    assert code == 1
    assert "the verb 'broken' cannot be loaded" in err and "ligament.cli.broken" in err


def test_failure_exits_1_and_says_what_ran(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        raise FailureError("it broke", command=["ninja"], log="x.log")

    monkeypatch.setattr(cli, "load_verb", lambda verb: fail)
    code, _, err = _run(capsys, "build")
    assert code == 1
    assert "ran: ninja" in err and "log: x.log" in err
    code, out, _ = _run(capsys, "build", "--json")
    assert code == 2  # this stand-in has no --json; usage errors stay usage errors
    assert out == ""


def test_problems_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = _run(capsys, "check", str(CASES / "many_problems.yaml"), "--json")
    assert code == 2
    assert err == ""
    problems = json.loads(out)["problems"]
    assert len(problems) == 4
    assert problems[0]["location"]["line"] == 6


def test_problems_are_counted_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = _run(capsys, "check", str(CASES / "many_problems.yaml"))
    assert (code, out) == (2, "")
    assert err.endswith("4 problems\n")


def test_check_imports_none_of_the_heavy_rooms() -> None:
    program = (
        "import sys\nfrom ligament.cli.main import main\n"
        f"code = main(['check', {PIPELINE!r}])\n"
        "heavy = [m for m in ('pyarrow', 'duckdb', 'numpy.linalg', 'jinja2') if m in sys.modules]\n"
        "assert code == 0 and not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL)


def test_module_can_be_run(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ligament.cli.main", "--version"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"ligament {__version__}\n"
