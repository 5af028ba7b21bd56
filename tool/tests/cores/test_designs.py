# SPDX-License-Identifier: Apache-2.0
"""Designs of FPGAs: all nodes of one are in it, what is generated, what is refused."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from cases import FORKED, NODES, case, driver_of
from two_fpgas import FAST_HZ, two_fpgas

from ligament.errors import InputError
from ligament.generate.fpga.backend import FpgaBackend
from ligament.graph import load_graph
from ligament.graph.model import Graph
from ligament.mapping import installed, load_platform, map_graph
from ligament.mapping.model import GraphMapping, Queue, Stream
from ligament.run.wave import with_waveforms

GRAPH = case(
    "designs",
    FORKED
    + """  alone: {{type: case/xor, device: fpga0, remap: {{in: image, out: alone}}}}
topics:
  image: {{bound_bytes: 1000, transports: [shm]}}
  result: {{bound_bytes: 1000}}
  alone: {{bound_bytes: 1000}}
variants:
  separate: {{containers: separate}}
  grouped: {{containers: {{mine: [left, loop]}}}}
  parted: {{containers: {{one: [left], other: [right]}}}}
  dataflow: {{fpga: {{in_flight: 4}}}}
""",
)
#: Nothing joins one of them with the others.
CORES = {"/first", "/left", "/right", "/join", "/alone"}
ONE_EACH = case(
    "devices",
    """
  loop: {{type: case/loop}}
  first: {{type: case/xor, device: fpga0, remap: {{in: image, out: middle}}}}
  second: {{type: case/xor, device: fpga1, remap: {{in: middle, out: result}}}}
topics:
  image: {{bound_bytes: 1000}}
  middle: {{bound_bytes: 1000}}
  result: {{bound_bytes: 1000}}
variants:
  separate: {{containers: separate}}
  one: {{containers: one}}
  dataflow: {{fpga: {{in_flight: 4}}}}
""",
)


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
    assert set(mapping.containers["fpga0"]) == CORES


def test_a_group_that_names_a_node_gets_its_design(graph: Graph) -> None:
    containers = mapped(graph, "grouped").containers
    assert set(containers["mine"]) == CORES | {"/loop"}


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
    # One device, one design: of the core that no topic on the chip joins with others, too.
    assert set(output.entry["libraries"]) == {"separate-fpga0"}
    assert len({output.nodes[name].library for name in CORES}) == 1
    assert len({output.nodes[name].class_name for name in CORES}) == len(CORES)
    texts = {file.path.rpartition("/")[2]: file.text for file in output.files}
    assert [name for name in texts if name.endswith(".f")] == ["separate-fpga0-fpga.f"]
    assert len([name for name in texts if name.startswith("lig_design_")]) == 1
    top = top_of(texts, "separate-fpga0")
    assert ".PUBLISHERS(1), .SUBSCRIBERS(2)" in top
    assert top.count("lig_topic #(") == 3
    assert top.count("lig_node_case_xor #(") == 3
    assert top.count("lig_node_case_xor node_n0_alone (") == 1
    assert ".TOPIC_joined" not in top
    assert ".in_flight = 1," in texts["separate-fpga0-fpga.cpp"]
    code = driver_of(texts)
    # The cores between cores have no end in the pool, so no publisher and no subscription.
    assert code.count("add_input<") == 2
    assert code.count("add_output<") == 2


def test_ends_of_software_mapped_topics_are_hardware_on_one_port(graph: Graph) -> None:
    output = FpgaBackend().generate(graph, mapped(graph))
    texts = {file.path.rpartition("/")[2]: file.text for file in output.files}
    top, code = top_of(texts, "separate-fpga0"), driver_of(texts)
    assert top.count("lig_smt_sub #(") == 2 and ") entry_0 (" in top and ") entry_1 (" in top
    assert top.count("lig_smt_pub #(") == 2 and ") exit_0 (" in top and ") exit_1 (" in top
    # An entry and an exit are one master of the port, and one page of registers.
    assert top.count("lig_axi_mux #(.DATA_WIDTH(64), .MASTERS(2))") == 1
    assert top.count("lig_shell #(.ENDS(2))") == 1
    assert "m_axi_arvalid" in top and "s_axil_awvalid" in top
    ports = top[: top.index(");")]
    assert "_tvalid" not in ports
    # A room holds the longest image that the bounds of its type allow, and what lies in front.
    (rooms,) = re.findall(r"plan\.rooms = \{(\d+), (\d+)\};", code)
    assert all(8388608 < int(room) < 8388608 + 1000 for room in rooms)
    parts = output.entry["libraries"]["separate-fpga0"]["parts"]
    assert (parts["entry_0"], parts["exit_0"]) == ("/alone", "/alone")
    assert (parts["entry_1"], parts["exit_1"]) == ("/first", "/join")
    names = [Path(line).name for line in texts["separate-fpga0-fpga.f"].splitlines()]
    assert {"lig_smt_sub.sv", "lig_smt_pub.sv", "lig_shell.sv", "lig_axi_mux.sv"} <= set(names)
    assert "lig_gateway.sv" not in names
    assert len(set(names)) == len(names)


def test_more_ends_than_the_shell_has_pages_for_are_refused(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ligament.generate.fpga.plan.MOST_MASTERS", 0)
    with pytest.raises(InputError) as refused:
        FpgaBackend().generate(graph, mapped(graph))
    (problem,) = refused.value.problems
    assert problem.code == "design-size"
    assert "ends in memory" in problem.text


def test_nodes_that_nothing_joins_are_one_design_too(graph: Graph) -> None:
    alone = dict.fromkeys(("/middle", "/left", "/right"), ("shm",))
    mapping = mapped(graph)
    topics = {
        t: replace(topic, transports=alone.get(t, topic.transports))
        for t, topic in mapping.topics.items()
    }
    texts = texts_of(graph, replace(mapping, topics=topics))
    assert [name for name in texts if name.endswith(".f")] == ["separate-fpga0-fpga.f"]
    top = top_of(texts, "separate-fpga0")
    # Each node of a type is in it.
    assert (top.count("lig_node_case_xor node_"), top.count("lig_node_case_join node_")) == (4, 1)
    assert top.count("lig_smt_sub #(") == 6 and top.count("lig_smt_pub #(") == 5
    assert top.count("lig_axi_mux #(.DATA_WIDTH(64), .MASTERS(6))") == 1
    assert "lig_topic" not in top
    assert "lig_topic.sv" not in texts["separate-fpga0-fpga.f"]


def test_variants_with_the_same_hardware_share_its_model_and_its_driver(graph: Graph) -> None:
    one = texts_of(graph, mapped(graph))
    other = texts_of(graph, mapped(graph, "dataflow"))
    assert top_of(one, "separate-fpga0") == top_of(other, "dataflow-fpga0")
    assert one["separate-fpga0-fpga.f"] == other["dataflow-fpga0-fpga.f"]
    assert driver_of(one) == driver_of(other)
    assert ".in_flight = 4," in other["dataflow-fpga0-fpga.cpp"]


def test_two_devices_are_two_designs_with_their_own_clocks(tmp_path: Path) -> None:
    (tmp_path / "graph.yaml").write_text(ONE_EACH.format(nodes=NODES))
    graph, platform = load_graph(tmp_path / "graph.yaml"), load_platform(two_fpgas(tmp_path))
    mapping = map_graph(graph, platform, "separate", installed())
    assert mapping.topics["/middle"].transports == ("shm",)
    assert mapping.nodes["/first"].container != mapping.nodes["/second"].container
    output = FpgaBackend().generate(graph, mapping)
    assert set(output.entry["libraries"]) == {"case-xor-fpga0", "case-xor-fpga1"}
    assert output.nodes["/first"].library != output.nodes["/second"].library
    paths = [file.path for file in output.files]
    assert len(set(paths)) == len(paths)
    texts = {file.path.rpartition("/")[2]: file.text for file in output.files}
    assert texts["case-xor-fpga0-fpga.f"] == texts["case-xor-fpga1-fpga.f"]
    for device, clock in (("fpga0", 100e6), ("fpga1", FAST_HZ)):
        code = texts[f"case-xor-{device}-fpga.cpp"]
        assert f'.device = "{device}",' in code and f".clock_hz = {clock}" in code
    # They are the same hardware, which is compiled once, and so is what drives it.
    assert texts["CMakeLists.txt"].count("add_custom_command(") == 1
    assert device not in driver_of(texts)


def test_a_device_with_one_node_has_the_same_design_in_all_variants(tmp_path: Path) -> None:
    (tmp_path / "graph.yaml").write_text(ONE_EACH.format(nodes=NODES))
    graph, platform = load_graph(tmp_path / "graph.yaml"), load_platform(two_fpgas(tmp_path))
    made = {}
    for variant in ("separate", "one", "dataflow", "waves"):
        mapping = map_graph(graph, platform, variant.replace("waves", "one"), installed())
        mapping = with_waveforms(mapping) if variant == "waves" else mapping
        output = FpgaBackend().generate(graph, mapping)
        texts = {file.path.rpartition("/")[2]: file.text for file in output.files}
        names = set(output.entry["libraries"])
        made[variant] = names, texts["lig_design_case_xor.sv"]
    assert made["separate"] == made["one"]
    assert len({top for _, top in made.values()}) == 1
    # What drives it differs, and lies in another library: no variant takes another one's.
    assert made["dataflow"][0] == {"case-xor-fpga0-x4", "case-xor-fpga1-x4"}
    assert made["waves"][0] == {"case-xor-fpga0-waves", "case-xor-fpga1-waves"}


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
