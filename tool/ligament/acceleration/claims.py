# SPDX-License-Identifier: Apache-2.0
"""What a platform claims, compared with what was tested.

spec/platform/conformance.md has the table of standings.
"""

from __future__ import annotations

from dataclasses import dataclass

from ligament.acceleration.capabilities import CAPABILITIES, NO, YES, Verdict
from ligament.acceleration.manifest import Platform
from ligament.errors import InputError, Problem, no_such

TESTED, CLAIMED, CONTRADICTED, NONE = "tested", "claimed", "contradicted", "none"
FIELDS = ("capabilities", "board_capabilities")


@dataclass(frozen=True)
class Claim:
    """A capability that a platform claims."""

    name: str
    on_board: str = ""
    """The sentence of `board_capabilities`; empty: any machine with the tools is to show it."""


def claims_of(platform: Platform) -> dict[str, Claim]:
    """Return the claims of a platform by name; raise InputError for unknown names, and for twice.

    Each problem has its line in platform.yaml.
    """
    here, on_board = (platform.document.get(field, ()) for field in FIELDS)
    problems = [
        *_unknown(platform, [(name, ("capabilities", i)) for i, name in enumerate(here)]),
        *_unknown(platform, [(name, ("board_capabilities", name)) for name in on_board]),
    ]
    for name in sorted({*here} & {*on_board}):
        text = f"'{name}' is in capabilities, too: either any machine shows it, or only the board"
        at = platform.at("board_capabilities", name)
        problems.append(Problem("capability-twice", text, at, hint="leave one of them out"))
    if problems:
        raise InputError(problems)
    return {name: Claim(name) for name in here} | {
        name: Claim(name, on_board[name]) for name in on_board
    }


def _unknown(platform: Platform, named: list[tuple[str, tuple[str | int, ...]]]) -> list[Problem]:
    known = {capability.name for capability in CAPABILITIES}
    return [
        no_such("capability-unknown", f"there is no capability '{n}'", n, known, platform.at(*path))
        for n, path in named
        if n not in known
    ]


def standing(claim: Claim | None, verdict: Verdict) -> str:
    """Return what a claim, or none, is worth after what was found."""
    if verdict.state == YES:
        return TESTED
    if claim is None:
        return NONE
    if verdict.state == NO and (verdict.checked or not claim.on_board):
        return CONTRADICTED
    return CLAIMED
