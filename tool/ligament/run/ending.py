# SPDX-License-Identifier: Apache-2.0
"""When the work of a graph is done.

A node says that its own work is complete (`finish()`); a filter never does. So the graph is done

- when the nodes named by `--until`, or the sink of the graph's equality check, are done; or,
  where nothing is named,
- when every *last group* has a node that is done. A last group is a node, or a loop of nodes (a
  sink that acknowledges to its camera), from which no message goes on to others. A camera that has
  sent all its frames therefore does not end the graph before its sink has seen them. Nodes that
  only offer services are waited for where there are no others: they work for whoever asks.

Of a graph on several hosts, each host looks at its own nodes. One without a node of a last group
runs until it is stopped: nothing tells it that the others are done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product

from ligament.graph.executable import Executable


def last_groups(
    nodes: Iterable[str], topics: Mapping[str, Mapping[str, Sequence[str]]]
) -> list[set[str]]:
    """Groups of nodes from which nothing goes on; `topics` as in build.json."""
    after: dict[str, set[str]] = {node: set() for node in nodes}
    for topic in topics.values():
        for writer, reader in product(topic["publishers"], topic["subscriptions"]):
            after.setdefault(writer, set()).add(reader)
            after.setdefault(reader, set())
    reached = {node: _reached(node, after) for node in after}
    # From a node of a last group there is a way back to it from wherever one comes.
    last = (ends for node, ends in reached.items() if all(node in reached[end] for end in ends))
    return [set(group) for group in dict.fromkeys(map(frozenset, last))]


def _reached(node: str, after: Mapping[str, Iterable[str]]) -> set[str]:
    """The node, and all that its messages and what follows from them come to."""
    found, ahead = {node}, [node]
    while ahead:
        new = set(after[ahead.pop()]) - found
        found |= new
        ahead += new
    return found


def with_executables(
    topics: Mapping[str, Mapping[str, Sequence[str]]], executables: Mapping[str, Executable]
) -> tuple[dict[str, Mapping[str, Sequence[str]]], list[str]]:
    """Return the topics with executables at their declared ends, and which have such an end.

    An executable is done when it has ended with exit code 0.
    """
    joined = {t: {k: [*of] for k, of in ends.items()} for t, ends in topics.items()}
    for name, one in executables.items():
        for role, topic, _ in one.ends():
            ends = joined.setdefault(topic, {"publishers": [], "subscriptions": []})
            ends[f"{role}s"].append(name)
    return dict(joined), [name for name, one in executables.items() if any(one.ends())]


def finished_when(
    until: Sequence[str],
    nodes: Iterable[str],
    topics: Mapping[str, Mapping[str, Sequence[str]]],
    servers: Iterable[str] = (),
) -> Callable[[set[str]], bool]:
    """The question "is the graph done, now that these nodes are?"; servers only offer services."""
    if until:
        named = set(until)
        return lambda done: named <= done
    here = set(nodes)
    working = (here - set(servers)) or here
    groups = [group & here for group in last_groups(working, topics) if group & here]
    return lambda done: bool(groups) and all(group & done for group in groups)
