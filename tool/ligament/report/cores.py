# SPDX-License-Identifier: Apache-2.0
"""What cores beside the processor did: how even their timers are, who had the core, what was lost.

A timer's period is by the core's own clock, from call to call, and never over a place where events
were lost. So neither the mapping of clocks nor a loss looks like jitter.
"""

from __future__ import annotations

from typing import Any

import duckdb

from ligament.report.database import columns
from ligament.report.statistics import summarise


def cores_of(database: duckdb.DuckDBPyConnection) -> dict[str, Any]:
    """`device_timers`, `device_tracks` and `device_lost` of a variant's entry; empty without any
    device that tells of them."""
    timers, tracks, lost = _timers(database), _tracks(database), lost_on_devices(database)
    if not (timers or tracks or lost):
        return {}
    return {"device_timers": timers, "device_tracks": tracks, "device_lost": lost}


def lost_on_devices(database: duckdb.DuckDBPyConnection) -> int:
    """Events that devices could not keep."""
    row = database.execute(
        "SELECT coalesce(sum(count), 0) FROM events WHERE event = 'device_lost'"
    ).fetchone()
    return int(row[0]) if row else 0


def _timers(database: duckdb.DuckDBPyConnection) -> list[dict[str, Any]]:
    names = database.execute(
        "SELECT s.span, n.name, s.name, d.device FROM span_names s "
        "JOIN nodes n ON n.node = s.node "
        "JOIN (SELECT span, any_value(device) AS device FROM events "
        "      WHERE event = 'device_name' GROUP BY span) d ON d.span = s.span "
        "WHERE s.span IN (SELECT span FROM events WHERE event = 'device_interval') "
        "ORDER BY 2, 3, 4"
    ).fetchall()
    return [
        {
            "node": node,
            "timer": span.removeprefix("on_"),
            "device": device,
            "period_ns": summarise(
                columns(
                    database,
                    "SELECT interval_ns FROM events WHERE event = 'device_interval' "
                    f"AND span = {handle} ORDER BY row",
                )["interval_ns"]
            ),
        }
        for handle, node, span, device in names
    ]


def _tracks(database: duckdb.DuckDBPyConnection) -> list[dict[str, Any]]:
    """Each task and interrupt. `share`: of the time in which the device told of anything."""
    rows = database.execute(
        "WITH extent AS (SELECT device, max(end_ns) - min(begin_ns) AS ns FROM track_spans "
        "                GROUP BY device) "
        "SELECT t.track, t.device, t.kind, t.name, "
        "  sum(t.end_ns - t.begin_ns) / nullif(any_value(e.ns), 0) "
        "FROM track_spans t JOIN extent e ON e.device = t.device "
        "GROUP BY t.track, t.device, t.kind, t.name ORDER BY 2, 3 DESC, 4"
    ).fetchall()
    return [
        {
            "device": device,
            "kind": kind,
            "name": name,
            "share": float(share or 0.0),
            "time_ns": summarise(
                columns(
                    database,
                    f"SELECT end_ns - begin_ns AS ns FROM track_spans WHERE track = {track} "
                    "ORDER BY row",
                )["ns"]
            ),
        }
        for track, device, kind, name, share in rows
    ]
