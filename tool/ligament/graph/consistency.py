# SPDX-License-Identifier: Apache-2.0
"""Does a normalised graph hang together? Asked of one that was not made by this tool.

A schema cannot say that a name leads somewhere. A graph.json written by hand, or edited, is checked
here before any stage works with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ligament.errors import Location, Problem, no_such
from ligament.graph import names
from ligament.graph.model import Graph, Node, Topic, Variant
from ligament.graph.qos import incompatibility
from ligament.graph.source import Document, Path

if TYPE_CHECKING:
    from ligament.mapping.model import MappedTopic


def inconsistencies(graph: Graph, document: Document) -> Iterator[Problem]:
    """Yield what does not fit together, each with its place in the document."""
    for key, node in graph.nodes.items():
        yield from _node(graph, key, node, document)
    for key, topic in graph.topics.items():
        yield from _topic(graph, key, topic, document)
    yield from _variants(graph, document)
    if graph.check and graph.check.sink not in graph.nodes:
        yield _unknown("node", graph.check.sink, graph.nodes, document.at("check", "sink"))


def _unknown(what: str, name: str, known: object, at: Location) -> Problem:
    names_known = [str(k) for k in known] if hasattr(known, "__iter__") else []
    return no_such(
        f"{what.replace(' ', '-')}-unknown", f"there is no {what} '{name}'", name, names_known, at
    )


def _node(graph: Graph, key: str, node: Node, document: Document) -> Iterator[Problem]:
    path = ("nodes", key)
    if node.id != key or names.join(node.namespace, node.name) != key:
        full = names.join(node.namespace, node.name)
        yield Problem(
            "id-mismatch",
            f"the node under '{key}' calls itself '{node.id}' and is '{full}'",
            document.key_at(*path),
            expected="one id, the same everywhere",
        )
    if node.type not in graph.types:
        yield _unknown("node type", node.type, graph.types, document.at(*path, "type"))
    for port, connected in node.ports.items():
        ends = graph.topics[connected.topic].ends if connected.topic in graph.topics else ()
        if not any(
            e.node == key and e.port == port and e.direction == connected.direction for e in ends
        ):
            yield Problem(
                "topic-ends",
                f"the topic '{connected.topic}' lacks the end '{key}', port '{port}'",
                document.at(*path, "ports", port),
                expected="an end per connected port",
            )


def own_id(key: str, topic: Topic | MappedTopic, document: Document) -> Iterator[Problem]:
    """Yield that the id or the hash of a topic are another one's."""
    topic_hash = f"0x{names.name_hash(key):016x}"
    if topic.id != key or topic.hash != topic_hash:
        yield Problem(
            "id-mismatch",
            f"id or hash of the topic '{key}' are not its own",
            document.at("topics", key, "hash"),
            expected=f"id {key}, hash {topic_hash}",
        )


def _topic(graph: Graph, key: str, topic: Topic, document: Document) -> Iterator[Problem]:
    path = ("topics", key)
    yield from own_id(key, topic, document)
    for i, end in enumerate(topic.ends):
        node = graph.nodes.get(end.node)
        if node is None:
            yield _unknown("node", end.node, graph.nodes, document.at(*path, "ends", i, "node"))
            continue
        port = node.ports.get(end.port)
        if port is None:
            yield _unknown("port", end.port, node.ports, document.at(*path, "ends", i, "port"))
        elif port.message != topic.message:
            yield Problem(
                "topic-type-mismatch",
                f"port '{end.port}' of '{end.node}' carries {port.message}",
                document.at(*path, "ends", i),
                expected=topic.message,
            )
    for publisher in topic.publishers:
        for subscription in topic.subscriptions:
            reason = incompatibility(publisher.qos, subscription.qos)
            if reason:
                yield Problem(
                    "topic-qos-mismatch",
                    f"'{subscription.node}' cannot get '{key}': {reason}",
                    document.at(*path, "ends"),
                )


def _variants(graph: Graph, document: Document) -> Iterator[Problem]:
    if graph.default_variant not in graph.variants:
        at = document.at("default_variant")
        yield _unknown("variant", graph.default_variant, graph.variants, at)
    for name, variant in graph.variants.items():
        path = ("variants", name)
        yield from _fusions(graph, variant, document, path)
        known = {*graph.nodes, *(f.id for f in variant.fuse)}
        for node, at in _named_nodes(variant, document, path):
            if node not in known:
                yield _unknown("node", node, known, at)
        for key, wishes in (
            ("transports", variant.transports),
            ("topic_models", variant.topic_models),
        ):
            for topic in wishes:
                if topic not in graph.topics:
                    at = document.key_at(*path, key, topic)
                    yield _unknown("topic", topic, graph.topics, at)


def _fusions(graph: Graph, variant: Variant, document: Document, path: Path) -> Iterator[Problem]:
    for i, fusion in enumerate(variant.fuse):
        for j, node in enumerate(fusion.nodes):
            if node not in graph.nodes:
                at = document.at(*path, "fuse", i, "nodes", j)
                yield _unknown("node", node, graph.nodes, at)
        node_type = graph.types.get(fusion.type)
        if node_type is None or node_type.fuses is None:
            at = document.at(*path, "fuse", i, "type")
            yield _unknown("node type", fusion.type, graph.types, at)


def _named_nodes(
    variant: Variant, document: Document, path: Path
) -> Iterator[tuple[str, Location]]:
    """Yield every node that a variant names outside its fusions, with its place."""
    for key, wishes in (
        ("devices", variant.devices),
        ("implementations", variant.implementations),
        ("device_models", variant.device_models),
    ):
        for node in wishes:
            yield node, document.key_at(*path, key, node)
    for node in variant.parameters:
        yield node, document.key_at(*path, "parameters", node)
    if not isinstance(variant.containers, str):
        for group, members in variant.containers.items():
            for i, node in enumerate(members):
                yield node, document.at(*path, "containers", group, i)
