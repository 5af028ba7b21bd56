# SPDX-License-Identifier: Apache-2.0
"""How errors look."""

from __future__ import annotations

from pathlib import Path

from ligament.errors import (
    FailureError,
    InputError,
    LigamentError,
    Location,
    Problem,
    listing,
    nearest,
    render_problem,
)


def test_problem_is_printed_as_a_compiler_would(tmp_path: Path) -> None:
    path = tmp_path / "graph.yaml"
    path.write_text("nodes:\n  a: {type: image/rectfy}\n", encoding="utf-8")
    problem = Problem(
        "node-type-unknown",
        "there is no node type 'image/rectfy'",
        Location(str(path), 2, 13, 12),
        expected="one of image/rectify",
        hint="did you mean 'image/rectify'?",
    )
    assert render_problem(problem).splitlines() == [
        f"{path}:2:13: error: there is no node type 'image/rectfy' [node-type-unknown]",
        "    2 |   a: {type: image/rectfy}",
        "      |             ^~~~~~~~~~~~",
        "  expected: one of image/rectify",
        "  hint: did you mean 'image/rectify'?",
    ]


def test_caret_stands_under_its_character_after_a_tab(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text("\tnode: 1\n", encoding="utf-8")
    assert (
        render_problem(Problem("x", "y", Location(str(path), 1, 2))).splitlines()[2]
        == "      | \t^"
    )


def test_missing_source_line_is_left_out() -> None:
    assert (
        render_problem(Problem("x", "y", Location("nowhere.yaml", 3, 1)))
        == "nowhere.yaml:3:1: error: y [x]"
    )


def test_exit_codes() -> None:
    assert InputError(Problem("x", "y")).exit_code == 2
    assert FailureError("y").exit_code == 1
    assert issubclass(InputError, LigamentError) and issubclass(FailureError, LigamentError)


def test_failure_says_what_was_run_and_where_its_log_is() -> None:
    text = str(
        FailureError("it failed", command=["ninja", "-j2"], log="build/log.txt", hint="look")
    )
    assert text.splitlines() == [
        "it failed",
        "  ran: ninja -j2",
        "  log: build/log.txt",
        "  hint: look",
    ]


def test_nearest_name() -> None:
    assert nearest("rectfy", ["rectify", "resize"]) == "did you mean 'rectify'?"
    assert nearest("rectify", ["image/rectify", "x"]) == "did you mean 'image/rectify'?"
    assert nearest("zzz", ["rectify"]) == ""


def test_long_lists_are_cut() -> None:
    assert listing([]) == "none"
    assert listing(str(i) for i in range(3)) == "0, 1, 2"
    assert listing([f"{i:02}" for i in range(20)], 3) == "00, 01, 02 and 17 more"
