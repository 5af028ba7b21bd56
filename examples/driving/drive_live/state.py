# SPDX-License-Identifier: Apache-2.0
"""What happened in the last minutes: the path, commands, and how long they took."""

from __future__ import annotations

import collections
import threading
import time
from typing import Any

from sim.track import LANE_WIDTH, Track

#: Points of the path, and commands, that are kept.
MOST_POINTS, MOST_COMMANDS = 4000, 300
#: Metres between two points of the path.
STEP_M = 0.02


class State:
    """Is written by the node's callbacks, and read by the server's threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._path: collections.deque[tuple[float, float]] = collections.deque(maxlen=MOST_POINTS)
        self._pose = (0.0, 0.0, 0.0)
        self._commands: collections.deque[tuple[float, float, float | None]] = collections.deque(
            maxlen=MOST_COMMANDS
        )
        self._images = 0
        self._image_at: float | None = None
        self._began = time.monotonic()
        self._outline = Track().outline(0.05)

    def image_came(self) -> None:
        """Count it; the next command answers it."""
        with self._lock:
            self._images += 1
            self._image_at = time.monotonic()

    def command_came(self, speed: float, turn: float) -> None:
        """Take a command, and how long ago the image before it came."""
        with self._lock:
            passed = None if self._image_at is None else time.monotonic() - self._image_at
            self._image_at = None
            self._commands.append((speed, turn, passed))

    def moved(self, x: float, y: float, yaw: float) -> None:
        """Take where the robot thinks it is."""
        with self._lock:
            self._pose = (x, y, yaw)
            last = self._path[-1] if self._path else None
            if last is None or abs(last[0] - x) + abs(last[1] - y) >= STEP_M:
                self._path.append((x, y))

    def to_json(self) -> dict[str, Any]:
        """Return all of it, as the page draws it."""
        with self._lock:
            commands, images = list(self._commands), self._images
            path, pose = list(self._path), self._pose
        delays = sorted(c[2] * 1000 for c in commands if c[2] is not None)
        return {
            "images": images,
            "per_second": images / max(time.monotonic() - self._began, 1e-3),
            "pose": pose,
            "path": [(round(x, 3), round(y, 3)) for x, y in path],
            "outline": self._outline,
            "lane_width": LANE_WIDTH,
            "commands": [(speed, turn) for speed, turn, _ in commands],
            "delay_ms": {"p50": delays[len(delays) // 2], "max": delays[-1]} if delays else None,
        }
