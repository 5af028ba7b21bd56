# SPDX-License-Identifier: Apache-2.0
"""The mapping paper's formal view: node sets, topic sets, and edges across the boundary.

A graph is G = (V, E) with V = nodes and topics, E = publish edges (node, topic) and subscribe
edges (topic, node). With N_HW and N_SW the nodes in hardware and software, the communication
mapping splits the topics into T_SW, T_HW and T_GW. Counted are edges between a hardware node and
something in software, in three steps: with all topics in software; with hardware-mapped topics;
with gateways, where one edge per software end of the topic is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from ligament.graph.model import Topic
from ligament.mapping.model import Communication, Edges


def communication(
    topics: Mapping[str, Topic],
    hardware: Iterable[str],
    nodes: Iterable[str],
    mapped: Mapping[str, str],
) -> Communication:
    """Return sets and boundary edges; `mapped` is the class of each topic."""
    in_hardware = frozenset(hardware)

    def of_class(name: str) -> tuple[str, ...]:
        return tuple(sorted(t for t, m in mapped.items() if m == name))

    def remaining(topic: Topic) -> bool:
        return mapped[topic.id] != "hardware"

    software = tuple(sorted(t for t, m in mapped.items() if m not in ("hardware", "gateway")))
    return Communication(
        nodes_software=tuple(sorted(n for n in nodes if n not in in_hardware)),
        nodes_hardware=tuple(sorted(in_hardware)),
        topics_software=software,
        topics_hardware=of_class("hardware"),
        topics_gateway=of_class("gateway"),
        boundary_all_software=_hardware_edges(topics, in_hardware, lambda _: True),
        boundary_with_hardware_topics=_hardware_edges(topics, in_hardware, remaining),
        boundary_with_gateways=_gateway_edges(topics, in_hardware, mapped),
    )


def _hardware_edges(
    topics: Mapping[str, Topic], hardware: frozenset[str], counts: Callable[[Topic], bool]
) -> Edges:
    publish = subscribe = 0
    for topic in topics.values():
        if counts(topic):
            publish += sum(e.node in hardware for e in topic.publishers)
            subscribe += sum(e.node in hardware for e in topic.subscriptions)
    return Edges(publish, subscribe)


def _gateway_edges(
    topics: Mapping[str, Topic], hardware: frozenset[str], mapped: Mapping[str, str]
) -> Edges:
    """Count what crosses at the end: a gateway's software ends, a software topic's hardware ends.

    Seen from the hardware: it publishes to a software subscription, and subscribes to a software
    publisher.
    """
    publish = subscribe = 0
    for topic in topics.values():
        if mapped[topic.id] == "gateway":
            publish += sum(e.node not in hardware for e in topic.subscriptions)
            subscribe += sum(e.node not in hardware for e in topic.publishers)
        elif mapped[topic.id] != "hardware":
            publish += sum(e.node in hardware for e in topic.publishers)
            subscribe += sum(e.node in hardware for e in topic.subscriptions)
    return Edges(publish, subscribe)
