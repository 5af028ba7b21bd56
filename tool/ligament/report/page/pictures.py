# SPDX-License-Identifier: Apache-2.0
"""The picture of a variant's graph: from its mapping, else from what the report tells of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ligament.draw.svg import svg_picture
from ligament.errors import LigamentError
from ligament.graph.model import End
from ligament.graph.names import name_hash
from ligament.graph.qos import merge
from ligament.mapping.files import load_mapping
from ligament.mapping.model import GraphMapping, MappedNode, MappedTopic, Reason

MAPPING = Path("..") / ".." / "mapping.json"
"""From a run's folder: build/<graph>/<variant>/runs/<run_id>/."""


def draw_variant(graph: str, variant: Mapping[str, Any]) -> str:
    """SVG of a variant's graph; empty where nothing is known of it."""
    mapping = _mapped(Path(variant["run_dir"]) / MAPPING) or derived_mapping(graph, variant)
    return svg_picture(mapping) if mapping.nodes or mapping.executables else ""


def _mapped(path: Path) -> GraphMapping | None:
    """The mapping beside the run; an unreadable one is no reason to make no page."""
    if not path.is_file():
        return None
    try:
        return load_mapping(path)
    except LigamentError:
        return None


def derived_mapping(graph: str, variant: Mapping[str, Any]) -> GraphMapping:
    """A mapping with the nodes and topics that the report names, as far as it knows their ends.

    Transports are left open: a recording does not tell what carried a message.
    """
    ends = _ends(variant)
    containers = {n["node"]: n.get("container") or n["node"] for n in variant.get("nodes") or []}
    names = dict.fromkeys([*containers, *(node for node, _, _ in ends)])
    nodes = {name: _node(name, containers.get(name, name)) for name in names}
    messages = {
        t["name"]: t.get("message") or "" for t in (variant.get("found") or {}).get("topics", [])
    }
    topics = {
        topic: _topic(topic, messages.get(topic, ""), ends)
        for topic in dict.fromkeys(t for _, t, _ in ends)
    }
    groups: dict[str, tuple[str, ...]] = {}
    for name, node in nodes.items():
        groups[node.container] = (*groups.get(node.container, ()), name)
    return GraphMapping(graph, variant["name"], "the recording", nodes, topics, groups)


def _ends(variant: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """(node, topic, direction), each once: of all topics, and of the chain's hops."""
    found: dict[tuple[str, str, str], None] = {}
    for topic in variant.get("topics") or []:
        for direction, nodes in (("out", topic.get("from")), ("in", topic.get("to"))):
            for node in nodes or []:
                found[node, topic["topic"], direction] = None
    for hop in variant.get("hops") or []:
        found[hop["from"], hop["topic"], "out"] = None
        found[hop["to"], hop["topic"], "in"] = None
    return list(found)


def _node(name: str, container: str) -> MappedNode:
    reason = Reason("recorded", "as the recording tells")
    return MappedNode("", name, "", "cpu", "cpu", "", container, reason)


def _topic(topic: str, message: str, ends: list[tuple[str, str, str]]) -> MappedTopic:
    own = tuple(End(node, "", direction, merge({})) for node, t, direction in ends if t == topic)
    reason = Reason("recorded", "as the recording tells")
    return MappedTopic(
        topic, f"0x{name_hash(topic):016x}", message, "software", (), own, merge({}), reason
    )
