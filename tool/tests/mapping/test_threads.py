# SPDX-License-Identifier: Apache-2.0
"""Threads of containers, from the graph to the container; what cannot be is in spec/cases/map."""

from __future__ import annotations

import json

import pytest

from ligament.generate.containers import container_file
from ligament.generate.files import Component
from ligament.graph import load_graph
from ligament.graph.model import from_json as graph_from_json
from ligament.mapping import map_graph, planned
from ligament.mapping.model import from_json
from ligament.mapping.platform import Device, Platform
from ligament.resources import spec_dir

HOST = Platform("host", {"cpu0": Device("cpu0", "cpu", addresses_pool=True)})


@pytest.mark.parametrize(
    ("variant", "threads"), [("some", {"camera": 3, "sink": 1}), ("all", {"main": 4})]
)
def test_threads_reach_the_containers(variant: str, threads: dict[str, int]) -> None:
    graph = load_graph(spec_dir() / "cases" / "map" / "threads_of_containers.yaml")
    again = graph_from_json(graph.to_json())
    assert again.variants[variant].threads == graph.variants[variant].threads != 1
    mapping = from_json(map_graph(again, HOST, variant, planned()).to_json())
    loaded = {("cpu", node.type): Component("lib.so", "Class") for node in mapping.nodes.values()}
    found = {
        container: json.loads(container_file(mapping, container, loaded).text)["executor_threads"]
        for container in mapping.containers
    }
    assert found == threads
