# SPDX-License-Identifier: Apache-2.0
"""Texts in generated C++ mean what a user wrote; designs get the pages that they open at once."""

from __future__ import annotations

import ast
from types import SimpleNamespace
from typing import Any

import pytest

from ligament.errors import InputError
from ligament.generate.files import cpp_text
from ligament.generate.fpga.pages import check_pages


@pytest.mark.parametrize(
    ("text", "literal"),
    [
        ("plain ~", '"plain ~"'),
        ("what??/", r'"what\077\077/"'),  # else a trigraph
        ('a "b" \\', r'"a \"b\" \\"'),
        ("\t\n\r", r'"\t\n\r"'),
        ("\x001", r'"\0001"'),
        ("\x7f@>", r'"\177@>"'),
        ("ß", r'"\303\237"'),
    ],
)
def test_a_literal_means_exactly_the_text(text: str, literal: str) -> None:
    assert cpp_text(text) == literal
    # Python's bytes have the same escapes.
    assert ast.literal_eval(f"b{literal}").decode() == text


def design(pages: int, **ends: list[Any]) -> Any:
    device = SimpleNamespace(name="fpga0", pages=pages, page_bytes=4096)
    parts: dict[str, list[Any]] = {"entries": [], "exits": [], "gateways": []}
    return SimpleNamespace(name="d", device=device, **(parts | ends))


def gateway(rooms: int, subscription: bool) -> Any:
    mapped = SimpleNamespace(rooms=rooms, room_bytes=4096, subscription=subscription or None)
    return SimpleNamespace(mapped=mapped)


LINK = SimpleNamespace(message="m/Big")


@pytest.mark.parametrize(
    ("ends", "needed"),
    [
        ({"entries": [LINK]}, 4),  # 9,000 bytes lie on 4 pages, wherever they begin
        ({"exits": [LINK]}, 8),  # two rooms are lent to an exit
        ({"gateways": [gateway(2, False)]}, 6),
        ({"gateways": [gateway(2, True)]}, 9),
        ({"gateways": [gateway(9, True)]}, 15),  # four rooms at most, and what is subscribed
        ({"entries": [LINK], "exits": [LINK], "gateways": [gateway(1, False)]}, 15),
    ],
)
def test_pages_may_be_used_up_and_not_overrun(ends: dict[str, list[Any]], needed: int) -> None:
    longest = {"m/Big": 9000}
    check_pages(design(needed, **ends), longest)
    check_pages(design(0, **ends), longest)  # no table: no limit
    with pytest.raises(InputError) as raised:
        check_pages(design(needed - 1, **ends), longest)
    (problem,) = raised.value.problems
    assert f"has {needed} pages of 4096 bytes open at once" in problem.text
    offered = int(str(problem.expected).partition("count: ")[2].partition("}")[0])
    assert needed <= offered < 2 * needed and offered.bit_count() == 1
