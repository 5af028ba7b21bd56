# SPDX-License-Identifier: Apache-2.0
"""How far SLAM's poses are from where the robot was, as the tool evo defines it (`evo_ape -a`).

Absolute trajectory error: the root of the mean squared distance between positions of the same
times, after the turn and the shift that make it least (Umeyama, 1991). The scale stays as it was
told: a map of half the size is wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drive_report.log import DriveLog

#: The goal: the error over the length of the driven path.
GOAL_SHARE = 0.02
#: With fewer poses there is no error to speak of.
LEAST_POSES = 10
Points = NDArray[np.float64]


@dataclass(frozen=True)
class Alignment:
    """From the map's frame into the world: turn, then shift."""

    turn: Points
    shift: Points

    def place(self, points: Any) -> Points:
        """Return where points of the map are in the world."""
        return np.array(points, float).reshape(-1, 2) @ self.turn.T + self.shift


def align(found: Points, real: Points) -> Alignment:
    """Return the turn and shift that bring `found` nearest to `real`."""
    middle, there = found.mean(axis=0), real.mean(axis=0)
    left, _, right = np.linalg.svd((real - there).T @ (found - middle))
    mirror = np.diag([1.0, np.sign(np.linalg.det(left @ right)) or 1.0])
    turn = left @ mirror @ right
    return Alignment(turn, there - turn @ middle)


def rmse(found: Points, real: Points) -> float:
    """Return the root of the mean squared distance."""
    return float(np.sqrt(((found - real) ** 2).sum(axis=1).mean()))


def pairs(log: DriveLog) -> tuple[Points, Points, Points]:
    """Return positions of the same frames: those of SLAM, the real ones, those of the wheels."""
    rate = float(log.start.get("options", {}).get("rate_hz", 30))
    frames = {one["frame"]: one for one in log.frames}
    both = [
        (pose, frame)
        for pose in log.estimates
        if (frame := frames.get(round(pose["t"] * rate))) is not None
    ]
    found = np.array([(p["x"], p["y"]) for p, _ in both], float).reshape(-1, 2)
    real = np.array([(f["x"], f["y"]) for _, f in both], float).reshape(-1, 2)
    wheels = np.array([f.get("wheels", (f["x"], f["y"]))[:2] for _, f in both], float)
    return found, real, wheels.reshape(-1, 2)


def alignment_of(log: DriveLog) -> Alignment | None:
    """Return how the map lies in the world; None without enough poses."""
    found, real, _ = pairs(log)
    return align(found, real) if len(found) >= LEAST_POSES else None


def slam_figures(log: DriveLog) -> dict[str, Any] | None:
    """Return the figures of SLAM, None where none was told."""
    if not log.estimates and not log.maps:
        return None
    found, real, wheels = pairs(log)
    last = log.maps[-1] if log.maps else {}
    own: dict[str, Any] = {
        "poses": len(found),
        "frames": len(log.frames),
        "path_m": float(np.hypot(*np.diff(real, axis=0).T).sum()) if len(real) else 0.0,
        "ate_rmse_m": None,
        "ate_share": None,
        "goal_share": GOAL_SHARE,
        "goal_met": False,
        "wheels_rmse_m": None,
        **{name: last.get(name) for name in ("keyframes", "points", "loops_closed")},
        "laps": map_by_lap(log),
    }
    if len(found) < LEAST_POSES or own["path_m"] <= 0:
        return own
    error = rmse(align(found, real).place(found), real)
    share = error / own["path_m"]
    by_wheels = rmse(align(wheels, real).place(wheels), real)
    return own | {"ate_rmse_m": error, "ate_share": share, "goal_met": share <= GOAL_SHARE,
                  "wheels_rmse_m": by_wheels}  # fmt: skip


def map_by_lap(log: DriveLog) -> list[dict[str, Any]]:
    """Return the map's size at the end of each lap: one that is kept levels off."""
    found = []
    for lap in log.of("lap"):
        before = [one for one in log.maps if one["t"] <= lap["t"]]
        if before:
            counts = {name: before[-1].get(name) for name in ("keyframes", "points")}
            found.append({"lap": lap["lap"], **counts})
    return found
