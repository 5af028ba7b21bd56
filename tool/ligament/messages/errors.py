# SPDX-License-Identifier: Apache-2.0
"""The one error of this room: a definition that cannot be used, and where."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """Where in a definition file something stands; lines and columns count from 1."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        """`file:line:column`, as editors jump to it."""
        parts = [self.file, *(str(n) for n in (self.line, self.column) if n)]
        return ":".join(parts)


class DefinitionError(Exception):
    """A message definition is wrong: where, what was found, what was expected, nearest name."""

    def __init__(
        self, place: Place, problem: str, *, expected: str = "", nearest: str | None = None
    ) -> None:
        self.place = place
        self.problem = problem
        self.expected = expected
        self.nearest = nearest
        text = f"{place}: {problem}"
        if expected:
            text += f"; expected {expected}"
        if nearest:
            text += f"; did you mean '{nearest}'?"
        super().__init__(text)
