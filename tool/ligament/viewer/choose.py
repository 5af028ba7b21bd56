# SPDX-License-Identifier: Apache-2.0
"""Which chain of a graph is followed: the longest of the shortest ways from a source to an end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import networkx as nx

from ligament.errors import InputError, Problem, no_such
from ligament.report.tables import entries_of
from ligament.viewer.chain import Chain


def chosen_chain(graph: Mapping[str, Any], begin: str | None, end: str | None) -> Chain | None:
    """Return the chain between two topics; of what is not named, that of the graph."""
    topics = graph.get("topics", {})
    problems = [
        no_such("topic-unknown", f"the graph has no topic '{name}'", name, topics)
        for name in (begin, end)
        if name is not None and topics and name not in topics
    ]
    if problems:
        raise InputError(problems)
    if begin is not None and end is not None:
        return Chain(begin, end)
    # What runs without a graph.yaml here has topics, but nobody knows which leads to which.
    found = longest_way(topics, begin, end) if topics else None
    if found is None and (begin or end):
        named, other = ("--from", "--to") if begin else ("--to", "--from")
        what = "no chain of the graph has" if topics else "no running graph is known here that has"
        raise InputError(
            Problem("chain-unknown", f"{what} the topic of {named}",
                    hint=f"name the other end, too: {other} TOPIC")
        )  # fmt: skip
    return None if found is None else Chain(*found)


def longest_way(
    topics: Mapping[str, Mapping[str, Any]], begin: str | None, end: str | None
) -> tuple[str, str] | None:
    """Return the topics at both ends; None where no node takes from one and sends to another."""
    ways: nx.DiGraph[str] = nx.DiGraph()
    for name, topic in topics.items():
        ways.add_node(f"t{name}")
        for one in entries_of(dict(topic), "ends"):
            node, topic_node = f"n{one.get('node')}", f"t{name}"
            arrow = (node, topic_node) if one.get("direction") == "out" else (topic_node, node)
            ways.add_edge(*arrow)
    begins = [f"t{begin}"] if begin else [t for t in _topics(ways) if _is_source(ways, t)]
    best: tuple[int, str, str] | None = None
    for first in sorted(begins):
        lengths = nx.single_source_shortest_path_length(ways, first)
        for last, length in sorted(lengths.items()):
            is_end = last == f"t{end}" if end else last[0] == "t" and _is_end(ways, last)
            if is_end and length > 0 and (best is None or length > best[0]):
                best = (length, first[1:], last[1:])
    return None if best is None else (best[1], best[2])


def _topics(ways: nx.DiGraph[str]) -> list[str]:
    return [name for name in ways if name[0] == "t"]


def _is_source(ways: nx.DiGraph[str], topic: str) -> bool:
    """Whether nobody sends it because of another topic."""
    return all(ways.in_degree(node) == 0 for node in ways.predecessors(topic))


def _is_end(ways: nx.DiGraph[str], topic: str) -> bool:
    """Whether nobody who takes it sends anything."""
    return all(ways.out_degree(node) == 0 for node in ways.successors(topic))
