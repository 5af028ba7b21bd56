# SPDX-License-Identifier: Apache-2.0
"""Where the time of a chain went: every nanosecond between publish and take gets one name.

Per hop, from the beginning of the publish call to the take: the publisher's copy and serialise
spans inside the call; *queue wait* and *executor wait*, while the message was visible but the
taking thread was in a callback of the same subscription, or of another; the rest is *transport*.
Per node between, from its take to the beginning of its publish: its outermost spans and its
devices' work for that message by category, *queue wait* while its devices worked for another one;
the rest counts as transport too. So the six add up. Simulators' time is taken out (devices.py).
A message on a queue topic is with the node that sent it until that one's device is done with it.

A recording of an rclcpp system has no spans: there *compute* is the callback up to the publish
call, and transport is split further, by layer (layers.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import duckdb
import numpy as np

from ligament.report.chains import Instances
from ligament.report.coverage import Coverage, Times, by_thread
from ligament.report.database import columns
from ligament.report.devices import Devices, Visit, Worked
from ligament.report.layers import Way, add_taken, split_layers
from ligament.report.names import SHARES

WAITS = ("queue_wait", "executor_wait")
SPANS = ("compute", "copy", "serialise")


@dataclass(frozen=True)
class HopTimes:
    """Per message: the time between two nodes, and then inside the second one up to its publish.

    `node` is empty for the last hop, whose node is where the chain ends. `layers` is what the
    transport of both is made of; empty where the provider tells no layers.
    """

    between: dict[str, Times]
    node: dict[str, Times]
    layers: dict[str, Times]
    devices: Worked | None = None
    """What the second node's devices did; None where no device told anything."""


@dataclass(frozen=True)
class Breakdown:
    """Per message of a chain: its latency and the parts of it, and the probes that it passed."""

    start: Times
    end: Times
    hops: tuple[HopTimes, ...]
    events: Times

    @property
    def latency(self) -> Times:
        """From the beginning of the first publish to the last take, simulators' time taken out."""
        return np.asarray(np.sum([self.total(share) for share in SHARES], axis=0), dtype=np.int64)

    @property
    def wall(self) -> Times:
        """The same as it passed."""
        return self.end - self.start

    @property
    def devices(self) -> list[Worked]:
        """Of the nodes whose devices worked for a message of the chain."""
        found = [hop.devices for hop in self.hops]
        return [one for one in found if one is not None and one.base != "host"]

    def total(self, share: str) -> Times:
        """One share over all hops and nodes."""
        parts = [part[share] for hop in self.hops for part in (hop.between, hop.node) if part]
        return np.asarray(np.sum(parts, axis=0), dtype=np.int64)


class Timeline:
    """What every thread did when: the basis on which chains are broken down."""

    def __init__(self, database: duckdb.DuckDBPyConnection, *, imported: bool = False) -> None:
        self.imported = imported
        self._database = database
        self._busy = self._coverage("callbacks", "true")
        self._own: dict[int, Coverage] = {}
        self._spans = {
            category: self._coverage("spans", f"outermost AND category = '{category}'")
            for category in SPANS
        }
        mine = ", ".join(f"'{category}'" for category in SPANS)
        self._devices = Devices(
            database, self._coverage("spans", f"outermost AND category IN ({mine})")
        )
        marks = columns(
            database,
            "SELECT thread_of(host, tid) AS thread, time_ns FROM events WHERE tid IS NOT NULL",
        )
        self._marks = {
            name: marks["time_ns"][rows]
            for name, rows in by_thread(marks["thread"], marks["time_ns"])
        }

    def _coverage(self, table: str, condition: str) -> Coverage:
        found = columns(
            self._database,
            "SELECT thread_of(host, tid) AS thread, begin_ns, end_ns "
            f"FROM {table} WHERE {condition}",
        )
        return Coverage(found["thread"], found["begin_ns"], found["end_ns"])

    def own(self, subscription: int) -> Coverage:
        """The callbacks of one subscription."""
        if subscription not in self._own:
            self._own[subscription] = self._coverage("callbacks", f"handle = {subscription}")
        return self._own[subscription]

    def break_down(self, found: Instances) -> Breakdown:
        """Give every nanosecond of every message's way a name."""
        table = found.columns
        edges = []
        for k in range(len(found.chain.hops)):
            # Where only the end of a publish call is known, the take may come before it.
            edges += [np.minimum(table[f"pub_begin_{k}"], table[f"take_{k}"]), table[f"take_{k}"]]
        # And a clock that steps back between threads makes no negative time.
        times = np.maximum.accumulate(np.stack(edges).astype(np.int64), axis=0)
        stays = self._with_devices(found, times)
        hops = [self._hop(found, k, stays, times) for k in range(len(found.chain.hops))]
        return Breakdown(times[0], times[-1], tuple(hops), self._events(found, times))

    def _with_devices(self, found: Instances, times: Times) -> Times:
        """The same, but that a message which a node sent before its device was done with it (a
        queue topic) stays there until then: what the host does with it meanwhile costs no time."""
        stays = times.copy()
        for k, (before, hop) in enumerate(pairwise(found.chain.hops), 1):
            if hop.is_queue:
                seq = found.columns[f"seq_{k - 1}"]
                done = self._devices.done(before.publisher, before.subscription, seq)
                stays[2 * k] = np.maximum(stays[2 * k], np.minimum(done, times[-1]))
        return np.maximum.accumulate(stays, axis=0)

    def _hop(self, found: Instances, k: int, times: Times, sent: Times) -> HopTimes:
        """`times`: with the devices; `sent`: by the host alone."""
        table, subscription = found.columns, found.chain.hops[k].subscription
        begin, take = times[2 * k], times[2 * k + 1]
        taker = table[f"take_thread_{k}"]
        visible = np.clip(self._visible(table, k), begin, take)
        between = self._parts(table[f"pub_thread_{k}"], begin, visible, take)
        own = self.own(subscription)
        between["queue_wait"] = own.inside(taker, visible, take)
        between["executor_wait"] = self._busy.inside(taker, visible, take) - between["queue_wait"]
        between["transport"] -= between["queue_wait"] + between["executor_wait"]
        self._shorten_waits(between, subscription, (taker, visible, take))
        leave = times[2 * k + 2] if k + 1 < len(found.chain.hops) else None
        node: dict[str, Times] = {}
        devices: Worked | None = None
        if leave is not None:
            # Its thread goes on to other messages, once it has sent this one.
            own_end = np.clip(sent[2 * k + 2], take, leave)
            node = self._parts(table[f"pub_thread_{k + 1}"], take, own_end, leave)
            if self.imported:
                node["compute"] = own.inside(taker, take, leave)
                node["transport"] = leave - take - node["compute"]
            devices = self._add_devices(node, found, k, (take, leave, own_end))
        layers: dict[str, Times] = {}
        if self.imported:
            way = Way.of(table, k, begin, visible, take)
            layers = split_layers(
                way,
                table[f"pub_thread_{k}"] == taker,
                lambda low, high: self._busy.inside(taker, low, high),
            )
            if leave is not None:
                add_taken(layers, table[f"take_rcl_{k}"], take, node["transport"])
        return HopTimes(between, node, layers, devices)

    def _shorten_waits(
        self, between: dict[str, Times], subscription: int, window: tuple[Times, Times, Times]
    ) -> None:
        """A wait while the taking thread simulated a device is as long as that device's work."""
        excess = self._devices.excess(*window)
        own = self._devices.excess_of(subscription, *window)
        between["queue_wait"] -= own
        between["executor_wait"] -= excess - own

    def _add_devices(
        self, node: dict[str, Times], found: Instances, k: int, window: tuple[Times, Times, Times]
    ) -> Worked | None:
        """Give the node's devices their parts of the time between its take and its publish."""
        if not self._devices.any:
            return None
        hop, table = found.chain.hops[k], found.columns
        thread = table[f"pub_thread_{k + 1}"]
        worked = self._devices.worked(
            Visit(hop.publisher, hop.subscription, table[f"seq_{k}"], thread, *window)
        )
        rest = np.maximum(node["transport"] - worked.excess, 0)
        for kind, spent in worked.parts.items():
            node[kind] = node[kind] + spent
            rest = np.maximum(rest - spent, 0)
        node["queue_wait"] = np.clip(worked.others, 0, rest)
        node["transport"] = rest - node["queue_wait"]
        return worked

    def _visible(self, table: dict[str, Any], k: int) -> Times:
        """When a message could be taken.

        An import knows when the middleware was called, and that inside a callback the call was over
        when the thread emitted its next event.
        """
        end: Times = table[f"pub_end_{k}"]
        if not self.imported:
            return end
        called_back = (table[f"pub_callback_end_{k}"] > 0) & (table[f"take_intra_{k}"] == 0)
        return np.where(called_back, self._next_event(table[f"pub_thread_{k}"], end), end)

    def _next_event(self, threads: Times, after: Times) -> Times:
        """Time of each row's thread's first event after `after`; that itself if there is none."""
        result = after.copy()
        for name in np.unique(threads):
            marks = self._marks.get(int(name), np.empty(0, dtype=np.int64))
            rows = np.flatnonzero(threads == name)
            place = np.searchsorted(marks, after[rows], side="right")
            there = place < len(marks)
            result[rows[there]] = marks[place[there]]
        return result

    def _events(self, found: Instances, times: Times) -> Times:
        """Events that were emitted on each message's way, by the threads that it passed."""
        table = found.columns
        events = np.zeros(found.complete, dtype=np.int64)
        for k in range(len(found.chain.hops)):
            publisher, taker = table[f"pub_thread_{k}"], table[f"take_thread_{k}"]
            begin, take = times[2 * k], times[2 * k + 1]
            events += self._count(publisher, begin, take)
            events += np.where(taker == publisher, 0, self._count(taker, begin, take))
            if k + 1 < len(found.chain.hops):
                events += self._count(table[f"pub_thread_{k + 1}"], take, times[2 * k + 2])
        return events

    def _parts(self, thread: Times, begin: Times, end: Times, until: Times) -> dict[str, Times]:
        """Spans of a thread in [begin, end]; what is left of [begin, until] is transport."""
        parts = {name: spans.inside(thread, begin, end) for name, spans in self._spans.items()}
        rest = until - begin - np.sum(list(parts.values()), axis=0)
        waits = {name: np.zeros(len(begin), dtype=np.int64) for name in WAITS}
        return {**parts, "transport": rest, **waits}

    def _count(self, threads: Times, begin: Times, end: Times) -> Times:
        """Events that each row's thread emitted in (begin, end]."""
        result = np.zeros(len(begin), dtype=np.int64)
        for name in np.unique(threads):
            marks = self._marks.get(int(name), np.empty(0, dtype=np.int64))
            rows = threads == name
            result[rows] = np.searchsorted(marks, end[rows], side="right") - np.searchsorted(
                marks, begin[rows], side="right"
            )
        return result
