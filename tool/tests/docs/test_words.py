# SPDX-License-Identifier: Apache-2.0
"""Words that were replaced are found where they come back, and nothing else is."""

from __future__ import annotations

import pytest
from dev_script import REPO, dev_script

LIST = """words:
  - {word: 'for ever', say: without end}
  - {word: 'keep_?all_?day', say: retain}
  - {word: 'doors?', say: port, except: [nodes/house/*]}
"""


WORDS = dev_script("words")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("It waits for ever.", 1),
        ("first\nand For Ever", 2),
        ("  /// It waits for\n  /// ever, and longer.", 1),
        ("# waits for\n# ever", 1),
        ("void keep_all_day();", 1),
        ("class KeepAllDay", 1),
        ("two doors", 1),
    ],
)
def test_a_replaced_word_is_found(text: str, line: int) -> None:
    (complaint,) = WORDS.complaints("src/a.cpp", text, WORDS.replaced_words(LIST))
    assert complaint.startswith(f"src/a.cpp:{line}: ")
    assert " was replaced: say '" in complaint


@pytest.mark.parametrize("text", ["forever", "for everyone", "for, ever", "indoors", "for\n\never"])
def test_other_words_are_not(text: str) -> None:
    assert WORDS.complaints("src/a.cpp", text, WORDS.replaced_words(LIST)) == []


def test_a_path_may_be_left_out_of_one_word() -> None:
    found = WORDS.complaints(
        "nodes/house/a.cpp", "a door that waits for ever", WORDS.replaced_words(LIST)
    )
    assert [complaint.partition(" was ")[0] for complaint in found] == [
        "nodes/house/a.cpp:1: 'for ever'"
    ]


def test_the_list_can_be_read_and_the_tree_keeps_to_it() -> None:
    assert WORDS.replaced_words((REPO / WORDS.LIST).read_text())
    assert WORDS.main() == 0
