# SPDX-License-Identifier: Apache-2.0
"""Which hops of a graph close cycles: left out where a longest way is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ligament.graph.model import Graph

if TYPE_CHECKING:
    import networkx


def closing_hops(graph: Graph) -> set[tuple[str, str]]:
    """Return pairs of nodes without which no cycle is left; the same graph gives the same pairs.

    Found by a depth-first walk from the nodes that nobody feeds, then from all others by name.
    """
    import networkx  # noqa: PLC0415 - slow to import

    found: networkx.DiGraph[str] = networkx.DiGraph()
    found.add_nodes_from(sorted(graph.nodes))
    for name in sorted(graph.topics):
        topic = graph.topics[name]
        found.add_edges_from(
            (p.node, s.node) for p in topic.publishers for s in topic.subscriptions
        )
    order = sorted(found.nodes, key=lambda n: (found.in_degree(n) > 0, n))
    closing: set[tuple[str, str]] = set()
    done: set[str] = set()
    for start in order:
        if start not in done:
            closing |= _walk(found, start, done)
    return closing


def _walk(graph: networkx.DiGraph[str], start: str, done: set[str]) -> set[tuple[str, str]]:
    """Walk without recursion: a chain of a thousand nodes is a graph like any other."""
    closing: set[tuple[str, str]] = set()
    open_ = {start}
    stack = [(start, iter(sorted(graph.successors(start))))]
    while stack:
        node, following = stack[-1]
        head = next(following, None)
        if head is None:
            stack.pop()
            open_.discard(node)
            done.add(node)
        elif head in open_:
            closing.add((node, head))
        elif head not in done:
            open_.add(head)
            stack.append((head, iter(sorted(graph.successors(head)))))
    return closing
