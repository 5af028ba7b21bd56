# SPDX-License-Identifier: Apache-2.0
"""YAML and JSON with places: the data is that of other parsers, and places are right."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ligament.errors import InputError
from ligament.graph.json_source import parse_json
from ligament.graph.source import MAX_DEPTH
from ligament.graph.yaml_source import parse_yaml

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(JSON, st.sampled_from([None, 1, "\t"]))
def test_json_is_read_as_the_standard_library_reads_it(
    data: object, indent: int | str | None
) -> None:
    text = json.dumps(data, indent=indent)
    assert parse_json(text, "x.json").data == json.loads(text)


@given(st.text(max_size=60))
def test_any_text_is_data_or_an_input_error(text: str) -> None:
    for parse in (parse_json, parse_yaml):
        try:
            parse(text, "x")
        except InputError as error:
            assert error.problems


@given(JSON, st.data())
def test_truncated_json_is_refused(data: object, draw: st.DataObject) -> None:
    text = json.dumps([data])
    end = draw.draw(st.integers(0, len(text) - 1))
    with pytest.raises(InputError):
        parse_json(text[:end], "x.json")


@pytest.mark.parametrize(
    ("text", "said", "column"),
    [
        ('{"a" 1}', "expected ':' after the key, found '1'", 6),
        ('{"a": 1', "or '}' after the last, found the end of the file", 8),
        ("[1 2]", "expected ',' between two items or ']' after the last, found '2'", 4),
        ("[1,]", "expected a value, found ']'", 4),
        ("{1: 2}", "expected a key in double quotes", 2),
        ('{"a":1}}', "there is text after the end of the document", 8),
        ('{"a":1,"a":2}', "the key 'a' appears twice", 8),
        ("", "expected a value, found the end of the file", 1),
        ('"abc', "unterminated string", 1),
    ],
)
def test_a_mistake_in_json_is_said_with_its_place(text: str, said: str, column: int) -> None:
    with pytest.raises(InputError) as caught:
        parse_json("\n" + text, "x")
    (problem,) = caught.value.problems
    assert problem.text.endswith(said) and problem.location is not None
    assert (problem.location.line, problem.location.column) == (2, column)


@pytest.mark.parametrize(
    ("text", "said", "place"),
    [
        ("a: [1\n", "but got '<stream end>' (the file ends here)", (2, 1)),
        ("a: [1\nb: 2\n", "but got ':'", (2, 2)),
        ("a: 1\n---\nb: 2\n", "the file holds more than one document", (3, 1)),
        ("a:\n\tb: 1\n", "a tab is used for indentation", (2, 1)),
        ("a: 1\n b: 2\n", "mapping values are not allowed here", (2, 3)),
        ("a: &x 1\nb: *y\n", "found undefined alias 'y'", (2, 4)),
    ],
)
def test_a_mistake_in_yaml_is_said_with_its_place(
    text: str, said: str, place: tuple[int, int]
) -> None:
    with pytest.raises(InputError) as caught:
        parse_yaml(text, "x")
    (problem,) = caught.value.problems
    assert problem.text.endswith(said) and problem.location is not None
    assert (problem.location.line, problem.location.column) == place


def test_places_of_keys_and_values() -> None:
    yaml = parse_yaml("a: 1\nb:\n  - x\n  - {c: yes}\n", "x.yaml")
    assert (yaml.at("b", 1, "c").line, yaml.at("b", 1, "c").column) == (4, 9)
    assert (yaml.key_at("b").line, yaml.key_at("b").column) == (2, 1)
    found = parse_json('{\n  "a": [1,\n    {"b": true}]}', "x.json")
    assert (found.at("a", 1, "b").line, found.at("a", 1, "b").column) == (3, 11)
    assert found.key_at("a", 1, "b").length == 3


def test_place_of_what_is_not_there_is_that_of_what_is_around_it() -> None:
    yaml = parse_yaml("a:\n  b: 1\n", "x.yaml")
    assert yaml.at("a", "zz", 3) == yaml.at("a")


def test_yes_is_a_word_in_graphs_and_true_in_parameter_files() -> None:
    assert parse_yaml("a: yes\n", "x").data == {"a": "yes"}
    assert parse_yaml("a: yes\nb: 'yes'\n", "x", ros_booleans=True).data == {"a": True, "b": "yes"}


def test_documents_that_unfold_without_end_are_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 9)]
    with pytest.raises(InputError) as caught:
        parse_yaml("\n".join(lines), "x")
    assert caught.value.problems[0].code == "yaml-alias"


@pytest.mark.parametrize("parse", [parse_json, parse_yaml])
def test_documents_that_are_nested_too_deeply_are_refused(parse) -> None:  # type: ignore[no-untyped-def]
    for depth in (MAX_DEPTH + 10, 100_000):
        with pytest.raises(InputError):
            parse("[" * depth + "]" * depth, "x")


def test_all_wrong_keys_are_reported_at_once() -> None:
    with pytest.raises(InputError) as caught:
        parse_yaml("a: 1\na: 2\nb: 1\nb: 2\n", "x")
    assert [p.location.line for p in caught.value.problems if p.location] == [2, 4]
