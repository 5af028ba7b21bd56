# SPDX-License-Identifier: Apache-2.0
"""Random runs of small graphs: threads, queues, spans, losses, by a seed.

Threads take their messages one after the other, as executors do. Which thread a node has, how long
everything takes, what is lost on the way and which events the recording lacks is drawn.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Any

from made_up_traces import Trace

GRAPHS: dict[str, list[tuple[str, str, list[str]]]] = {
    "chain": [("/raw", "/camera", ["/rectify"]), ("/rect", "/rectify", ["/sink"])],
    "fan_out": [
        ("/raw", "/camera", ["/left", "/right"]),
        ("/l", "/left", ["/sink"]),
        ("/r", "/right", ["/sink"]),
    ],
    "join": [
        ("/a", "/camera", ["/fuse"]),
        ("/b", "/lidar", ["/fuse"]),
        ("/both", "/fuse", ["/show", "/sink"]),
    ],
    "loop": [
        ("/raw", "/camera", ["/rectify"]),
        ("/rect", "/rectify", ["/sink"]),
        ("/done", "/sink", ["/camera"]),
    ],
}
"""Topic, publishing node, subscribing nodes."""
CATEGORIES = ("compute", "copy", "serialise")


@dataclass
class Made:
    """A trace, and what was drawn for it besides its events."""

    trace: Trace
    lost_events: int = 0
    lost_packets: int = 0
    counted: int = 0
    """What the session says it discarded."""
    rows: list[dict[str, Any]] = field(default_factory=list)
    """As they are in the table."""

    def metadata(self) -> dict[str, int]:
        """What the reader found."""
        return {"discarded_events": self.lost_events, "discarded_packets": self.lost_packets}


class World:
    """A graph that runs."""

    def __init__(self, seed: int, shape: str, frames: int) -> None:
        self.random = random.Random(seed)
        self.trace = Trace()
        self.topics = GRAPHS[shape]
        self.most = 2 * frames
        names = [node for _, source, targets in self.topics for node in (source, *targets)]
        self.nodes = {name: 1 + k for k, name in enumerate(dict.fromkeys(names))}
        threads = self.random.randint(1, len(self.nodes))
        self.tids = {name: self.random.randint(1, threads) for name in self.nodes}
        self.free = dict.fromkeys(range(1, threads + 1), 0)
        self.seq = dict.fromkeys(range(len(self.topics)), 0)
        self.waiting: list[tuple[int, int, str, int, int, int]] = []
        self.number = 0
        self._name()
        for name in sorted({source for _, source, _ in self.topics} & {"/camera", "/lidar"}):
            for frame in range(1, frames + 1):
                self._push(frame * 10_000 + self.random.randint(0, 2000), name, 3000, 0, 0)
        while self.waiting:
            self._callback(*heappop(self.waiting))

    def _name(self) -> None:
        add = self.trace.add
        for name, node in self.nodes.items():
            add(0, "node_init", node=node, name=name)
            for k, category in enumerate(CATEGORIES):
                span = 4000 + 10 * node + k
                add(0, "span_name", span=span, node=node, name=category[:3], category=category)
        for k, (topic, source, targets) in enumerate(self.topics):
            add(0, "topic_init", topic=100 + k, name=topic, message="m")
            add(0, "publisher_init", publisher=1000 + k, topic=100 + k, node=self.nodes[source])
            for target in targets:
                node = self.nodes[target]
                add(0, "subscription_init", subscription=self._subscription(k, target),
                    topic=100 + k, node=node)  # fmt: skip
        for pid in range(1, 4):
            add(0, "probe_cost", tid=900 + pid, cost_ns=100.0 * pid + self.random.random(), count=9)

    def _subscription(self, topic: int, target: str) -> int:
        return 2000 + 100 * topic + self.nodes[target]

    def _push(self, ready: int, node: str, handle: int, publisher: int, seq: int) -> None:
        self.number += 1
        heappush(self.waiting, (ready, self.number, node, handle, publisher, seq))

    def _callback(
        self, ready: int, _: int, node: str, handle: int, publisher: int, seq: int
    ) -> None:
        tid, draw = self.tids[node], self.random
        now = max(ready, self.free[tid]) + draw.randint(0, 60)
        if publisher:
            self.trace.add(now, "take", tid, subscription=handle, publisher=publisher, seq=seq)
            now += draw.randint(0, 3)
        self.trace.add(
            now, "callback_start", tid, handle=handle + self.nodes[node] * (not publisher),
            publisher=publisher, seq=seq,
        )  # fmt: skip
        identity = (publisher, seq) if draw.random() < 0.3 else (0, 0)
        now = self._work(now, tid, node, identity)
        for k, (_topic, source, targets) in enumerate(self.topics):
            wanted = draw.random() < 0.9 or not publisher
            if source == node and wanted and self.seq[k] < self.most:
                now = self._publish(now, tid, k, node, targets)
        now = self._work(now, tid, node, (0, 0)) + draw.randint(1, 20)
        self.trace.add(now, "callback_end", tid, handle=handle + self.nodes[node] * (not publisher))
        self.free[tid] = now + 1

    def _work(self, now: int, tid: int, node: str, identity: tuple[int, int]) -> int:
        """Some spans, one of them perhaps inside another."""
        draw = self.random
        for _ in range(draw.choice((0, 1, 1, 2))):
            kinds = draw.sample(range(3), 2)
            spans = [4000 + 10 * self.nodes[node] + kind for kind in kinds]
            now = self._span_begin(now, tid, spans[0], identity)
            if draw.random() < 0.3:
                now = self._span_begin(now, tid, spans[1], (0, 0))
                now += draw.randint(1, 200)
                self.trace.add(now, "span_end", tid, span=spans[1])
            now += draw.randint(1, 900)
            self.trace.add(now, "span_end", tid, span=spans[0])
        return now

    def _span_begin(self, now: int, tid: int, span: int, identity: tuple[int, int]) -> int:
        now += self.random.randint(1, 50)
        self.trace.add(now, "span_begin", tid, span=span, publisher=identity[0], seq=identity[1])
        return now

    def _publish(self, now: int, tid: int, topic: int, node: str, targets: list[str]) -> int:
        draw = self.random
        self.seq[topic] += 1
        publisher, seq = 1000 + topic, self.seq[topic]
        begin = now = now + draw.randint(1, 40)
        if draw.random() < 0.4:
            now = self._work(now, tid, node, (0, 0))
        now += draw.randint(0, 30)
        self.trace.publish(begin, now, tid, publisher, seq)
        for target in targets:
            subscription = self._subscription(topic, target)
            if draw.random() < 0.08:
                self.trace.add(now, "drop", tid, publisher=publisher, subscription=subscription,
                               count=draw.randint(1, 3))  # fmt: skip
            else:
                # It can be seen before the call that publishes it is over.
                self._push(draw.randint(begin, now + 80), target, subscription, publisher, seq)
        return now


def make_trace(seed: int, shape: str, frames: int, *, whole: bool = False) -> Made:
    """A run of a graph; unless it is to be `whole`, some events may be lost."""
    world = World(seed, shape, frames)
    made = Made(world.trace)
    draw = random.Random(~seed)
    for tid in world.free:
        _step_back(world.trace.rows, tid, draw.choice((0, 0, 400)))
    share = 0.0 if whole else draw.choice((0.0, 0.02, 0.1))
    kept = [row for row in world.trace.rows if row["time_ns"] == 0 or draw.random() >= share]
    made.lost_events = len(world.trace.rows) - len(kept)
    made.lost_packets = draw.choice((0, 0, 2))
    made.counted = made.lost_events + draw.choice((-1, 0, 3)) if made.lost_events else 0
    world.trace.rows = kept
    made.rows = sorted(kept, key=lambda row: row["time_ns"])
    return made


def _step_back(rows: list[dict[str, Any]], tid: int, by_ns: int) -> None:
    """Let a thread's clock be that much behind the others'."""
    for row in rows:
        if row["tid"] == tid and row["time_ns"] > 0:
            row["time_ns"] -= by_ns
            if "begin_ns" in row:
                row["begin_ns"] -= by_ns
