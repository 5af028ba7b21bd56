# SPDX-License-Identifier: Apache-2.0
"""How far a long build is: in a terminal one moving line, in a log a line now and then."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from ligament.build.ninja import Progress

TERMINAL_S = 1.0
LOG_S = 15.0
"""A terminal's line is made anew that often; a log gets a line that often."""


class _Line:
    """What is done now; shown by a thread of its own, as the steps may be silent for minutes."""

    def __init__(self, what: str, stream: TextIO) -> None:
        self._what, self._stream, self._began = what, stream, time.monotonic()
        self._done, self._all, self._step = 0, 0, ""
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._tick, daemon=True)
        self._thread.start()

    def advance(self, done: int, total: int, step: str) -> None:
        self._done, self._all, self._step = done, total, step

    def end(self) -> None:
        self._ended.set()
        self._thread.join()
        if self._stream.isatty():
            self._stream.write("\r\033[K")
            self._stream.flush()

    def text(self, passed_s: float) -> str:
        parts = [f"{self._what}, {passed_s:.0f} s"]
        if self._all:
            parts = [f"{self._what}: {self._done} of {self._all}, {passed_s:.0f} s"]
            if self._done:
                left = passed_s * (self._all - self._done) / self._done
                parts.append(f"about {left:.0f} s yet")
            parts.append(self._step[-40:])
        return ", ".join(parts)

    def _tick(self) -> None:
        terminal = self._stream.isatty()
        while not self._ended.wait(TERMINAL_S if terminal else LOG_S):
            text = self.text(time.monotonic() - self._began)
            self._stream.write(f"\r\033[K{text[:100]}" if terminal else f"{text}\n")
            self._stream.flush()


@contextmanager
def progress_bar(what: str = "building", stream: TextIO | None = None) -> Iterator[Progress]:
    """Yield a callback for `build`; what is shown in a terminal goes at the end."""
    line = _Line(what, stream or sys.stderr)
    try:
        yield line.advance
    finally:
        line.end()
