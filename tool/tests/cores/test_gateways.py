# SPDX-License-Identifier: Apache-2.0
"""Topics with a gateway: what is mapped and generated, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cases import case, driver_of

from ligament.artefacts import json_text
from ligament.errors import InputError
from ligament.generate.containers import container_file
from ligament.generate.files import Component
from ligament.generate.fpga.backend import FpgaBackend
from ligament.graph import load_graph
from ligament.graph.model import Graph
from ligament.graph.schema import validate
from ligament.graph.source import Document
from ligament.mapping import installed, load_platform, map_graph
from ligament.mapping.files import load_mapping
from ligament.mapping.model import GraphMapping, Stream

NODES = Path(__file__).parent / "nodes"
GRAPH = case(
    "gateways",
    """
  loop: {{type: case/loop, remap: {{side: middle}}}}
  first: {{type: case/xor, device: fpga0, remap: {{in: image, out: middle}}}}
  left: {{type: case/xor, device: fpga0, remap: {{in: middle, out: left}}}}
  right: {{type: case/xor, device: fpga0, remap: {{in: image, out: right}}}}
  join: {{type: case/join, device: fpga0, remap: {{joined: result}}}}
topics:
  image: {{bound_bytes: 10000}}
  middle: {{bound_bytes: 2000, transports: [gateway, shm], qos: {{history: keep_all, depth: 7}}}}
  result: {{bound_bytes: 10000}}
variants:
  plain: {{containers: separate}}
  dataflow: {{fpga: {{in_flight: 4}}}}
  alone: {{transports: {{middle: [gateway]}}}}
  streams: {{transports: {{middle: [hmt, gateway, shm]}}}}
""",
)
MANY = case(
    "unlike",
    """
  loop: {{type: case/loop}}
  left: {{type: case/xor, device: fpga0, remap: {{in: image, out: left}}}}
  right:
    type: case/xor
    device: fpga0
    remap: {{in: image, out: right}}
    qos: {{in: {{reliability: best_effort}}}}
topics: {{image: {{bound_bytes: 10000}}, left: {{bound_bytes: 9}}, right: {{bound_bytes: 9}}}}
""",
)


def loaded(folder: Path, text: str) -> Graph:
    path = folder / "graph.yaml"
    path.write_text(text.format(nodes=NODES))
    return load_graph(path)


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return loaded(tmp_path_factory.mktemp("gateways"), GRAPH)


def mapped(graph: Graph, variant: str | None = "plain") -> GraphMapping:
    return map_graph(graph, load_platform("fpga_sim"), variant, installed())


def texts_of(graph: Graph, mapping: GraphMapping) -> dict[str, str]:
    files = FpgaBackend().generate(graph, mapping).files
    return {file.path.rpartition("/")[2]: file.text for file in files}


def sources_of(texts: dict[str, str]) -> list[str]:
    return texts["plain-fpga0-fpga.f"].splitlines()


def test_a_topic_on_both_sides_gets_a_gateway(graph: Graph) -> None:
    mapping = mapped(graph)
    image, middle = mapping.topics["/image"], mapping.topics["/middle"]
    assert image.reason.rule == "mixed-many-hardware-subscriptions"
    assert image.gateway is not None and middle.gateway is not None
    # Nobody in hardware publishes images, so no memory is lent for them.
    assert (image.gateway.publisher, image.gateway.rooms) == (None, 0)
    assert middle.gateway.publisher is not None and middle.gateway.subscription is not None
    assert middle.gateway.publisher.history == "keep_all"
    assert (middle.gateway.rooms, middle.gateway.room_bytes) == (2, 2000 + 64)
    assert mapping.topics["/result"].gateway is None
    assert set(mapping.containers["fpga0"]) == {"/first", "/left", "/right", "/join"}


def test_a_gateway_of_small_messages_saves_nothing(tmp_path: Path) -> None:
    graph = loaded(
        tmp_path, GRAPH.replace("image: {{bound_bytes: 10000}}", "image: {{bound_bytes: 16}}")
    )
    small = mapped(graph).topics["/image"]
    assert (small.reason.rule, small.gateway) == ("mixed-small-messages", None)
    over, through = (alternative.cycles for alternative in small.alternatives)
    assert over is not None and through is not None and over < through
    assert small.reason.text.endswith(
        "but messages so small that a gateway saves nothing: "
        f"{over} cycles over memory, {through} cycles through a gateway"
    )


def test_the_reason_for_a_gateway_compares_what_both_cost(graph: Graph) -> None:
    image = mapped(graph).topics["/image"]
    cycles = [alternative.cycles for alternative in image.alternatives]
    assert image.reason.text.endswith(
        "a gateway moves each message once, not once per subscription: "
        f"{cycles[0]} cycles over memory, {cycles[1]} cycles through a gateway"
    )


def test_more_messages_at_once_get_more_memory(graph: Graph) -> None:
    gateway = mapped(graph, "dataflow").topics["/middle"].gateway
    assert gateway is not None and gateway.rooms == 5


def test_the_mapping_is_read_as_it_was_written(graph: Graph, tmp_path: Path) -> None:
    mapping = mapped(graph)
    path = tmp_path / "mapping.json"
    path.write_text(json_text(mapping.to_json()))
    assert load_mapping(path) == mapping
    data: dict[str, Any] = json.loads(path.read_text())
    assert data["topics"]["/image"]["gateway"]["publisher"] is None
    assert "gateway" not in data["topics"]["/result"]


def test_all_gateways_of_a_design_share_a_port_and_registers(graph: Graph) -> None:
    texts = texts_of(graph, mapped(graph))
    sources = sources_of(texts)
    top = texts[sources[-1]]
    assert top.count("lig_gateway #(") == 2
    assert top.count("lig_axi_mux #(.DATA_WIDTH(64), .MASTERS(3))") == 1
    assert top.count("lig_shell #(.ENDS(3))") == 1
    # Of /image: the gateway publishes, and hears what it says beside the two cores.
    assert ".DATA_WIDTH(64), .PUBLISHERS(1), .SUBSCRIBERS(3)" in top
    # Of /middle: a core and the gateway, one core and the gateway.
    assert ".DATA_WIDTH(64), .PUBLISHERS(2), .SUBSCRIBERS(2)" in top
    names = [Path(source).name for source in sources]
    assert {"lig_gateway.sv", "lig_shell.sv", "lig_axi_mux.sv"} <= set(names)
    assert names.index("lig_transfer_pkg.sv") < names.index("lig_smt_pub.sv")
    assert len(set(names)) == len(names)
    code = driver_of(texts)
    assert code.count("add_gateway_input<") == 2
    assert code.count("add_gateway_output<") == 1
    assert ".history = HistoryPolicy::keep_all" in code
    # What is on a topic with a gateway is neither an entry nor an exit.
    assert code.count("add_input<") == 0
    assert code.count("add_output<") == 1


def test_a_network_narrower_than_the_port_gets_adapters(graph: Graph) -> None:
    mapping = mapped(graph)
    image = replace(mapping.topics["/image"], stream=Stream(256, "as said"))
    mapping = replace(mapping, topics={**mapping.topics, "/image": image})
    texts = texts_of(graph, mapping)
    top = texts[sources_of(texts)[-1]]
    assert top.count("lig_gateway #(.DATA_WIDTH(256)") == 2
    assert "lig_width #(.S_WIDTH(256), .M_WIDTH(64)) gateway_narrow_1" in top
    assert "lig_width #(.S_WIDTH(64), .M_WIDTH(256)) gateway_widen_1" in top
    assert "gateway_narrow_0" not in top
    # What is synthesised is told by topic.
    (library,) = FpgaBackend().generate(graph, mapping).entry["libraries"].values()
    parts = {part: topic for part, topic in library["parts"].items() if "gateway" in part}
    assert parts == {
        "gateway_0": "/image",
        "gateway_1": "/middle",
        "gateway_narrow_1": "/middle",
        "gateway_widen_1": "/middle",
    }


def test_what_others_take_of_the_memory_is_compiled_in(graph: Graph) -> None:
    platform = load_platform("fpga_sim")
    links = tuple(replace(link, contention=0.25, seed=9) for link in platform.links)
    mapping = map_graph(graph, replace(platform, links=links), "plain", installed())
    figures = mapping.hardware["fpga0"]
    assert (figures["contention"], figures["seed"]) == (0.25, 9)
    code = texts_of(graph, mapping)["plain-fpga0-fpga.cpp"]
    assert ".contention = 0.25," in code
    assert ".seed = 9," in code
    assert "duplex" not in figures
    assert ".duplex = false," in code
    rest = {name: value for name, value in figures.items() if name != "contention"}
    alone = replace(mapping, hardware={"fpga0": rest})
    assert ".contention = 0.0," in texts_of(graph, alone)["plain-fpga0-fpga.cpp"]


def test_a_port_that_reads_and_writes_at_once_is_compiled_in(graph: Graph) -> None:
    platform = load_platform("fpga_sim")
    links = tuple(replace(link, duplex=True) for link in platform.links)
    mapping = map_graph(graph, replace(platform, links=links), "plain", installed())
    assert mapping.hardware["fpga0"]["duplex"] is True
    assert not validate(Document("mapping.json", mapping.to_json()), "mapping")
    texts = texts_of(graph, mapping)
    assert ".duplex = true," in texts["plain-fpga0-fpga.cpp"]


@pytest.mark.parametrize(
    ("variant", "text"),
    [
        ("alone", "so shm goes with it"),
        ("streams", "hmt reaches only nodes on one FPGA"),
    ],
)
def test_transports_that_do_not_go_together_are_refused(
    graph: Graph, variant: str, text: str
) -> None:
    with pytest.raises(InputError) as refused:
        mapped(graph, variant)
    (problem,) = refused.value.problems
    assert problem.code == "transport-impossible"
    assert text in problem.text


def test_ends_that_ask_for_different_things_cannot_share_one(tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        mapped(loaded(tmp_path, MANY), None)
    (problem,) = refused.value.problems
    assert problem.code == "gateway-qos"
    assert "'/image' has subscriptions in hardware" in problem.text


def test_the_credit_of_a_gateway_is_that_of_its_ends_in_the_pool(graph: Graph) -> None:
    mapping = mapped(graph)
    image, middle = mapping.topics["/image"].credit, mapping.topics["/middle"].credit
    assert image is not None and middle is not None
    # One publisher and one subscription for all in hardware, which holds more than others do.
    (ring,) = middle.rings
    loans, loop, gateway = 2, 2, 1 + 6
    assert (ring.node, ring.samples, ring.blocks) == ("/first", 7, 7 + 1 + loans + loop + gateway)
    assert {hop.subscription: hop.held for hop in middle.hops} == {"/loop": 2, "/first": 7}
    assert [(hop.subscription, hop.rule) for hop in image.hops] == [("/first", "keep-last")]


def test_publishers_wait_longer_for_a_simulated_device(graph: Graph) -> None:
    mapping = mapped(graph)
    assert mapping.topics["/middle"].credit is not None
    (waits, *_) = (
        hop for hop in mapping.topics["/middle"].credit.hops if hop.rule == "back-pressure"
    )
    assert waits.text.endswith("the publisher waits, 60000 ms at most while its clock stands still")
    loaded_as = {("cpu", "case/loop"): Component("loop.so", "Loop")}
    config = json.loads(container_file(mapping, "loop", loaded_as).text)
    told = {topic: entry.get("patience_ms") for topic, entry in config["topics"].items()}
    assert told == {"/image": 60_000, "/middle": 60_000, "/result": None}
