# SPDX-License-Identifier: Apache-2.0
"""Runs the callbacks of all nodes of the container, as rclpy's executors do."""

from __future__ import annotations

import contextlib
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from rclpy.executors import (
    ConditionReachedException,
    Executor,
    ExternalShutdownException,
    ShutdownException,
    TimeoutException,
)

from ligament.python_container.faults import ContainerError, described
from ligament.python_container.figures import Figures
from ligament.python_container.recording import Idle


class Spinner(Executor):  # type: ignore[misc]
    """An executor that knows which node each callback belongs to."""

    def __init__(
        self, figures: Figures, recording: Idle, done: Callable[[str], None], threads: int = 1
    ) -> None:
        super().__init__()
        self._figures, self._recording, self._done = figures, recording, done
        self._pool = ThreadPoolExecutor(threads, "callbacks") if threads > 1 else None
        self._failures: list[ContainerError] = []
        self.stopping = False

    def stop(self) -> None:
        """From any thread: `spin` returns after the callback that runs."""
        self.stopping = True
        self.wake()

    def spin(self) -> None:
        """Until `stop`, or until a callback raises."""
        while not self.stopping:
            self.spin_once()
        pool, self._pool = self._pool, None
        if pool is not None:
            # A failure is told at once, even if another callback hangs.
            pool.shutdown(wait=not self._failures, cancel_futures=bool(self._failures))
        if self._failures:
            raise self._failures[0]

    def spin_once(self, timeout_sec: float | None = None) -> None:
        """Run one callback."""
        self._run_one(timeout_sec, self._is_stopping)

    def drain(self) -> None:
        """Run the callbacks of what has come, at most as much as the subscriptions keep."""
        nodes = self.get_nodes()
        for node in nodes:
            for timer in node.timers:
                timer.cancel()
        ends = [end for node in nodes for end in (*node.subscriptions, *node.services)]
        for _ in range(sum(end.qos_profile.depth or 1 for end in ends)):
            if not self._run_one(0.0, self._never):
                return

    # Methods: rclpy goes on with what it has found only where it is asked with equal arguments.
    def _is_stopping(self) -> bool:
        return self.stopping

    def _never(self) -> bool:
        return False

    def _run_one(self, timeout_sec: float | None, condition: Callable[[], bool]) -> bool:
        """Tells whether there was a callback."""
        try:
            handler, entity, node = self.wait_for_ready_callbacks(timeout_sec, None, condition)
        except (ShutdownException, TimeoutException, ConditionReachedException):
            return False
        except ExternalShutdownException:
            for one in self.get_nodes():
                self._end(one)
            self.stopping = True
            return False
        name = node.get_fully_qualified_name() if node is not None else ""
        self._recording.watch(entity, name)
        if self._pool is None:
            self._call(handler, node, name)
        else:
            self._pool.submit(self._call_in_pool, handler, node, name)
        return True

    def _call_in_pool(self, handler: Any, node: Any, name: str) -> None:
        try:
            self._call(handler, node, name)
        except ContainerError as error:
            self._failures.append(error)
            self.stop()

    def _call(self, handler: Any, node: Any, name: str) -> None:
        with self._figures.callback(name):
            self._run(handler, node, name)

    def _run(self, handler: Any, node: Any, name: str) -> None:
        try:
            handler()
            error = handler.exception() if handler.done() else None
        except SystemExit as leaving:
            error = leaving
        if isinstance(error, SystemExit) and error.code in (None, 0):
            self._end(node)
        elif error is not None:
            traceback.print_exception(error)
            raise ContainerError(f"its callback raised {described(error)}", node=name) from error

    def _end(self, node: Any) -> None:
        """The node's work is done: its callbacks end, and the others go on.

        What it has published stays there for those who have not taken it yet. Who takes nothing any
        more must not be waited for, so its other ends go.
        """
        self.remove_node(node)
        self._done(node.get_fully_qualified_name())
        with contextlib.suppress(Exception):  # rclpy may have been shut down
            for timer in list(node.timers):
                node.destroy_timer(timer)
            for subscription in list(node.subscriptions):
                node.destroy_subscription(subscription)
            for service in list(node.services):
                node.destroy_service(service)
