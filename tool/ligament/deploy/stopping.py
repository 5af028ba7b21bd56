# SPDX-License-Identifier: Apache-2.0
"""How the parts on all hosts are stopped, and what Ctrl-C does, each time (deploy.md)."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping

from ligament.deploy.connection import Connection
from ligament.deploy.part_run import DRAIN_S
from ligament.deploy.state import HostState
from ligament.errors import FailureError

_STOP_S = 30.0
"""Longer than a part takes to stop in order, and to put its recording in place."""
_TELL_S = 3.0
"""Then it says for whom it waits."""
_KILL_S = 2.0
"""What a second Ctrl-C leaves to those that still answer."""
_SILENT_S = 1.0
"""Four questions without an answer: a second Ctrl-C does not wait for such a host."""


class Stopper:
    """Counts signals, and stops parts. `running` returns those that have not ended."""

    def __init__(
        self,
        connections: Mapping[str, Connection],
        changed: asyncio.Event,
        running: Callable[[], list[HostState]],
        note: Callable[[str], None],
    ) -> None:
        self.signals = 0
        self.is_fetching = False
        self._is_stopping = False
        self._connections = connections
        self._changed = changed
        self._running = running
        self._note = note

    def on_signal(self) -> None:
        """Ctrl-C, or SIGTERM."""
        self.signals += 1
        self._changed.set()
        if self._is_stopping and self.signals == 1:
            self._note("the graph stops already; a second Ctrl-C kills what runs")
        for connection in self._connections.values():
            if self.is_fetching:
                connection.lose("interrupted while its files were fetched")
            elif self.signals > 1 and connection.silent_s() > _SILENT_S:
                connection.lose(f"it did not answer for {connection.silent_s():.1f} s")

    async def stop(self) -> None:
        """Stop what still runs; a second signal does not wait for the drain, nor for a host.

        A first one asks for no more than this, whatever the reason to stop was.
        """
        loop = asyncio.get_running_loop()
        self._is_stopping = True
        end, limit_s = loop.time() + _STOP_S, _STOP_S
        tell_at = loop.time() + _TELL_S
        heeded = 1
        asking = [asyncio.create_task(self.ask())]
        while (running := self._running()) and loop.time() < end:
            if self.signals > heeded:
                heeded, limit_s = self.signals, _KILL_S if self.signals == 2 else 0.0
                end = min(end, loop.time() + limit_s)
                self._note("asked again to stop: killing what is still running")
                asking.append(asyncio.create_task(self.ask()))
            elif heeded == 1 and loop.time() >= tell_at:
                tell_at = end
                self._note(f"{', '.join(s.host.name for s in running)}: stopping takes long, at "
                           f"most {_STOP_S:g} s; a second Ctrl-C kills what runs")  # fmt: skip
            self._changed.clear()
            with contextlib.suppress(TimeoutError):
                left = min(0.5, max(0.0, end - loop.time()))
                await asyncio.wait_for(self._changed.wait(), left)
        for state in self._running():
            why = f"its part did not stop within {limit_s:g} s"
            state.lost = why if limit_s else "its part was not waited for"
            self._connections[state.host.name].lose(state.lost)
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)

    async def ask(self) -> None:
        """Ask all at once: one that hangs holds up none of the others."""
        await asyncio.gather(*(self._ask_one(state) for state in self._running()))

    async def _ask_one(self, state: HostState) -> None:
        with contextlib.suppress(FailureError):  # who runs on is told at the end
            await self._connections[state.host.name].ask({"do": "stop"})


def may_go_on(states: Mapping[str, HostState], lease_s: float, clean: str) -> str:
    """Say which parts may go on, for how long, and the words that end them; empty: none."""
    names = [name for name, s in states.items() if s.is_started and s.lost and s.code is None]
    if not names:
        return ""
    return (
        f"{', '.join(names)}: the part of the graph may go on there. It ends by itself, "
        f"{lease_s:g} s after it hears nothing more, or at most {DRAIN_S:g} s later. This ends it, "
        f"and removes what it leaves: {clean}"
    )
