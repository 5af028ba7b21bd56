# SPDX-License-Identifier: Apache-2.0
"""The traffic light: red when the robot comes, green after it has stood for a while."""

from __future__ import annotations

from collections.abc import Collection

#: Along the lane, the line that must not be crossed while it is red. The light is beyond it, so
#: that the camera sees the lamps from there.
STOP_LINE = 0.40
#: It turns red when the robot is so near to the line; it stays green until then.
APPROACH = 1.0
#: Slower than this is standing, in metres per second.
STANDING = 0.01


class TrafficLight:
    """Red in the laps that are given; `hold_s` after the robot stopped it turns green."""

    def __init__(self, red_laps: Collection[int], hold_s: float, flicker_hz: float = 0.0) -> None:
        self._red_laps, self._hold_s, self._flicker_hz = frozenset(red_laps), hold_s, flicker_hz
        self._done: set[int] = set()
        self._stood_since: float | None = None
        self.state = "green"

    def update(self, now: float, to_line: float, lap: int, speed: float) -> str:
        """Return what it shows; `to_line` is how far the robot is before the line of this lap."""
        if lap in self._red_laps and lap not in self._done and 0 < to_line <= APPROACH:
            self.state = "red"
            if abs(speed) >= STANDING:
                self._stood_since = None
            elif self._stood_since is None:
                self._stood_since = now
            elif now - self._stood_since >= self._hold_s:
                self._turn_green(lap)
        elif self.state == "red":
            self._turn_green(lap)
        return self.state

    def _turn_green(self, lap: int) -> None:
        self.state, self._stood_since = "green", None
        self._done.add(lap)

    def lit(self, now: float) -> str:
        """Return which lamp is lit at this moment; a light that flickers is off half the time."""
        if self._flicker_hz > 0 and (now * self._flicker_hz) % 1.0 >= 0.5:
            return "off"
        return self.state
