# SPDX-License-Identifier: Apache-2.0
"""The figures of a drive: lateral error, laps, stops, how long commands took."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from drive_report.log import DriveLog
from drive_report.trajectory import slam_figures

PERCENTILES = (50, 95, 99)
#: The goals: lateral error p95 in good weather, and in any other.
GOAL_M, GOAL_BAD_WEATHER_M = 0.03, 0.05
#: Options that say how the drive is run or kept, not what it is like.
_NOT_WEATHER = (
    "laps", "seconds", "seed", "log", "animation", "real_time", "reply_timeout_s",
    "start_timeout_s", "width", "height", "rate_hz", "takers", "recorders", "replay", "red_laps",
    "hold_s", "slam",
)  # fmt: skip
#: What each option is where nothing is made worse.
_PLAIN = {"exposure": 1.0, "missing": [0.0, 0.0], "missing_side": "left", "stall_at": -1,
          "stall_frames": 30, "other_robot": False}  # fmt: skip


def figures(log: DriveLog) -> dict[str, Any]:
    """Return the figures as report.json has them."""
    moving = [one for one in log.frames if abs(one["speed"]) > 0.01]
    errors = [abs(one["lateral"]) for one in moving]
    stops, laps = log.of("stop"), log.of("lap")
    replies = [one["reply_ms"] for one in log.frames if one.get("reply_ms") is not None]
    conditions = conditions_of(log)
    goal = GOAL_BAD_WEATHER_M if conditions else GOAL_M
    lateral = spread(errors)
    return {
        "variant": log.variant,
        "conditions": conditions,
        "reason": log.end.get("reason", "it still drives, or the simulator was killed"),
        "frames": len(log.frames),
        "missed": log.end.get("missed"),
        "extra": log.end.get("extra"),
        "laps": len(laps),
        "lap_s": [lap["seconds"] for lap in laps],
        "driven_m": float(sum(one["speed"] for one in log.frames) / rate_of(log)),
        "lateral_m": lateral,
        "lateral_goal_m": goal,
        "lateral_goal_met": bool(errors) and lateral["p95"] <= goal,
        "departures": len(log.of("departure")),
        "red_lights": len(stops),
        "stops_obeyed": sum(stop["obeyed"] for stop in stops),
        "stops": stops,
        "reply_ms": spread(replies),
        "slam": slam_figures(log),
    }


def rate_of(log: DriveLog) -> float:
    """Return how many frames a simulated second has."""
    return float(log.start.get("options", {}).get("rate_hz", 30))


def spread(values: Iterable[float]) -> dict[str, float]:
    """Return percentiles, mean, standard deviation and the largest; empty without values."""
    data = np.array(list(values), float)
    if not data.size:
        return {}
    found = {f"p{p}": float(np.percentile(data, p)) for p in PERCENTILES}
    return {**found, "mean": float(data.mean()), "sd": float(data.std()), "max": float(data.max()),
            "n": int(data.size)}  # fmt: skip


def conditions_of(log: DriveLog) -> dict[str, Any]:
    """Return weather and faults that were chosen: the options that make something worse."""
    options = log.start.get("options", {})
    return {
        name: value
        for name, value in options.items()
        if name not in _NOT_WEATHER and value != _PLAIN.get(name, 0)
    }


def title_of(one: dict[str, Any]) -> str:
    """Return what tells a drive's figures from others: the graph's variant, and the weather."""
    weather = conditions_text(one["conditions"])
    return f"{one['variant']}, {weather}" if one["variant"] else weather


def conditions_text(conditions: dict[str, Any]) -> str:
    """Return them in words."""
    words = (
        name.replace("_", " ") if value is True else f"{name.replace('_', ' ')} {value}"
        for name, value in conditions.items()
    )
    return ", ".join(words) or "good weather"
