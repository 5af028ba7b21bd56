# SPDX-License-Identifier: Apache-2.0
"""Compilers' output: which lines a person should see first."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

# gcc and clang: FILE:LINE:COLUMN: error: TEXT; the linker names no column, sometimes no line.
_ERROR = re.compile(r"^(?P<file>[^\s:][^:\n]*):(?:(?P<line>\d+):)?(?:(?P<column>\d+):)? "
                    r"(?:fatal )?error: (?P<text>.*)$")  # fmt: skip
# Verilator; a lint rule that is broken is an error, too.
_VERILATOR = re.compile(r"^%(?:Error|Warning)(?:-\w+)?: (?P<file>[^:\n]+):(?P<line>\d+):"
                        r"(?P<column>\d+): (?P<text>.*)$")  # fmt: skip
_UNDEFINED = re.compile(r"^.*(undefined reference to .*|cannot find -l.*)$")
# The linker: what does not fit in a core's memory, and by how much.
_OVERFLOW = re.compile(r"^.*(region .* overflowed by \d+ bytes?)$")
# Where the lines about one error end: the next command, or the place of the next error.
_NEXT = re.compile(
    r"^(\[\d|ninja: |%Error|%Warning|In file included from |[^ ].*: In .*function"
    r"|[^ ].*: At global)"
)
_CMAKE = re.compile(r"^CMake Error(?: at (?P<file>[^:]+):(?P<line>\d+))?")
_STARTS = (_ERROR, _VERILATOR, _UNDEFINED, _OVERFLOW, _CMAKE)


@dataclass(frozen=True)
class Diagnostic:
    """One error with the lines that the compiler printed about it."""

    file: str
    lines: tuple[str, ...]


def find_errors(output: str, own_folders: list[Path], limit: int = 5) -> list[Diagnostic]:
    """The first errors of a build, those in the user's own folders before all others.

    An error in a template is reported in a header; the note that leads back to the user's file
    follows it, so the lines up to the next error are kept with it (at most eight).
    """
    found = _collect(output.splitlines())
    own = [str(folder.resolve()) + "/" for folder in own_folders]

    def rank(diagnostic: Diagnostic) -> int:
        if any(diagnostic.file.startswith(o) for o in own):
            return 0
        return 1 if any(o in line for o in own for line in diagnostic.lines) else 2

    return sorted(found, key=rank)[:limit]


def _collect(lines: list[str]) -> list[Diagnostic]:
    found = []
    for number, line in enumerate(lines):
        match = next((m for pattern in _STARTS if (m := pattern.match(line))), None)
        if match is None or line.startswith(("ninja: ", "FAILED: ")):
            continue
        block = [line]
        for following in lines[number + 1 : number + 8]:
            if any(p.match(following) for p in (_ERROR, _OVERFLOW, _NEXT)):
                break
            block.append(following)
        found.append(Diagnostic(match.groupdict().get("file") or "", tuple(block)))
    return found


def overflows(output: str) -> bool:
    """Whether what was linked is too large for the memory it is for."""
    return any(_OVERFLOW.match(line) for line in output.splitlines())


def as_text(errors: list[Diagnostic]) -> str:
    """The diagnostics as they are shown."""
    return "\n".join(line for diagnostic in errors for line in diagnostic.lines)
