# SPDX-License-Identifier: Apache-2.0
"""The optimiser: as good as trying everything, within budgets, and honest about what it lacks."""

from __future__ import annotations

import itertools
import json
import math
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import paper_graphs as papers
import pytest

from ligament.cli.main import main
from ligament.errors import FailureError, InputError
from ligament.graph.model import Graph, Variant
from ligament.graph.schema import validate
from ligament.graph.source import Document
from ligament.mapping import map_graph, planned
from ligament.mapping.costs import Costs, NodeCost, from_json, from_variant, merged
from ligament.mapping.explain import explain
from ligament.mapping.files import load_costs
from ligament.mapping.model import from_json as mapping_from_json
from ligament.mapping.network_area import (
    area_of_counters,
    area_of_ends,
    area_of_gateway,
    area_of_network,
    area_of_port,
)
from ligament.mapping.optimise import optimise
from ligament.mapping.placing import Question, judge, question_of
from ligament.mapping.platform import Platform
from ligament.mapping.solve import best_answer
from ligament.mapping.topology import closing_hops
from ligament.resources import spec_dir

BOARD = replace(
    papers.BOARD,
    devices={
        **papers.BOARD.devices,
        "fpga0": replace(
            papers.BOARD.devices["fpga0"], clock="fabric", budgets={"lut": 1000, "dsp": 10}
        ),
    },
    clocks={"fabric": {"kind": "cycles", "frequency_hz": 100e6}},
)
FREE = ("compensation", "blur", "projection", "following", "red_light", "green_light")


def free_graph(topics: dict[str, str], free: tuple[str, ...], rate_hz: float = 30.0) -> Graph:
    """A graph whose `free` nodes may be on either device, and are in software by the rules."""
    graph = papers.graph(topics, free, 921_600)
    nodes = {n: replace(node, device=None) for n, node in graph.nodes.items()}
    made = {t: replace(topic, rate_hz=rate_hz) for t, topic in graph.topics.items()}
    return replace(graph, nodes=nodes, topics=made)


def costs_of(graph: Graph, cost: Callable[[str, str], tuple[float, dict[str, float]]]) -> Costs:
    nodes = {}
    for name, node in graph.nodes.items():
        kinds = graph.types[node.type].implementations
        told = {kind: cost(name, kind) for kind in kinds}
        nodes[name] = {kind: NodeCost(t, "by hand", area) for kind, (t, area) in told.items()}
    return Costs(graph.name, nodes, 20_000, "by hand")


def drawn(seed: int) -> Callable[[str, str], tuple[float, dict[str, float]]]:
    draw = random.Random(seed)

    def cost(_: str, kind: str) -> tuple[float, dict[str, float]]:
        area = {"lut": draw.randrange(100, 500), "dsp": draw.randrange(6)}
        return draw.randrange(1, 40) * 1e6, area if kind == "fpga" else {}

    return cost


def tried(question: Question, before: dict[str, int]) -> tuple[int, int, int] | None:
    """The worth of the best answer, by trying all of them."""
    names = sorted(question.options)
    worths = []
    for places in itertools.product(*(range(len(question.options[n])) for n in names)):
        answer = dict(zip(names, places, strict=True))
        worth = judge(question, answer)
        if worth.fits:
            moves = sum(answer[n] != before[n] for n in names)
            worths.append((worth.chain_ns, worth.total_ns, moves))
    return min(worths, default=None)


def in_software(question: Question) -> dict[str, int]:
    return dict.fromkeys(question.options, 0)


def board_of(family: str, luts: int) -> Platform:
    """The board with another part: of a known family, what is around cores takes of its LUTs."""
    fpga = replace(BOARD.devices["fpga0"], family=family, budgets={"lut": luts, "dsp": 10})
    return replace(BOARD, devices={**BOARD.devices, "fpga0": fpga})


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("family", "luts"), [("", 1000), ("xcup", 6000)])
def test_the_answer_is_as_good_as_the_best_of_all(seed: int, family: str, luts: int) -> None:
    pytest.importorskip("ortools")
    graph = free_graph(papers.DRIVING_TOPICS, FREE)
    board = board_of(family, luts)
    question = question_of(graph, board, costs_of(graph, drawn(seed)), planned())
    before = in_software(question)
    answer = best_answer(question, before)
    worth = judge(question, answer)
    assert worth.fits
    moves = sum(answer[n] != before[n] for n in before)
    assert (worth.chain_ns, worth.total_ns, moves) == tried(question, before)
    assert answer == best_answer(question, before)


def test_a_narrow_port_keeps_large_messages_in_software() -> None:
    pytest.importorskip("ortools")
    graph = free_graph({"A": "camera -> 1", "B": "1 -> 2", "C": "2 -> sink"}, ("1", "2"), 1000.0)

    def cost(_: str, kind: str) -> tuple[float, dict[str, float]]:
        return (1e6 if kind == "fpga" else 50e6), {}

    costs = costs_of(graph, cost)
    # 921,600 bytes at 1 kHz in and out again: 1.84 GB/s over a port of 1.6.
    narrow = question_of(graph, BOARD, costs, planned())
    assert judge(narrow, {"/camera": 0, "/n1": 1, "/n2": 1, "/sink": 0}).fits is False
    answer = best_answer(narrow, in_software(narrow))
    worth = judge(narrow, answer)
    assert tried(narrow, in_software(narrow)) == (
        worth.chain_ns,
        worth.total_ns,
        sum(answer.values()),
    )
    wide = replace(narrow, bytes_per_s=2_000_000_000)
    assert best_answer(wide, in_software(wide)) == {"/camera": 0, "/n1": 1, "/n2": 1, "/sink": 0}


def test_before_and_after_stand_in_the_mapping() -> None:
    pytest.importorskip("ortools")
    graph = free_graph({"A": "camera -> 1", "B": "1 -> 2", "C": "2 -> sink"}, ("1", "2"))

    def cost(name: str, kind: str) -> tuple[float, dict[str, float]]:
        return (1e6 if kind == "fpga" else 50e6), {"lut": 400} if kind == "fpga" else {}

    mapping = optimise(graph, BOARD, costs_of(graph, cost), None, planned())
    assert mapping.nodes["/n1"].device == mapping.nodes["/n2"].device == "fpga0"
    assert mapping.nodes["/n1"].reason.rule == "optimised"
    assert mapping.nodes["/camera"].reason.rule == "only-device"
    assert mapping.topics["/B"].mapped == "hardware"
    found = mapping.optimised
    assert found is not None and found.after.chain_ns < found.before.chain_ns
    assert found.moved == {"/n1": "cpu0 -> fpga0", "/n2": "cpu0 -> fpga0"}
    assert found.after.area["lut"] >= 800
    data = json.loads(json.dumps(mapping.to_json()))
    assert not validate(Document("mapping.json", data), "mapping")
    assert mapping_from_json(data).optimised == found
    text = "\n".join(explain(mapping))
    assert f"longest way through the graph: {found.before.chain_ns} -> " in text
    assert "of 1000" in text and "moved: /n1 cpu0 -> fpga0" in text


def test_wishes_stand() -> None:
    pytest.importorskip("ortools")
    graph = free_graph({"A": "camera -> 1", "B": "1 -> sink"}, ("1",))
    kept = replace(graph, variants={"default": Variant("default", devices={"/n1": "cpu0"})})

    def cost(_: str, kind: str) -> tuple[float, dict[str, float]]:
        return (1.0 if kind == "fpga" else 1e9), {}

    assert optimise(kept, BOARD, costs_of(kept, cost), None, planned()).nodes["/n1"].kind == "cpu"
    assert (
        optimise(graph, BOARD, costs_of(graph, cost), None, planned()).nodes["/n1"].kind == "fpga"
    )


def test_what_is_not_known_is_said() -> None:
    graph = free_graph({"A": "camera -> 1", "B": "1 -> sink"}, ("1",))
    with pytest.raises(InputError, match="no cost of '/n1' is known on any device"):
        question_of(graph, BOARD, Costs("paper", {}), planned())
    only_hardware = Costs("paper", {"/n1": {"fpga": NodeCost(1, "by hand")}})
    with pytest.raises(InputError, match="the rules put '/n1' on cpu0, and no cost"):
        optimise(graph, BOARD, only_hardware, None, planned())
    only_software = Costs("paper", {"/n1": {"cpu": NodeCost(1, "by hand")}})
    remarks = question_of(graph, BOARD, only_software, planned()).remarks
    assert "/n1 on fpga0 is not considered: no cost is known" in remarks
    assert any(r.startswith("/camera counts as 0 ns") for r in remarks)
    with pytest.raises(InputError, match="the costs are of the graph 'other'"):
        optimise(graph, BOARD, Costs("other", {}), None, planned())


@pytest.mark.parametrize("family", ["xcup", "ecp5"])
def test_a_gateway_takes_cells_of_its_own(family: str) -> None:
    board = board_of(family, 1000)
    graph = free_graph({"A": "1 -> 2 3 x"}, ("1", "2", "3"))
    question = question_of(graph, board, costs_of(graph, lambda *_: (1e6, {})), planned())
    network = area_of_network(family, 64, 1, 2)
    gateway = area_of_gateway(family, 64)
    counters = area_of_counters(family, 2)
    parts = (network, gateway, counters)
    both = {k: math.ceil(sum(p.get(k, 0) for p in parts)) for k in {k for p in parts for k in p}}
    assert question.topics["/A"].costs[1, 2].area == both
    # Where there are no figures, it is said.
    assert any("cells of gateways" in r for r in question.remarks) == (family == "ecp5")
    assert bool(gateway) == (family == "xcup")


def test_the_memory_port_is_there_once_for_all_ends() -> None:
    graph = free_graph({"A": "camera -> 1", "B": "1 -> 2", "C": "2 -> sink"}, ("1", "2"))
    costs = costs_of(graph, lambda *_: (1e6, {}))
    question = question_of(graph, board_of("xcup", 10_000), costs, planned())
    answer = {"/camera": 0, "/n1": 1, "/n2": 1, "/sink": 0}
    # An entry and an exit, which are one master; the topic between them is a network.
    parts = [area_of_ends("xcup", 1, 1), area_of_port("xcup", 1)]
    parts += [area_of_network("xcup", 64, 1, 1), area_of_counters("xcup", 1)]
    assert judge(question, answer).area["lut"] == sum(part["lut"] for part in parts)
    assert judge(question, in_software(question)).area.get("lut", 0) == 0


def test_nothing_fits_is_a_sentence() -> None:
    pytest.importorskip("ortools")
    graph = papers.graph({"A": "1 -> 2"}, ("1", "2"), 1000)

    def cost(_: str, kind: str) -> tuple[float, dict[str, float]]:
        return 1.0, {"lut": 600} if kind == "fpga" else {}

    with pytest.raises(InputError, match="no mapping of the nodes fits"):
        optimise(graph, BOARD, costs_of(graph, cost), None, planned())


def test_the_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ortools.sat.python", None)
    graph = free_graph({"A": "camera -> 1"}, ("1",))
    question = question_of(graph, BOARD, costs_of(graph, drawn(0)), planned())
    with pytest.raises(FailureError, match="needs OR-Tools"):
        best_answer(question, in_software(question))


def test_cycles_are_opened_where_they_close() -> None:
    graph = papers.graph({"A": "camera -> 1", "B": "1 -> 2", "C": "2 -> 1 sink"}, ())
    assert closing_hops(graph) == {("/n2", "/n1")}
    assert closing_hops(papers.graph({"A": "1 -> 2"}, ())) == set()


CASE = """schema: ligament/graph/1
name: case
packages: [{packages}]
nodes:
  camera: {{type: case/camera, remap: {{image_raw: a}}}}
  resize: {{type: case/resize, remap: {{image: a}}}}
  sink: {{type: case/sink, remap: {{image: resized}}}}
topics:
  a: {{bound_bytes: 1000}}
  resized: {{bound_bytes: 1000}}
"""
SUMMARY = {"n": 50, "p50": 7e6, "mean": 7e6}
SHORT = {**SUMMARY, "p50": 1e6}


def variant_entry(folder: Path) -> dict[str, Any]:
    return {
        "name": "hardware",
        "run_id": "r1",
        "run_dir": str(folder / "hardware" / "runs" / "r1"),
        "spans": [
            {"node": "/n1", "span": "outer", "category": "compute", "time_ns": SUMMARY},
            {"node": "/n1", "span": "inner", "category": "compute", "time_ns": SHORT},
            {"node": "/n2", "span": "hardware", "category": "device", "time_ns": SUMMARY},
        ],
        "span_values": [
            {"node": "/n2", "span": "hardware", "value": "cycles", "n": 50, "p50": 5000.0},
            {"node": "/n2", "span": "hardware", "value": "clock_hz", "n": 50, "p50": 100e6},
        ],
        "hops": [
            {"to": "/n3", "between_ns": {"transport": 3e4, "copy": 1e4},
             "node_ns": {"compute": 2e6}, "total_ns": SUMMARY},
        ],
    }  # fmt: skip


def test_a_report_tells_costs(tmp_path: Path) -> None:
    kinds = {"/n1": "cpu", "/n2": "fpga", "/n3": "cpu", "/n4": "cpu"}
    found = from_variant("paper", variant_entry(tmp_path), kinds)
    assert found.nodes["/n1"]["cpu"].time_ns == 7e6
    assert found.nodes["/n2"]["fpga"].time_ns == 50_000
    assert "5000 cycles at 1e+08 Hz" in found.nodes["/n2"]["fpga"].basis
    assert found.nodes["/n3"]["cpu"].time_ns == 2e6
    assert "/n4" not in found.nodes
    assert found.hop_ns == 4e4
    by_hand = Costs("paper", {"/n1": {"cpu": NodeCost(1, "by hand"), "fpga": NodeCost(2, "guess")}})
    both = merged([found, by_hand])
    assert (both.nodes["/n1"]["cpu"].time_ns, both.nodes["/n1"]["fpga"].time_ns) == (1, 2)
    assert both.hop_ns == 4e4


def test_a_costs_file_is_read_back(tmp_path: Path) -> None:
    graph = free_graph({"A": "camera -> 1"}, ("1",))
    costs = costs_of(graph, drawn(1))
    path = tmp_path / "costs.json"
    path.write_text(json.dumps(costs.to_json()))
    assert load_costs([path]) == costs == from_json(costs.to_json())
    path.write_text(json.dumps({**costs.to_json(), "nodes": {"/n1": {"cpu": {"basis": "x"}}}}))
    with pytest.raises(InputError, match="lacks 'time_ns'"):
        load_costs([path])


def test_the_rules_mapping_is_untouched_by_the_question() -> None:
    graph = free_graph(papers.DRIVING_TOPICS, FREE)
    platform: Platform = BOARD
    before = map_graph(graph, platform, backends=planned())
    question_of(graph, platform, costs_of(graph, drawn(2)), planned())
    assert map_graph(graph, platform, backends=planned()) == before


def test_the_verb_writes_the_costs_and_tells_before_and_after(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("ortools")
    told = {"cpu": {"time_ns": 9e6, "basis": "x"}, "fpga": {"time_ns": 3e6, "basis": "x"}}
    costs = {"schema": "ligament/costs/1", "graph": "case", "nodes": {"/resize": told}}
    (tmp_path / "costs.json").write_text(json.dumps(costs))
    (tmp_path / "graph.yaml").write_text(CASE.format(packages=spec_dir() / "cases" / "packages"))
    words = ["map", str(tmp_path / "graph.yaml"), "--plan", "--out", str(tmp_path / "out")]
    words += ["-p", str(spec_dir() / "cases" / "platforms" / "board.yaml")]
    assert main([*words, "--optimise", "--costs", str(tmp_path / "costs.json")]) == 0
    said = capsys.readouterr().out
    assert "longest way through the graph: 9000000 -> 3" in said
    assert "moved: /resize cpu0 -> fpga0" in said
    written = tmp_path / "out" / "case" / "costs.json"
    assert load_costs([written]) == load_costs([tmp_path / "costs.json"])
    assert main([*words, "--optimise"]) == 2
    assert "--optimise without --costs FILE" in capsys.readouterr().err
