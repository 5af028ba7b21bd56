# SPDX-License-Identifier: Apache-2.0
"""One line of progress at any time: what the demo does, for how long, about how long yet."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Self, TextIO

from ligament.artefacts import write_json

TERMINAL_S = 1.0
LOG_S = 15.0
"""A terminal's line is made anew that often; a log gets a line that often."""


class Phases:
    """Called with what begins now. Times of an earlier demo in `memory` give the time left."""

    def __init__(
        self, stream: TextIO, memory: Path, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`memory`: a file of this demo's own; what cannot be read of it is not known."""
        self._stream, self._memory, self._clock = stream, memory, clock
        self._terminal = stream.isatty()
        self._known = _earlier(memory)
        self._what, self._began = "", clock()
        self._seconds: dict[str, float] = {}
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._ticker = threading.Thread(target=self._tick, daemon=True)

    def __enter__(self) -> Self:
        self._ticker.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._ended.set()
        self._ticker.join()
        self._finish()
        if kind is None:
            write_json(self._memory, {"seconds": self._seconds})

    def __call__(self, what: str) -> None:
        """Begin `what`; what was in progress is done."""
        self._finish()
        with self._lock:
            self._what, self._began = what, self._clock()
            self._show(self.line())

    def tell(self, lines: Iterable[str]) -> None:
        """Show lines that stay, between two phases."""
        self._finish()
        with self._lock:
            self._stream.write("".join(f"  {line}\n" for line in lines))
            self._stream.flush()

    @property
    def seconds(self) -> Mapping[str, float]:
        """What each finished phase took."""
        return self._seconds

    def line(self) -> str:
        """What is in progress now."""
        passed = self._clock() - self._began
        text = f"demo: {self._what}" + (f", {passed:.0f} s" if passed >= 1 else "")
        left = self._left(passed)
        return text if left is None else f"{text}, about {left:.0f} s to the end"

    def _left(self, passed: float) -> float | None:
        if self._what not in self._known:
            return None
        done = self._seconds.keys() | {self._what}
        rest = sum(seconds for what, seconds in self._known.items() if what not in done)
        return max(0.0, self._known[self._what] - passed) + rest

    def _finish(self) -> None:
        with self._lock:
            if not self._what:
                return
            took = self._clock() - self._began
            self._seconds[self._what] = self._seconds.get(self._what, 0.0) + round(took, 3)
            if self._terminal:
                self._stream.write(f"\r\033[Kdemo: {self._what}, {took:.1f} s\n")
            self._what = ""

    def _tick(self) -> None:
        while not self._ended.wait(TERMINAL_S if self._terminal else LOG_S):
            with self._lock:
                if self._what:
                    self._show(self.line())

    def _show(self, line: str) -> None:
        self._stream.write(f"\r\033[K{line[:100]}" if self._terminal else f"{line}\n")
        self._stream.flush()


def _earlier(memory: Path) -> dict[str, float]:
    """Seconds of each phase of an earlier demo; nothing where that is not to be had."""
    try:
        seconds = json.loads(memory.read_text())["seconds"]
        return {str(what): float(value) for what, value in seconds.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}
