# SPDX-License-Identifier: Apache-2.0
"""Reads the log of a drive (sim/truth.py writes it) and the small pictures beside it."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from sim.weather import Picture

LOG = "drive.jsonl"
#: Numbers that a line of these events must have.
NUMBERS = {"estimate": ("t", "x", "y"), "map": ("t",)}
#: No drive keeps larger pictures.
MOST_PIXELS = 1 << 22


class LogError(Exception):
    """A log that cannot be read; says which, and what is wrong."""


@dataclass(frozen=True)
class DriveLog:
    """What is in one."""

    path: Path
    start: dict[str, Any]
    frames: list[dict[str, Any]]
    events: list[dict[str, Any]]
    end: dict[str, Any]
    """Empty: the simulator still drives, or was killed."""
    estimates: list[dict[str, Any]] = field(default_factory=list)
    """What a SLAM told: poses, sizes of the map, and the last map."""
    maps: list[dict[str, Any]] = field(default_factory=list)
    map_end: dict[str, Any] = field(default_factory=dict)
    variant: str = ""
    """Of the graph; empty where the log is not in a run's folder."""

    def of(self, event: str) -> list[dict[str, Any]]:
        """Return the laps, stops or departures."""
        return [one for one in self.events if one["event"] == event]


def find_log(place: Path) -> Path:
    """Return the log of a run's folder, or the file itself."""
    for path in (place, place / LOG, place / "outputs" / LOG):
        if path.is_file():
            return path
    raise LogError(f"{place} is no log of a drive, and has no outputs/{LOG}")


def read_log(path: Path) -> DriveLog:
    """Read all of it; a last line that was cut off is left out."""
    lines = path.read_text(encoding="utf-8").splitlines()
    found = []
    for number, line in enumerate(lines, 1):
        try:
            one = json.loads(line)
            if not isinstance(one, dict) or not isinstance(one.get("event"), str):
                raise ValueError("a line is an object with an `event`")
            for name in NUMBERS.get(one["event"], ()):
                if not isinstance(one.get(name), int | float):
                    raise ValueError(f"`event: {one['event']}` has no number `{name}`")
        except ValueError as error:
            if number == len(lines):
                break
            raise LogError(f"{path}, line {number}: {error}") from error
        found.append(one)
    if not found or found[0]["event"] != "start" or "track" not in found[0]:
        raise LogError(f"{path} does not begin with `event: start`: is it the log of a drive?")
    frames = [one for one in found if one["event"] == "frame"]
    end = found[-1] if found[-1]["event"] == "end" else {}
    events = [one for one in found if one["event"] in ("lap", "stop", "departure")]
    by_time = {
        kind: sorted((one for one in found if one["event"] == kind), key=lambda one: one["t"])
        for kind in ("estimate", "map")
    }
    last = next((one for one in reversed(found) if one["event"] == "map_end"), {})
    of_slam = (*by_time.values(), last)
    return DriveLog(path, found[0], frames, events, end, *of_slam, variant=_variant_of(path))


def _variant_of(log: Path) -> str:
    try:
        run = json.loads((log.parent.parent / "run.json").read_text(encoding="utf-8"))
        return str(run.get("variant", "")) if isinstance(run, dict) else ""
    except (OSError, ValueError):
        return ""


def read_pictures(log: Path) -> list[tuple[int, Picture]]:
    """Return the kept pictures with the numbers of their frames; none where there is no file."""
    path = log.with_suffix(".frames")
    if not path.is_file():
        return []
    data, at, found = path.read_bytes(), 0, []
    while at + 12 <= len(data):
        width, height, number = struct.unpack_from("<III", data, at)
        size = width * height * 3
        if not 0 < width * height <= MOST_PIXELS or at + 12 + size > len(data):
            break  # cut off
        flat = np.frombuffer(data, np.uint8, size, at + 12)
        found.append((number, flat.reshape(height, width, 3)))
        at += 12 + size
    return found
