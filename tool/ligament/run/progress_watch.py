# SPDX-License-Identifier: Apache-2.0
"""Notices what makes no progress: silent containers, stuck nodes, graphs that wait for nothing."""

from __future__ import annotations

from ligament.run.outcome import Observer, now_ns
from ligament.run.process import ContainerProcess
from ligament.run.status import StatusBoard

# A graph that waits for a node which will never be done looks like one that hangs.
QUIET_BEFORE_HINT_NS = 5_000_000_000


class ProgressWatch:
    """Told whenever a process is heard of; `look` says once per case what gives none."""

    def __init__(self, board: StatusBoard, observer: Observer, silence_timeout_s: float) -> None:
        self.stuck: list[str] = []
        self._board = board
        self._observer = observer
        self._silence_timeout_s = silence_timeout_s
        self._heard_ns: dict[str, int] = {}
        self._wakes: dict[str, int | None] = {}
        self._silent: set[str] = set()
        self._moved = 0
        self._moved_ns = now_ns()
        self._said_waiting = False

    def heard(self, container: str) -> None:
        """A container wrote a line. A ready one does so each second, whatever its nodes do."""
        self._moves(container, f"container {container} reports again")

    def ended(self, container: str) -> None:
        """A container is gone, and so is not expected to say anything."""
        self._heard_ns.pop(container, None)
        self._wakes.pop(container, None)
        self._silent.discard(container)

    def look(self, ready: dict[str, ContainerProcess], done: set[str]) -> None:
        """Look for containers that have gone silent, and for a graph that only waits."""
        for name, container in ready.items():
            if container.spec.auxiliary:
                self._look_for_wake(name, container)
            self._look_for_silence(name, container)
        self._look_for_waiting(done)

    def note_stuck(self, node: str, container: str, pid: int) -> None:
        """A node has been inside one callback for long."""
        self.stuck.append(node)
        self._observer.note(
            f"node {node} (container {container}, pid {pid}) makes no "
            "progress, or takes long: it has been inside one callback for more than 5 s"
        )

    def _moves(self, container: str, again: str) -> None:
        self._heard_ns[container] = now_ns()
        if container in self._silent:
            self._silent.discard(container)
            self._observer.note(again)

    def _look_for_wake(self, name: str, process: ContainerProcess) -> None:
        """An edge writes only of what changes, but its main thread wakes each second to look."""
        wakes = process.wakes
        if wakes is None or wakes != self._wakes.get(name):
            self._wakes[name] = wakes
            self._moves(name, f"{name} runs again")

    def _look_for_silence(self, name: str, container: ContainerProcess) -> None:
        silent_ns = now_ns() - self._heard_ns.get(name, now_ns())
        if name in self._silent or silent_ns < self._silence_timeout_s * 1e9:
            return
        self._silent.add(name)
        self._board.set_state(name, "silent")
        self.stuck.append(name)
        missed = "run" if container.spec.auxiliary else "reported"
        self._observer.note(
            f"{container.spec.described(container.pid)} has not {missed} for "
            f"{self._silence_timeout_s:g} s: stopped or hung"
        )

    def _look_for_waiting(self, done: set[str]) -> None:
        moved = self._board.messages()
        if moved != self._moved:
            self._moved, self._moved_ns = moved, now_ns()
        quiet_ns = now_ns() - self._moved_ns
        if self._said_waiting or not done or quiet_ns < QUIET_BEFORE_HINT_NS:
            return
        self._said_waiting = True
        given_up = {n for n, one in self._board.executables.items() if one.state == "failed"}
        waiting = sorted({*self._board.nodes, *self._board.executables} - done - given_up)
        # What executables say to each other is not counted.
        what = "message of a node" if self._board.executables else "message"
        quiet = f", and no {what} has moved for {quiet_ns / 1e9:.0f} s" if self._board.nodes else ""
        self._observer.note(
            f"{', '.join(sorted(done))} done{quiet}; "
            f"not done: {', '.join(waiting)} (Ctrl-C ends the graph)"
        )
