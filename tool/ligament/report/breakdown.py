# SPDX-License-Identifier: Apache-2.0
"""Where the time of a chain went: every nanosecond between publish and take gets one name.

Per hop, from the beginning of the publish call to the take: the publisher's copy and serialise
spans inside the call; *wait*, while the message was visible but the taking thread was busy in
another callback; the rest is *transport*. Per node between, from its take to the beginning of its
publish: its outermost spans by category; the rest counts as transport too. So the five add up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from ligament.report.chains import Instances
from ligament.report.database import columns

Times = NDArray[np.int64]
SHARES = ("compute", "copy", "serialise", "transport", "wait")
SPANS = ("compute", "copy", "serialise")


class Coverage:
    """How much of any time window a thread spent inside given, not overlapping intervals."""

    def __init__(self, threads: NDArray[Any], begins: Times, ends: Times) -> None:
        self._threads: dict[str, tuple[Times, Times, Times]] = {}
        order = np.lexsort((begins, threads.astype(str)))
        names = threads.astype(str)[order]
        for name in np.unique(names):
            chosen = order[names == name]
            begin, end = begins[chosen], ends[chosen]
            total = np.concatenate(([0], np.cumsum(end - begin)))
            self._threads[str(name)] = (begin, end, total)

    def inside(self, threads: NDArray[Any], begin: Times, end: Times) -> Times:
        """Nanoseconds of [begin, end] that each row's thread spent inside intervals."""
        result = np.zeros(len(begin), dtype=np.int64)
        for name in np.unique(threads.astype(str)):
            if name in self._threads:
                rows = threads == name
                until = self._until(name, end[rows])
                result[rows] = np.maximum(until - self._until(name, begin[rows]), 0)
        return result

    def _until(self, name: str, time: Times) -> Times:
        begins, ends, total = self._threads[name]
        started = np.searchsorted(begins, time, side="right")
        last_end = ends[np.maximum(started - 1, 0)]
        unfinished = np.where(started > 0, np.maximum(last_end - time, 0), 0)
        return np.asarray(total[started] - unfinished, dtype=np.int64)


@dataclass(frozen=True)
class HopTimes:
    """Per message: the time between two nodes, and then inside the second one up to its publish.

    `node` is empty for the last hop, whose node is where the chain ends.
    """

    between: dict[str, Times]
    node: dict[str, Times]


@dataclass(frozen=True)
class Breakdown:
    """Per message of a chain: its latency and the parts of it, and the probes that it passed."""

    start: Times
    end: Times
    hops: tuple[HopTimes, ...]
    events: Times

    @property
    def latency(self) -> Times:
        """From the beginning of the first publish to the last take."""
        return self.end - self.start

    def total(self, share: str) -> Times:
        """One share over all hops and nodes."""
        parts = [part[share] for hop in self.hops for part in (hop.between, hop.node) if part]
        return np.asarray(np.sum(parts, axis=0), dtype=np.int64)


class Timeline:
    """What every thread did when: the basis on which chains are broken down."""

    def __init__(self, database: duckdb.DuckDBPyConnection) -> None:
        self._busy = self._coverage(database, "callbacks", "true")
        self._spans = {
            category: self._coverage(database, "spans", f"outermost AND category = '{category}'")
            for category in SPANS
        }
        marks = columns(
            database, "SELECT host || ':' || tid AS thread, time_ns FROM events ORDER BY row"
        )
        self._marks: dict[str, Times] = {}
        threads = marks["thread"].astype(str)
        for name in np.unique(threads):
            self._marks[str(name)] = np.sort(marks["time_ns"][threads == name])

    @staticmethod
    def _coverage(database: duckdb.DuckDBPyConnection, table: str, condition: str) -> Coverage:
        found = columns(
            database,
            f"SELECT host || ':' || tid AS thread, begin_ns, end_ns FROM {table} WHERE {condition}",
        )
        return Coverage(found["thread"], found["begin_ns"], found["end_ns"])

    def break_down(self, found: Instances) -> Breakdown:
        """Give every nanosecond of every message's way a name."""
        table = found.columns
        edges = []
        for k in range(len(found.chain.hops)):
            # Where only the end of a publish call is known, the take may come before it.
            edges += [np.minimum(table[f"pub_begin_{k}"], table[f"take_{k}"]), table[f"take_{k}"]]
        # And a clock that steps back between threads makes no negative time.
        times = np.maximum.accumulate(np.stack(edges).astype(np.int64), axis=0)
        hops = []
        events = np.zeros(found.complete, dtype=np.int64)
        for k in range(len(found.chain.hops)):
            publisher, taker = table[f"pub_thread_{k}"], table[f"take_thread_{k}"]
            begin, take = times[2 * k], times[2 * k + 1]
            visible = np.clip(table[f"pub_end_{k}"], begin, take)
            between = self._parts(publisher, begin, visible, take)
            between["wait"] = self._busy.inside(taker, visible, take)
            between["transport"] = between["transport"] - between["wait"]
            events += self._count(publisher, begin, take)
            events += np.where(taker == publisher, 0, self._count(taker, begin, take))
            node: dict[str, Times] = {}
            if k + 1 < len(found.chain.hops):
                worker, leave = table[f"pub_thread_{k + 1}"], times[2 * k + 2]
                node = self._parts(worker, take, leave, leave)
                events += self._count(worker, take, leave)
            hops.append(HopTimes(between, node))
        return Breakdown(times[0], times[-1], tuple(hops), events)

    def _parts(
        self, thread: NDArray[Any], begin: Times, end: Times, until: Times
    ) -> dict[str, Times]:
        """Spans of a thread in [begin, end]; what is left of [begin, until] is transport."""
        parts = {name: spans.inside(thread, begin, end) for name, spans in self._spans.items()}
        rest = until - begin - np.sum(list(parts.values()), axis=0)
        return {**parts, "transport": rest, "wait": np.zeros(len(begin), dtype=np.int64)}

    def _count(self, threads: NDArray[Any], begin: Times, end: Times) -> Times:
        """Events that each row's thread emitted in (begin, end]."""
        result = np.zeros(len(begin), dtype=np.int64)
        for name in np.unique(threads.astype(str)):
            marks = self._marks.get(str(name), np.empty(0, dtype=np.int64))
            rows = threads == name
            result[rows] = np.searchsorted(marks, end[rows], side="right") - np.searchsorted(
                marks, begin[rows], side="right"
            )
        return result
