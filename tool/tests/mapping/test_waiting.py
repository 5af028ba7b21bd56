# SPDX-License-Identifier: Apache-2.0
"""Deadlock risk in cyclic hardware graphs: warned of, removed where a queue can hold a message."""

from __future__ import annotations

from dataclasses import replace

import paper_graphs as papers

from ligament.graph.model import Graph
from ligament.graph.qos import QoS
from ligament.mapping import GraphMapping, map_graph, planned

LIGHTS = {"E": "red -> green", "F": "green -> red", "G": "red -> sink"}


def with_qos(graph: Graph, topics: str, qos: QoS) -> Graph:
    found = {
        name: replace(topic, ends=tuple(replace(e, qos=qos) for e in topic.ends))
        if name.strip("/") in topics
        else topic
        for name, topic in graph.topics.items()
    }
    nodes = {
        n: replace(
            node,
            ports={
                p: replace(port, qos=qos) if port.topic.strip("/") in topics else port
                for p, port in node.ports.items()
            },
        )
        for n, node in graph.nodes.items()
    }
    return replace(graph, nodes=nodes, topics=found)


def mapped(
    topics: dict[str, str], hardware: tuple[str, ...], size: int | None, keep_all: str = ""
) -> GraphMapping:
    graph = with_qos(papers.graph(topics, hardware, size), keep_all, QoS(history="keep_all"))
    return map_graph(graph, papers.BOARD, backends=planned())


def risks(mapping: GraphMapping) -> list[str]:
    return [w for w in mapping.warnings if "deadlock risk" in w]


def test_a_cycle_of_waiting_queues_is_warned_of_with_its_nodes_and_topics() -> None:
    (risk,) = risks(mapped(LIGHTS, ("red", "green", "sink"), 1_000_000, "EF"))
    assert "/green, /red can wait for each other over /E, /F" in risk
    assert "/G" not in risk and "/sink" not in risk


def test_a_queue_that_drops_makes_the_cycle_legitimate() -> None:
    """As the two light detectors of the driving graph."""
    mapping = mapped(LIGHTS, ("red", "green", "sink"), 1000, "E")
    assert not risks(mapping)
    assert mapping.topics["/F"].stream.queues[0].kind == "keep-last"  # type: ignore[union-attr]


def test_a_queue_is_deepened_until_it_holds_a_message() -> None:
    mapping = mapped(LIGHTS, ("red", "green", "sink"), 10_000, "EFG")
    assert not risks(mapping)
    depths = [mapping.topics[t].stream.queues[0].depth_beats for t in ("/E", "/F", "/G")]  # type: ignore[union-attr]
    # One of the two is enough; 10,000 bytes are 1258 beats with padding.
    assert depths == [2048, 512, 512]


def test_without_a_bound_no_queue_is_deep_enough() -> None:
    assert risks(mapped(LIGHTS, ("red", "green", "sink"), None, "EF"))


def test_a_cycle_through_software_does_not_wait() -> None:
    assert not risks(mapped({"E": "red -> green x", "F": "green -> red"}, ("red",), None, "EF"))


def test_a_node_that_listens_to_itself_is_a_cycle() -> None:
    assert risks(mapped({"E": "red -> red green"}, ("red", "green"), None, "E"))


def test_two_cycles_with_one_topic_in_common_need_one_deeper_queue_each() -> None:
    topics = {"A": "1 -> 2 3", "B": "2 -> 1", "C": "3 -> 1"}
    mapping = mapped(topics, ("1", "2", "3"), 10_000, "ABC")
    assert not risks(mapping)
    deep = [q.depth_beats for t in mapping.topics.values() for q in t.stream.queues]  # type: ignore[union-attr]
    assert sorted(deep) == [512, 512, 2048, 2048]


def test_the_driving_graph_has_no_risk() -> None:
    for size in (1000, 921_600):
        assert not risks(mapped(papers.EXTENDED_TOPICS, papers.EXTENDED_HARDWARE, size))


def test_the_light_detectors_wait_for_each_other_only_where_their_queues_keep_all() -> None:
    everything = (*papers.EXTENDED_HARDWARE, "control")
    found = mapped(papers.EXTENDED_TOPICS, everything, 1000)
    assert not risks(found)
    cycle = [found.topics[t].stream.queues for t in ("/E", "/F")]  # type: ignore[union-attr]
    assert [{queue.kind for queue in queues} for queues in cycle] == [{"keep-last"}] * 2
    # Where no queue on the cycle holds a message, or drops one, they can.
    (risk,) = risks(mapped(papers.EXTENDED_TOPICS, everything, 921_600, "EF"))
    assert "/green_light, /red_light can wait for each other over /E, /F" in risk
