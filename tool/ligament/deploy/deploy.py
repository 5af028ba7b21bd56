# SPDX-License-Identifier: Apache-2.0
"""The parts of a graph on all hosts: connected, copied, started, watched and ended as one."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any

from ligament import __version__
from ligament.deploy.check import problems_of, require_needs, require_room
from ligament.deploy.connection import Connection, figures_of, said_of
from ligament.deploy.hosts import Hosts
from ligament.deploy.needs import lacks_in
from ligament.deploy.parts import Part
from ligament.deploy.state import DeployOptions, HostState, Outcome
from ligament.deploy.stopping import Stopper, may_go_on
from ligament.deploy.wire import Message, WireError, size_in
from ligament.errors import FailureError, LigamentError, counted
from ligament.run.outcome import Observer, Verdict
from ligament.run.status import StatusBoard

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Deploy:
    """One run of a graph on its hosts; `run` is called once."""

    def __init__(
        self,
        parts: Mapping[str, Part],
        hosts: Hosts,
        name: str,
        deciders: set[str],
        options: DeployOptions,
        observer: Observer,
    ) -> None:
        self._name = name
        self._hosts = hosts
        self._deciders = deciders
        self._options = options
        self._observer = observer
        self._states = {n: HostState(hosts.hosts[n], part) for n, part in parts.items()}
        self._connections: dict[str, Connection] = {}
        self._changed = asyncio.Event()
        self._stopper = Stopper(
            self._connections, self._changed, self._running, self._observer.note
        )
        self._noted: set[str] = set()
        self.board = StatusBoard(
            {
                f"{host}/{container}": entry["nodes"]
                for host, part in parts.items()
                for container, entry in part.containers.items()
            }
        )
        for node in self.board.nodes.values():
            node.id = f"{node.container.partition('/')[0]}: {node.id}"

    async def run(self, new_folder: Callable[[], Path]) -> tuple[Path, Outcome]:
        """Do all of it; raises before anything was changed, or for what was never started.

        `new_folder` makes the folder of the run, when there is one.
        """
        try:
            await self._each(self._connect)
            self._check()
            await self._each(self._require)
            await self._each(self._offer)
            await self._each(self._put)
            for number in _SIGNALS:
                asyncio.get_running_loop().add_signal_handler(number, self._stopper.on_signal)
            await self._each(self._start)
            verdict = await self._watch()
            await self._stopper.stop()
            folder = new_folder()
            self._stopper.is_fetching = True
            await self._each(lambda state: self._fetch(state, folder / "hosts" / state.host.name))
        finally:
            for number in _SIGNALS:
                asyncio.get_running_loop().remove_signal_handler(number)
            await asyncio.gather(*(one.close() for one in self._connections.values()))
        self.board.close()
        self._observer.figures(self.board)
        if said := may_go_on(self._states, self._hosts.lease_s, self._options.clean):
            self._observer.note(said)
        return folder, Outcome(
            self._judged(verdict),
            self._states,
            {name: one.pings for name, one in self._connections.items()},
        )

    async def _each(self, step: Callable[[HostState], Coroutine[Any, Any, None]]) -> None:
        """Do a step on all hosts at once; what went wrong is said of all together."""
        tasks = [said_of(s.host, step(s)) for s in self._states.values() if not s.lost]
        found = await asyncio.gather(*tasks, return_exceptions=True)
        wrong = [error for error in found if isinstance(error, BaseException)]
        for error in wrong:
            if not isinstance(error, LigamentError):
                raise error
        if wrong:
            raise FailureError("\n".join(str(error) for error in wrong))

    # --- before it runs ---------------------------------------------------------------------------

    async def _connect(self, state: HostState) -> None:
        name = state.host.name
        connection = Connection(
            state.host, self._hosts.lease_s, lambda message: self._on_event(state, message)
        )
        self._connections[name] = connection
        state.said_of_itself = figures_of(await connection.open())
        # Another version may answer what this one does not understand; `_check` tells.
        is_ours = state.said_of_itself.get("version") == __version__
        ahead = [await connection.ping() for _ in range(3)] if is_ours else [0]
        state.said_of_itself["ahead_ns"] = min(ahead, key=abs)
        connection.lost.add_done_callback(lambda _: self._changed.set())

    def _check(self) -> None:
        problems = [
            problem
            for state in self._states.values()
            for problem in problems_of(
                state.said_of_itself, state.part, self._hosts.max_clock_difference_s
            )
        ]
        if problems:
            raise FailureError("\n".join(str(problem) for problem in problems))

    async def _require(self, state: HostState) -> None:
        """What its nodes need beside files; before anything is sent to any."""
        if not state.part.needs:
            return
        request = {"do": "needs", **state.part.needs.plain()}
        require_needs(state.part, lacks_in(await self._connections[state.host.name].ask(request)))

    async def _offer(self, state: HostState) -> None:
        """Ask what is missing. Only when there is room on all hosts is anything sent to one."""
        part = state.part
        offer = {"do": "offer", "tree": part.tree(), "files": [f.plain() for f in part.files()]}
        answer = await self._connections[state.host.name].ask(offer)
        if not isinstance(missing := answer.get("missing"), list):
            raise WireError(f"'missing' is {missing!r} and no list")
        state.missing = [digest for digest in missing if part.knows(digest)]
        state.sent_bytes = sum(part.size(digest) for digest in state.missing)
        require_room(state.said_of_itself, part, state.sent_bytes)

    async def _put(self, state: HostState) -> None:
        connection, part = self._connections[state.host.name], state.part
        for digest in state.missing:
            put = {"do": "put", "digest": digest, "size": part.size(digest)}
            with part.open(digest) as stream:
                await connection.ask(put, stream)
        made = await connection.ask({"do": "tree", "name": f"{self._name}/{part.host}"})
        if left := size_in(made, "left"):
            runs = counted(left, "earlier run")
            self._observer.note(f"{part.host}: the files of {runs} are left there; "
                                f"this removes them: {self._options.clean}")  # fmt: skip
        what = "nothing to copy"
        if state.missing:
            sent = counted(state.sent_bytes, "byte")
            what = f"{counted(len(state.missing), 'file')} copied, {sent}"
        self._observer.progress(f"{part.host}: {what}")

    async def _start(self, state: HostState) -> None:
        part, options = state.part, self._options
        words = list(options.words)
        if self._hosts.domain_id is not None:
            words += ["--domain-id", str(self._hosts.domain_id)]
        if state.host.domain is not None:
            words += ["--domain", state.host.domain]
        for node in options.until:
            words += ["--until", node] if node in part.nodes else []
        request = {
            "do": "run", "tree": part.tree(), "variant": part.variant, "host": part.host,
            "words": words,
        }  # fmt: skip
        state.is_started = True
        await self._connections[part.host].ask(request)

    # --- while it runs ----------------------------------------------------------------------------

    def _on_event(self, state: HostState, message: Message) -> None:
        match message.get("event"):
            case "run":
                state.run = str(message.get("folder", ""))
            case "said" | "broken":
                self._observer.note(f"{state.host.name}: {message.get('text', '')}")
            case "status":
                self._take_status(state, message.get("line"))
            case "ended":
                code = message.get("code")
                state.code = code if isinstance(code, int) else 1
                self._changed.set()

    def _take_status(self, state: HostState, line: object) -> None:
        if not isinstance(line, dict):
            return
        container = f"{state.host.name}/{line.get('container')}"
        match line.get("event"):
            case "ready":
                self.board.set_state(container, "running")
            case "status":
                self.board.take_status(line)
            case "done" if line.get("node") in self.board.nodes:
                self.board.nodes[line["node"]].state = "done"
            case "stopped":
                self.board.set_state(container, "stopped")
        self._observer.figures(self.board)

    async def _watch(self) -> Verdict:
        """Until there is a reason to end."""
        loop = asyncio.get_running_loop()
        end = None if self._options.duration_s is None else loop.time() + self._options.duration_s
        while (verdict := self._decided()) is None:
            left = None if end is None else end - loop.time()
            if left is not None and left <= 0:
                return Verdict("duration", f"{self._options.duration_s:g} s are over")
            self._changed.clear()
            try:
                await asyncio.wait_for(self._changed.wait(), left)
            except TimeoutError:
                continue
        return verdict

    def _decided(self) -> Verdict | None:
        if self._stopper.signals:
            return Verdict("interrupted", "stopped by a signal")
        states = list(self._states.values())
        for state in states:
            if why := self._trouble(state):
                if not self._options.keep_going:
                    return Verdict("failed", why, 1, state.host.name)
                if state.host.name not in self._noted:
                    self._noted.add(state.host.name)
                    self._observer.note(f"{why}; the other hosts go on (--keep-going)")
        alive = [s for s in states if not s.lost and s.code is None]
        deciding = [s for s in alive if s.host.name in self._deciders]
        if deciding or (alive and not self._deciders):
            return None
        return Verdict("finished", "the work is done")

    def _trouble(self, state: HostState) -> str:
        """What is wrong with a host; empty: nothing."""
        connection = self._connections[state.host.name]
        if connection.lost.done() and state.code is None and not state.lost:
            state.lost = connection.lost.result()
            for container in state.part.containers:
                self.board.set_state(f"{state.host.name}/{container}", "lost")
        if state.lost:
            return f"{state.host.name}: {state.lost}"
        if state.code:
            return f"{state.host.name}: its part of the graph failed (exit code {state.code})"
        return ""

    def _judged(self, verdict: Verdict) -> Verdict:
        """With --keep-going, or at the stop, something may have gone wrong that is no reason."""
        wrong = [why for state in self._states.values() if (why := self._trouble(state))]
        if verdict.exit_code or not wrong:
            return verdict
        return Verdict("failed", "; ".join(wrong), 1)

    # --- after it ran -----------------------------------------------------------------------------

    def _running(self) -> list[HostState]:
        return [s for s in self._states.values() if not (self._trouble(s) or s.code is not None)]

    async def _fetch(self, state: HostState, folder: Path) -> None:
        """What a host has of the run; one whose files do not come counts as lost."""
        if not state.run:
            return
        connection = self._connections[state.host.name]
        try:
            await connection.fetch(state.run, folder)
        except (FailureError, WireError) as error:
            state.lost = f"no files came: {str(error).removeprefix(f'{state.host.name}: ')}"
            return
        try:
            await connection.ask({"do": "forget", "run": state.run})
        except FailureError as error:
            self._observer.note(f"{error}; the files of its run stay there, too")
