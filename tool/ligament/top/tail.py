# SPDX-License-Identifier: Apache-2.0
"""Reads status.jsonl while it grows. What is no status line is counted and passed over."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FIRST_READ = 4 << 20
LONGEST_LINE = 4 << 20


class StatusTail:
    """The new whole lines since the last look; of a long file only the end is read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset: int | None = None
        self._rest = b""
        self.unreadable = 0

    def read(self) -> list[dict[str, Any]]:
        """All events that were written since."""
        try:
            with self._path.open("rb") as stream:
                size = stream.seek(0, 2)
                start, cut = self._start(size)
                stream.seek(start)
                data = stream.read(size - start)
        except OSError:
            return []
        self._offset = start + len(data)
        lines = (self._rest + data).split(b"\n")
        self._rest = lines.pop()
        if len(self._rest) > LONGEST_LINE:
            self._rest = b""
            self.unreadable += 1
        return [event for line in lines[int(cut) :] if (event := self._event(line)) is not None]

    def _start(self, size: int) -> tuple[int, bool]:
        """Where to read on, and whether that is amid a line."""
        if self._offset is None or size < self._offset:  # the first look, or another file now
            self._rest = b""
            start = max(0, size - FIRST_READ)
            return start, start > 0
        return self._offset, False

    def _event(self, line: bytes) -> dict[str, Any] | None:
        if not line.strip():
            return None
        try:
            event = json.loads(line)
        except ValueError:
            event = None
        if (
            isinstance(event, dict)
            and isinstance(event.get("event"), str)
            and isinstance(event.get("container"), str)
        ):
            return event
        self.unreadable += 1
        return None
