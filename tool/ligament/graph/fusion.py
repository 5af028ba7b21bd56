# SPDX-License-Identifier: Apache-2.0
"""Does a hand-fused node type fit the nodes that it is to replace?

A fusion is right when nobody can tell the difference from outside: the replaced nodes have the
types that the fused type names, the topics between them are used by nobody else, every port that
somebody is connected to lives on, and no parameter that was set is lost.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ligament.graph.model import Fuses, Fusion, Node, NodeType, Topic


def fusion_members(node_type: NodeType, nodes: Sequence[Node]) -> tuple[dict[str, str], str]:
    """Return which node plays which local name of `fuses`, or why they do not fit.

    A node plays the local name that it is called by, else the one of its type that is left.
    """
    fuses = node_type.fuses
    assert fuses is not None
    members: dict[str, str] = {}
    left = dict(fuses.nodes)
    waiting: list[Node] = []
    for node in nodes:
        if left.get(node.name) == node.type:
            members[node.name] = node.id
            del left[node.name]
        else:
            waiting.append(node)
    for node in waiting:
        local = next((n for n in sorted(left) if left[n] == node.type), None)
        if local is None:
            return {}, f"'{node_type.type}' does not replace '{node.id}' ({node.type}) here"
        members[local] = node.id
        del left[local]
    if left:
        lacking = ", ".join(sorted(left.values()))
        return {}, f"'{node_type.type}' also replaces a node of type {lacking}, which is not named"
    return members, ""


def check_fusion(
    fusion: Fusion, node_type: NodeType, nodes: Mapping[str, Node], topics: Mapping[str, Topic]
) -> Iterator[str]:
    """Yield a sentence for each way in which the fusion would change the graph."""
    fuses = node_type.fuses
    assert fuses is not None
    inner = dict(_inside(fusion, fuses, nodes))
    yield from _inner_topics(fusion, fuses, nodes, topics)
    kept = {_split(reference, fusion) for reference in fuses.ports.values()}
    # Two replaced nodes may subscribe to one topic; the fused node takes it once for both.
    taken = {
        port.topic
        for node_id in fusion.nodes
        for name, port in nodes[node_id].ports.items()
        if (node_id, name) in kept and port.direction == "in"
    }
    for node_id in sorted(fusion.nodes):
        for name, port in nodes[node_id].ports.items():
            others = [e for e in topics[port.topic].ends if e.node not in fusion.nodes]
            if port.direction == "in" and port.topic in taken:
                continue
            if (node_id, name) not in kept and (node_id, name) not in inner and others:
                yield (
                    f"'{others[0].node}' uses '{port.topic}' of '{node_id}', "
                    f"which '{node_type.type}' does not have"
                )
    yield from _lost_parameters(fusion, node_type, fuses, nodes)


def _split(reference: str, fusion: Fusion) -> tuple[str, str]:
    local, _, name = reference.partition(".")
    return fusion.members.get(local, ""), name


def _inside(
    fusion: Fusion, fuses: Fuses, nodes: Mapping[str, Node]
) -> Iterator[tuple[tuple[str, str], str]]:
    for pair in fuses.inside:
        for reference in pair:
            node, port = _split(reference, fusion)
            if node in nodes and port in nodes[node].ports:
                yield (node, port), nodes[node].ports[port].topic


def _inner_topics(
    fusion: Fusion, fuses: Fuses, nodes: Mapping[str, Node], topics: Mapping[str, Topic]
) -> Iterator[str]:
    allowed = dict(_inside(fusion, fuses, nodes))
    for out, into in fuses.inside:
        (from_node, from_port), (to_node, to_port) = _split(out, fusion), _split(into, fusion)
        if (from_node, from_port) not in allowed or (to_node, to_port) not in allowed:
            continue  # the node type itself is wrong; its own check says so
        topic, other = allowed[(from_node, from_port)], allowed[(to_node, to_port)]
        if topic != other:
            yield f"'{from_node}' publishes '{topic}', but '{to_node}' subscribes to '{other}'"
            continue
        for end in topics[topic].ends:
            if (end.node, end.port) not in allowed:
                yield f"'{end.node}' also uses '{topic}', which would vanish inside the fused node"
        if topics[topic].outside:
            yield f"'{topic}' has ends outside, but would vanish inside the fused node"


def _lost_parameters(
    fusion: Fusion, node_type: NodeType, fuses: Fuses, nodes: Mapping[str, Node]
) -> Iterator[str]:
    kept = {_split(reference, fusion) for reference in fuses.parameters.values()}
    for node_id in sorted(fusion.nodes):
        for name in sorted(nodes[node_id].parameters_set):
            if (node_id, name) not in kept and name != "use_sim_time":
                yield (
                    f"parameter '{name}' of '{node_id}' is set, "
                    f"but '{node_type.type}' has nothing that takes its value"
                )
