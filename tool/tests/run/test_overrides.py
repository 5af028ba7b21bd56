# SPDX-License-Identifier: Apache-2.0
"""Parameters given for one run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ligament.errors import InputError
from ligament.graph import load_graph
from ligament.graph.executable import Executable
from ligament.graph.model import NodeType, Parameter
from ligament.run.overrides import (
    apply_overrides,
    check_built_in,
    check_nodes,
    check_parameters,
    executables_with,
    parse_overrides,
)

EXAMPLE = Path(__file__).parents[3] / "examples" / "threshold"


def node() -> dict[str, Any]:
    return {"id": "/camera", "type": "image/camera", "parameters": {"frames": 0, "path": ""}}


def test_values_are_read_as_in_a_graph() -> None:
    words = ["camera.frames=600", "/camera.path=some/where", "/left/x.list=[1, 2]", "x.flag=true"]
    assert parse_overrides(words) == {
        "/camera": {"frames": 600, "path": "some/where"},
        "/left/x": {"list": [1, 2]},
        "/x": {"flag": True},
    }


def test_nested_parameter_names_keep_their_dots() -> None:
    assert parse_overrides(["camera.gain.red=1.5"]) == {"/camera": {"gain.red": 1.5}}


@pytest.mark.parametrize("word", ["", "camera", "camera.frames", "=1", "camera=1", ".frames=1"])
def test_other_words_are_refused(word: str) -> None:
    with pytest.raises(InputError) as raised:
        parse_overrides([word])
    assert "NODE.PARAMETER=VALUE" in raised.value.problems[0].expected


def test_an_unknown_parameter_is_told_before_anything_is_built() -> None:
    graph = load_graph(EXAMPLE / "graph.yaml")
    check_parameters({"/sink": {"frames": 3}, "/fused": {"any": 1}}, graph)
    with pytest.raises(InputError) as raised:
        check_parameters({"/sink": {"frams": 3}}, graph)
    (problem,) = raised.value.problems
    assert problem.code == "param-unknown" and problem.hint == "did you mean 'frames'?"


def test_an_unknown_node_is_named_with_the_nearest() -> None:
    with pytest.raises(InputError) as raised:
        check_nodes({"/camra": {"frames": 1}}, ["/camera", "/sink"])
    assert raised.value.problems[0].hint == "did you mean '/camera'?"


def test_an_unknown_parameter_is_named_with_the_nearest() -> None:
    with pytest.raises(InputError) as raised:
        apply_overrides({"/camera": {"frame": 1}}, node())
    assert raised.value.problems[0].hint == "did you mean 'frames'?"


def test_only_the_named_node_is_changed() -> None:
    changed = node()
    apply_overrides({"/camera": {"frames": 5}, "/sink": {"frames": 7}}, changed)
    assert changed["parameters"] == {"frames": 5, "path": ""}


@pytest.mark.parametrize("text", ["", "null", "{a: 1}", "[{a: 1}]", "[1, null]", "[[1]]"])
def test_what_no_parameter_can_be_is_refused(text: str) -> None:
    with pytest.raises(InputError) as raised:
        parse_overrides([f"camera.frames={text}"])
    assert "--set camera.frames" in raised.value.problems[0].text


def test_an_empty_text_is_told_how_to_be_written() -> None:
    with pytest.raises(InputError) as raised:
        parse_overrides(["camera.path="])
    assert "--set camera.path=\"''\"" in raised.value.problems[0].hint
    assert parse_overrides(["camera.path=''"]) == {"/camera": {"path": ""}}


TYPES = {
    "image/camera": NodeType(
        "image/camera",
        "nowhere",
        parameters={
            "frames": Parameter("frames", "integer", "Frames.", 0, range=(0, 100)),
            "path": Parameter("path", "string", "Where.", "", choices=("", "here")),
            "rate": Parameter("rate", "double", "How often.", 1.0),
        },
    )
}


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("frames", "many", "param-type"),
        ("frames", 101, "param-range"),
        ("path", "ther", "param-choice"),
        ("frames", [1], "param-type"),
    ],
)
def test_a_value_is_judged_by_the_node_type(name: str, value: object, code: str) -> None:
    with pytest.raises(InputError) as raised:
        apply_overrides({"/camera": {name: value}}, node(), TYPES)
    (problem,) = raised.value.problems
    assert problem.code == code and f"--set camera.{name}" in problem.text


def test_a_whole_number_for_a_double_becomes_one() -> None:
    changed = node()
    changed["parameters"]["rate"] = 1.0
    apply_overrides({"/camera": {"rate": 30}}, changed, TYPES)
    assert isinstance(changed["parameters"]["rate"], float)


def test_executables_get_them_beside_their_own_parameters() -> None:
    talker = Executable("/a/talker.py", parameters={"rate": 5.0, "size": 1})
    found = executables_with(
        {"/talker": {"rate": 9.0, "name": "x"}, "/camera": {"frames": 1}},
        {"talker": talker, "viewer": Executable("/a/viewer.py")},
    )
    assert found["talker"].parameters == {"rate": 9.0, "size": 1, "name": "x"}
    assert found["viewer"].parameters == {}
    assert talker.parameters == {"rate": 5.0, "size": 1}


@pytest.mark.parametrize(
    ("given", "refused"),
    [
        ({"gain": 2.0}, []),
        ({"gain": 2.0, "rate": 20}, ["rate"]),
        ({"rate": 50}, []),
        ({"label": "b", "rate": 20}, ["label", "rate"]),
    ],
)
def test_what_a_cores_image_has_fixed_is_refused(given: dict[str, Any], refused: list[str]) -> None:
    parameters = {
        "rate": Parameter("rate", "integer", "Rate.", 50, read_only=True),
        "gain": Parameter("gain", "double", "Gain.", 1.0),
        "label": Parameter("label", "string", "Label.", "a"),
    }
    types = {"my/meter": NodeType("my/meter", "", "", parameters=parameters)}
    values = {"rate": 50, "gain": 1.0, "label": "a"}
    meter = {"id": "/meter", "type": "my/meter", "parameters": values}
    found: list[str] = []
    try:
        check_built_in({"/meter": given}, meter, types)
    except InputError as error:
        assert {p.code for p in error.problems} == {"set-built-in"}
        found = [p.text.partition(":")[0].removeprefix("--set meter.") for p in error.problems]
    assert found == refused
