# SPDX-License-Identifier: Apache-2.0
"""Ports that a kernel leaves out: nobody may miss them, and the mapping has no ends there."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from ligament.errors import InputError
from ligament.generate.containers import container_file
from ligament.generate.files import Component
from ligament.graph import load_graph
from ligament.mapping import load_platform, map_graph

PERCEPTION = Path(__file__).resolve().parents[3] / "examples" / "perception" / "graph.yaml"


def test_optional_ports_without_a_kernel_have_no_ends() -> None:
    mapping = map_graph(load_graph(PERCEPTION), load_platform("host"), "gpu")
    assert mapping.nodes["/resize"].kind == "gpu"
    assert set(mapping.nodes["/resize"].ports) == {"image/image_raw", "resize/image_raw"}
    assert "/resize/camera_info" not in mapping.topics
    assert mapping.topics["/image_rect"].bound_bytes == 1_000_000
    assert mapping.topics["/camera/image_raw"].transports == ("shm",)
    between = mapping.topics["/image_rect"]
    assert between.reason.rule == "one-gpu-several-processes"
    assert between.transports == ("shm",)


def test_processes_that_open_each_others_buffers_have_a_queue_between_them() -> None:
    host = load_platform("host")
    card = replace(host.devices["gpu0"], host_memory="copied", peer_buffers=True)
    platform = replace(host, devices={**host.devices, "gpu0": card})
    mapping = map_graph(load_graph(PERCEPTION), platform, "gpu")
    between = mapping.topics["/image_rect"]
    assert between.reason.rule == "one-gpu-peer-buffers"
    assert between.transports == ("queue",)
    kernels = {("gpu", t): Component("lib.so", "K") for t in ("image/rectify", "image/resize")}
    told = json.loads(container_file(mapping, "rectify", kernels).text)["topics"]
    assert told["/image_rect"]["queue"] and told["/image_rect"]["queue_crosses"]
    assert "queue" not in told["/camera/image_raw"]


def test_an_output_that_somebody_subscribes_to_is_missed() -> None:
    graph = load_graph(PERCEPTION)
    topic = graph.topics["/resize/camera_info"]
    watched = replace(topic, external=("ros2 topic echo",))
    topics = {**graph.topics, topic.id: watched}
    with pytest.raises(InputError) as raised:
        map_graph(replace(graph, topics=topics), load_platform("host"), "gpu")
    problem = raised.value.problems[0]
    assert problem.code == "port-unserved"
    assert "'resize/camera_info'" in problem.text and "image/image_raw" in problem.expected
    assert problem.location is not None


def test_an_input_that_is_needed_is_missed() -> None:
    graph = load_graph(PERCEPTION)
    resize = graph.types["image/resize"]
    ports = {
        **resize.ports,
        "image/camera_info": replace(resize.ports["image/camera_info"], optional=False),
    }
    types = {**graph.types, resize.type: replace(resize, ports=ports)}
    with pytest.raises(InputError) as raised:
        map_graph(replace(graph, types=types), load_platform("host"), "gpu")
    assert [p.code for p in raised.value.problems] == ["port-unserved"]


def test_a_core_serves_the_ports_that_it_names() -> None:
    mapping = map_graph(load_graph(PERCEPTION), load_platform("fpga_sim"), "fpga_resize")
    assert mapping.nodes["/resize"].kind == "fpga"
    assert set(mapping.nodes["/resize"].ports) == {"image/image_raw", "resize/image_raw"}
    ends = mapping.topics["/camera/camera_info"].ends
    assert [end.node for end in ends if end.direction == "in"] == ["/rectify"]
