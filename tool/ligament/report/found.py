# SPDX-License-Identifier: Apache-2.0
"""What a trace tells about the system, how long its callbacks ran, and what is missing in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import duckdb
import numpy as np

from ligament.report.coverage import by_thread
from ligament.report.database import columns
from ligament.report.statistics import rate_hz, summarise


def found_system(database: duckdb.DuckDBPyConnection, metadata: dict[str, Any]) -> dict[str, Any]:
    """Nodes, topics, timers and services, by name."""
    topics = database.execute(
        "SELECT t.name, any_value(t.message), count(DISTINCT p.publisher), "
        "  count(DISTINCT s.subscription), coalesce(any_value(m.messages), 0) FROM topics t "
        "LEFT JOIN publishers p ON p.topic = t.topic "
        "LEFT JOIN subscriptions s ON s.topic = t.topic "
        "LEFT JOIN (SELECT p.topic, count(*) AS messages FROM publications m "
        "  JOIN publishers p ON p.publisher = m.publisher GROUP BY p.topic) m ON m.topic = t.topic "
        "GROUP BY t.topic, t.name ORDER BY t.name"
    ).fetchall()
    processes = database.execute(
        "SELECT count(*) FROM (SELECT DISTINCT host, pid FROM events WHERE event = 'process_start')"
    ).fetchone()
    return {
        "hosts": sorted(metadata.get("hosts", [])),
        "processes": processes[0] if processes else 0,
        "nodes": _names(database, "SELECT name FROM nodes WHERE name IS NOT NULL ORDER BY name"),
        "topics": [
            dict(
                zip(
                    ("name", "message", "publishers", "subscriptions", "messages"), row, strict=True
                )
            )
            for row in topics
            if row[0] is not None
        ],
        "timers": [
            {"node": node, "period_ns": period}
            for node, period in database.execute(
                "SELECT node_name, period_ns FROM timers ORDER BY ALL"
            ).fetchall()
        ],
        "services": [
            {"node": node, "name": name}
            for node, name in database.execute(
                "SELECT node_name, name FROM services WHERE name IS NOT NULL ORDER BY ALL"
            ).fetchall()
        ],
    }


def _names(database: duckdb.DuckDBPyConnection, query: str) -> list[str]:
    return [row[0] for row in database.execute(query).fetchall()]


def callback_times(database: duckdb.DuckDBPyConnection) -> list[dict[str, Any]]:
    """Every callback that ran: how long, and how regularly."""
    owners = database.execute(
        "SELECT DISTINCT c.handle, coalesce(s.node_name, t.node_name, v.node_name), "
        "CASE WHEN s.subscription IS NOT NULL THEN 'subscription' "
        "     WHEN t.handle IS NOT NULL THEN 'timer' "
        "     WHEN v.handle IS NOT NULL THEN 'service' ELSE 'unknown' END, "
        "coalesce(s.topic_name, v.name, CASE WHEN t.period_ns IS NOT NULL "
        "  THEN printf('every %g ms', t.period_ns / 1e6) END, printf('0x%x', c.handle)) "
        "FROM callbacks c LEFT JOIN subscriptions s ON s.subscription = c.handle "
        "LEFT JOIN timers t ON t.handle = c.handle LEFT JOIN services v ON v.handle = c.handle"
    ).fetchall()
    times = columns(database, "SELECT handle, begin_ns, end_ns FROM callbacks")
    rows_of = _rows_by("handle", times)
    found = [
        {
            "node": node,
            "kind": kind,
            "name": name,
            **_times(times["begin_ns"], times["end_ns"], rows_of[handle]),
        }
        for handle, node, kind, name in owners
    ]
    return sorted(found, key=lambda one: (one["node"] or "~", one["kind"], one["name"]))


def _rows_by(key: str, times: Mapping[str, Any]) -> dict[int, Any]:
    """The rows of each handle, in order of their begin."""
    handles, codes = np.unique(times[key], return_inverse=True)
    rows_of = dict(by_thread(codes.astype(np.int64), times["begin_ns"]))
    return {int(handle): rows_of[code] for code, handle in enumerate(handles)}


def _times(begin: Any, end: Any, rows: Any) -> dict[str, Any]:
    starts = begin[rows]
    return {
        "time_ns": summarise(end[rows] - starts),
        "rate_hz": rate_hz(starts),
        "interval_ns": summarise(np.diff(starts)) if len(rows) > 1 else None,
    }


def span_times(database: duckdb.DuckDBPyConnection) -> list[dict[str, Any]]:
    """Every named span of every node and of its devices, on a chain or not."""
    names = database.execute(
        "WITH all_spans AS ("
        "  SELECT span, node, name, category, NULL AS device, 'host' AS time_base FROM spans "
        "  UNION SELECT span, node, name, category, device, time_base FROM device_spans) "
        "SELECT s.span, n.name, s.name, any_value(s.category), any_value(s.device), "
        "  any_value(s.time_base) FROM all_spans s "
        "JOIN nodes n ON n.node = s.node WHERE n.name IS NOT NULL AND s.name IS NOT NULL "
        "GROUP BY s.span, n.name, s.name ORDER BY 2, 3, 5 NULLS FIRST"
    ).fetchall()
    times = columns(
        database,
        "SELECT span, begin_ns, end_ns FROM spans "
        "UNION ALL SELECT span, begin_ns, end_ns FROM device_spans",
    )
    rows_of = _rows_by("span", times)
    took = times["end_ns"] - times["begin_ns"]
    return [
        {
            "node": node,
            "span": name,
            "category": category,
            "device": device,
            "time_base": base,
            "time_ns": summarise(took[rows_of[handle]]),
        }
        for handle, node, name, category, device, base in names
    ]


def span_values(database: duckdb.DuckDBPyConnection) -> list[dict[str, Any]]:
    """What authors told with their spans, value by value."""
    rows = database.execute(
        "SELECT n.name, s.name, v.name, count(*), quantile_disc(v.value, 0.5), "
        "  quantile_disc(v.value, 0.99), avg(v.value), min(v.value), max(v.value) "
        "FROM span_values v JOIN nodes n ON n.node = v.node "
        "JOIN span_names s ON s.span = v.span "
        "WHERE n.name IS NOT NULL AND isfinite(v.value) GROUP BY ALL ORDER BY ALL"
    ).fetchall()
    keys = ("node", "span", "value", "n", "p50", "p99", "mean", "min", "max")
    return [dict(zip(keys, row, strict=True)) for row in rows]


def missing(database: duckdb.DuckDBPyConnection, metadata: dict[str, Any]) -> list[str]:
    """What the trace should tell and does not, one sentence each."""
    sentences = []
    if error := metadata.get("error"):
        sentences.append(f"the recording could not be read to its end: {error}")
    lost = metadata.get("discarded_events", 0)
    if lost:
        sentences.append(f"{lost} events were discarded while recording: buffers were full")
    if packets := metadata.get("discarded_packets", 0):
        sentences.append(f"{packets} packets of events were lost while recording")
    if unknown := metadata.get("unknown_losses", 0):
        sentences.append(
            f"{unknown} times events were lost while recording; nobody counted how many"
        )
    sentences += _beside(metadata)
    sentences += _unnamed(metadata.get("unknowns", {}))
    sentences += _unlinked(database)
    sentences += _unfinished(database)
    sentences += _clocks(database, metadata)
    return sentences


def _beside(metadata: dict[str, Any]) -> list[str]:
    """Of our own runs: what else their threads had to emit."""
    names = metadata.get("foreign_names", {})
    count = sum(n for name, n in names.items() if name.startswith("ros2:"))
    if metadata.get("provider") == "ros2" or count == 0:
        return []
    return [
        f"{count} events of ros2_tracing were recorded beside ours (--trace=ros2); what they cost "
        "is in the times and not in the probe overhead"
    ]


def _unnamed(unknowns: dict[str, int]) -> list[str]:
    late = (
        "their start-up events are missing: the session was started after the system, or lost them"
    )
    texts = {
        "unnamed_publishes": "{} messages were published by unknown publishers; " + late,
        "unnamed_callbacks": "{} callbacks ran that belong to no known subscription, timer or "
        "service; " + late,
        "unknown_rings": "{} messages were taken from intra-process buffers of unknown "
        "subscriptions; " + late,
    }
    return [text.format(unknowns[key]) for key, text in texts.items() if unknowns.get(key)]


def _unlinked(database: duckdb.DuckDBPyConnection) -> list[str]:
    rows = database.execute(
        "SELECT coalesce(s.topic_name, 'unknown topics'), count(*) FROM takes t "
        "LEFT JOIN subscriptions s ON s.subscription = t.subscription "
        "WHERE t.publisher IS NULL GROUP BY ALL ORDER BY 1"
    ).fetchall()
    return [
        f"{count} messages taken from {topic} fit no publication in the recording, or more than one"
        for topic, count in rows
    ]


def _unfinished(database: duckdb.DuckDBPyConnection) -> list[str]:
    row = database.execute(
        "SELECT (SELECT count(*) FROM events WHERE event = 'callback_start') "
        "- (SELECT count(*) FROM callbacks)"
    ).fetchone()
    count = row[0] if row else 0
    return [f"{count} callbacks began whose end is not in the recording"] if count else []


def _clocks(database: duckdb.DuckDBPyConnection, metadata: dict[str, Any]) -> list[str]:
    moved = metadata.get("moved_clocks", [])
    if not moved:
        return []
    sentences = [
        f"the clock of {clock['host']} is another one: it was put on the timeline by both hosts' "
        "real time; times between hosts are as wrong as those were apart"
        for clock in moved
    ]
    row = database.execute(
        "SELECT count(*), max(p.begin_ns - t.take_ns) FROM takes t JOIN publications p "
        "ON p.publisher = t.publisher AND p.seq = t.seq "
        "WHERE t.host <> p.host AND t.take_ns < p.begin_ns"
    ).fetchone()
    if row and row[0]:
        sentences.append(
            f"{row[0]} messages seem to be taken before they were published: the hosts' clocks are "
            f"at least {row[1] / 1e3:.0f} us apart"
        )
    return sentences
