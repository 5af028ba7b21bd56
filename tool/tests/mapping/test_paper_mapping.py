# SPDX-License-Identifier: Apache-2.0
"""The mapping method gives what the papers say, on their own graphs."""

from __future__ import annotations

import json

import paper_graphs as papers
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ligament.errors import InputError
from ligament.graph.source import Document
from ligament.mapping import map_graph, planned
from ligament.mapping.consistency import inconsistencies
from ligament.mapping.model import Edges, GraphMapping, from_json


def _map(
    topics: dict[str, str], hardware: tuple[str, ...], size: int | None = None
) -> GraphMapping:
    return map_graph(papers.graph(topics, hardware, size), papers.BOARD, backends=planned())


def test_eleven_nodes_of_the_mapping_paper() -> None:
    found = _map(papers.ELEVEN_TOPICS, papers.ELEVEN_HARDWARE).communication
    assert found.topics_software == ("/D",)
    assert found.topics_hardware == ("/B",)
    assert found.topics_gateway == ("/A", "/C", "/E")
    assert found.nodes_software == ("/n6", "/n8", "/n9")
    assert found.boundary_all_software == Edges(3, 7)
    assert found.boundary_with_hardware_topics == Edges(2, 6)
    assert found.boundary_with_gateways.total == 3


def test_edges_left_by_gateways_are_those_to_software() -> None:
    found = _map(papers.ELEVEN_TOPICS, papers.ELEVEN_HARDWARE).communication
    # A to 8 and C to 6 leave the hardware, 9 to E enters it.
    assert found.boundary_with_gateways == Edges(publish=2, subscribe=1)


def test_driving_application_of_the_topics_paper() -> None:
    found = _map(papers.DRIVING_TOPICS, papers.DRIVING_HARDWARE).communication
    assert found.topics_hardware == ("/A", "/B", "/C")
    assert found.topics_gateway == ()
    # One hardware end each: a gateway would save no transfer.
    assert found.topics_software == ("/D", "/E", "/F", "/camera")


def test_extended_driving_application_of_the_mapping_paper() -> None:
    mapping = _map(papers.EXTENDED_TOPICS, papers.EXTENDED_HARDWARE)
    assert mapping.communication.topics_gateway == ("/A",)
    assert mapping.communication.topics_hardware == ("/B", "/C")
    assert mapping.topics["/A"].transports == ("gateway", "shm")
    assert "3 hardware subscriptions" in mapping.topics["/A"].reason.text


def test_all_in_software_uses_shared_memory_only() -> None:
    mapping = _map(papers.ELEVEN_TOPICS, ())
    assert {t.transports for t in mapping.topics.values()} == {("shm",)}
    assert mapping.communication.boundary_all_software == Edges()


def test_all_in_hardware_crosses_nothing() -> None:
    nodes = tuple(str(i) for i in range(1, 12))
    mapping = _map(papers.ELEVEN_TOPICS, nodes)
    assert {t.mapped for t in mapping.topics.values()} == {"hardware"}
    assert mapping.communication.boundary_all_software == Edges(6, 10)
    assert mapping.communication.boundary_with_gateways == Edges()


def test_gateway_is_costed_once_per_direction() -> None:
    size = 1_000_000
    gateway = _map({"A": "1 -> 2 3 4 8"}, ("2", "3", "4"), size).topics["/A"]
    costs = {c.name: c.value for c in gateway.reason.costs}
    assert gateway.mapped == "gateway"
    assert costs["boundary crossings per message"] == 1
    assert costs["payload bytes copied per message"] == size
    # 500 ns to the first byte and 1.6 bytes per nanosecond.
    assert costs["link time per message"] == pytest.approx(500 + size / 1.6)


def test_software_topic_is_costed_per_hardware_end() -> None:
    topic = _map({"A": "1 8 -> 2"}, ("1", "2"), 1000).topics["/A"]
    costs = {c.name: c.value for c in topic.reason.costs}
    assert topic.mapped == "software"
    assert costs["payload bytes copied per message"] == 2000


def test_unknown_size_gives_crossings_but_no_bytes() -> None:
    topic = _map({"A": "1 -> 2"}, ("2",)).topics["/A"]
    assert [c.name for c in topic.reason.costs] == ["boundary crossings per message"]


def test_gateways_ask_for_bounds_where_they_have_to_run() -> None:
    with pytest.raises(InputError) as caught:
        map_graph(papers.graph(papers.ELEVEN_TOPICS, papers.ELEVEN_HARDWARE), papers.BOARD)
    assert {p.code for p in caught.value.problems} == {"bound-missing"}
    assert {"'/A'", "'/C'", "'/E'"} <= {p.text[:4] for p in caught.value.problems}


NODES = st.lists(
    st.sampled_from([str(i) for i in range(1, 8)]), min_size=1, max_size=4, unique=True
)
TOPICS = st.dictionaries(st.sampled_from("ABCDEF"), st.tuples(NODES, NODES), min_size=1)


@given(TOPICS, st.sets(st.sampled_from([str(i) for i in range(1, 8)])), st.randoms())
def test_mapping_is_deterministic_and_complete(topics, hardware, shuffler) -> None:  # type: ignore[no-untyped-def]
    notation = {t: f"{' '.join(left)} -> {' '.join(right)}" for t, (left, right) in topics.items()}
    first = _map(notation, tuple(sorted(hardware)))
    names = list(notation)
    shuffler.shuffle(names)
    again = _map({n: notation[n] for n in names}, tuple(hardware))
    assert json.dumps(first.to_json()) == json.dumps(again.to_json())
    found = first.communication
    sets = [set(found.topics_software), set(found.topics_hardware), set(found.topics_gateway)]
    assert set.union(*sets) == set(first.topics)
    assert sum(map(len, sets)) == len(first.topics)
    # Each step of the method crosses the boundary at most as often as the one before.
    assert found.boundary_with_hardware_topics.total <= found.boundary_all_software.total


@given(TOPICS, st.sets(st.sampled_from([str(i) for i in range(1, 8)])))
def test_mapping_goes_through_json_unchanged(topics, hardware) -> None:  # type: ignore[no-untyped-def]
    notation = {t: f"{' '.join(left)} -> {' '.join(right)}" for t, (left, right) in topics.items()}
    mapping = _map(notation, tuple(hardware), 1000)
    data = json.loads(json.dumps(mapping.to_json()))
    assert from_json(data) == mapping
    assert not list(inconsistencies(mapping, Document("mapping.json", data)))
