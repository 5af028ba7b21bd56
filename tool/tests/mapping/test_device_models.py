# SPDX-License-Identifier: Apache-2.0
"""How payloads reach nodes with kernels: by the platform, the kernels, or whoever asks."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from ligament.errors import InputError
from ligament.generate.containers import container_file
from ligament.generate.files import Component
from ligament.graph import load_graph
from ligament.graph.model import Graph, plain
from ligament.mapping import load_platform, map_graph
from ligament.mapping.model import DeviceModel, GraphMapping, from_json
from ligament.mapping.platform import Platform

NODE = """schema: ligament/node/1
type: case/invert
description: Inverts.
ports:
  image: {direction: in, message: sensor_msgs/msg/Image, description: In.}
  inverted: {direction: out, message: sensor_msgs/msg/Image, description: Out.}
implementations:
  gpu:
    sources: [invert.cl]
    ACCESS
    inputs: {source: image}
    outputs: {result: inverted}
    fill: {result.data: len(source.data)}
    kernels:
      - {name: invert, global: [len(source.data)], arguments: [source.data, result.data]}
state: none
"""
GRAPH = """schema: ligament/graph/1
name: case_models
packages: [nodes]
nodes:
  invert: {type: case/invert, device: gpu}
topics:
  image: {bound_bytes: 1000, external: [publisher]}
  inverted: {bound_bytes: 1000, external: [subscription]}
variants:
  plain: {}
  asked: {device_models: {invert: unified_memory}}
  topic: {topic_models: {/image: standard_copy}}
default_variant: plain
"""


@pytest.fixture
def host() -> Platform:
    return load_platform("host")


def graph(folder: Path, access: str = "") -> Graph:
    node = folder / "nodes" / "invert"
    node.mkdir(parents=True)
    manifest = NODE.replace("ACCESS", f"access: {access}" if access else "access: cached")
    (node / "node.yaml").write_text(manifest)
    (node / "invert.cl").write_text("__kernel void invert() {}\n")
    (folder / "graph.yaml").write_text(GRAPH)
    return load_graph(folder / "graph.yaml")


def with_gpu(platform: Platform, **said: str) -> Platform:
    gpu = replace(platform.devices["gpu0"], **said)
    return replace(platform, devices={**platform.devices, "gpu0": gpu})


def model_of(mapping: GraphMapping) -> DeviceModel:
    model = mapping.nodes["/invert"].device_model
    assert model is not None
    return model


@pytest.mark.parametrize(
    ("said", "access", "model", "rule"),
    [
        ({}, "cached", "automatic", "not-declared"),
        ({"host_memory": "copied"}, "streaming", "standard_copy", "memory-of-its-own"),
        ({"host_memory": "cached"}, "cached", "zero_copy", "shared-cached"),
        ({"host_memory": "uncached"}, "streaming", "zero_copy", "shared-uncached"),
        ({"host_memory": "uncached"}, "cached", "standard_copy", "shared-uncached"),
        ({"host_memory": "copied", "model": "zero_copy"}, "", "zero_copy", "platform-wish"),
    ],
)
def test_the_platform_and_the_kernels_decide(
    host: Platform, tmp_path: Path, said: dict[str, str], access: str, model: str, rule: str
) -> None:
    found = model_of(map_graph(graph(tmp_path, access), with_gpu(host, **said)))
    assert (found.model, found.reason.rule) == (model, rule)


def test_a_wish_of_the_variant_stands_before_all(host: Platform, tmp_path: Path) -> None:
    platform = with_gpu(host, host_memory="copied", model="zero_copy")
    mapping = map_graph(graph(tmp_path), platform, "asked")
    assert model_of(mapping).model == "unified_memory"
    read = from_json(json.loads(json.dumps(mapping.to_json())))
    assert model_of(read) == model_of(mapping)


def test_the_container_is_told_what_was_decided(host: Platform, tmp_path: Path) -> None:
    mapped = graph(tmp_path)
    component = {("gpu", "case/invert"): Component("lib.so", "Invert")}
    for variant, expected in (("asked", "unified_memory"), ("plain", None)):
        mapping = map_graph(mapped, host, variant)
        (name,) = mapping.containers
        told = json.loads(container_file(mapping, name, component).text)
        assert told["nodes"][0].get("device_model") == expected


def test_a_topic_may_have_a_model_of_its_own(host: Platform, tmp_path: Path) -> None:
    mapping = map_graph(graph(tmp_path), with_gpu(host, host_memory="cached"), "topic")
    model = model_of(mapping)
    assert model.model == "zero_copy"
    assert {t: one.model for t, one in model.topics.items()} == {"/image": "standard_copy"}
    assert model.topics["/image"].reason.text == "the variant asks for it on this topic"
    assert model_of(from_json(json.loads(json.dumps(mapping.to_json())))) == model
    (name,) = mapping.containers
    component = {("gpu", "case/invert"): Component("lib.so", "Invert")}
    told = json.loads(container_file(mapping, name, component).text)["nodes"][0]
    assert told["topic_models"] == {"/image": "standard_copy"}


def test_a_model_for_a_topic_that_no_kernel_has_is_refused(host: Platform, tmp_path: Path) -> None:
    graph(tmp_path)
    path = tmp_path / "graph.yaml"
    path.write_text(GRAPH.replace("{topic_models: {/image", "{topic_models: {/imag"))
    with pytest.raises(InputError, match="there is no topic '/imag'"):
        load_graph(path)
    path.write_text(
        GRAPH.replace("topic: {", "topic: {devices: {invert: cpu}, ").replace(", device: gpu", "")
    )
    on_cpu = NODE.replace("ACCESS", "access: cached").replace(
        "state: none", '  cpu: {class: "case::Invert", sources: [invert.cl]}\nstate: none'
    )
    (tmp_path / "nodes" / "invert" / "node.yaml").write_text(on_cpu)
    with pytest.raises(InputError, match="'/image' has no end on a GPU"):
        map_graph(load_graph(path), host, "topic")


def test_a_model_for_a_node_that_is_not_there_is_refused(tmp_path: Path) -> None:
    graph(tmp_path)
    path = tmp_path / "graph.yaml"
    path.write_text(GRAPH.replace("{invert: unified", "{inverted: unified"))
    with pytest.raises(Exception, match="inverted"):
        load_graph(path)


def test_an_ordinary_node_has_none(host: Platform, tmp_path: Path) -> None:
    mapping = map_graph(graph(tmp_path), host)
    (node,) = mapping.nodes.values()
    assert "device_model" in plain(node)
    assert "device_model" not in plain(replace(node, device_model=None))
