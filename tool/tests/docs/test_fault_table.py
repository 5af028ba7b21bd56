# SPDX-License-Identifier: Apache-2.0
"""The tables of faults name tests that are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

REPO = Path(__file__).parents[3]
NAMED = {
    page: re.findall(
        r"`((?:hdl|tool|runtime|spec)/[^`]+)`",
        (REPO / "spec" / "device" / page).read_text().partition("## Faults, and")[rest],
    )
    for page, rest in (("faults.md", 0), ("gpu.md", 2))
}


def test_the_tables_name_tests() -> None:
    assert len(NAMED["faults.md"]) > 40
    assert len(NAMED["gpu.md"]) > 20


@pytest.mark.parametrize("named", sorted({name for names in NAMED.values() for name in names}))
def test_what_it_names_is_there(named: str) -> None:
    path, _, name = named.partition("::")
    text = (REPO / path).read_text()
    if name:
        # A function, a table of cases, or a test in C++.
        assert re.search(rf"(def {name}\(|^{name}\b|, {name}\))", text, re.MULTILINE), named
