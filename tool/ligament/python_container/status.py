# SPDX-License-Identifier: Apache-2.0
"""The status lines of the container: one a second, and what happens in between."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable
from typing import Any

PERIOD_S = 1.0


class StatusChannel:
    """Writes lines; without a descriptor it writes nothing."""

    def __init__(self, descriptor: int | None) -> None:
        self._descriptor = descriptor
        self._on_closed: Callable[[], None] = lambda: None
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def on_closed(self, stop: Callable[[], None]) -> None:
        """What to do once nobody reads the lines any more."""
        self._on_closed = stop

    def say(self, event: str, **fields: Any) -> None:
        """Write a line at once."""
        self._write({"event": event, **fields})

    def error(self, node: str, text: str) -> None:
        """Say that something is wrong, on the descriptor and for whoever reads the log."""
        print(f"{node or 'container'}: {text}", file=sys.stderr, flush=True)
        self.say("error", node=node, text=text)

    def start(self, figures: Callable[[], dict[str, Any]]) -> None:
        """Write figures each second from now on, in a thread: also while a callback hangs."""

        def tell() -> None:
            while not self._ended.wait(PERIOD_S):
                self._write(figures())

        if self._descriptor is not None:
            self._thread = threading.Thread(target=tell, name="status", daemon=True)
            self._thread.start()

    def stop(self, last: dict[str, Any] | None = None) -> None:
        """Write no figures any more but `last`."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
        if last is not None:
            self._write(last)

    def _write(self, line: dict[str, Any]) -> None:
        if self._descriptor is None:
            return
        text = (json.dumps(line) + "\n").encode()
        with self._lock:
            try:
                while text:
                    text = text[os.write(self._descriptor, text) :]
            except OSError:  # nobody reads any more: the tool is gone
                self._descriptor = None
        if self._descriptor is None:
            self._on_closed()
