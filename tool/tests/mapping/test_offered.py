# SPDX-License-Identifier: Apache-2.0
"""Services and actions that nodes offer: from node.yaml to what the container is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ligament.generate.containers import container_file
from ligament.generate.files import Component
from ligament.graph import load_graph
from ligament.mapping import load_platform, map_graph

CASES = Path(__file__).resolve().parents[3] / "spec" / "cases" / "graph"


@pytest.mark.parametrize(
    ("case", "kind", "first", "second"),
    [
        ("services", "case/adder", {"add": "/sum", "~/reset": "/one/reset"},
         {"add": "/second/add", "~/reset": "/reset"}),
        ("actions", "case/mover", {"move": "/go", "~/home": "/one/home"},
         {"move": "/second/move", "~/home": "/home"}),
    ],
)  # fmt: skip
def test_names_reach_the_container(
    case: str, kind: str, first: dict[str, str], second: dict[str, str]
) -> None:
    graph = load_graph(CASES / f"{case}.yaml")
    mapping = map_graph(graph, load_platform("host"))
    assert getattr(mapping.nodes["/one"], case) == first
    assert getattr(mapping.nodes["/second/two"], case) == second
    components = {("cpu", kind): Component("lib.so", "N")}
    told = [
        node["remap"]
        for container in {node.container for node in mapping.nodes.values()}
        for node in json.loads(container_file(mapping, container, components).text)["nodes"]
    ]
    assert sorted(told, key=str) == sorted([first, second], key=str)


def test_two_servers_of_one_action_are_warned_of(tmp_path: Path) -> None:
    text = (CASES / "actions.yaml").read_text().replace("../packages", f"{CASES.parent}/packages")
    path = tmp_path / "graph.yaml"
    path.write_text(text.replace("move: go", "move: /home"))
    (warning,) = load_graph(path).warnings
    assert "/one, /second/two all offer the action '/home'" in warning
