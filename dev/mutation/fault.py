# SPDX-License-Identifier: Apache-2.0
"""A fault: a replacement of a piece of a file's text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """A replacement of text[begin:end] in a file. `kind` is the fault's kind, in words."""

    file: str
    kind: str
    begin: int
    end: int
    text: str

    def applied(self, source: str) -> str:
        """Return the source with the fault."""
        return source[: self.begin] + self.text + source[self.end :]

    def lines(self, source: str) -> tuple[int, str, str]:
        """Return the number of the first line that changes, that line, and the line it becomes."""
        number = source.count("\n", 0, self.begin)
        before = source.split("\n")[number]
        after = self.applied(source).split("\n")[number]
        return number + 1, before.strip(), after.strip()
