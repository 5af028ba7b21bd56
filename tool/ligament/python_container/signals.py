# SPDX-License-Identifier: Apache-2.0
"""SIGINT and SIGTERM: the first one stops the container in order, the second one at once.

The main thread waits within the middleware, where Python runs no handler. So the signal's number
goes through a pipe to a thread (`signal.set_wakeup_fd`). rclpy's own handlers are not installed:
they would shut rclpy down before what has come was handled.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable

from ligament.python_container.faults import FAILED


def catch_signals(stop: Callable[[], None]) -> None:
    """Call `stop` in a thread at the first signal; to be called in the main thread."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    wanted = (signal.SIGINT, signal.SIGTERM)
    for number in wanted:
        signal.signal(number, lambda *_: None)

    def listen() -> None:
        seen = 0
        while numbers := os.read(reading, 64):
            for number in numbers:
                if number not in wanted:
                    continue
                seen += 1
                if seen > 1:
                    os._exit(FAILED)
                stop()

    threading.Thread(target=listen, name="signals", daemon=True).start()
