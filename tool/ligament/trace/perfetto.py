# SPDX-License-Identifier: Apache-2.0
"""The event table as a timeline for ui.perfetto.dev (Trace Event format, JSON).

One track per thread: callbacks and spans as slices, publishes and takes as instants, and an arrow
for each message from its publish to its takes. One track per device, node and kind of work, in the
process that told of it: a copy may run beside a kernel. One track per task and interrupt of a core.
Simulated time, where nodes follow it, is a counter.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import IO, Any

import duckdb
import pyarrow.parquet as pq

from ligament.disk import replacing
from ligament.report.database import open_events

ROWS_PER_FETCH = 10_000

THREADS = """
SELECT DISTINCT pid, tid, any_value(name) OVER (PARTITION BY pid, tid) FROM events
WHERE event = 'thread_start'
"""
PROCESSES = "SELECT pid, container FROM events WHERE event = 'process_start'"
CALLBACKS = """
SELECT c.begin_ns, c.end_ns, e.pid, c.tid,
       coalesce(s.node_name || ' ' || s.topic_name, n.name || ' timer', printf('0x%x', c.handle)),
       c.seq
FROM callbacks c JOIN events e ON e.row = c.begin_row
LEFT JOIN subscriptions s ON s.subscription = c.handle
LEFT JOIN (SELECT handle, any_value(node) AS node FROM events
           WHERE event = 'timer_init' GROUP BY handle) t ON t.handle = c.handle
LEFT JOIN nodes n ON n.node = t.node ORDER BY c.begin_row
"""
SPANS = """
SELECT s.begin_ns, s.end_ns, e.pid, s.tid, coalesce(s.name, printf('0x%x', s.span)), s.category,
       v.names, v.told
FROM spans s JOIN events e ON e.row = s.begin_row
LEFT JOIN (SELECT begin_row, list(name) AS names, list(value) AS told
           FROM span_values GROUP BY begin_row) v ON v.begin_row = s.begin_row
ORDER BY s.begin_row
"""
DEVICES = """
SELECT d.begin_ns, d.end_ns, d.pid, coalesce(d.name, printf('0x%x', d.span)), d.category,
       coalesce(d.device, '?'), coalesce(n.name, '?'), d.time_base, d.bound_ns, d.seq
FROM device_spans d LEFT JOIN nodes n ON n.node = d.node ORDER BY d.begin_ns, d.row
"""
TRACKS = """
SELECT begin_ns, end_ns, pid, coalesce(name, printf('0x%x', track)), coalesce(kind, 'task'),
       coalesce(device, '?'), bound_ns
FROM track_spans ORDER BY begin_ns, row
"""
MESSAGES = """
SELECT p.end_ns, pe.pid, p.tid, t.take_ns, te.pid, t.tid,
       coalesce(b.topic_name, printf('0x%x', p.publisher)), p.seq
FROM publications p JOIN takes t ON t.publisher = p.publisher AND t.seq = p.seq
JOIN events pe ON pe.row = p.row JOIN events te ON te.row = t.row
LEFT JOIN publishers b ON b.publisher = p.publisher ORDER BY p.row, t.row
"""
ROS_TIMES = "SELECT time_ns, pid, ros_ns FROM ros_times ORDER BY time_ns"


MOST_ROWS = 400_000
"""A timeline of more is slow to draw and nobody scrolls through it: the first rows are shown."""


def write_timeline(table: Path, path: Path, rows: int = MOST_ROWS) -> bool:
    """Write the timeline; opened in ui.perfetto.dev. False: it shows the first `rows` rows only."""
    database = open_events(table, rows=rows)
    count = pq.read_metadata(table).num_rows
    first = database.execute("SELECT min(time_ns) FROM events").fetchone()
    origin = first[0] if first else 0
    with replacing(path) as partial, partial.open("w", encoding="utf-8") as out:
        shown = f"{'all' if count <= rows else f'the first {rows}'} of {count} rows"
        out.write(f'{{"displayTimeUnit":"ns","otherData":{{"shown":"{shown}"}},"traceEvents":[\n')
        _write(out, _events(database, origin))
        out.write("\n]}\n")
    return bool(count <= rows)


def _finite(value: float) -> float | str:
    """JSON has no infinity and no NaN; as text they are at least seen."""
    return value if math.isfinite(value) else str(value)


def _write(out: IO[str], events: Iterator[dict[str, Any]]) -> None:
    """Many at once: a call of the encoder costs more than an event."""
    separator = ""
    while some := list(islice(events, ROWS_PER_FETCH)):
        text = json.dumps(some, separators=(",", ":"))
        out.write(separator + text[1:-1])
        separator = ",\n"


def _rows(database: duckdb.DuckDBPyConnection, query: str) -> Iterator[tuple[Any, ...]]:
    cursor = database.execute(query)
    while rows := cursor.fetchmany(ROWS_PER_FETCH):
        yield from rows


def _events(database: duckdb.DuckDBPyConnection, origin: int) -> Iterator[dict[str, Any]]:
    def micros(time_ns: int) -> float:
        return (time_ns - origin) / 1000

    for pid, container in _rows(database, PROCESSES):
        yield {"ph": "M", "name": "process_name", "pid": pid, "args": {"name": container}}
    for pid, tid, name in _rows(database, THREADS):
        yield {"ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "args": {"name": name}}
    for begin, end, pid, tid, name, seq in _rows(database, CALLBACKS):
        yield {"ph": "X", "cat": "callback", "name": name, "pid": pid, "tid": tid,
               "ts": micros(begin), "dur": (end - begin) / 1000, "args": {"seq": seq}}  # fmt: skip
    for begin, end, pid, tid, name, category, names, told in _rows(database, SPANS):
        told_with = dict(zip(names or (), map(_finite, told or ()), strict=True))
        yield {"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid,
               "ts": micros(begin), "dur": (end - begin) / 1000,
               **({"args": told_with} if told_with else {})}  # fmt: skip
    yield from _device_events(database, micros)
    for time, pid, ros_ns in _rows(database, ROS_TIMES):
        yield {"ph": "C", "name": "ROS time", "pid": pid, "ts": micros(time),
               "args": {"s": ros_ns / 1e9}}  # fmt: skip
    for number, row in enumerate(_rows(database, MESSAGES)):
        published, pid, tid, taken, to_pid, to_tid, topic, seq = row
        common = {"cat": "message", "name": topic, "id": number, "args": {"seq": seq}}
        yield {"ph": "s", "pid": pid, "tid": tid, "ts": micros(min(published, taken)), **common}
        yield {"ph": "f", "bp": "e", "pid": to_pid, "tid": to_tid, "ts": micros(taken), **common}


FIRST_DEVICE_TRACK = 1 << 30
"""No thread has such a number (the kernel's largest is 4,194,304)."""


def _device_events(
    database: duckdb.DuckDBPyConnection, micros: Callable[[int], float]
) -> Iterator[dict[str, Any]]:
    tracks: dict[tuple[int, str], int] = {}
    for pid, label, name, category, begin, end, told in _device_slices(database):
        key = (pid, label)
        if key not in tracks:
            tracks[key] = FIRST_DEVICE_TRACK + len(tracks)
            yield {"ph": "M", "name": "thread_name", "pid": pid, "tid": tracks[key],
                   "args": {"name": label}}  # fmt: skip
        yield {"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tracks[key],
               "ts": micros(begin), "dur": (end - begin) / 1000, "args": told}  # fmt: skip


def _device_slices(database: duckdb.DuckDBPyConnection) -> Iterator[tuple[Any, ...]]:
    """Process, track, name, category, begin, end and what else is known: nodes' work, then what
    runs on the device besides."""
    for row in _rows(database, DEVICES):
        begin, end, pid, name, category, device, node, base, bound, seq = row
        label = f"{device}: {node}{' copies' if category == 'copy' else ''}"
        told = {"seq": seq, "time base": base, "bound_ns": bound}
        yield pid, label, name, category, begin, end, told
    for begin, end, pid, name, kind, device, bound in _rows(database, TRACKS):
        yield pid, f"{device}: {kind} {name}", name, kind, begin, end, {"bound_ns": bound}
