# SPDX-License-Identifier: Apache-2.0
"""Does a mapping hang together? Asked of every mapping.json that is read, made by hand or not."""

from __future__ import annotations

from collections.abc import Iterator

from ligament.errors import Problem, listing, no_such
from ligament.graph import names
from ligament.graph.consistency import own_id
from ligament.graph.source import Document
from ligament.mapping.device_topics import Case, topic_problems
from ligament.mapping.model import GraphMapping, MappedNode, MappedTopic

#: What runs on a kind of device, where it is not what is called so.
IMPLEMENTATIONS = {"cpu": ("cpu", "python", "mcu"), "fpga": ("fpga", "hls")}


def inconsistencies(mapping: GraphMapping, document: Document) -> Iterator[Problem]:
    """Yield what does not fit together, each with its place in the document."""
    for key, node in mapping.nodes.items():
        yield from _node(mapping, key, node, document)
    for key, topic in mapping.topics.items():
        yield from _topic(mapping, key, topic, document)
    for container, members in mapping.containers.items():
        for i, member in enumerate(members):
            if member not in mapping.nodes:
                yield no_such(
                    "node-unknown",
                    f"the container '{container}' names the unknown node '{member}'",
                    member,
                    mapping.nodes,
                    document.at("containers", container, i),
                )


def _node(
    mapping: GraphMapping, key: str, node: MappedNode, document: Document
) -> Iterator[Problem]:
    path = ("nodes", key)
    full = names.join(node.namespace, node.name)
    if full != key:
        yield Problem(
            "id-mismatch",
            f"the node under '{key}' is called '{full}'",
            document.key_at(*path),
            expected="one id, the same everywhere",
        )
    holders = [c for c, members in mapping.containers.items() if key in members]
    if holders != [node.container]:
        where = f"is in {listing(holders)}" if holders else "is in no container"
        yield Problem(
            "container-mismatch",
            f"'{key}' says container '{node.container}' but {where}",
            document.at(*path, "container"),
            expected="the one container that lists it",
        )
    if node.implementation not in IMPLEMENTATIONS.get(node.kind, (node.kind,)):
        yield Problem(
            "implementation-missing",
            f"'{key}' runs its {node.implementation} implementation on a {node.kind}",
            document.at(*path, "implementation"),
            expected=" or ".join(IMPLEMENTATIONS.get(node.kind, (node.kind,))),
        )
    for port, connected in node.ports.items():
        if connected.topic not in mapping.topics:
            yield no_such(
                "topic-unknown",
                f"there is no topic '{connected.topic}'",
                connected.topic,
                mapping.topics,
                document.at(*path, "ports", port, "topic"),
            )


def _topic(
    mapping: GraphMapping, key: str, topic: MappedTopic, document: Document
) -> Iterator[Problem]:
    path = ("topics", key)
    yield from own_id(key, topic, document)
    ends = {(e.node, e.port) for e in topic.ends}
    ports = {
        (n, p): port
        for n, node in mapping.nodes.items()
        for p, port in node.ports.items()
        if port.topic == key
    }
    for node, name in sorted(ends ^ set(ports)):
        yield Problem(
            "topic-ends",
            f"topic '{key}' and node '{node}' disagree about port '{name}'",
            document.at(*path, "ends"),
            expected="an end per connected port, and nothing else",
        )
    for (node, name), port in sorted(ports.items()):
        if port.message != topic.message:
            yield Problem(
                "topic-type-mismatch",
                f"port '{name}' of '{node}' carries {port.message}",
                document.at("nodes", node, "ports", name, "message"),
                expected=topic.message,
            )
    if "shm" in topic.transports:
        kinds = {name: node.kind for name, node in mapping.nodes.items()}
        at = document.key_at(*path)
        case = Case(key, topic.ends, topic.bound_bytes, "gateway" in topic.transports)
        yield from topic_problems(case, kinds, at)
