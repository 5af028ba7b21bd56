# SPDX-License-Identifier: Apache-2.0
"""Parameters given for one run."""

from __future__ import annotations

from typing import Any

import pytest

from ligament.errors import InputError
from ligament.run.overrides import apply_overrides, check_nodes, parse_overrides


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
