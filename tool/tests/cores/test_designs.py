# SPDX-License-Identifier: Apache-2.0
"""Designs of several nodes: which nodes share one, what is generated, what is refused."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from ligament.errors import InputError
from ligament.generate.fpga.backend import FpgaBackend
from ligament.graph import load_graph
from ligament.graph.model import Graph
from ligament.mapping import installed, load_platform, map_graph
from ligament.mapping.model import GraphMapping, Queue, Stream

NODES = Path(__file__).parent / "nodes"
GRAPH = """schema: ligament/graph/1
name: designs
packages: [{nodes}]
nodes:
  loop: {{type: case/loop}}
  first: {{type: case/xor, device: fpga0, remap: {{in: image, out: middle}}}}
  left: {{type: case/xor, device: fpga0, remap: {{in: middle, out: left}}}}
  right: {{type: case/xor, device: fpga0, remap: {{in: middle, out: right}}}}
  join: {{type: case/join, device: fpga0, remap: {{joined: result}}}}
  alone: {{type: case/xor, device: fpga0, remap: {{in: image, out: alone}}}}
topics:
  image: {{bound_bytes: 1000, transports: [shm]}}
  result: {{bound_bytes: 1000}}
  alone: {{bound_bytes: 1000}}
variants:
  separate: {{containers: separate}}
  grouped: {{containers: {{mine: [left, loop]}}}}
  parted: {{containers: {{one: [left], other: [right]}}}}
  dataflow: {{fpga: {{in_flight: 4}}}}
"""


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    path = tmp_path_factory.mktemp("designs") / "graph.yaml"
    path.write_text(GRAPH.format(nodes=NODES))
    return load_graph(path)


def mapped(graph: Graph, variant: str = "separate") -> GraphMapping:
    return map_graph(graph, load_platform("fpga_sim"), variant, installed())


def texts_of(graph: Graph, mapping: GraphMapping) -> dict[str, str]:
    files = FpgaBackend().generate(graph, mapping).files
    return {file.path.rpartition("/")[2]: file.text for file in files}


def top_of(texts: dict[str, str], design: str) -> str:
    return texts[texts[f"{design}-fpga.f"].splitlines()[-1]]


def test_topics_between_cores_are_streams_and_their_nodes_share_a_container(graph: Graph) -> None:
    mapping = mapped(graph)
    hardware = {name for name, topic in mapping.topics.items() if topic.transports == ("hmt",)}
    assert hardware == {"/middle", "/left", "/right"}
    assert mapping.topics["/middle"].reason.rule == "all-ends-on-one-fpga"
    assert set(mapping.containers["fpga0"]) == {"/first", "/left", "/right", "/join"}
    assert mapping.nodes["/alone"].container == "alone"


def test_a_group_that_names_a_node_gets_its_design(graph: Graph) -> None:
    containers = mapped(graph, "grouped").containers
    assert set(containers["mine"]) == {"/first", "/left", "/right", "/join", "/loop"}


def test_groups_that_part_a_design_are_refused(graph: Graph) -> None:
    with pytest.raises(InputError) as refused:
        mapped(graph, "parted")
    (problem,) = refused.value.problems
    assert problem.code == "container-design"
    assert "one, other" in problem.text
    assert problem.location is not None and problem.location.line == 18


def test_a_design_has_its_nodes_and_networks(graph: Graph) -> None:
    output = FpgaBackend().generate(graph, mapped(graph))
    assert FpgaBackend().generate(graph, mapped(graph)) == output
    assert set(output.entry["libraries"]) == {"separate-fpga0", "case-xor"}
    assert {library["times"] for library in output.entry["libraries"].values()} == {1}
    assert output.nodes["/left"].library == output.nodes["/join"].library
    assert output.nodes["/left"].class_name != output.nodes["/right"].class_name
    assert output.nodes["/alone"].class_name == "ligament::generated::CaseXorCore"
    texts = {file.path.rpartition("/")[2]: file.text for file in output.files}
    top = top_of(texts, "separate-fpga0")
    assert ".PUBLISHERS(1), .SUBSCRIBERS(2)" in top
    assert top.count("lig_topic #(") == 3
    assert top.count("lig_node_case_xor #(") == 3
    assert ".TOPIC_joined" not in top
    code = texts["separate-fpga0-fpga.cpp"]
    assert "plan.in_flight = 1;" in code
    # The core between cores has no end in the pool, so no publisher and no subscription.
    assert code.count("add_input<") == 1
    assert code.count("add_output<") == 1


def test_ends_of_software_mapped_topics_are_hardware_on_one_port(graph: Graph) -> None:
    output = FpgaBackend().generate(graph, mapped(graph))
    texts = {file.path.rpartition("/")[2]: file.text for file in output.files}
    top, code = top_of(texts, "separate-fpga0"), texts["separate-fpga0-fpga.cpp"]
    assert top.count("lig_smt_sub #(") == 1 and ") entry_0 (" in top
    assert top.count("lig_smt_pub #(") == 1 and ") exit_0 (" in top
    # One entry and one exit are one master of the port, and one page of registers.
    assert "lig_axi_mux #(.DATA_WIDTH(64), .MASTERS(1))" in top
    assert "lig_shell #(.ENDS(1))" in top
    assert "m_axi_arvalid" in top and "s_axil_awvalid" in top
    ports = top[: top.index(");")]
    assert "_tvalid" not in ports
    # A room holds the longest image that the bounds of its type allow, and what lies in front.
    (room,) = re.findall(r"plan\.rooms = \{(\d+)\};", code)
    assert 8388608 < int(room) < 8388608 + 1000
    parts = output.entry["libraries"]["separate-fpga0"]["parts"]
    assert parts["entry_0"] == "/first" and parts["exit_0"] == "/join"
    names = [Path(line).name for line in texts["case-xor-fpga.f"].splitlines()]
    assert {"lig_smt_sub.sv", "lig_smt_pub.sv", "lig_shell.sv", "lig_axi_mux.sv"} <= set(names)
    assert "lig_gateway.sv" not in names and "lig_topic.sv" not in names
    assert len(set(names)) == len(names)


def test_more_ends_than_the_shell_has_pages_for_are_refused(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ligament.generate.fpga.plan.MOST_ENDS", 0)
    with pytest.raises(InputError) as refused:
        FpgaBackend().generate(graph, mapped(graph))
    (problem,) = refused.value.problems
    assert problem.code == "design-size"
    assert "ends in memory" in problem.text


def test_nodes_that_nothing_joins_share_a_model_and_are_counted(graph: Graph) -> None:
    alone = dict.fromkeys(("/middle", "/left", "/right"), ("shm",))
    mapping = mapped(graph)
    topics = {
        t: replace(topic, transports=alone.get(t, topic.transports))
        for t, topic in mapping.topics.items()
    }
    libraries = FpgaBackend().generate(graph, replace(mapping, topics=topics)).entry["libraries"]
    assert {name: library["times"] for name, library in libraries.items()} == {
        "case-xor": 4,
        "case-join": 1,
    }


def test_variants_with_the_same_hardware_share_its_model(graph: Graph) -> None:
    one = texts_of(graph, mapped(graph))
    other = texts_of(graph, mapped(graph, "dataflow"))
    assert (
        top_of(one, "separate-fpga0").splitlines()[2:]
        == top_of(other, "dataflow-fpga0").splitlines()[2:]
    )
    assert one["separate-fpga0-fpga.f"] == other["dataflow-fpga0-fpga.f"]
    assert "plan.in_flight = 4;" in other["dataflow-fpga0-fpga.cpp"]


def test_width_and_queues_are_those_of_the_mapping(graph: Graph) -> None:
    mapping = mapped(graph)
    queues = (
        Queue("/left", "in", "keep-last", 1024, "as said"),
        Queue("/right", "in", "best-effort", 2048, "as said"),
    )
    middle = replace(mapping.topics["/middle"], stream=Stream(256, "as said", queues))
    mapping = replace(mapping, topics={**mapping.topics, "/middle": middle})
    top = top_of(texts_of(graph, mapping), "separate-fpga0")
    assert ".DATA_WIDTH(256), .PUBLISHERS(1), .SUBSCRIBERS(2)" in top
    assert ".QOS({2'd2, 2'd1})" in top
    assert ".DEPTH({32'd2048, 32'd1024})" in top
    assert top.count("lig_width #(.S_WIDTH(64), .M_WIDTH(256))") == 1
    assert top.count("lig_width #(.S_WIDTH(256), .M_WIDTH(64))") == 2


def test_a_file_that_two_node_types_share_is_listed_once(graph: Graph) -> None:
    types = dict(graph.types)
    for name in ("case/xor", "case/join"):
        core = types[name].implementations["fpga"]
        shared = {**core, "sources": ["../common/shared.sv", *core["sources"]]}
        types[name] = replace(types[name], implementations={"fpga": shared})
    shared_graph = replace(graph, types=types)
    sources = texts_of(shared_graph, mapped(shared_graph))["separate-fpga0-fpga.f"].splitlines()
    assert sources.count(str(NODES / "common" / "shared.sv")) == 1
    assert len(set(sources)) == len(sources)
