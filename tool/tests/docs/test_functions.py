# SPDX-License-Identifier: Apache-2.0
"""Functions of Python that are too long are found, and explanations do not count."""

from __future__ import annotations

from pathlib import Path

import pytest
from dev_script import dev_script

FUNCTIONS = dev_script("functions")


def found(*, code: int, other: str = "", head: str = "def f():\n") -> list[tuple[str, int]]:
    """What is found of a function with so many lines of code below its head."""
    text = head + other + "    x = 1\n" * code
    return [(function.name, lines) for function, lines in FUNCTIONS.long_functions(text)]


def test_the_limit_is_met_and_not_passed() -> None:
    most = FUNCTIONS.MOST_LINES
    assert found(code=most - 1) == []
    assert found(code=most) == [("f", most + 1)]
    assert found(code=most, head="async def f():\n") == [("f", most + 1)]


@pytest.mark.parametrize(
    "other", ["    # why\n" * 40, "\n" * 40, '    """What it does.\n\n    And why.\n    """\n']
)
def test_explanations_do_not_count(other: str) -> None:
    most = FUNCTIONS.MOST_LINES
    assert found(code=most - 1, other=other) == []
    assert found(code=most, other=other) == [("f", most + 1)]


def test_a_statement_of_many_lines_counts_all_of_them() -> None:
    table = "    x = [\n" + "        1,\n" * 60 + "    ]\n"
    assert found(code=0, other=table) == [("f", 63)]
    text = '    x = """\n' + "word\n\n" * 30 + '"""\n'
    assert found(code=0, other=text) == [("f", 63)]


def test_the_tree_keeps_to_it(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/usr/bin/env python3\n")
    assert FUNCTIONS.is_python(script)
    script.write_text("#!/usr/bin/env bash\n")
    assert not FUNCTIONS.is_python(script)
    assert FUNCTIONS.main() == 0
