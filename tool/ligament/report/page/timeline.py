# SPDX-License-Identifier: Apache-2.0
"""Who did what when, as much of it as a page can carry: from the event table of a run.

One window of neighbouring events from the middle of the run (all of them, where they are few) with
callbacks, spans and messages; and the number of callbacks over the whole run, so that it is seen
what the window leaves out. Begin and end are paired as in `intervals.sql`: what
has only one of them within the window gives no slice.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb

from ligament.report.database import read_metadata
from ligament.report.page.device_tracks import device_slices
from ligament.report.page.stamps import Stamps

MOST_EVENTS = 24_000
MOST_SLICES = 8_000
MOST_ARROWS = 4_000
MOST_INTERVALS = 400
SCHEMA = "ligament/page-timeline/1"

_WORK = (
    "callback_start", "callback_end", "span_begin", "span_value", "span_end", "publish", "send",
    "take",
)  # fmt: skip
_CATEGORIES = ("callback", "compute", "copy", "serialise", "device", "transport")

Thread = tuple[str, int]


def read_timeline(table: Path) -> dict[str, Any] | None:
    """The timeline of an event table; None where nothing ran in it."""
    with duckdb.connect(":memory:") as database:
        database.execute("SET memory_limit = '600MB'")
        database.execute("SET enable_progress_bar = false")
        path = str(table).replace("'", "''")
        database.execute(
            "CREATE VIEW work AS SELECT file_row_number AS place, event::VARCHAR AS event, * "
            f"EXCLUDE (event, file_row_number) FROM read_parquet('{path}', file_row_number = true)"
        )
        extent = database.execute(
            f"SELECT count(*), min(time_ns), max(time_ns) FROM work WHERE event IN {_WORK}"
        ).fetchone()
        if extent is None or not extent[0]:
            return None
        offset = read_metadata(table).get("real_time_offset_ns", 0)
        return _Timeline(database, extent, offset).made()


@dataclass
class _Slices:
    """Columns of the slices: track, begin, length, name, category, depth, message's number, and
    the values that a span's author told, in words."""

    track: list[int] = field(default_factory=list)
    begin: list[int] = field(default_factory=list)
    length: list[int] = field(default_factory=list)
    name: list[int] = field(default_factory=list)
    category: list[int] = field(default_factory=list)
    depth: list[int] = field(default_factory=list)
    seq: list[int] = field(default_factory=list)
    told: list[str] = field(default_factory=list)


class _Names:
    """Texts that many slices share, each once."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._known: dict[str, int] = {}

    def number(self, text: str) -> int:
        """The place of a text in the list."""
        if text not in self._known:
            self._known[text] = len(self.texts)
            self.texts.append(text)
        return self._known[text]


class _Timeline:
    """One table's way to a timeline."""

    def __init__(
        self,
        database: duckdb.DuckDBPyConnection,
        extent: tuple[int, int, int],
        real_time_offset_ns: int,
    ) -> None:
        count, low, high = extent
        self.database, self.count, self.low, self.high = database, count, low, high
        self.real_time_offset_ns = real_time_offset_ns
        self.names = _Names()
        self.tracks: dict[Thread, int] = {}
        self.slices = _Slices()
        self.arrows: list[tuple[int, int, int, int, int, int]] = []
        self.left_out = 0

    def made(self) -> dict[str, Any]:
        """Everything that the page needs, times counted from the first event."""
        labels = self._labels()
        begin, end = self._window()
        self._collect(begin, end)
        self._collect_devices(begin, end, labels)
        return {
            "schema": SCHEMA,
            "span_ns": self.high - self.low,
            "window": [begin - self.low, end - self.low],
            "whole": self.count <= MOST_EVENTS and self.left_out == 0,
            "left_out": self.left_out,
            "tracks": [labels.get(thread, f"thread {thread[1]}") for thread in self.tracks],
            "strip": self._strip(),
            "names": self.names.texts,
            "categories": _CATEGORIES,
            "slices": vars(self.slices),
            "arrows": self.arrows,
        }

    def _window(self) -> tuple[int, int]:
        """Times of the first and the last event shown."""
        if self.count <= MOST_EVENTS:
            return self.low, self.high
        # By place and not by sorting: of ten million rows only those few are read.
        last = self.database.execute("SELECT max(place) FROM work").fetchone()
        first = (last[0] - MOST_EVENTS) // 2 if last else 0
        row = self.database.execute(
            "SELECT min(time_ns), max(time_ns) FROM work "
            f"WHERE place BETWEEN {first} AND {first + MOST_EVENTS - 1}"
        ).fetchone()
        assert row is not None
        return int(row[0]), int(row[1])

    # --- who is who ---------------------------------------------------------------------------

    def _labels(self) -> dict[Thread, str]:
        """`container: thread`, in the order in which the threads are shown."""
        containers = self._table("process_start", "host, pid", "container")
        rows = self.database.execute(
            "SELECT host::VARCHAR, tid, any_value(pid), "
            "any_value(name) FILTER (WHERE event = 'thread_start') "
            f"FROM work WHERE event = 'thread_start' OR event IN {_WORK} GROUP BY ALL ORDER BY 3, 2"
        ).fetchall()
        labels: dict[Thread, str] = {}
        working = set(
            self.database.execute(
                f"SELECT DISTINCT host::VARCHAR, tid FROM work WHERE event IN {_WORK}"
            ).fetchall()
        )
        shown = [row for row in rows if (row[0], row[1]) in working]
        threads = Counter((host, pid) for host, _, pid, _ in shown)
        nodes = self._nodes()
        owners = Counter(containers.get(key) for key in threads)
        for host, tid, pid, name in shown:
            self.tracks[host, tid] = len(self.tracks)
            owner = containers.get((host, pid)) or f"process {pid}"
            if owners[owner] > 1:  # programs of one name: told apart by what they hold
                owner = f"{owner} {', '.join(nodes.get((host, pid), [str(pid)])[:2])}"
            labels[host, tid] = owner if threads[host, pid] == 1 else f"{owner} · {name or tid}"
        return labels

    def _nodes(self) -> dict[tuple[str, int], list[str]]:
        """The nodes of each process."""
        found: dict[tuple[str, int], list[str]] = {}
        for host, pid, name in self._rows(
            "SELECT DISTINCT host::VARCHAR, pid, name FROM work "
            "WHERE event = 'node_init' AND name IS NOT NULL ORDER BY ALL"
        ):
            found.setdefault((host, pid), []).append(name)
        return found

    def _table(self, event: str, key: str, value: str) -> dict[Any, str]:
        rows = self._rows(
            f"SELECT {key.replace('host', 'host::VARCHAR')}, any_value({value}) "
            f"FROM work WHERE event = '{event}' GROUP BY ALL"
        )
        return {(row[:-1] if len(row) > 2 else row[0]): row[-1] for row in rows}

    def _rows(self, query: str) -> list[tuple[Any, ...]]:
        """A query's rows; none where the table is of a kind that lacks one of the columns."""
        try:
            return self.database.execute(query).fetchall()
        except duckdb.BinderException:
            return []

    def _handles(self) -> tuple[dict[int, str], dict[int, str]]:
        """What is called by a handle: callbacks as `node topic`, both ends by their topic."""
        nodes = self._table("node_init", "node", "name")
        topics = self._table("topic_init", "topic", "name")
        callbacks: dict[int, str] = {}
        ends: dict[int, str] = {}
        for handle, node, topic in self._rows(
            "SELECT subscription, any_value(node), any_value(topic) FROM work "
            "WHERE event = 'subscription_init' GROUP BY 1"
        ):
            callbacks[handle] = f"{nodes.get(node, '?')} {topics.get(topic, '?')}"
            ends[handle] = topics.get(topic, "?")
        for handle, node in self._rows(
            "SELECT handle, any_value(node) FROM work WHERE event = 'timer_init' GROUP BY 1"
        ):
            callbacks[handle] = f"{nodes.get(node, '?')} timer"
        for publisher, topic in self._rows(
            "SELECT publisher, any_value(topic) FROM work WHERE event = 'publisher_init' GROUP BY 1"
        ):
            ends[publisher] = topics.get(topic, "?")
        return callbacks, ends

    def _span_names(self) -> dict[int, tuple[str, str]]:
        """Name and category of each span's handle."""
        return {
            handle: (name, category)
            for handle, name, category in self._rows(
                "SELECT span, any_value(name), any_value(category) FROM work "
                "WHERE event = 'span_name' GROUP BY 1"
            )
        }

    # --- what happened ------------------------------------------------------------------------

    def _events(self, begin: int, end: int, *, with_values: bool) -> list[tuple[Any, ...]]:
        """The window's rows; older tables have no columns for a span's values."""
        told = "argument, value" if with_values else "NULL, NULL"
        return self.database.execute(
            f"SELECT event, host::VARCHAR, tid, time_ns, handle, span, publisher, seq, {told}, "
            "subscription, source_ns "
            f"FROM work WHERE event IN {(*_WORK, 'send_end')} "
            f"AND time_ns BETWEEN {begin} AND {end} ORDER BY place LIMIT {2 * MOST_EVENTS}"
        ).fetchall()

    def _collect(self, begin: int, end: int) -> None:
        callbacks, ends = self._handles()
        spans = self._span_names()
        values = self._table("value_name", "argument", "name")
        stamps = Stamps(ends, self.real_time_offset_ns)
        rows = self._events(begin, end, with_values=bool(values))
        # Before the takes: the end of a send may be told after the message was taken elsewhere.
        stamps.learn((r[0], r[6], r[7], r[11], r[3]) for r in rows if r[0] in ("send", "send_end"))
        running: dict[Thread, tuple[int, int, int]] = {}
        open_spans: dict[Thread, list[tuple[int, int, list[str]]]] = defaultdict(list)
        published: dict[tuple[int, int], tuple[int, int]] = {}
        for row in rows:
            event, host, tid, time_ns, handle, span, publisher, seq, argument, value = row[:10]
            thread, time = (host, tid), time_ns - self.low
            if event == "callback_start":
                running[thread] = (handle, time, seq or 0)
            elif event == "callback_end" and thread in running:
                started, since, message = running.pop(thread)
                if started == handle:
                    name = callbacks.get(handle) or f"callback {handle:#x}"
                    self._slice(thread, since, time, name, "callback", 0, message)
            elif event == "span_begin":
                open_spans[thread].append((span, time, []))
            elif event == "span_value" and open_spans[thread]:
                open_spans[thread][-1][2].append(f"{values.get(argument, '?')} {value:g}")
            elif event == "span_end" and open_spans[thread] and open_spans[thread][-1][0] == span:
                _, since, words = open_spans[thread].pop()
                name, category = spans.get(span) or (f"span {span:#x}", "compute")
                depth = 1 + min(len(open_spans[thread]), 1)
                self._slice(
                    thread, since, time, name, category or "compute", depth, 0, ", ".join(words)
                )
            elif event == "publish" and publisher is not None:
                published[publisher, seq] = (self.tracks[thread], time)
            elif event == "take":
                taken = (publisher, seq) if publisher else stamps.taken(*row[10:])
                if taken in published:
                    self._arrow(published[taken], thread, time, ends.get(taken[0]), taken[1])

    def _collect_devices(self, begin: int, end: int, labels: dict[Thread, str]) -> None:
        """Below the threads."""
        known: dict[str, Thread] = {}
        for one in device_slices(self._rows, begin, end, MOST_SLICES):
            if one.track not in known:
                track = known[one.track] = ("", -1 - len(known))
                self.tracks[track] = len(self.tracks)
                labels[track] = one.track
            since, until = one.begin_ns - self.low, one.end_ns - self.low
            self._slice(
                known[one.track], since, until, one.name, one.category, 1, one.seq, one.told
            )

    def _slice(
        self,
        thread: Thread,
        since: int,
        until: int,
        name: str,
        category: str,
        depth: int,
        seq: int,
        told: str = "",
    ) -> None:
        if len(self.slices.track) >= MOST_SLICES:
            self.left_out += 1
            return
        known = category if category in _CATEGORIES else "compute"
        self.slices.track.append(self.tracks[thread])
        self.slices.begin.append(since)
        self.slices.length.append(max(0, until - since))
        self.slices.name.append(self.names.number(name))
        self.slices.category.append(_CATEGORIES.index(known))
        self.slices.depth.append(depth)
        self.slices.seq.append(seq)
        self.slices.told.append(told)

    def _arrow(
        self, start: tuple[int, int], thread: Thread, time: int, topic: str | None, seq: int
    ) -> None:
        if len(self.arrows) < MOST_ARROWS:
            name = self.names.number(topic or "?")
            self.arrows.append((*start, self.tracks[thread], time, name, seq))

    # --- the whole run ------------------------------------------------------------------------

    def _strip(self) -> dict[str, Any]:
        """Callbacks that began in each interval of the run, over all threads."""
        intervals = MOST_INTERVALS
        step = max(1, -(-(self.high - self.low + 1) // intervals))
        counts = [0] * intervals
        rows: Iterable[tuple[int, int]] = self.database.execute(
            f"SELECT (time_ns - {self.low}) // {step}, count(*) FROM work "
            "WHERE event = 'callback_start' GROUP BY 1"
        ).fetchall()
        for place, count in rows:
            counts[min(int(place), intervals - 1)] = count
        return {"step_ns": step, "counts": counts}
