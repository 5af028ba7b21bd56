# SPDX-License-Identifier: Apache-2.0
"""A variant's graph: its parameters set, fused nodes in place of what they replace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ligament.graph.model import End, Fusion, Graph, Node, NodePort, Topic, Variant


def variant_graph(graph: Graph, variant: Variant) -> tuple[Graph, dict[str, tuple[str, ...]]]:
    """Return the graph as the variant wants it, and what each fused node replaces."""
    nodes = dict(graph.nodes)
    replaces: dict[str, tuple[str, ...]] = {}
    for fusion in variant.fuse:
        fused = _fused_node(graph, fusion, nodes)
        for member in fusion.nodes:
            del nodes[member]
        nodes[fused.id] = fused
        replaces[fused.id] = tuple(sorted(fusion.nodes))
    for name, values in variant.parameters.items():
        nodes[name] = _with_parameters(nodes[name], values)
    for name, host in variant.hosts.items():
        nodes[name] = replace(nodes[name], host=host)
    ordered = {n: nodes[n] for n in sorted(nodes)}
    topics = topics_of(graph, ordered)
    for name, bound in variant.bound_bytes.items():
        if name in topics:
            topics[name] = replace(topics[name], bound_bytes=bound)
    for name, mode in variant.modes.items():
        if name in topics:
            topics[name] = replace(topics[name], mode=mode)
    return replace(graph, nodes=ordered, topics=topics), replaces


def _with_parameters(node: Node, values: Mapping[str, Any]) -> Node:
    given = tuple(sorted({*node.parameters_set, *values}))
    return replace(node, parameters={**node.parameters, **values}, parameters_set=given)


def _fused_node(graph: Graph, fusion: Fusion, nodes: Mapping[str, Node]) -> Node:
    """Return the node of the hand-fused type, connected as the replaced ones were."""
    node_type = graph.types[fusion.type]
    fuses = node_type.fuses
    assert fuses is not None, "a fusion is checked before it is mapped"
    ports: dict[str, NodePort] = {}
    for own in sorted(node_type.ports):
        local, _, port = fuses.ports[own].partition(".")
        ports[own] = nodes[fusion.members[local]].ports[port]
    parameters = {n: p.default for n, p in node_type.parameters.items() if p.default is not None}
    given: set[str] = set()
    for own, reference in fuses.parameters.items():
        local, _, name = reference.partition(".")
        member = nodes[fusion.members[local]]
        if name in member.parameters:
            parameters[own] = member.parameters[name]
        if name in member.parameters_set:
            given.add(own)
    first = nodes[fusion.nodes[0]]
    namespace, _, name = fusion.id.rpartition("/")
    return Node(
        id=fusion.id,
        name=name,
        namespace=namespace or "/",
        type=fusion.type,
        ports=ports,
        parameters=parameters,
        parameters_set=tuple(sorted(given)),
        description=node_type.description,
        device=first.device,
        host=first.host,
        on_failure=first.on_failure,
        at=fusion.at,
    )


def topics_of(graph: Graph, nodes: Mapping[str, Node]) -> dict[str, Topic]:
    """Return the topics that the nodes' ports use, with their ends."""
    ends: dict[str, list[End]] = {}
    for node in nodes.values():
        for name, port in node.ports.items():
            ends.setdefault(port.topic, []).append(End(node.id, name, port.direction, port.qos))
    found: dict[str, Topic] = {}
    for name in sorted(ends):
        ordered = tuple(sorted(ends[name], key=lambda e: (e.direction != "out", e.node, e.port)))
        found[name] = replace(graph.topics[name], ends=ordered, qos=ordered[0].qos)
    return found
