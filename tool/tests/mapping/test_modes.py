# SPDX-License-Identifier: Apache-2.0
"""A topic's mode, from the graph to the container; what cannot be is in spec/cases/map."""

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
    ("variant", "container", "mode"),
    [("copies", "camera", "copied"), ("one", "main", "handed_over")],
)
def test_the_variants_mode_reaches_the_container(variant: str, container: str, mode: str) -> None:
    graph = load_graph(spec_dir() / "cases" / "map" / "mode_of_variant.yaml")
    again = graph_from_json(graph.to_json())
    assert again.variants[variant].modes == graph.variants[variant].modes != {}
    mapping = from_json(map_graph(again, HOST, variant, planned()).to_json())
    assert mapping.topics["/image_raw"].mode == mode
    loaded = {("cpu", node.type): Component("lib.so", "Class") for node in mapping.nodes.values()}
    topics = json.loads(container_file(mapping, container, loaded).text)["topics"]
    assert topics["/image_raw"]["mode"] == mode


def test_what_is_shared_is_not_told() -> None:
    graph = load_graph(spec_dir() / "cases" / "graph" / "pipeline.yaml")
    written = graph.to_json()
    assert all("mode" not in topic for topic in written["topics"].values())
    assert all("modes" not in variant for variant in written["variants"].values())
    mapping = map_graph(graph, HOST, None, planned()).to_json()
    assert all("mode" not in topic for topic in mapping["topics"].values())
