# SPDX-License-Identifier: Apache-2.0
"""What really happened: poses, laps, stops and departures, a line of JSON for each, for the report.

The log's first line has `event: start` with the track and the options, then one `event: frame` for
each frame, `lap`, `stop` (of a red light: whether it was obeyed), `departure`; the last is `end`.
What a SLAM tells is between them (sim/estimate.py). `wheels` is where the odometry has the robot.
Lengths are metres, times are simulated seconds, latencies are milliseconds of real time.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from sim.light import APPROACH, STANDING, STOP_LINE
from sim.shape import WHEEL_SEPARATION
from sim.track import LANE_WIDTH, Pose, Track

#: A wheel is then beyond the middle of a stripe: the robot has left the lane.
DEPARTED = (LANE_WIDTH - WHEEL_SEPARATION) / 2
#: Nobody finds back from there.
LOST = 0.40
#: So long without moving, and no red light: it is stuck.
STUCK_S = 20.0


@dataclass
class Stop:
    """A red light of one lap."""

    lap: int
    red_at: float
    stood_s: float = 0.0
    before_line: float = 0.0


class Truth:
    """Follows a drive, judges it, and writes it down."""

    def __init__(self, track: Track, laps: int, path: Path | None, options: dict[str, Any]) -> None:
        self._track, self._laps = track, laps
        self._file: TextIO | None = None
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("w", encoding="utf-8", buffering=1)
        self.along = 0.0
        """Since the beginning, over all laps."""
        self.lateral = 0.0
        self.departures = 0
        self.red_lights_run = 0
        self.stops: list[dict[str, Any]] = []
        self._lap_began = 0.0
        self._moved_at = 0.0
        self._is_out = False
        self._stop: Stop | None = None
        self._time = 0.0
        self.reason = ""
        shape = {"length": track.length, "lane_width": LANE_WIDTH, "stop_line": STOP_LINE}
        self.write("start", track={**shape, "outline": track.outline()}, options=options)

    @property
    def lap(self) -> int:
        """The lap that is driven, from 1."""
        return max(0, int(self.along // self._track.length)) + 1

    @property
    def to_line(self) -> float:
        """How far before this lap's stop line it is; negative behind it.

        The way to the line may begin in the lap before, but is counted to the lap of the line.
        """
        return (self.line_lap - 1) * self._track.length + STOP_LINE - self.along

    @property
    def line_lap(self) -> int:
        """The lap of the stop line that comes, or was just crossed."""
        return max(0, int((self.along + APPROACH - STOP_LINE) // self._track.length)) + 1

    def observe(self, now: float, pose: Pose, speed: float, light: str) -> None:
        """Take where it is; call it once for each frame, with what the light shows."""
        place = self._track.locate(pose.x, pose.y)
        length, lap_before, line_before = self._track.length, self.lap, self.to_line
        step = (place.along - self.along + length / 2) % length - length / 2
        self.along += step
        self.lateral = place.lateral
        self._judge_stop(now, now - self._time, line_before, speed, light)
        if self.lap > lap_before:
            self.write("lap", lap=lap_before, t=now, seconds=now - self._lap_began)
            self._lap_began = now
        self._judge_lane(now, speed, light)
        self._time = now

    def _judge_stop(
        self, now: float, passed: float, line_before: float, speed: float, light: str
    ) -> None:
        if light == "red" and self._stop is None:
            self._stop = Stop(self.line_lap, now)
        if self._stop is None:
            return
        if light == "red" and abs(speed) < STANDING:
            self._stop.stood_s += passed
            self._stop.before_line = self.to_line
        if line_before > 0 >= self.to_line:
            obeyed = light != "red"
            self.red_lights_run += not obeyed
            stop = {**self._stop.__dict__, "crossed_at": now, "obeyed": obeyed}
            self.stops.append(stop)
            self.write("stop", t=now, **stop)
            self._stop = None

    def _judge_lane(self, now: float, speed: float, light: str) -> None:
        is_out = abs(self.lateral) > DEPARTED
        if is_out and not self._is_out:
            self.departures += 1
            self.write("departure", t=now, along=self.along, lateral=self.lateral)
        self._is_out = is_out
        if abs(speed) >= STANDING or light == "red":
            self._moved_at = now
        if self.lap > self._laps:
            self.reason = "laps done"
        elif abs(self.lateral) > LOST:
            self.reason = "lost"
        elif now - self._moved_at > STUCK_S:
            self.reason = "stuck"

    def frame(self, **values: Any) -> None:
        """Write a frame's line, with the place and the lap."""
        place = {"along": self.along, "lateral": self.lateral, "lap": self.lap}
        self.write("frame", **place, **values)

    def end(self, **values: Any) -> None:
        """Write the last line."""
        judged = {"departures": self.departures, "red_lights_run": self.red_lights_run}
        self.write("end", reason=self.reason or "stopped", laps=self.lap - 1, **judged, **values)
        if self._file is not None:
            self._file.close()
            self._file = None

    def write(self, event: str, **values: Any) -> None:
        """Write a line."""
        if self._file is not None:
            self._file.write(json.dumps({"event": event, **_rounded(values)}) + "\n")


def _rounded(value: Any) -> Any:
    """Return it with numbers of at most six digits behind the point: micrometres."""
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(one) for one in value]
    return value
