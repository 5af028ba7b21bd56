# SPDX-License-Identifier: Apache-2.0
"""Which hops of a graph close cycles: left out where a longest way is asked for."""

from __future__ import annotations

from collections.abc import Mapping

from ligament.graph.model import Graph


def closing_hops(graph: Graph) -> set[tuple[str, str]]:
    """Return pairs of nodes without which no cycle is left; the same graph gives the same pairs.

    Found by a depth-first walk from the nodes that nobody feeds, then from all others by name.
    """
    found: dict[str, set[str]] = {name: set() for name in graph.nodes}
    for topic in graph.topics.values():
        for publisher in topic.publishers:
            found[publisher.node].update(s.node for s in topic.subscriptions)
    fed = set().union(*found.values())
    order = sorted(found, key=lambda n: (n in fed, n))
    closing: set[tuple[str, str]] = set()
    done: set[str] = set()
    for start in order:
        if start not in done:
            closing |= _walk(found, start, done)
    return closing


def _walk(graph: Mapping[str, set[str]], start: str, done: set[str]) -> set[tuple[str, str]]:
    """Walk without recursion: a chain of a thousand nodes is a graph like any other."""
    closing: set[tuple[str, str]] = set()
    open_ = {start}
    stack = [(start, iter(sorted(graph[start])))]
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
            stack.append((head, iter(sorted(graph[head]))))
    return closing
