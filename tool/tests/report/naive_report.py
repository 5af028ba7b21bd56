# SPDX-License-Identifier: Apache-2.0
"""The statements of a report, worked out again from the events: slow, plain, and by nobody's code.

Loops over lists of dictionaries; neither NumPy nor DuckDB, nor anything of `ligament.report`.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

Row = dict[str, Any]
SHARES = ("compute", "copy", "serialise", "transport", "queue_wait", "executor_wait")


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of all values do not exceed."""
    wanted = Fraction(str(share)) * len(values)
    return next(v for v in sorted(values) if sum(w <= v for w in values) >= wanted)


def student(freedom: float) -> float:
    """Student's t at 97.5 %, by integrating its density and halving the interval."""
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2))
    scale /= math.sqrt(freedom * math.pi)

    def below(t: float) -> float:
        steps = 400
        points = [t * k / steps for k in range(steps + 1)]
        heights = [scale * (1 + x * x / freedom) ** (-(freedom + 1) / 2) for x in points]
        odd, even = sum(heights[1:-1:2]), sum(heights[2:-1:2])
        return 0.5 + (heights[0] + 4 * odd + 2 * even + heights[-1]) * t / steps / 3

    low, high = 1.9, 20.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) < 0.975 else (low, middle)
    return low


def batches_of(values: Sequence[float], count: int) -> list[list[float]]:
    """Neighbouring values in batches, the first ones one longer where it does not come out even."""
    size, longer = divmod(len(values), count)
    ends = [0]
    for k in range(count):
        ends.append(ends[-1] + size + (k < longer))
    return [list(values[a:b]) for a, b in pairwise(ends)]


def half_of_dependent(values: Sequence[float]) -> float:
    """Half of the interval of the median that batches tell: 10 and 30 of at least 5 values."""
    halves = [0.0]
    for count in (10, 30):
        size = len(values) // count
        if size >= 5:
            medians = [statistics.median(values[k * size : (k + 1) * size]) for k in range(count)]
            halves.append(student(count - 1) * statistics.stdev(medians) / math.sqrt(count))
    return max(halves)


def summary(values: Sequence[float]) -> dict[str, float]:
    """What a row of results says of values in order of time."""
    n, ordered = len(values), sorted(values)
    if n == 0:
        return {"n": 0}
    middle, around = percentile(values, 0.5), 0.98 * math.sqrt(n)
    half = half_of_dependent(values)
    low = ordered[max(0, math.floor(n / 2 - around))]
    high = ordered[min(n - 1, math.ceil(n / 2 + around))]
    steps = [abs(b - a) for a, b in pairwise(values)]
    return {
        "n": n,
        "p50": middle,
        "p99": percentile(values, 0.99),
        "mean": math.fsum(values) / n,
        "sd": statistics.stdev(values) if n > 1 else 0.0,
        "min": ordered[0],
        "max": ordered[-1],
        "p50_low": min(low, max(middle - half, ordered[0])),
        "p50_high": max(high, min(middle + half, ordered[-1])),
        "jitter": math.fsum(steps) / len(steps) if steps else 0.0,
    }


def rate(times: Sequence[int]) -> float | None:
    """Per second, from the first time to the last."""
    span = max(times) - min(times) if times else 0
    return (len(times) - 1) * 1e9 / span if span else None


def histogram(values: Sequence[float]) -> dict[str, Any]:
    """60 bins up to 1.5 times as far from the smallest value as p99, the last takes the rest."""
    low = min(values)
    high = min(max(values), low + 1.5 * (percentile(values, 0.99) - low))
    width = max((high - low) / 60, 1.0)
    counts = [0] * 60
    for value in values:
        counts[min(59, int((value - low) / width))] += 1
    return {"low_ns": low, "width_ns": width, "counts": counts}


@dataclass(frozen=True)
class Interval:
    """A callback or a span, with the places of its events."""

    tid: int
    what: int
    begin: int
    end: int
    first: int
    last: int
    publisher: int
    seq: int


@dataclass(frozen=True)
class Hop:
    """A topic between two nodes."""

    publisher: int
    subscription: int


@dataclass(frozen=True)
class Publication:
    """A message as it was published, and why."""

    row: int
    tid: int
    publisher: int
    seq: int
    begin: int
    end: int
    cause: tuple[int, int] | None
    handle: int | None


Way = list[tuple[Publication, Row]]
"""A message's publications and takes, hop by hop."""


class Naive:
    """Everything that a table of events tells."""

    def __init__(self, rows: list[Row]) -> None:
        self.rows = rows
        of = self.of
        self.node_names = {r["node"]: r["name"] for r in of("node_init")}
        self.topic_names = {r["topic"]: r["name"] for r in of("topic_init")}
        self.source = {r["publisher"]: self.node_names[r["node"]] for r in of("publisher_init")}
        self.topic = {r["publisher"]: self.topic_names[r["topic"]] for r in of("publisher_init")}
        subscribed = list(of("subscription_init"))
        self.target = {r["subscription"]: self.node_names[r["node"]] for r in subscribed}
        self.subscribed = {r["subscription"]: self.topic_names[r["topic"]] for r in subscribed}
        self.span_names = {r["span"]: r for r in of("span_name")}
        self.takes = list(of("take"))

    def of(self, event: str) -> Iterator[Row]:
        """All events of a kind."""
        return (row for row in self.rows if row["event"] == event)

    @cached_property
    def callbacks(self) -> list[Interval]:
        """A start that the thread's next mark ends."""
        found, open_ = [], {}
        for place, row in enumerate(self.rows):
            if row["event"] == "callback_start":
                open_[row["tid"]] = (place, row)
            elif row["event"] == "callback_end":
                first, start = open_.pop(row["tid"], (0, None))
                if start is not None and start["handle"] == row["handle"]:
                    found.append(self._interval("handle", first, place))
        return sorted(found, key=lambda c: c.first)

    @cached_property
    def spans(self) -> list[Interval]:
        """A begin that the next mark of the same span of the thread ends."""
        found, open_ = [], {}
        for place, row in enumerate(self.rows):
            key = (row["tid"], row.get("span"))
            if row["event"] == "span_begin":
                open_[key] = place
            elif row["event"] == "span_end" and key in open_:
                found.append(self._interval("span", open_.pop(key), place))
        return sorted(found, key=lambda s: s.first)

    def _interval(self, what: str, first: int, last: int) -> Interval:
        a, b = self.rows[first], self.rows[last]
        times = (a["time_ns"], b["time_ns"], first, last)
        return Interval(a["tid"], a[what], *times, a["publisher"], a["seq"])

    @cached_property
    def outer(self) -> list[Interval]:
        """Spans that begin in no other one of their thread."""
        return [
            s
            for s in self.spans
            if not any(o.tid == s.tid and o.first < s.first < o.last for o in self.spans)
        ]

    @cached_property
    def publications(self) -> list[Publication]:
        """Every publication; its cause is what the callback around it works on."""
        return [
            Publication(place, r["tid"], r["publisher"], r["seq"], min(r["begin_ns"], r["time_ns"]),
                        r["time_ns"], *self._cause(place, r["tid"]))
            for place, r in enumerate(self.rows) if r["event"] == "publish"
        ]  # fmt: skip

    def _cause(self, place: int, tid: int) -> tuple[tuple[int, int] | None, int | None]:
        around = [c for c in self.callbacks if c.tid == tid and c.first < place < c.last]
        if not around:
            return None, None
        (callback,) = around
        told = [
            s
            for s in self.spans
            if s.tid == tid and s.publisher and callback.first < s.first < place
        ]
        by = told[-1] if told else callback
        return ((by.publisher, by.seq) if by.publisher else None), callback.what

    # --- chains -----------------------------------------------------------------------------------

    @cached_property
    def hops(self) -> set[Hop]:
        """What was taken at least once."""
        return {Hop(t["publisher"], t["subscription"]) for t in self.takes}

    def nodes(self, chain: Sequence[Hop]) -> list[str]:
        """The names on the way."""
        return [self.source[chain[0].publisher], *(self.target[h.subscription] for h in chain)]

    def name(self, chain: Sequence[Hop]) -> str:
        """As reports write it."""
        topics = ", ".join(self.topic[hop.publisher] for hop in chain)
        return f"{' -> '.join(self.nodes(chain))} [{topics}]"

    def chains(self) -> list[tuple[Hop, ...]]:
        """All longest ways from a publisher that publishes without a cause."""
        begin = {p.publisher for p in self.publications if p.cause is None}
        return [way for publisher in begin for way in self._onward((), publisher)]

    def _onward(self, way: tuple[Hop, ...], publisher: int) -> list[tuple[Hop, ...]]:
        visited = {self.source[publisher], *(self.nodes(way) if way else ())}
        found = []
        for hop in self.hops:
            node = self.target[hop.subscription]
            if hop.publisher != publisher or node in visited:
                continue
            here = {s for s in self.target if self.target[s] == node}
            following = {
                p.publisher
                for p in self.publications
                if p.cause is not None and p.cause[0] == publisher
                and (p.handle in here or self.source[p.publisher] == node)
            }  # fmt: skip
            longer = (*way, hop)
            further = [w for one in following for w in self._onward(longer, one)]
            found += further or [longer]
        return found

    def follow(self, chain: Sequence[Hop]) -> tuple[list[Way], int, list[int]]:
        """Complete ways in order of publication, how many began, and how many ended at each hop."""
        ways: list[Way] = []
        started, ended = 0, [0] * len(chain)
        for publication in self.publications:
            if publication.publisher != chain[0].publisher:
                continue
            started += 1
            complete, furthest = self._ways(chain, [publication])
            ways += complete
            if not complete:
                ended[furthest] += 1
        return ways, started, ended

    def _ways(self, chain: Sequence[Hop], first: list[Publication]) -> tuple[list[Way], int]:
        partial: list[tuple[Way, Publication]] = [([], first[0])]
        furthest = 0
        for k, hop in enumerate(chain):
            taken: list[Way] = [
                [*way, (published, take)]
                for way, published in partial
                for take in self.takes
                if (take["subscription"], take["publisher"], take["seq"])
                == (hop.subscription, hop.publisher, published.seq)
            ]
            furthest = k if partial else furthest
            if k + 1 == len(chain):
                return taken, furthest
            partial = [
                (way, p)
                for way in taken
                for p in self.publications
                if p.publisher == chain[k + 1].publisher
                and p.cause == (hop.publisher, way[-1][0].seq)
            ]
        raise AssertionError

    # --- where the time went ----------------------------------------------------------------------

    def parts(self, way: Way) -> tuple[list[tuple[dict[str, int], dict[str, int]]], list[int]]:
        """Per hop the parts between the nodes and in the second one; and the times at the edges."""
        times: list[int] = []
        for published, take in way:
            for time in (min(published.begin, take["time_ns"]), take["time_ns"]):
                times.append(max([time, *times[-1:]]))
        found = []
        for k, (published, take) in enumerate(way):
            begin, taken = times[2 * k], times[2 * k + 1]
            visible = min(max(published.end, begin), taken)
            between = self._spent(published.tid, begin, visible)
            mine = self._called(take["tid"], visible, taken, take["subscription"])
            between["queue_wait"] = mine
            between["executor_wait"] = self._called(take["tid"], visible, taken, None) - mine
            between["transport"] = taken - begin - sum(between.values())
            node = dict.fromkeys(SHARES, 0)
            if k + 1 < len(way):
                leave = times[2 * k + 2]
                node = self._spent(way[k + 1][0].tid, taken, leave)
                node["transport"] = leave - taken - sum(node.values())
            found.append((between, node))
        return found, times

    def _spent(self, tid: int, begin: int, end: int) -> dict[str, int]:
        spent = dict.fromkeys(SHARES, 0)
        for span in self.outer:
            if span.tid == tid:
                category = self.span_names[span.what]["category"]
                spent[category] += max(0, min(end, span.end) - max(begin, span.begin))
        return spent

    def _called(self, tid: int, begin: int, end: int, handle: int | None) -> int:
        return sum(
            max(0, min(end, c.end) - max(begin, c.begin))
            for c in self.callbacks
            if c.tid == tid and (handle is None or c.what == handle)
        )

    def events_on(self, way: Way, times: Sequence[int]) -> int:
        """Events of the threads that the message passed, while it did."""
        windows = []
        for k, (published, take) in enumerate(way):
            for tid in {published.tid, take["tid"]}:
                windows.append((tid, times[2 * k], times[2 * k + 1]))
            if k + 1 < len(way):
                windows.append((way[k + 1][0].tid, times[2 * k + 1], times[2 * k + 2]))
        return sum(
            row["tid"] == tid and begin < row["time_ns"] <= end
            for row in self.rows
            for tid, begin, end in windows
        )
