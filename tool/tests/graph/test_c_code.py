# SPDX-License-Identifier: Apache-2.0
"""C99 nodes: what `check` says of their messages is what the generator of C99 could not do."""

from __future__ import annotations

from pathlib import Path

import pytest

from ligament.errors import InputError
from ligament.graph import load_graph, read_document
from ligament.graph.c_code import c_problems, clashing_types
from ligament.graph.message_names import load_messages
from ligament.graph.model import Port
from ligament.messages import load_store
from ligament.messages.c99 import render_c99
from ligament.messages.errors import DefinitionError
from ligament.messages.hdl.bounds import Bounds

MANIFEST = """schema: ligament/node/1
type: {type}
description: A node.
implementations:
  mcu: {{sources: [own.c]}}
"""
STORE = load_store("jazzy")
NO_BOUNDS = Bounds({}, ())


def manifest(folder: Path, node_type: str) -> Path:
    folder.mkdir()
    (folder / "own.c").write_text("")
    (folder / "node.yaml").write_text(MANIFEST.format(type=node_type))
    return folder / "node.yaml"


def is_renderable(message: str) -> bool:
    try:
        render_c99(STORE, [STORE.message(message)], NO_BOUNDS)
    except DefinitionError:
        return False
    return True


def test_a_message_is_refused_where_c_of_it_cannot_be_generated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without any bounds file, so that many types lack some."""
    monkeypatch.setattr("ligament.messages.hdl.bounds.read_bounds", lambda files: NO_BOUNDS)
    document = read_document(manifest(tmp_path / "own", "case/own"), "node")
    catalog = load_messages("jazzy", {}, [])
    verdicts = {}
    for message in sorted(catalog.types):
        ports = {"in": Port("in", "in", message, "", {}, False)}
        verdicts[message] = not list(c_problems(document, ports, {}, catalog))
    assert verdicts == {message: is_renderable(message) for message in verdicts}
    assert {True, False} == set(verdicts.values())


def test_a_service_is_refused_where_c_of_its_messages_cannot_be_generated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ligament.messages.hdl.bounds.read_bounds", lambda files: NO_BOUNDS)
    file = manifest(tmp_path / "own", "case/own")
    text = file.read_text()
    catalog = load_messages("jazzy", {}, [])
    verdicts = {}
    for service in sorted(s for s in catalog.services if "/srv/" in s):
        file.write_text(f"{text}services:\n  ask: {{type: {service}, description: Asks.}}\n")
        document = read_document(file, "node")
        problems = list(c_problems(document, {}, {}, catalog))
        assert all(p.location and p.location.line == 7 for p in problems)
        verdicts[service] = not problems
    assert verdicts == {
        service: all(is_renderable(f"{service}_{part}") for part in ("Request", "Response"))
        for service in verdicts
    }
    assert {True, False} == set(verdicts.values())
    assert verdicts["example_interfaces/srv/AddTwoInts"]


def test_actions_are_refused_with_their_place(tmp_path: Path) -> None:
    file = manifest(tmp_path / "own", "case/own")
    fibonacci = "example_interfaces/action/Fibonacci"
    actions = f"actions:\n  count: {{type: {fibonacci}, description: Counts.}}\n"
    file.write_text(file.read_text() + actions)
    (tmp_path / "graph.yaml").write_text(
        "schema: ligament/graph/1\nname: case\npackages: [.]\nnodes: {own: {type: case/own}}\n"
    )
    with pytest.raises(InputError) as raised:
        load_graph(tmp_path / "graph.yaml")
    (problem,) = raised.value.problems
    assert problem.text == "'case/own' offers actions, which its implementation for mcu cannot"
    assert problem.location and problem.location.line == 5


def test_types_that_c_cannot_tell_apart_are_refused_with_both_places(tmp_path: Path) -> None:
    names = ("case/own_node", "case_own/node", "case/other")
    documents = {
        name: read_document(manifest(tmp_path / str(i), name), "node")
        for i, name in enumerate(names)
    }
    (problem,) = clashing_types(documents)
    assert problem.text == "'case_own/node' and 'case/own_node' would both be case_own_node in C"
    assert problem.location and problem.location.file.endswith("1/node.yaml")
    assert problem.notes[0][1] and problem.notes[0][1].file.endswith("0/node.yaml")


def test_the_mistakes_of_a_node_are_those_of_a_graph_with_it(tmp_path: Path) -> None:
    manifest(tmp_path / "own", "case/own")
    (tmp_path / "own" / "own.c").rename(tmp_path / "own" / "own.cpp")
    text = (tmp_path / "own" / "node.yaml").read_text().replace("own.c", "own.cpp")
    (tmp_path / "own" / "node.yaml").write_text(text)
    (tmp_path / "graph.yaml").write_text(
        "schema: ligament/graph/1\nname: case\npackages: [.]\nnodes: {own: {type: case/own}}\n"
    )
    with pytest.raises(InputError) as raised:
        load_graph(tmp_path / "graph.yaml")
    assert [p.code for p in raised.value.problems] == ["mcu-source"]
