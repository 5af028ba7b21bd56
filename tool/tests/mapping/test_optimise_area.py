# SPDX-License-Identifier: Apache-2.0
"""The optimiser counts the cells of a design as `map` does, and keeps a budget to the last one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from test_optimise import board_of, costs_of, free_graph, in_software

from ligament.graph.model import Graph
from ligament.mapping import map_graph, planned
from ligament.mapping.budgets import needs_of
from ligament.mapping.placing import Question, judge, question_of
from ligament.mapping.platform import Platform
from ligament.mapping.solve import best_answer

BUSES = {"memory": "bus", "registers": "bus"}


def on_board(luts: int, clocks: dict[str, str]) -> Platform:
    board = board_of("xcup", luts)
    fpga = replace(board.devices["fpga0"], clocks=clocks)
    more = {**board.clocks, "bus": {"kind": "cycles", "frequency_hz": 50e6}}
    return replace(board, devices={**board.devices, "fpga0": fpga}, clocks=more)


def with_timer(graph: Graph, node: str) -> Graph:
    """The same; the core of a node, whose type is its own, has a timer."""
    name = graph.nodes[node].type
    node_type = graph.types[name]
    core = {**node_type.implementations["fpga"], "timers": {"tick": "period"}}
    implementations = {**node_type.implementations, "fpga": core}
    timed = replace(node_type, implementations=implementations)
    return replace(graph, types={**graph.types, name: timed})


@pytest.mark.parametrize("clocks", [{}, BUSES], ids=["one clock", "several"])
@pytest.mark.parametrize("rate_hz", [30.0, 1000.0], ids=["64 bits", "128 bits"])
def test_cells_are_those_that_map_counts(rate_hz: float, clocks: dict[str, str]) -> None:
    """Ends, their converters, counters, crossings and timers, beside a gateway of that width."""
    ways = {"A": "camera -> 1", "B": "1 -> 2 3 x", "C": "2 -> sink", "D": "3 -> sink"}
    graph = with_timer(free_graph(ways, ("1", "2", "3"), rate_hz), "/n3")
    board = on_board(1_000_000, clocks)
    question = question_of(graph, board, costs_of(graph, lambda *_: (1e6, {})), planned())
    hardware = {"/n1", "/n2", "/n3"}
    answer = {n: int(n in hardware) for n in question.options}
    wished = replace(
        graph, nodes={n: replace(m, device="fpga0") if n in hardware else m
                      for n, m in graph.nodes.items()},
    )  # fmt: skip
    mapping = map_graph(wished, board, backends=planned())
    assert mapping.topics["/B"].mapped == "gateway"
    assert question.topics["/B"].costs[1, 2].width_bits == (64 if rate_hz < 100 else 128)
    device = board.devices["fpga0"]
    devices = {n: board.devices[m.device] for n, m in mapping.nodes.items()}
    needs = needs_of(wished, device, devices, mapping.topics, {})
    found = judge(question, answer).area
    assert found["lut"] == pytest.approx(sum(needs["lut"].values()), abs=1)


@pytest.mark.parametrize("clocks", [{}, BUSES], ids=["one clock", "several"])
@pytest.mark.parametrize("rate_hz", [30.0, 1000.0], ids=["64 bits", "128 bits"])
def test_a_budget_is_kept_to_the_last_cell(rate_hz: float, clocks: dict[str, str]) -> None:
    pytest.importorskip("ortools")
    ways = {"A": "camera -> 1", "B": "1 -> 2 3 x", "C": "2 -> sink", "D": "3 -> sink"}
    graph = with_timer(free_graph(ways, ("1", "2", "3"), rate_hz), "/n3")
    costs = costs_of(graph, lambda _, kind: (1e3 if kind == "fpga" else 1e12, {}))

    def best(luts: int) -> tuple[Question, dict[str, int]]:
        asked = question_of(graph, on_board(luts, clocks), costs, planned())
        free = replace(asked, bytes_per_s=None)
        return free, best_answer(free, in_software(free))

    question, all_in = best(1_000_000)
    assert sum(all_in.values()) == 3
    needed = judge(question, all_in).area["lut"]
    assert best(needed)[1] == all_in
    assert best(needed - 1)[1] != all_in
