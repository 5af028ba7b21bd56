# SPDX-License-Identifier: Apache-2.0
"""Which column a vertex stands in: longest path from the sources, cycles opened first.

The drawn graph has nodes and topics as vertices in turn, so nodes stand in even columns and topics
in odd ones. An edge that closes a cycle is laid out as if it pointed the other way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Edge = tuple[str, str]


def closing_edges(vertices: Sequence[str], edges: Sequence[Edge]) -> set[Edge]:
    """Return the edges that close cycles, found by a depth-first walk in the given order."""
    following = _following(edges)
    state: dict[str, int] = {}
    closing: set[Edge] = set()
    # Sources first: a walk that starts inside a cycle would open it at an unnatural place.
    fed = {v for _, v in edges}
    for start in [*(v for v in vertices if v not in fed), *vertices]:
        _walk(start, following, state, closing)
    return closing


def _following(edges: Sequence[Edge]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for tail, head in edges:
        found.setdefault(tail, []).append(head)
    return found


def _walk(
    start: str, following: Mapping[str, list[str]], state: dict[str, int], closing: set[Edge]
) -> None:
    """Walk without recursion: a chain of a thousand nodes is a graph like any other."""
    stack: list[tuple[str, int]] = [(start, 0)]
    while stack:
        vertex, index = stack.pop()
        if index == 0:
            if vertex in state:
                continue
            state[vertex] = 1
        heads = following.get(vertex, [])
        if index == len(heads):
            state[vertex] = 2
            continue
        stack.append((vertex, index + 1))
        head = heads[index]
        if state.get(head) == 1:
            closing.add((vertex, head))
        elif head not in state:
            stack.append((head, 0))


def columns(
    vertices: Sequence[str], edges: Sequence[Edge], is_topic: Mapping[str, bool]
) -> dict[str, int]:
    """Return each vertex's column; `edges` must be free of cycles."""
    column = {v: int(is_topic[v]) for v in vertices}
    following = _following(edges)
    waiting = dict.fromkeys(vertices, 0)
    for _, head in edges:
        waiting[head] += 1
    ready = [v for v in vertices if not waiting[v]]
    while ready:
        vertex = ready.pop()
        for head in following.get(vertex, []):
            column[head] = max(column[head], column[vertex] + 1)
            waiting[head] -= 1
            if not waiting[head]:
                ready.append(head)
    _pull_right(vertices, following, column)
    return column


def _pull_right(
    vertices: Sequence[str], following: Mapping[str, list[str]], column: dict[str, int]
) -> None:
    """Move sources that feed only late columns next to what they feed."""
    fed = {h for heads in following.values() for h in heads}
    for vertex in vertices:
        heads = following.get(vertex, [])
        if vertex not in fed and heads:
            column[vertex] = min(column[h] for h in heads) - 1
    for vertex in vertices:
        if vertex not in fed:
            for topic in following.get(vertex, []):
                lowest = min((column[h] for h in following.get(topic, [])), default=None)
                alone = sum(topic in heads for heads in following.values()) == 1
                if alone and lowest is not None and len(following[vertex]) == 1:
                    column[topic] = lowest - 1
                    column[vertex] = lowest - 2
