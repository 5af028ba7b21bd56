# SPDX-License-Identifier: Apache-2.0
"""What a recorded run says of a node in Python: its timers, and where its callbacks begin and end.

Publishers, subscriptions and what passes them are recorded by the middleware, in C++.
"""

from __future__ import annotations

import ctypes
import functools
import inspect
import os
from collections.abc import Callable
from typing import Any

from rclpy.service import Service
from rclpy.subscription import Subscription
from rclpy.timer import Timer

from ligament.graph.names import name_hash
from ligament.trace.hooks import PROVIDER_VARIABLE, is_loaded, load_hooks


class _Taken(ctypes.Structure):
    """`rmw_ligament_taken_t`: the message that this thread took last."""

    _fields_ = (
        ("subscription", ctypes.c_uint64),
        ("publisher", ctypes.c_uint64),
        ("sequence", ctypes.c_uint64),
    )


class Idle:
    """Where nothing is recorded."""

    def watch(self, entity: Any, node: str) -> None:
        """Record the callbacks of an entity from now on; once is enough."""


class Recording(Idle):
    """Puts the events around callbacks. An entity is watched before its first callback runs."""

    def __init__(self, hooks: Any, last_taken: Any) -> None:
        self._hooks, self._last_taken = hooks, last_taken
        self._watched: set[int] = set()
        self._timers = 0
        last_taken(None)  # from now on callbacks are ours to tell, not the middleware's

    def watch(self, entity: Any, node: str) -> None:
        """Record the callbacks of an entity from now on; once is enough."""
        if getattr(entity, "_ligament_recorded", False):
            return
        if isinstance(entity, Timer):
            entity.callback = self._around(entity.callback, self._timer(entity, node))
        elif isinstance(entity, Subscription | Service):
            entity.callback = self._around(entity.callback, None)
        else:
            return
        entity._ligament_recorded = True

    def _timer(self, timer: Any, node: str) -> int:
        self._timers += 1
        handle = name_hash(f"timer {os.getpid()} {self._timers}")
        self._hooks.timer_init(handle, name_hash(node), timer.timer_period_ns)
        return handle

    def _begin(self, timer: int | None) -> int:
        if timer is not None:
            self._hooks.callback_start(timer, 0, 0)
            return timer
        taken = _Taken()
        self._last_taken(ctypes.byref(taken))
        self._hooks.callback_start(taken.subscription, taken.publisher, taken.sequence)
        return int(taken.subscription)

    def _around(self, callback: Callable[..., Any], timer: int | None) -> Callable[..., Any]:
        """The callback with its events; a coroutine function remains one, as executors ask."""
        if inspect.iscoroutinefunction(callback):

            @functools.wraps(callback)
            async def run_async(*words: Any) -> Any:
                handle = self._begin(timer)
                try:
                    return await callback(*words)
                finally:
                    self._hooks.callback_end(handle)

            return run_async

        @functools.wraps(callback)
        def run(*words: Any) -> Any:
            handle = self._begin(timer)
            try:
                return callback(*words)
            finally:
                self._hooks.callback_end(handle)

        return run


def recording(library: ctypes.CDLL) -> Idle:
    """Of this process; idle where its environment asks for none."""
    path = os.environ.get(PROVIDER_VARIABLE)
    last_taken = getattr(library, "rmw_ligament_last_taken", None)
    if not path or last_taken is None or not is_loaded(path):
        return Idle()
    last_taken.argtypes, last_taken.restype = [ctypes.c_void_p], None
    return Recording(load_hooks(path), last_taken)
