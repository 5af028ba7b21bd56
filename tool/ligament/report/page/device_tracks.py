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
        told = (
            "modelled: cycles at the stated clock"
            if base == "modelled"
            else f"by the device's clock, right to within {(bound or 0) / 1e3:.1f} µs"
        )
        label += " (modelled)" if base == "modelled" else ""
        found.append(DeviceSlice(label, since, until, name, category, seq or 0, told))
    return found
