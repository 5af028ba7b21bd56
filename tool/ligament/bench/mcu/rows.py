# SPDX-License-Identifier: Apache-2.0
"""Rows of `ligament bench mcu`."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ligament.bench.mcu.options import PAPER_SIZES, Place
from ligament.bench.measuring import Row, make_row
from ligament.report.statistics import summarise

Times = Mapping[tuple[Place, int], list[int]]

NOTES = (
    "round_trip: from before a text is published on /ping until the same text has come back on"
    " /pong; the next one is said then",
    "the core is emulated: its instructions, memory and interrupts are real, its time is this"
    " computer's",
    "at shm: a node in the pool; at rclpy: an rclpy node with rmw_ligament_cpp; at dds: an rclpy"
    " node with Fast DDS, behind the edge; at ring: no agent and no client",
)
#: Of a serial line; and around a text: its length, its end, XRCE's heads, the frame.
BAUD, BITS_PER_BYTE, BYTES_AROUND = 115200, 10, 24
#: What a line through the medians of fewer sizes says is nothing.
_LEAST_SIZES = 3


def rows_of(times: Times) -> list[Row]:
    """Round trips; of the paper's sizes per byte, too; of its links with all their values."""
    rows = []
    for (place, size), values in times.items():
        params = params_of(place, bytes=size)
        row = make_row("mcu", params, "round_trip", "ns", values, place.peer)
        if size not in PAPER_SIZES:
            rows.append(row)
            continue
        kept = {"values": [round(value, -2) for value in values]} if place.is_published else {}
        rows.append({**row, **kept})
        per_byte = [value / size for value in values]
        rows.append(make_row("mcu", params, "time_per_byte", "ns", per_byte, place.peer))
    return rows


def fits(times: Times) -> list[Row]:
    """What a message costs at all, and what each of its bytes: least squares through medians.

    Weighted by the inverse of the median: the fit is as good for small messages as for large ones.
    """
    rows = []
    for place in dict.fromkeys(place for place, _ in times):
        medians = {s: float(summarise(v)["p50"]) for (p, s), v in times.items() if p == place}
        if len(medians) < _LEAST_SIZES:
            continue
        slope, fixed = np.polyfit(
            list(medians), list(medians.values()), 1, w=[1 / m for m in medians.values()]
        )
        params = params_of(place, sizes=len(medians))
        rows.append(make_row("mcu", params, "fixed_cost", "ns", float(fixed), place.peer))
        rows.append(make_row("mcu", params, "cost_per_byte", "ns", float(slope), place.peer))
    return rows


def line_ns(size: int) -> float:
    """How long the bits of a text are on a serial line, there and back."""
    return 2e9 * BITS_PER_BYTE * (size + BYTES_AROUND) / BAUD


def line_times(times: Times) -> list[Row]:
    """Of the serial line: what its bits take, and what is left of a round trip without that."""
    rows = []
    for (place, size), values in times.items():
        if place.link == "uart":
            params = params_of(place, bytes=size)
            rest = [value - line_ns(size) for value in values]
            rows.append(make_row("mcu", params, "line_time", "ns", line_ns(size), place.peer))
            rows.append(make_row("mcu", params, "round_trip_without_line", "ns", rest, place.peer))
    return rows


def params_of(place: Place, **more: int) -> dict[str, str | int]:
    """As they stand in rows."""
    return {"link": place.link, "at": place.at, **more}
