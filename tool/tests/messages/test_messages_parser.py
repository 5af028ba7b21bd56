# SPDX-License-Identifier: Apache-2.0
"""The .msg, .srv and .action language: what is accepted, what is refused, and how."""

from __future__ import annotations

import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ligament.messages import DefinitionError, Field, FieldType
from ligament.messages.model import DUMMY_MEMBER, PRIMITIVE_SIZES, Multiplicity
from ligament.messages.packages import parse_message
from ligament.messages.parser import parse_sections


def fields(text: str) -> list[Field]:
    return list(parse_message(text, "pkg/msg/Name", "Name.msg").fields)


def constants(text: str) -> dict[str, object]:
    return {c.name: c.value for c in parse_message(text, "pkg/msg/Name", "Name.msg").constants}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("uint8 x", FieldType("uint8")),
        ("  float64[9]   x   # note", FieldType("float64", Multiplicity.ARRAY, 9)),
        ("bool[] x", FieldType("bool", Multiplicity.SEQUENCE)),
        ("byte[<=3] x", FieldType("byte", Multiplicity.BOUNDED, 3)),
        ("string<=7 x", FieldType("string", string_bound=7)),
        ("wstring<=7[<=2] x", FieldType("wstring", Multiplicity.BOUNDED, 2, 7)),
        ("Other x", FieldType("pkg/msg/Other")),
        ("std_msgs/Header[2] x", FieldType("std_msgs/msg/Header", Multiplicity.ARRAY, 2)),
        ("std_msgs/msg/Header x", FieldType("std_msgs/msg/Header")),
        ("\tuint8\tx", FieldType("uint8")),
    ],
)
def test_types(text: str, expected: FieldType) -> None:
    assert fields(text) == [Field("x", expected)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("uint8 x 3", 3),
        ("uint8 x 0x1F", 31),
        ("bool x true", True),
        ("bool x 0", False),
        ("float32 x -1.5e3", -1500.0),
        ('string x "a # b"', "a # b"),
        ("string x 'it is \"so\"'", 'it is "so"'),
        ('string x "say \\"no\\""', 'say "no"'),
        ("string x plain", "plain"),
        ("int8[3] x [1, -2,3]", (1, -2, 3)),
        ("int8[] x []", ()),
        ("string[] x ['a, b', \"c\"]", ("a, b", "c")),
        ("float64[<=2] x [0.5]", (0.5,)),
        ("wstring x 'äß'", "äß"),
    ],
)
def test_defaults(text: str, expected: object) -> None:
    assert fields(text)[0].default == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("uint8 A=1", 1),
        ("uint8 A = 1 # one", 1),
        ("int64 A=-9223372036854775808", -(2**63)),
        ("string A=plain text", "plain text"),
        ("string A=it's # a comment", "it's"),
        ('string A="with # inside"', "with # inside"),
        ("string A=", ""),
        ("float32 A=inf", float("inf")),
        ("bool A=False", False),
    ],
)
def test_constants(text: str, expected: object) -> None:
    assert constants(text) == {"A": expected}


def test_empty_message_has_its_dummy() -> None:
    assert [f.name for f in fields("# nothing\n\nuint8 A=1\n")] == [DUMMY_MEMBER]


def test_chosen_array_is_marked() -> None:
    marks = [f.marked for f in fields("uint8[] a # ligament: chosen\nuint8[] b  # other")]
    assert marks == [True, False]


@pytest.mark.parametrize(
    ("text", "place", "parts"),
    [
        ("unit8 x", (1, 1), ["unknown type 'unit8'", "'uint8'"]),
        ("\n  Header h", (2, 3), ["did you mean 'std_msgs/Header'?"]),
        ("time t", (1, 1), ["builtin_interfaces/Time"]),
        ("uint8", (1, 6), ["not followed by a name"]),
        ("uint8 badName", (1, 7), ["not a field name", "did you mean 'bad_name'?"]),
        ("uint8 x__y", (1, 7), ["not a field name", "'x_y'"]),
        ("uint8 x_", (1, 7), ["not a field name"]),
        ("uint8 lower=1", (1, 7), ["not a constant name", "'LOWER'"]),
        ("uint8 x 256", (1, 9), ["256 does not fit", "from 0 to 255"]),
        ("uint8 X=-1", (1, 9), ["-1 does not fit"]),
        ("int32 x abc", (1, 9), ["'abc' is not an integer"]),
        ("bool x yes", (1, 8), ["'yes' is not a bool", "true or false"]),
        ("float32 x 1e39", (1, 11), ["does not fit"]),
        ("float32 x abc", (1, 11), ["not a number"]),
        ("uint8[2] x [1]", (1, 12), ["1 elements", "exactly 2"]),
        ("uint8[<=1] x [1, 2]", (1, 14), ["2 elements", "at most 1"]),
        ("uint8[] x 1", (1, 11), ["no list"]),
        ("uint8[] x [1, 999]", (1, 15), ["999 does not fit"]),
        ('string[] x ["a" "b"]', (1, 13), ["not well formed"]),
        ('string<=2 x "abc"', (1, 13), ["3 characters", "at most 2"]),
        ('string x "abc', (1, 10), ["not closed"]),
        ("uint8[0] x", (1, 7), ["'0' is no number of elements"]),
        ("uint8[<=] x", (1, 1), ["bound of the sequence is missing"]),
        ("uint8[-1] x", (1, 1), ["is not a type"]),
        ("uint8<=3 x", (1, 1), ["cannot have a length bound"]),
        ("a/b/c/D x", (1, 1), ["not a message name"]),
        ("uint8[2] X=1", (1, 1), ["constant cannot be a 'uint8[2]'"]),
        ("Other X=1", (1, 1), ["constant cannot be"]),
        ("uint8 X=", (1, 9), ["has no value"]),
        ("Other x 1", (1, 9), ["cannot have a default"]),
        ("uint8 x\nint8 x", (2, 6), ["already defined in line 1"]),
        ("uint8 x # ligament: choosen", (1, 9), ["unknown mark"]),
        ("uint8 x # ligament: chosen", (1, 9), ["cannot be the chosen array"]),
        ("---", (1, 1), ["one '---' too many"]),
        (
            "uint8[] a # ligament: chosen\nuint8[] b # ligament: chosen",
            (2, 9),
            ["another field is marked"],
        ),
    ],
)
def test_mistakes_are_located(text: str, place: tuple[int, int], parts: list[str]) -> None:
    with pytest.raises(DefinitionError) as caught:
        fields(text)
    problem = caught.value.problems[0]
    assert problem.location is not None
    assert (problem.location.line, problem.location.column) == place
    assert problem.expected
    for part in parts:
        assert part in f"{problem.text} {problem.expected} {problem.hint}"


def test_services_and_actions_need_their_separators() -> None:
    assert len(parse_sections("uint8 a\n---\n", "x.srv", "pkg", 2)) == 2
    assert len(parse_sections("---\n  ---  # two\n", "x.action", "pkg", 3)) == 3
    with pytest.raises(DefinitionError, match="after 1 of 2 parts"):
        parse_sections("uint8 a\n", "x.srv", "pkg", 2)
    with pytest.raises(DefinitionError, match="too many"):
        parse_sections("---\n---\n", "x.srv", "pkg", 2)


@given(st.text(st.sampled_from(string.printable + "ä€"), max_size=60))
def test_any_text_parses_or_is_refused_with_a_place(text: str) -> None:
    try:
        fields(text)
    except DefinitionError as error:
        assert error.problems[0].location is not None


@given(st.text(st.sampled_from("uint8 string<=[]x13\"',=#XA/-."), max_size=40))
def test_near_misses_too(text: str) -> None:
    try:
        fields(text)
    except DefinitionError as error:
        assert error.problems[0].location is not None


_COUNTS = st.integers(1, 1000)
_ELEMENTS = st.sampled_from([*PRIMITIVE_SIZES, "string", "wstring", "std_msgs/msg/Header"])


@st.composite
def field_types(draw: st.DrawFn) -> FieldType:
    element = draw(_ELEMENTS)
    bound = draw(_COUNTS) if element.endswith("string") and draw(st.booleans()) else 0
    multiplicity = draw(st.sampled_from(list(Multiplicity)))
    counted = multiplicity in (Multiplicity.ARRAY, Multiplicity.BOUNDED)
    return FieldType(element, multiplicity, draw(_COUNTS) if counted else 0, bound)


@given(st.lists(field_types(), min_size=1, max_size=8))
def test_what_is_spelled_is_what_is_parsed(types: list[FieldType]) -> None:
    text = "\n".join(f"{kind} field_{i}" for i, kind in enumerate(types))
    assert [f.type for f in fields(text)] == types


def test_file_and_line_are_in_the_message(tmp_path: Path) -> None:
    with pytest.raises(DefinitionError, match=r"Name\.msg:2:1: error: unknown type 'flaot32'"):
        fields("uint8 a\nflaot32 b")
