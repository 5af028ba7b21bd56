# SPDX-License-Identifier: Apache-2.0
"""The errors of the tool: one root, a user's mistake (exit 2), a failure (exit 1).

A user's mistake is a list of problems, each with its place in a file, what was expected and a hint:

    raise InputError([Problem("node-type-unknown", "there is no node type 'image/rectfy'",
                              location, hint="did you mean 'image/rectify'?")])

All problems that can be found are collected before anything is raised, so that one run of
`ligament check` shows everything that is wrong.
"""

from __future__ import annotations

import difflib
import linecache
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

AnswerT = TypeVar("AnswerT")


@dataclass(frozen=True, order=True)
class Location:
    """A place in a text file; line and column count from 1, `length` is what a caret underlines."""

    file: str
    line: int = 1
    column: int = 1
    length: int = field(default=1, compare=False)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    def to_json(self) -> dict[str, Any]:
        """Return the form that artefacts hold."""
        return {"file": self.file, "line": self.line, "column": self.column}


@dataclass(frozen=True)
class Problem:
    """One mistake: what is wrong, where, what was expected, and what to do about it."""

    code: str
    text: str
    location: Location | None = None
    expected: str = ""
    hint: str = ""
    notes: tuple[tuple[str, Location | None], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the form that `--json` prints."""
        return {
            "code": self.code,
            "text": self.text,
            "location": self.location.to_json() if self.location else None,
            "expected": self.expected,
            "hint": self.hint,
            "notes": [
                {"text": t, "location": at.to_json() if at else None} for t, at in self.notes
            ],
        }


@dataclass(frozen=True)
class Mistake:
    """What is wrong at a place of a manifest."""

    path: tuple[str | int, ...]
    text: str
    hint: str = ""


class LigamentError(Exception):
    """Root of all errors that the tool raises on purpose."""

    exit_code = 1

    def to_json(self) -> dict[str, Any]:
        """Return the form that `--json` prints."""
        return {"error": str(self), "exit_code": self.exit_code}


class InputError(LigamentError):
    """The user's input is wrong; nothing was changed. Exit code 2."""

    exit_code = 2

    def __init__(self, problems: Problem | Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = (
            (problems,) if isinstance(problems, Problem) else tuple(problems)
        )
        super().__init__("\n".join(render_problem(p, source=False) for p in self.problems))

    def to_json(self) -> dict[str, Any]:
        """Return the form that `--json` prints."""
        return {"problems": [p.to_json() for p in self.problems], "exit_code": self.exit_code}


class FailureError(LigamentError):
    """Something that was run did not work. Exit code 1; says what was run and where its log is."""

    def __init__(
        self,
        text: str,
        *,
        command: Sequence[str] | None = None,
        log: Path | str | None = None,
        hint: str = "",
    ) -> None:
        self.text = text
        self.command = tuple(command or ())
        self.log = str(log) if log else ""
        self.hint = hint
        lines = [text]
        if self.command:
            lines.append("  ran: " + " ".join(self.command))
        if self.log:
            lines.append("  log: " + self.log)
        if hint:
            lines.append("  hint: " + hint)
        super().__init__("\n".join(lines))

    def to_json(self) -> dict[str, Any]:
        """Return the form that `--json` prints."""
        return {
            "error": self.text,
            "command": list(self.command),
            "log": self.log,
            "hint": self.hint,
            "exit_code": self.exit_code,
        }


def nearest(name: str, candidates: Iterable[str]) -> str:
    """Return "did you mean 'x'?" for the most similar candidate, or nothing."""
    known = sorted(set(candidates))
    found = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    if not found:
        tail = name.rsplit("/", 1)[-1]
        found = [c for c in known if tail and c.rsplit("/", 1)[-1] == tail][:1]
    return f"did you mean '{found[0]}'?" if found else ""


def counted(number: int, noun: str) -> str:
    """Return a number of things in words: "1 part", "2 parts"."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def listing(names: Iterable[str], limit: int = 12) -> str:
    """Return names as a sorted, comma-separated list, cut to a readable length."""
    ordered = sorted(names)
    if not ordered:
        return "none"
    shown = ", ".join(ordered[:limit])
    rest = len(ordered) - limit
    return f"{shown} and {rest} more" if rest > 0 else shown


def render_problem(problem: Problem, *, source: bool = True, severity: str = "error") -> str:
    """Return a problem as a compiler would print it, with the source line and a caret."""
    where = f"{problem.location}: " if problem.location else ""
    lines = [f"{where}{severity}: {problem.text} [{problem.code}]"]
    if source and problem.location:
        lines += _source_lines(problem.location)
    if problem.expected:
        lines.append(f"  expected: {problem.expected}")
    for text, location in problem.notes:
        lines.append(f"  note: {text}" + (f" ({location})" if location else ""))
    if problem.hint:
        lines.append(f"  hint: {problem.hint}")
    return "\n".join(lines)


def _source_lines(location: Location) -> list[str]:
    text = linecache.getline(location.file, location.line).rstrip("\n")
    if not text.strip():
        return []
    column = min(location.column, len(text) + 1)
    # A tab is kept as a tab in the caret line, so that the caret stays under its character.
    pad = "".join("\t" if c == "\t" else " " for c in text[: column - 1])
    width = max(1, min(location.length, len(text) - column + 1))
    caret = "^" + "~" * (width - 1)
    return [f"{location.line:5} | {text}", f"      | {pad}{caret}"]


def all_or_problems(
    names: Iterable[str], answer: Callable[[str], AnswerT | Problem]
) -> dict[str, AnswerT]:
    """Return the answer to each name, in order; raise InputError with all that have none."""
    answers = {name: answer(name) for name in sorted(names)}
    problems = [found for found in answers.values() if isinstance(found, Problem)]
    if problems:
        raise InputError(problems)
    return {name: found for name, found in answers.items() if not isinstance(found, Problem)}


def no_such(
    code: str,
    text: str,
    name: str,
    known: Collection[str],
    at: Location | None = None,
    *,
    before: str = "",
) -> Problem:
    """Return that `name` is none of `known`; what was expected is `before` and their list."""
    return Problem(code, text, at, expected=before + listing(known), hint=nearest(name, known))


def lacks(kind: str, owner: str, name: str, known: Collection[str], at: Location | None) -> Problem:
    """Return that `owner` has no port or parameter of that name; `known` are those it has."""
    code = {"port": "port-unknown", "parameter": "param-unknown"}[kind]
    return no_such(code, f"'{owner}' has no {kind} '{name}'", name, known, at)
