# SPDX-License-Identifier: Apache-2.0
"""The tracks of devices on the page's timeline: what kernels and cores did, on the host's clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

QUERY = """
WITH spans AS (SELECT span, any_value(node) AS node, any_value(name) AS name,
                      any_value(category) AS category
               FROM work WHERE event = 'span_name' GROUP BY span),
devices AS (SELECT span, any_value(device) AS device, any_value(time_base) AS base
            FROM work WHERE event = 'device_name' GROUP BY span),
nodes AS (SELECT node, any_value(name) AS name FROM work WHERE event = 'node_init' GROUP BY node)
SELECT w.host::VARCHAR, coalesce(d.device, '?'), coalesce(n.name, '?'),
       coalesce(s.name, printf('0x%x', w.span)), coalesce(s.category, 'compute'),
       coalesce(d.base, 'device'), w.device_begin_ns, w.device_end_ns, w.device_bound_ns, w.seq
FROM work w LEFT JOIN spans s ON s.span = w.span LEFT JOIN devices d ON d.span = w.span
LEFT JOIN nodes n ON n.node = s.node
WHERE w.event = 'device_span' AND w.time_ns BETWEEN {begin} AND {end}
  AND w.device_end_ns >= w.device_begin_ns
ORDER BY w.device_begin_ns, w.device_end_ns LIMIT {most}
"""

TRACKS = """
WITH names AS (SELECT track, any_value(device) AS device, any_value(kind) AS kind,
                      any_value(name) AS name
               FROM work WHERE event = 'track_name' GROUP BY track)
SELECT coalesce(n.device, '?'), coalesce(n.kind, 'task'),
       coalesce(n.name, printf('0x%x', w.track)), w.device_begin_ns, w.device_end_ns,
       w.device_bound_ns
FROM work w LEFT JOIN names n ON n.track = w.track
WHERE w.event = 'track_span' AND w.time_ns BETWEEN {begin} AND {end}
  AND w.device_end_ns >= w.device_begin_ns
ORDER BY w.device_begin_ns, w.device_end_ns LIMIT {most}
"""


@dataclass(frozen=True)
class DeviceSlice:
    """One piece of work, and the label of the track that it stands on."""

    track: str
    begin_ns: int
    end_ns: int
    name: str
    category: str
    seq: int
    told: str


def device_slices(
    rows: Callable[[str], list[tuple[Any, ...]]], begin: int, end: int, most: int
) -> list[DeviceSlice]:
    """What devices did that was told in the window, in order of time; `rows` runs a query.

    Copies have a track beside that of the kernels: both may run at once.
    """
    found = []
    for row in rows(QUERY.format(begin=begin, end=end, most=most)):
        _, device, node, name, category, base, since, until, bound, seq = row
        label = f"{device}: {node}{' copies' if category == 'copy' else ''}"
        told = "modelled: cycles at the stated clock" if base == "modelled" else _told(bound)
        label += " (modelled)" if base == "modelled" else ""
        found.append(DeviceSlice(label, since, until, name, category, seq or 0, told))
    return found + _tracks(rows, begin, end, most)


def _tracks(
    rows: Callable[[str], list[tuple[Any, ...]]], begin: int, end: int, most: int
) -> list[DeviceSlice]:
    """Tasks and interrupts, each on a track of its own below the nodes'."""
    return [
        DeviceSlice(f"{device}: {kind} {name}", since, until, name, "device", 0, _told(bound))
        for device, kind, name, since, until, bound in rows(
            TRACKS.format(begin=begin, end=end, most=most)
        )
    ]


def _told(bound: int | None) -> str:
    return f"by the device's clock, right to within {(bound or 0) / 1e3:.1f} µs"
