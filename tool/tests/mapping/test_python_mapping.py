# SPDX-License-Identifier: Apache-2.0
"""Nodes in Python in a mapping: chosen where asked for, and in containers of their own."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ligament.errors import InputError
from ligament.generate.containers import container_file, in_python
from ligament.generate.files import Component
from ligament.generate.python.backend import PythonBackend
from ligament.graph import load_graph
from ligament.graph.model import Graph, Variant
from ligament.graph.source import Document
from ligament.mapping import load_platform, map_graph
from ligament.mapping.consistency import inconsistencies
from ligament.mapping.model import GraphMapping
from ligament.resources import spec_dir

GRAPH = spec_dir() / "cases" / "map" / "python_by_wish.yaml"
HOST = load_platform("host")


def _mapped(**wishes: object) -> GraphMapping:
    graph = load_graph(GRAPH)
    variant = Variant("python", **wishes)  # type: ignore[arg-type]
    return map_graph(replace(graph, variants={"python": variant}), HOST, "python")


def _without_cpp(graph: Graph) -> Graph:
    tracker = graph.types["case/tracker"]
    only = {"python": tracker.implementations["python"]}
    return replace(
        graph, types={**graph.types, tracker.type: replace(tracker, implementations=only)}
    )


def test_cpp_is_taken_where_nothing_is_said() -> None:
    node = _mapped().nodes["/tracker"]
    assert (node.kind, node.implementation) == ("cpu", "cpu")
    assert node.reason.rule == "only-device"


@pytest.mark.parametrize("language", ["python", "cpu"])
def test_the_wish_of_a_variant_is_followed_with_its_reason(language: str) -> None:
    node = _mapped(implementations={"/tracker": language}).nodes["/tracker"]
    assert (node.kind, node.implementation) == ("cpu", language)
    assert node.reason.rule == "implementation"
    assert ("runs in Python on cpu0" in node.reason.text) == (language == "python")


def test_the_variant_is_stronger_than_the_node() -> None:
    graph = load_graph(GRAPH)
    tracker = replace(graph.nodes["/tracker"], implementation="python")
    graph = replace(graph, nodes={**graph.nodes, "/tracker": tracker})
    plain = Variant("plain")
    back = Variant("back", implementations={"/tracker": "cpu"})
    graph = replace(graph, variants={"plain": plain, "back": back})
    assert map_graph(graph, HOST, "plain").nodes["/tracker"].implementation == "python"
    assert map_graph(graph, HOST, "back").nodes["/tracker"].implementation == "cpu"


def test_python_is_taken_where_there_is_nothing_else() -> None:
    mapping = map_graph(_without_cpp(load_graph(GRAPH)), HOST, "python")
    assert mapping.nodes["/tracker"].implementation == "python"


def test_a_device_by_name_runs_python_too() -> None:
    mapped = _mapped(devices={"/tracker": "cpu0"}, implementations={"/tracker": "python"})
    node = mapped.nodes["/tracker"]
    assert (node.device, node.implementation, node.reason.rule) == ("cpu0", "python", "wish")


def test_one_container_is_one_of_each_language() -> None:
    mapping = _mapped(containers="one", implementations={"/tracker": "python"})
    assert mapping.containers == {"main": ("/camera",), "main_python": ("/tracker",)}
    assert in_python(mapping, "main_python") and not in_python(mapping, "main")


def test_languages_do_not_share_a_container() -> None:
    groups = {"all": ("/camera", "/tracker")}
    with pytest.raises(InputError) as raised:
        _mapped(containers=groups, implementations={"/tracker": "python"})
    problem = raised.value.problems[0]
    assert problem.code == "container-languages"
    assert "/tracker" in problem.hint and "/camera" in problem.hint


def test_a_python_subscription_counts_what_the_middleware_lets_it_hold() -> None:
    cpp, python = _mapped(), _mapped(implementations={"/tracker": "python"})
    held = [m.topics["/image_raw"].credit for m in (cpp, python)]
    assert held[0] is not None and held[1] is not None
    assert held[1].hops[0].held == held[0].hops[0].held + 2


def test_a_mapping_by_hand_may_say_python_for_a_processor_alone() -> None:
    mapping = _mapped(implementations={"/tracker": "python"})
    document = Document("mapping.json")
    assert list(inconsistencies(mapping, document)) == []
    wrong = replace(mapping.nodes["/tracker"], kind="gpu")
    mapping = replace(mapping, nodes={**mapping.nodes, "/tracker": wrong})
    assert "implementation-missing" in {p.code for p in inconsistencies(mapping, document)}


def test_the_configuration_says_file_class_and_types() -> None:
    graph = load_graph(GRAPH)
    mapping = _mapped(implementations={"/tracker": "python"})
    output = PythonBackend().generate(graph, mapping)
    assert output.components == {
        "case/tracker": Component("../lib/python/case-tracker/tracker.py", "Tracker")
    }
    assert output.entry["libraries"]["case/tracker"]["sources"] == ["tracker.py"]


def test_an_installed_module_is_not_copied() -> None:
    graph = load_graph(GRAPH)
    tracker = graph.types["case/tracker"]
    found = {"python": {"module": "own.nodes", "class": "Tracker"}}
    types = {**graph.types, tracker.type: replace(tracker, implementations=found)}
    graph = replace(graph, types=types)
    output = PythonBackend().generate(graph, map_graph(graph, HOST, "python"))
    assert output.components["case/tracker"] == Component("", "own.nodes:Tracker")
    assert output.entry == {"libraries": {}}


def test_each_part_of_an_action_is_remapped() -> None:
    mapping = _mapped(implementations={"/tracker": "python"})
    node = replace(mapping.nodes["/tracker"], actions={"move": "/arm/move"})
    mapping = replace(mapping, nodes={**mapping.nodes, "/tracker": node})
    components = {("python", "case/tracker"): Component("a.py", "A", {"x": "double"})}
    text = container_file(mapping, "tracker", components).text
    assert '"move/_action/feedback": "/arm/move/_action/feedback"' in text
    assert '"x": "double"' in text
