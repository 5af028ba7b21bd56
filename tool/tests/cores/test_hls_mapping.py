# SPDX-License-Identifier: Apache-2.0
"""An FPGA in software emulation: what is mapped to it, and what is generated."""

from __future__ import annotations

import pytest
from cases import FORKED, NODES, case

from ligament.errors import InputError
from ligament.generate.hls.backend import HlsBackend
from ligament.graph import load_graph
from ligament.graph.model import Graph
from ligament.mapping import installed, load_platform, map_graph

GRAPH = case(
    "emulated",
    FORKED
    + """topics:
  image: {{bound_bytes: 1000}}
  middle: {{bound_bytes: 1000}}
  left: {{bound_bytes: 1000}}
  right: {{bound_bytes: 1000}}
  result: {{bound_bytes: 1000}}
variants:
  plain: {{}}
  streams: {{transports: {{middle: [hmt]}}}}
  patient: {{fpga: {{patience_s: 7}}}}
""",
)


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    path = tmp_path_factory.mktemp("emulated") / "graph.yaml"
    path.write_text(GRAPH.format(nodes=NODES))
    return load_graph(path)


def test_topics_between_cores_lie_in_the_pool_and_no_cycles_are_predicted(graph: Graph) -> None:
    mapping = map_graph(graph, load_platform("fpga_sw_emu"), "plain", installed())
    assert {topic.transports for topic in mapping.topics.values()} == {("shm",)}
    assert mapping.topics["/middle"].reason.rule == "software-emulation"
    assert all(topic.stream is None for topic in mapping.topics.values())
    assert all(not topic.alternatives for topic in mapping.topics.values())
    assert mapping.nodes["/left"].implementation == "hls"
    assert mapping.nodes["/loop"].implementation == "cpu"
    assert mapping.to_json()["hardware"] == {"fpga0": {"emulation": "sw_emu"}}


def test_the_same_graph_has_streams_where_the_design_is_simulated(graph: Graph) -> None:
    mapping = map_graph(graph, load_platform("fpga_sim"), "plain", installed())
    assert mapping.topics["/middle"].transports == ("hmt",)
    assert mapping.nodes["/left"].implementation == "fpga"


def test_streams_between_cores_that_run_natively_are_refused(graph: Graph) -> None:
    with pytest.raises(InputError, match="hmt reaches only nodes on one FPGA"):
        map_graph(graph, load_platform("fpga_sw_emu"), "streams", installed())


def test_each_node_has_a_library_and_each_type_is_compiled_once(graph: Graph) -> None:
    mapping = map_graph(graph, load_platform("fpga_sw_emu"), "patient", installed())
    output = HlsBackend().generate(graph, mapping)
    assert HlsBackend().generate(graph, mapping) == output
    assert set(output.entry["libraries"]) == {"node-first", "node-left", "node-right", "node-join"}
    assert output.nodes["/left"].library != output.nodes["/right"].library
    assert output.nodes["/left"].class_name == output.nodes["/right"].class_name
    texts = {file.path.rpartition("/")[2]: file.text for file in output.files}
    assert texts["CMakeLists.txt"].count("xor_hls.cpp") == 1
    assert texts["CMakeLists.txt"].count("CLASS ligament::generated::CaseXorEmulated") == 3
    xor = texts["case-xor.cpp"]
    assert "namespace case_nodes {\nvoid xor_bytes(::lig_hls::Fields& in_in, " in xor
    assert "::lig_hls::Fields& out_out, long long parameter_key);" in xor
    assert 'declare_parameter<std::int64_t>("pause"' in xor  # of the other implementations
    assert "}, 7.0);" in xor
    assert {"image.hpp", "header.hpp", "time.hpp"} <= set(texts)
    mapping = map_graph(graph, load_platform("fpga_sw_emu"), "plain", installed())
    (xor,) = [f.text for f in HlsBackend().generate(graph, mapping).files if "xor.cpp" in f.path]
    assert "}, 30.0);" in xor
