# SPDX-License-Identifier: Apache-2.0
"""Rules of devices, containers, transports and fusions, one property each."""

from __future__ import annotations

from dataclasses import replace

import paper_graphs as papers
import pytest

from ligament.errors import InputError
from ligament.graph import load_graph
from ligament.graph.model import Edge, Graph, NodeType, Variant
from ligament.graph.schema import validate
from ligament.graph.source import Document
from ligament.mapping import load_platform, map_graph, planned
from ligament.mapping.devices import DEVICE_RULES
from ligament.mapping.model import from_json
from ligament.mapping.platform import Device, Platform
from ligament.mapping.transports import CLASS_RULES, JOIN_RULES
from ligament.resources import platforms_dir, spec_dir

CASES = spec_dir() / "cases"
HOST = Platform("host", {"cpu0": Device("cpu0", "cpu", addresses_pool=True)})


def _pipeline(name: str = "everything") -> Graph:
    return load_graph(CASES / "graph" / f"{name}.yaml")


def _with_variant(graph: Graph, **wishes: object) -> Graph:
    return replace(
        graph, variants={"default": Variant("default", **wishes)}, default_variant="default"
    )  # type: ignore[arg-type]


def test_every_rule_has_a_name_of_its_own() -> None:
    names = [*DEVICE_RULES, *(rule.name for rule in (*CLASS_RULES, *JOIN_RULES))]
    assert len(names) == len(set(names))


def test_separate_containers_hold_one_node_each() -> None:
    mapping = map_graph(_pipeline(), HOST, "processes", planned())
    assert all(len(members) == 1 for members in mapping.containers.values())
    assert mapping.nodes["/head/eye"].container == "head-eye"


def test_groups_hold_their_nodes_and_leave_none_out() -> None:
    mapping = map_graph(_pipeline(), HOST, "groups", planned())
    assert mapping.containers == {"front": ("/head/eye", "/rectify"), "back": ("/resize", "/sink")}
    assert mapping.wait.strategy == "poll"


def test_group_that_names_some_leaves_the_others_alone() -> None:
    graph = _with_variant(_pipeline("pipeline"), containers={"sink": ("/camera",)})
    mapping = map_graph(graph, HOST)
    assert mapping.containers["sink"] == ("/camera",)
    assert mapping.containers["sink-2"] == ("/sink",)
    assert sorted(n for members in mapping.containers.values() for n in members) == sorted(
        mapping.nodes
    )


def test_one_container_holds_all_nodes_of_a_host() -> None:
    graph = papers.graph({"A": "1 -> 2"}, ())
    assert map_graph(_with_variant(graph, containers="one"), HOST).containers == {
        "main": ("/n1", "/n2")
    }


def test_fused_node_stands_for_two_and_keeps_their_parameters() -> None:
    mapping = map_graph(_pipeline(), HOST, "fused", planned())
    fused = mapping.nodes["/both"]
    assert fused.replaces == ("/rectify", "/resize")
    assert "/rectify" not in mapping.nodes
    assert "/image_rect" not in mapping.topics
    assert fused.parameters == {"interpolation": 1, "width": 160}
    assert fused.ports["image"].topic == "/head/eye/image"
    assert (fused.namespace, fused.name) == ("/", "both")
    assert mapping.topics["/resized"].transports == ("shm", "dds")
    assert mapping.topics["/resized"].reason.rule == "wish"


def test_a_host_with_one_container_needs_no_name_for_its_edge() -> None:
    graph = _pipeline("pipeline")
    nodes = {n: replace(node, host="robot") for n, node in graph.nodes.items()}
    nodes["/sink"] = replace(nodes["/sink"], host="desk")
    split = _with_variant(
        replace(graph, nodes=nodes), containers="separate", edge=Edge(inside=True)
    )
    with pytest.raises(InputError) as refused:
        map_graph(split, HOST, None, planned())
    told = [p for p in refused.value.problems if p.code == "edge-inside"]
    assert len(told) == 1 and "the host robot has" in told[0].text


def test_fused_node_takes_values_that_the_graph_set() -> None:
    graph = load_graph(CASES / "map" / "fused.yaml")
    nodes = dict(graph.nodes)
    nodes["/resize"] = replace(
        nodes["/resize"], parameters={"width": 99}, parameters_set=("width",)
    )
    mapping = map_graph(replace(graph, nodes=nodes), HOST)
    assert mapping.nodes["/rectify_resize"].parameters["width"] == 99


def test_processor_comes_first_when_nothing_is_asked_for() -> None:
    graph = papers.graph({"A": "1 -> 2"}, ())
    types = {"t/software": NodeType("t/software", "/", implementations={"cpu": {}, "fpga": {}})}
    mapping = map_graph(replace(graph, types=types), papers.BOARD, backends=planned())
    assert mapping.nodes["/n1"].device == "cpu0"
    assert mapping.nodes["/n1"].reason.rule == "processor-first"
    assert "fpga" in mapping.nodes["/n1"].reason.text


def test_two_devices_of_a_kind_must_be_told_apart() -> None:
    two = replace(papers.BOARD, devices={**papers.BOARD.devices, "fpga1": Device("fpga1", "fpga")})
    with pytest.raises(InputError) as caught:
        map_graph(papers.graph({"A": "1 -> 2"}, ("1",)), two, backends=planned())
    assert caught.value.problems[0].code == "device-ambiguous"
    assert "fpga0, fpga1" in caught.value.problems[0].expected


def test_ends_on_two_fpgas_need_a_gateway() -> None:
    two = replace(
        papers.BOARD,
        devices={**papers.BOARD.devices, "fpga1": Device("fpga1", "fpga", memory="ram")},
    )
    graph = papers.graph({"A": "1 -> 2 3"}, ("1", "2", "3"))
    graph = _with_variant(graph, devices={"/n1": "fpga0", "/n2": "fpga0", "/n3": "fpga1"})
    assert map_graph(graph, two, backends=planned()).topics["/A"].mapped == "gateway"


def test_kernels_of_one_gpu_use_a_queue() -> None:
    gpu = Platform("gpu", {"gpu0": Device("gpu0", "gpu")})
    graph = papers.graph({"A": "1 -> 2"}, ())
    types = {"t/software": NodeType("t/software", "/", implementations={"gpu": {}})}
    together = _with_variant(replace(graph, types=types), containers="one")
    topic = map_graph(together, gpu, backends=planned()).topics["/A"]
    assert topic.transports == ("queue",)
    assert topic.mapped == "device"


def test_microcontroller_joins_by_xrce() -> None:
    board = Platform(
        "mcu", {"mcu0": Device("mcu0", "mcu"), "cpu0": Device("cpu0", "cpu", addresses_pool=True)}
    )
    graph = papers.graph({"A": "1 -> 2"}, ())
    types = {"t/software": NodeType("t/software", "/", implementations={"cpu": {}, "mcu": {}})}
    graph = _with_variant(replace(graph, types=types), devices={"/n1": "mcu"})
    assert map_graph(graph, board, backends=planned()).topics["/A"].transports == ("shm", "xrce")


def test_mapping_is_valid_against_its_schema() -> None:
    for variant in ("processes", "groups", "fused"):
        mapping = map_graph(_pipeline(), HOST, variant, planned())
        assert validate(Document("mapping.json", mapping.to_json()), "mapping") == []


@pytest.mark.parametrize(
    "folder", sorted(p.parent.name for p in platforms_dir().glob("*/platform.yaml"))
)
def test_platforms_that_ship_are_right(folder: str) -> None:
    assert load_platform(folder).name == folder


def test_unknown_platform_names_those_that_there_are() -> None:
    with pytest.raises(InputError) as caught:
        load_platform("hst")
    assert "host" in caught.value.problems[0].hint


def test_topics_between_hosts_cross_by_the_edges_and_others_stay() -> None:
    graph = papers.graph({"A": "1 -> 2", "B": "1 -> 3"}, ())
    graph = _with_variant(graph, hosts={"/n1": "robot", "/n2": "robot", "/n3": "desk"})
    mapping = map_graph(graph, HOST)
    assert mapping.topics["/A"].transports == ("shm",)
    assert mapping.topics["/B"].transports == ("shm", "dds")
    assert mapping.hosts == ("desk", "robot")
    assert mapping.nodes["/n3"].host == "desk"


def test_containers_with_an_edge_each_meet_on_dds_alone() -> None:
    graph = papers.graph({"A": "1 -> 2", "B": "1 -> 3"}, ())
    graph = _with_variant(
        graph, containers={"both": ("/n1", "/n2")}, edge=Edge(wanted=True, per="container")
    )
    mapping = map_graph(graph, HOST)
    assert mapping.topics["/A"].transports == ("shm",)
    assert mapping.topics["/B"].transports == ("dds",)
    assert mapping.topics["/B"].reason.rule == "edge-per-container"
    assert mapping.topics["/B"].credit is None
    assert mapping.edge.per == "container"


def test_edge_of_a_variant_stands_over_the_graphs_key_by_key() -> None:
    mapping = map_graph(load_graph(CASES / "map" / "dds_between_containers.yaml"), HOST, "apart")
    assert mapping.edge == Edge(
        True, "container", False, 7, "localhost", ("robot", "10.0.0.2"), False
    )
    assert from_json(mapping.to_json()) == mapping
