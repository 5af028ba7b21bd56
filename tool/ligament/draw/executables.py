# SPDX-License-Identifier: Apache-2.0
"""Executables of other packages in pictures: boxes beside the nodes, at the topics they declare."""

from __future__ import annotations

from dataclasses import replace

from ligament.graph.executable import Executable
from ligament.graph.model import End, NodePort
from ligament.graph.names import name_hash
from ligament.graph.qos import merge
from ligament.mapping.model import GraphMapping, MappedNode, MappedTopic, Reason

KIND = "external"
_DIRECTIONS = {"publisher": "out", "subscription": "in"}


def with_executables(mapping: GraphMapping) -> GraphMapping:
    """Return a mapping to be drawn: executables as nodes of a kind of their own."""
    if not mapping.executables:
        return mapping
    nodes, topics = dict(mapping.nodes), dict(mapping.topics)
    containers = dict(mapping.containers)
    for name, one in mapping.executables.items():
        nodes[name] = _node(name, one)
        containers[name] = (name,)
        for role, topic, message in one.ends():
            end = End(name, f"{role} {topic}", _DIRECTIONS[role], merge())
            known = topics.get(topic) or _topic(topic, message)
            topics[topic] = replace(known, ends=(*known.ends, end))
    return replace(mapping, nodes=nodes, topics=topics, containers=containers)


def _node(name: str, one: Executable) -> MappedNode:
    ports = {
        f"{role} {topic}": NodePort(topic, _DIRECTIONS[role], message, merge())
        for role, topic, message in one.ends()
    }
    shown = one.executable if not one.is_file else one.executable.rpartition("/")[2]
    told = one.description or f"{one.executable}, started with the graph"
    return MappedNode(
        type=shown,
        name=name,
        namespace=one.namespace or "/",
        device="executable",
        kind=KIND,
        implementation=KIND,
        container=name,
        reason=Reason("executable", " ".join((told, *one.arguments))),
        ports=ports,
    )


def _topic(name: str, message: str) -> MappedTopic:
    """Return a topic that no node of the graph uses."""
    return MappedTopic(
        id=name,
        hash=f"0x{name_hash(name):016x}",
        message=message,
        mapped="software",
        transports=("shm",),
        ends=(),
        qos=merge(),
        reason=Reason("executable", "between executables, in the ROS domain's shared memory"),
    )
