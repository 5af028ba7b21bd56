# SPDX-License-Identifier: Apache-2.0
"""Deadlock risk: cycles of nodes in hardware in which everybody may wait for somebody.

A hop from a publisher over a topic to a subscription *waits* if a full queue of that subscription
holds the publisher back, and the queue holds no whole message. A cycle of waiting hops can stop for
good: each node has begun a message that the next one has no room for. One hop that does not wait
breaks it, so a cycle through a queue that drops, or that holds a whole message, is legitimate: the
two light detectors of the driving graph are one. `break_cycles` deepens queues for that as far as
hardware can; `waiting_cycles` warns of what is left.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter

from ligament.mapping.model import MappedTopic, Queue
from ligament.mapping.streams import MOST_BEATS, longest_frame, queue_depth

Hop = tuple[str, int]
"""A topic, and the place of a queue in its stream."""


def break_cycles(topics: Mapping[str, MappedTopic], hardware: Set[str]) -> dict[str, MappedTopic]:
    """Return the topics with the cheapest queues deepened until no cycle waits, if that can be."""
    fresh = dict(topics)
    while True:
        hops = [hop for _, inside in _groups(fresh, hardware) for hop in inside]
        able = [(beats, hop) for hop in hops if (beats := _needed(fresh, hop)) <= MOST_BEATS]
        if not able:
            return fresh
        beats, (name, place) = min(able)
        fresh[name] = _deepened(fresh[name], place, beats)


def waiting_cycles(topics: Mapping[str, MappedTopic], hardware: Set[str]) -> Iterator[str]:
    """Yield a warning per group of nodes that can wait for each other in hardware."""
    for group, hops in _groups(topics, hardware):
        over = sorted({name for name, _ in hops})
        yield (
            f"deadlock risk: in hardware, {', '.join(group)} can wait for each other over "
            f"{', '.join(over)}, whose queues neither drop nor hold a whole message; declare "
            "bound_bytes, or make one subscription of the cycle best_effort, or keep one of these "
            "topics in the pool (`transports: [shm]`)"
        )


def _groups(
    topics: Mapping[str, MappedTopic], hardware: Set[str]
) -> list[tuple[list[str], list[Hop]]]:
    """Return each group of nodes on waiting cycles, with the hops that are on these."""
    waiting = [found for name in sorted(topics) for found in _waiting_hops(topics[name], hardware)]
    if not _has_cycle(waiting):
        return []
    import networkx  # noqa: PLC0415 - slow to import, and cycles are rare

    graph: networkx.MultiDiGraph[str] = networkx.MultiDiGraph()
    for publisher, node, hop in waiting:
        graph.add_edge(publisher, node, hop=hop)
    found = []
    for group in networkx.strongly_connected_components(graph):
        inside = [data["hop"] for _, _, data in graph.subgraph(group).edges(data=True)]
        if inside:
            found.append((sorted(group), sorted(set(inside))))
    return sorted(found)


def _has_cycle(hops: list[tuple[str, str, Hop]]) -> bool:
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for publisher, node, _ in hops:
        sorter.add(node, publisher)
    try:
        sorter.prepare()
    except CycleError:
        return True
    return False


def _waiting_hops(topic: MappedTopic, hardware: Set[str]) -> Iterator[tuple[str, str, Hop]]:
    # A publisher in software waits for nobody on the chip: its messages lie in the pool.
    publishers = [e.node for e in topic.ends if e.direction == "out" and e.node in hardware]
    for place, queue in enumerate(topic.stream.queues if topic.stream else ()):
        if _holds_back(topic, queue):
            yield from ((publisher, queue.node, (topic.id, place)) for publisher in publishers)


def _holds_back(topic: MappedTopic, queue: Queue) -> bool:
    if queue.kind != "keep-all" or topic.stream is None:
        return False
    if topic.bound_bytes is None:
        return True
    return queue.depth_beats < longest_frame(topic.bound_bytes, topic.stream.width_bits)


def _needed(topics: Mapping[str, MappedTopic], hop: Hop) -> int:
    """Return the depth with which a hop's queue holds a whole message; endless without a bound."""
    topic = topics[hop[0]]
    if topic.bound_bytes is None or topic.stream is None:
        return MOST_BEATS + 1
    return queue_depth(longest_frame(topic.bound_bytes, topic.stream.width_bits))


def _deepened(topic: MappedTopic, place: int, beats: int) -> MappedTopic:
    assert topic.stream is not None, "a hop is one of a stream"
    queues = list(topic.stream.queues)
    text = "holds a whole message, so that a cycle of nodes in hardware cannot stop; then waits"
    queues[place] = replace(queues[place], depth_beats=beats, text=text)
    return replace(topic, stream=replace(topic.stream, queues=tuple(queues)))
