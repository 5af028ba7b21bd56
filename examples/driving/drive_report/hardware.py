# SPDX-License-Identifier: Apache-2.0
"""A drive with its nodes in an FPGA: cycles of a frame, what is slowest, and whether the robot was
told the same as in another drive."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from drive_report.log import DriveLog

#: Of a frame's line in the log: what follows from the commands. Of real time is the rest.
_DRIVEN = ("frame", "t", "command", "light", "x", "y", "yaw")


def difference(one: DriveLog, other: DriveLog) -> str:
    """Return where two drives differ first, in words; empty if all frames are the same.

    A frame shows what the command to the one before made of it: so equal frames are equal images,
    too. Commands are multiples of 2^-16, and the log has six digits: it keeps them apart.
    """
    for a, b in zip(one.frames, other.frames, strict=False):
        for name in _DRIVEN:
            if a.get(name) != b.get(name):
                number = a.get("frame")
                return f"frame {number}: {name} is {a.get(name)} in one, {b.get(name)} in the other"
    if len(one.frames) != len(other.frames):
        return f"{len(one.frames)} frames in one drive, {len(other.frames)} in the other"
    return "" if one.frames else "the drives have no frames"


def hardware_of(variant: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what a variant of `ligament report` tells of designs; None where it has none.

    `cycles`: of one frame, from its doorbell until all that it leads to is in memory; where several
    runs of the clock belong to a frame (topics through memory), of each node that starts one.
    """
    told = variant.get("hardware")
    if not told:
        return None
    values = [row for row in variant.get("span_values", []) if row["span"] == "simulator"]
    clocks = [row["p50"] for row in values if row["value"] == "clock_hz"]
    return {
        "clock_hz": max(clocks, default=None),
        "cycles": [row for row in values if row["value"] == "cycles"],
        "slowest": [design["text"] for design in told.get("designs", [])],
    }


def hardware_lines(hardware: Mapping[str, Any]) -> list[str]:
    """Return it as sentences."""
    clock = hardware["clock_hz"]
    found = []
    for row in hardware["cycles"]:
        cycles, most = row["p50"], row["max"]
        took = f", {cycles / clock * 1e3:.3f} ms at {clock / 1e6:g} MHz" if clock else ""
        found.append(
            f"{row['node']}: {cycles:,.0f} cycles per message{took} (median of {row['n']}, "
            f"at most {most:,.0f})"
        )
    return found + list(hardware["slowest"])
