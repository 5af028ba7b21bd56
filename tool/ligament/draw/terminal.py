# SPDX-License-Identifier: Apache-2.0
"""A mapped graph for the terminal: containers, their nodes, and where each output goes."""

from __future__ import annotations

from rich.text import Text
from rich.tree import Tree

from ligament.draw.executables import KIND as EXTERNAL
from ligament.draw.executables import with_executables
from ligament.draw.palette import KINDS, OUTSIDE, TRANSPORTS, main_transport
from ligament.mapping.model import GraphMapping, MappedNode, MappedTopic


def terminal_picture(mapping: GraphMapping) -> Tree:
    """Return a tree to print with rich: container, node, output topic and its subscriptions."""
    mapping = with_executables(mapping)
    tree = Tree(
        Text.assemble((mapping.graph, "bold"), f"  {mapping.variant} on {mapping.platform}")
    )
    for container, members in mapping.containers.items():
        kind = "executable" if mapping.nodes[members[0]].kind == EXTERNAL else "container"
        branch = tree.add(Text(f"{kind} {container}", style="dim"))
        for name in members:
            _add_node(branch, name, mapping.nodes[name], mapping)
    outside = [t for t in mapping.topics.values() if not any(e.direction == "out" for e in t.ends)]
    if outside:
        branch = tree.add(Text("from outside", style="dim"))
        for topic in outside:
            branch.add(_topic_text(topic.id, mapping))
    return tree


def _add_node(branch: Tree, name: str, node: MappedNode, mapping: GraphMapping) -> None:
    colour = (OUTSIDE if node.kind == EXTERNAL else KINDS[node.kind]).terminal
    label = Text.assemble(
        ("■ ", colour), (name, f"bold {colour}"), f"  {node.type}  ", (node.device, colour)
    )
    if node.replaces:
        label.append(f"  in place of {', '.join(node.replaces)}", style="dim")
    leaf = branch.add(label)
    for port in sorted(node.ports):
        if node.ports[port].direction == "out":
            leaf.add(_topic_text(node.ports[port].topic, mapping))


def _topic_text(name: str, mapping: GraphMapping) -> Text:
    topic = mapping.topics[name]
    colour = TRANSPORTS[main_transport(topic.transports)].terminal
    heads = ", ".join(e.node for e in topic.ends if e.direction == "in") or "nobody"
    return Text.assemble(
        ("→ ", colour),
        (name, colour),
        f"  {topic.message.replace('/msg/', '/')}  ",
        (" + ".join(topic.transports), f"bold {colour}"),
        f"  → {heads}",
        (_predicted(topic), "dim"),
    )


def _predicted(topic: MappedTopic) -> str:
    """Return the cycles of a message on an FPGA, where they are predicted."""
    cycles = next((a.cycles for a in topic.alternatives if a.chosen), None)
    return "" if cycles is None else f"  {cycles} cycles predicted"
