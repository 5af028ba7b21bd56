# SPDX-License-Identifier: Apache-2.0
"""Texts that were read before: the same data and places, and every mistake is found again."""

from __future__ import annotations

from pathlib import Path

import pytest

from ligament import cache
from ligament.errors import InputError
from ligament.graph import schema, yaml_source
from ligament.graph.documents import parse_document
from ligament.graph.schema import validate
from ligament.graph.source import Document
from ligament.resources import node_packages_dir

TEXT = "a: [1, -0.5, null, true, text]\n'b c':\n  d: on\n  e: {}\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "kept"))
    return tmp_path / "kept"


def places(document: Document) -> list[object]:
    paths: list[tuple[str | int, ...]] = [(), ("a",), ("a", 1), ("b c", "d"), ("b c", "e", "lost")]
    found = [(document.at(*path), document.key_at(*path)) for path in paths]
    return [(at, at.length, key, key.length) for at, key in found]


def test_a_kept_document_is_the_one_that_was_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    first = parse_document(TEXT, "x.yaml")
    monkeypatch.setattr(yaml_source, "parse_yaml", None)
    again = parse_document(TEXT, "x.yaml")
    assert (
        again.data == first.data == {"a": [1, -0.5, None, True, "text"], "b c": again.data["b c"]}
    )
    assert places(again) == places(first)


def test_a_kept_document_bears_the_name_of_the_file_that_is_read() -> None:
    parse_document(TEXT, "x.yaml")
    assert parse_document(TEXT, "y.yaml").at("a").file == "y.yaml"


def test_booleans_of_ros_are_another_reading() -> None:
    assert parse_document(TEXT, "x.yaml").data["b c"]["d"] == "on"
    assert parse_document(TEXT, "x.yaml", ros_booleans=True).data["b c"]["d"] is True


def test_a_mistake_is_found_each_time() -> None:
    for _ in range(2):
        with pytest.raises(InputError, match="appears twice"):
            parse_document("a: 1\na: 2\n", "x.yaml")


def test_validity_is_of_the_data_and_the_kind() -> None:
    good = Document("c.yaml", {"schema": "ligament/costs/1", "graph": "g", "nodes": {}})
    for _ in range(2):
        assert validate(good, "costs") == []
        assert validate(good, "graph")
        assert validate(Document("c.yaml", {**good.data, "nodes": 1}), "costs")


def test_valid_data_is_not_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (node_packages_dir() / "image" / "sink" / "node.yaml").read_text()
    document = parse_document(text, "node.yaml")
    assert validate(document, "node") == []
    monkeypatch.setattr(schema, "_validate", None)
    assert validate(document, "node") == []
    monkeypatch.setattr(schema, "_rules", lambda: "other schemas")
    with pytest.raises(TypeError):
        validate(document, "node")
