# SPDX-License-Identifier: Apache-2.0
"""How long a demo took from its beginning, which may be that of the set-up before it."""

from __future__ import annotations

import os
import time
from pathlib import Path

from ligament.artefacts import read_json_object, write_json

BEGAN = "LIGAMENT_DEMO_BEGAN"
"""Seconds since 1970: dev/demo says there when it began to make the checkout ready."""


class Times:
    """Times since the beginning: of the set-up, of the first frames, of the whole."""

    def __init__(self, memory: Path) -> None:
        """`memory`: where the first frames' time is kept, if these are run by themselves before."""
        self._memory, now = memory, time.time()
        try:
            self._began = float(os.environ[BEGAN])
        except (KeyError, ValueError):
            self._began = now
        self._set_up = now - self._began
        self._first: float | None = None

    def first_frames(self, keep: bool = False) -> None:
        """The first frames are shown; `keep` it for the demo that follows."""
        self._first = time.time() - self._began
        if keep:
            data = {"began": self._began, "set_up": self._set_up, "first_frames": self._first}
            write_json(self._memory, data)

    def whole(self) -> dict[str, float]:
        """All times, in seconds. `set_up`: until the demo began whose first frames these were."""
        times = {"set_up": self._set_up, "first_frames": self._first or 0.0}
        kept = read_json_object(self._memory)
        if kept.get("began") == self._began:  # shown by themselves, while less was built
            times = {name: float(kept[name]) for name in times}
        times["whole"] = time.time() - self._began
        return {name: round(value, 3) for name, value in times.items()}
