# SPDX-License-Identifier: Apache-2.0
"""A topic's mode, from the graph to the container; what cannot be is in spec/cases/map."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ligament.errors import InputError
from ligament.generate.containers import container_file
from ligament.generate.files import Component
from ligament.graph import load_graph
from ligament.graph.model import from_json as graph_from_json
from ligament.mapping import load_platform, map_graph, planned
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


KERNELS = """schema: ligament/graph/1
name: case_kernels
nodes:
  camera: {type: image/camera, remap: {image_raw: /frame}}
  blur: {type: image/blur, device: gpu, remap: {image: /frame}}
  convert: {type: image/convert, device: gpu, remap: {image: OTHER}}
topics:
  /frame: {bound_bytes: 1000000}
  image_blurred: {bound_bytes: 1000000}
  image_converted: {bound_bytes: 1000000}
variants:
  asked:
    containers: one
    MODEL
    modes: {TOPIC: handed_over}
"""


def refusal(folder: Path, other: str, topic: str, model: str = "") -> str:
    """What is said of kernels in one container, with the line; empty: nothing."""
    text = KERNELS.replace("OTHER", other).replace("TOPIC", topic)
    (folder / "graph.yaml").write_text(text.replace("    MODEL\n", f"    {model}\n"))
    try:
        map_graph(load_graph(folder / "graph.yaml"), load_platform("host"))
    except InputError as error:
        (problem,) = error.problems
        assert problem.location is not None
        return f"{problem.location.line}: {problem.text}; {problem.expected}"
    return ""


def test_who_works_in_place_gets_no_copy_as_a_second_owner(tmp_path: Path) -> None:
    """The first owner has the message in place; a copy lies at another address each time."""
    said = refusal(tmp_path, "/frame", "/frame", "device_models: {blur: zero_copy}")
    assert said.startswith("15: '/frame' cannot be handed_over: 2 subscriptions each own")
    assert "/blur" in said and "/convert" not in said
    assert said.endswith("another device model, or mode: shared")
    assert "/blur" in refusal(tmp_path, "/frame", "/frame", "topic_models: {/frame: zero_copy}")
    assert refusal(tmp_path, "/frame", "/frame", "device_models: {blur: standard_copy}") == ""
    assert refusal(tmp_path, "/image_blurred", "/frame", "device_models: {blur: zero_copy}") == ""


def test_what_the_device_still_works_on_cannot_be_handed_over(tmp_path: Path) -> None:
    said = refusal(tmp_path, "image_blurred", "/image_blurred")
    assert said.startswith("15: '/image_blurred' cannot be handed_over: its messages move by queue")
    assert "no overlap" in said
