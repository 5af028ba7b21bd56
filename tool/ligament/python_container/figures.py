# SPDX-License-Identifier: Apache-2.0
"""Figures of nodes in Python, for the container's status lines (spec/run/status.schema.json)."""

from __future__ import annotations

import ctypes
import json
import resource
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Figures:
    """Counts callbacks in the threads that run them; another thread reads."""

    def __init__(self, nodes: list[str], library: ctypes.CDLL) -> None:
        self._callbacks = dict.fromkeys(nodes, 0)
        self._busy_ns = dict.fromkeys(nodes, 0)
        self._running: dict[int, tuple[str, int]] = {}
        """By thread: whose callback runs there, and since when."""
        self._lock = threading.Lock()
        self._status_nodes = getattr(library, "rmw_ligament_status_nodes", None)
        if self._status_nodes is not None:
            self._status_nodes.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
            self._status_nodes.restype = ctypes.c_size_t

    @contextmanager
    def callback(self, node: str) -> Iterator[None]:
        """Around one callback of a node; the empty name is a task of nobody's."""
        begin, thread = time.monotonic_ns(), threading.get_ident()
        with self._lock:
            self._running[thread] = (node, begin)
        try:
            yield
        finally:
            with self._lock:
                del self._running[thread]
                if node in self._callbacks:
                    self._callbacks[node] += 1
                    self._busy_ns[node] += time.monotonic_ns() - begin

    def status(self) -> dict[str, Any]:
        """A status line."""
        with self._lock:
            now, running = time.monotonic_ns(), list(self._running.values())
        since = {node: max((now - b for n, b in running if n == node), default=0)
                 for node in self._callbacks}  # fmt: skip
        usage = resource.getrusage(resource.RUSAGE_SELF)
        cpu_ns = round((usage.ru_utime + usage.ru_stime) * 1e9)
        busy = sum(self._busy_ns.values())
        ends = self._ends()
        nodes = [
            {
                "id": node,
                "cpu_ns": cpu_ns * self._busy_ns[node] // busy if busy else cpu_ns // len(ends),
                "busy_ns": self._busy_ns[node],
                "callbacks": self._callbacks[node],
                "callback_running_ns": since[node],
                "heap_allocs": 0,
                **ends[node],
            }
            for node in self._callbacks
        ]
        rss = usage.ru_maxrss * 1024  # Linux counts in KiB
        return {"event": "status", "t_ns": now, "peak_rss_bytes": rss, "nodes": nodes}

    def _ends(self) -> dict[str, dict[str, Any]]:
        """Counts of publishers and subscriptions, as the middleware has them."""
        told = {entry.get("id"): entry for entry in self._told()}
        kept = ("publishers", "subscriptions", "services", "clients")
        nothing: dict[str, Any] = {"publishers": [], "subscriptions": []}
        return {
            node: nothing | {k: v for k, v in told.get(node, {}).items() if k in kept}
            for node in self._callbacks
        }

    def _told(self) -> list[dict[str, Any]]:
        if self._status_nodes is None:
            return []
        size = 0
        for _ in range(3):  # more may be told when it is asked again
            buffer = ctypes.create_string_buffer(size + 1)
            needed = self._status_nodes(buffer, size + 1)
            if needed <= size:
                told: list[dict[str, Any]] = json.loads(buffer.value or b"[]")
                return told
            size = needed
        return []
