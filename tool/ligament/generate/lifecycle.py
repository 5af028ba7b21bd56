# SPDX-License-Identifier: Apache-2.0
"""The order in which lifecycle nodes are brought up."""

from __future__ import annotations

from ligament.mapping.model import GraphMapping


def lifecycle_order(mapping: GraphMapping) -> list[str]:
    """Return the lifecycle nodes: who receives before who sends, else by name.

    So nothing that is sent first finds nobody. Within a loop of topics the names decide.
    """
    receivers = _receivers(mapping)
    order: list[str] = []
    visited: set[str] = set()

    def visit(node: str) -> None:
        if node in visited:
            return
        visited.add(node)
        for receiver in sorted(receivers.get(node, ())):
            visit(receiver)
        order.append(node)

    for name in sorted(mapping.nodes):
        visit(name)
    return [name for name in order if mapping.nodes[name].lifecycle]


def _receivers(mapping: GraphMapping) -> dict[str, set[str]]:
    """Return by node who gets its messages."""
    found: dict[str, set[str]] = {}
    for topic in mapping.topics.values():
        senders = {end.node for end in topic.ends if end.direction == "out"}
        getters = {end.node for end in topic.ends if end.direction == "in"}
        for sender in senders:
            found.setdefault(sender, set()).update(getters - {sender})
    return found
