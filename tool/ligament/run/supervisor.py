# SPDX-License-Identifier: Apache-2.0
"""The life of a running graph: start, watch, stop, drain, kill.

One task per container starts it, listens to its status pipe and waits for its end. Whatever ends
the graph first (all work done, the duration, Ctrl-C, a container that failed) becomes the one
*verdict*; then every container is asked to stop, given time to drain, and killed if it does not.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import socket
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import Any

from ligament.disk import NoRoomError, as_no_room, said_no_room, writing
from ligament.run.bring_up import BringUp
from ligament.run.edge import ORIGIN
from ligament.run.losses import Losses
from ligament.run.moves import Moves
from ligament.run.moving import MoveError, listening
from ligament.run.node_errors import NodeErrors
from ligament.run.outcome import Observer, ProcessRecord, RunResult, Shutdown, Verdict, now_ns
from ligament.run.process import ContainerProcess, ContainerSpec, exit_text, last_lines
from ligament.run.progress_watch import ProgressWatch
from ligament.run.readiness import Readiness
from ligament.run.status import StatusBoard, StatusLineError, parse_line
from ligament.top.tail import StatusTail

# However long the containers took: the edge has this time to leave.
_EDGE_DRAIN_S = 1.0
_ENDED_AS_ASKED = (0, -signal.SIGINT, -signal.SIGTERM, -signal.SIGKILL)


@dataclass(frozen=True)
class RunOptions:
    """What the user may say about a run."""

    start_timeout_s: float = 10.0
    drain_timeout_s: float = 5.0
    silence_timeout_s: float = 5.0
    duration_s: float | None = None
    restart: bool = False
    max_quick_restarts: int = 5


# How one life of a container ended: its record, and the verdict where it should not have.
_Life = tuple[ProcessRecord | None, Verdict | None]


class Supervisor:
    """Runs the containers of one graph to their end."""

    def __init__(
        self,
        specs: list[ContainerSpec],
        options: RunOptions,
        observer: Observer,
        is_finished: Callable[[set[str]], bool],
        status_log: Path | None = None,
        bring_up: BringUp | None = None,
    ) -> None:
        self.board = StatusBoard(
            {spec.name: spec.nodes for spec in specs if not spec.external},
            [spec.name for spec in specs if spec.external],
        )
        self._specs = list(specs)
        self._tasks: list[asyncio.Task[None]] = []
        self._moves = Moves(self)
        self._options = options
        self._observer = observer
        self._is_finished = is_finished
        self._status_path = status_log
        self._bring_up = bring_up or BringUp()
        self._bringing: asyncio.Task[None] | None = None
        self._status_file: FileIO | None = None
        # Executables on our middleware write their own lines there.
        self._told = StatusTail(status_log) if status_log and self.board.executables else None
        self._alive: dict[str, ContainerProcess] = {}
        self._ready: set[str] = set()
        self._all_ready_ns: int | None = None
        self._done: set[str] = set()
        self._errors: dict[str, list[str]] = {spec.name: [] for spec in specs}
        self._reported = NodeErrors()
        self._losses = Losses()
        self._watch = ProgressWatch(self.board, observer, options.silence_timeout_s)
        self._records: list[ProcessRecord] = []
        self._restarts: dict[str, int] = {}
        self._isolated: set[tuple[str, int]] = set()
        self._shutdown = Shutdown()
        self._unclean: Verdict | None = None
        self._needed = {spec.name for spec in specs if not (spec.auxiliary or spec.external)}
        self._readiness = Readiness(specs)
        self._kept = sum(not spec.auxiliary for spec in specs)
        self._stopping = False
        self._signals = 0
        self._hurry = asyncio.Event()
        self._verdict: asyncio.Future[Verdict]

    async def run(self) -> RunResult:
        """Start everything, wait for the verdict, stop everything."""
        self._verdict = asyncio.get_running_loop().create_future()
        self._catch_signals()
        with contextlib.ExitStack() as stack:
            if self._status_path is not None:
                # Unbuffered, so whole lines at once: `ligament top` reads them while they come.
                # Appended, because processes on rmw_ligament_cpp add lines of their own.
                with writing(self._status_path):
                    status_file = self._status_path.open("ab", buffering=0)
                self._status_file = stack.enter_context(status_file)
            self._tasks = [asyncio.create_task(self._keep_or_tell(spec)) for spec in self._specs]
            clock = asyncio.create_task(self._tick())
            for task in [*self._tasks, clock]:
                task.add_done_callback(self._fail_on_exception)
            verdict = await self._until_decided()
            await self._stop_all(self._tasks)
            clock.cancel()
            if self._bringing is not None:
                self._bringing.cancel()
                await asyncio.gather(self._bringing, return_exceptions=True)
            await asyncio.gather(clock, *self._tasks, return_exceptions=True)
        self._look_at_executables()
        self.board.close()
        self._observer.figures(self.board)
        losses = self._losses.records()
        for loss in losses:
            self._observer.note(loss.text)
        if verdict.exit_code == 0 and self._unclean is not None:
            verdict = self._unclean
        return RunResult(
            self._reported.judge(verdict),
            self._records,
            self._shutdown,
            self._restarts,
            self._watch.stuck,
            self._reported.records,
            losses,
            self._moves.made,
        )

    async def _until_decided(self) -> Verdict:
        """Wait for the verdict; a run with a folder of its own takes requests to move meanwhile."""
        if self._status_path is None:
            return await self._verdict
        async with listening(self._status_path.parent, self._moves.move):
            return await self._verdict

    # --- the verdict ------------------------------------------------------------------------------

    def _decide(self, verdict: Verdict) -> None:
        """The first reason to end is the reason; what follows is a consequence of it."""
        if not self._verdict.done():
            self._verdict.set_result(verdict)

    def _fail_on_exception(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            self._decide(Verdict("failed", f"{type(error).__name__}: {error}", 1))

    def _catch_signals(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._on_signal, number)

    def _on_signal(self, number: signal.Signals) -> None:
        """The first one stops the graph in order, a second one does not wait for the drain.

        A graph may stop already: a deploy stops all parts, also one that is about to end itself.
        """
        self._signals += 1
        if self._signals > 1:
            self._hurry.set()
            self._observer.note("asked again to stop: killing what is still running")
        elif self._verdict.done():
            self._observer.progress("the graph stops already; a second Ctrl-C kills what runs")
        else:
            self._decide(Verdict("interrupted", f"stopped by {number.name}"))

    # --- one container ----------------------------------------------------------------------------

    async def _keep_or_tell(self, spec: ContainerSpec) -> None:
        """Keep a container; the last one to be given up ends the graph, since nothing is left."""
        if spec.auxiliary:
            await self._keep_auxiliary(spec)
            return
        await self._keep_container(spec)
        self._one_less()

    def _all_gone(self) -> Verdict:
        """Nothing is left: that is right where only executables were, and all went well."""
        if all(spec.external for spec in self._specs if not spec.auxiliary) and not self._unclean:
            return Verdict("finished", "every executable has ended")
        return Verdict("failed", "every container has ended before the work was done", 1)

    async def _keep_container(self, spec: ContainerSpec, lived: _Life | None = None) -> None:
        """Start it, and again as often as its policy says, until the graph stops.

        `lived`: how its first life ended, where that was another's to begin.
        """
        quick = 0
        while not self._stopping:
            record, error = lived or await self._live(spec)
            lived = None
            if self._stopping or error is None:
                return
            was_ready = record is not None and record.ready_ns is not None
            policy = "restart" if self._options.restart else spec.on_failure
            if policy == "continue" and was_ready:
                self._observer.note(f"{error.text}\nthe others go on (on_failure: continue)")
                return
            quick = 0 if was_ready else quick + 1
            started_once = was_ready or self._restarts.get(spec.name, 0) > 0
            if policy != "restart" or not started_once or quick > self._options.max_quick_restarts:
                self._decide(error)
                return
            self._restarts[spec.name] = self._restarts.get(spec.name, 0) + 1
            self._observer.note(f"{error.text}\nstarting {spec.name} again")
            await asyncio.sleep(min(0.1 * 2**quick, 2.0))

    async def _keep_auxiliary(self, spec: ContainerSpec) -> None:
        """Start it again whenever it ends, with longer pauses while it does not become ready."""
        quick = 0
        while not self._stopping:
            record, error = await self._live(spec)
            if self._stopping:
                return
            quick = 0 if record is not None and record.ready_ns is not None else quick + 1
            pause = min(0.1 * 2**quick, 10.0)
            text = error.text if error is not None else f"{spec.name} has ended"
            self._restarts[spec.name] = self._restarts.get(spec.name, 0) + 1
            if quick <= 1:
                self._observer.note(f"{text}\nthe graph goes on without it; starting it again")
            until = now_ns() + int(pause * 1e9)
            while now_ns() < until and not self._stopping:
                await asyncio.sleep(0.1)

    async def _live(self, spec: ContainerSpec, taking: socket.socket | None = None) -> _Life:
        """One life of a container; the verdict tells why it ended when it should not have."""
        for node in self.board.of_container(spec.name):
            node.restarted()
        self._errors[spec.name].clear()
        self._losses.started(spec.name)
        try:
            container = await ContainerProcess.start(spec, taking)
        except OSError as error:
            full = as_no_room(error, spec.log)
            text = f"{spec.called} could not be started: {full or error}"
            self._moves.arrive(spec.name, MoveError(text))
            return None, Verdict("failed", text, 1, spec.name)
        record = ProcessRecord(spec.name, container.pid, container.started_ns, log=str(spec.log))
        self._records.append(record)
        self._alive[spec.name] = container
        if self._stopping:  # the graph was stopped while this one was being started
            container.stop()
        watchdog = asyncio.create_task(self._expect_ready(container))
        if spec.external:
            self._on_ready(container, record)
        await self._listen(container, record)
        code = await container.process.wait()
        watchdog.cancel()
        container.close()
        if spec.external:
            container.end_group()
        del self._alive[spec.name]
        self._ready.discard(spec.name)
        self._watch.ended(spec.name)
        record.ended_ns = now_ns()
        record.exit = exit_text(code)
        verdict = self._judge(spec, record, code)
        text = verdict.text if verdict is not None else f"{spec.called} has ended"
        self._moves.arrive(spec.name, MoveError(text))  # where a node was on its way to it
        return record, verdict

    async def _expect_ready(self, container: ContainerProcess) -> None:
        await asyncio.sleep(self._options.start_timeout_s)
        if container.ready or self._stopping:
            return
        spec = container.spec
        if self._moves.is_new(spec.name):
            return  # it has its own time
        if spec.auxiliary:
            container.send(signal.SIGKILL)  # it is started again
            return
        self._decide(
            Verdict(
                "failed",
                f"container {spec.name} (pid {container.pid}) was not ready after "
                f"{self._options.start_timeout_s:g} s; its nodes: {', '.join(spec.nodes)}. "
                "A constructor that waits or loops does this; --start-timeout gives it longer."
                + self._tail(spec),
                1,
                spec.name,
            )
        )

    async def _listen(self, container: ContainerProcess, record: ProcessRecord) -> None:
        name = container.spec.name
        async for line in container.lines():
            self._watch.heard(name)
            try:
                event = parse_line(line)
            except StatusLineError as error:
                self._observer.note(f"container {name}: unreadable status line: {error}")
                continue
            self._keep_status({"container": name, **event})
            self._handle(container, record, event)

    # --- what moves ask for (moves.py) ------------------------------------------------------------

    @property
    def alive(self) -> Mapping[str, ContainerProcess]:
        """The containers that run, by name."""
        return self._alive

    @property
    def specs(self) -> list[ContainerSpec]:
        """All containers that were started."""
        return self._specs

    @property
    def observer(self) -> Observer:
        """Who is told."""
        return self._observer

    @property
    def is_stopping(self) -> bool:
        """Whether the run is at its end."""
        return self._stopping

    def begin(self, spec: ContainerSpec, life: Coroutine[Any, Any, None]) -> None:
        """Run the life of one more container."""
        self._errors[spec.name] = []
        task = asyncio.create_task(life)
        self._tasks.append(task)
        self._specs.append(spec)
        task.add_done_callback(self._fail_on_exception)

    async def live_taking(self, spec: ContainerSpec, taking: socket.socket) -> _Life:
        """Live once, beginning with the node that comes over that socket."""
        return await self._live(spec, taking)

    async def keep_from(self, spec: ContainerSpec, life: _Life) -> None:
        """Keep it, now that its first life was this one."""
        await self._keep_container(spec, life)
        self._one_less()

    def arrived(self, spec: ContainerSpec) -> None:
        """Expect from now on that it lives."""
        self._needed.add(spec.name)

    def is_empty(self, spec: ContainerSpec) -> None:
        """Expect no more of it: it has no nodes."""
        self._needed.discard(spec.name)

    def _one_less(self) -> None:
        self._kept -= 1
        if self._kept == 0:
            self._decide(self._all_gone())

    # --- lifecycle nodes --------------------------------------------------------------------------

    def _bring_nodes_up(self) -> None:
        """Whenever all containers are ready: one that was started again has nodes to bring up."""
        if not self._bring_up.nodes or not self._needed <= self._ready:
            return
        if self._bringing is not None:
            self._bringing.cancel()
        self._bringing = asyncio.create_task(self._bring_up_or_end())
        self._bringing.add_done_callback(self._fail_on_exception)

    async def _bring_up_or_end(self) -> None:
        if error := await self._bring_up.run():
            self._decide(Verdict("failed", f"a lifecycle node did not come up: {error}", 1))
        elif not self._stopping:
            count = len(self._bring_up.nodes)
            what = "the lifecycle node is" if count == 1 else f"all {count} lifecycle nodes are"
            self._observer.note(f"{what} active")

    def _keep_status(self, line: dict[str, Any]) -> None:
        """A run that cannot be recorded any more ends: what nodes write would be cut off, too."""
        if self._status_file is None or self._status_path is None:
            return
        text = (json.dumps(line) + "\n").encode()
        try:
            with writing(self._status_path, len(text)):
                while text:
                    text = text[self._status_file.write(text) :]
        except NoRoomError as error:
            self._status_file = None
            self._decide(Verdict("failed", str(error), 1))

    def _handle(
        self, container: ContainerProcess, record: ProcessRecord, event: dict[str, Any]
    ) -> None:
        name = container.spec.name
        match event["event"]:
            case "ready":
                self._on_ready(container, record)
            case "status":
                self._losses.take_status(name, event)
                self._judge_cores(container, event)
                for stuck in self.board.take_status(event):
                    self._watch.note_stuck(stuck, name, container.pid)
            case "edge":
                self._losses.take_edge(name, event)
            case "error":
                origin, said = event.get("node") or None, str(event.get("text", ""))
                of_run = not container.spec.auxiliary and origin != ORIGIN
                if of_run and not self._moves.is_coming(origin, name):
                    self._reported.add(origin, said, name)
                text = f"{origin or name}: {said}"
                self._errors[name].append(text)
                if container.ready or origin == ORIGIN:
                    self._observer.note(text)
            case "moved":
                self._kept += self._moves.is_new(name)
                self._moves.arrive(name, int(event.get("gap_ns", 0)))
            case "stays":
                self._moves.arrive(name, MoveError(str(event.get("text", ""))))
            case "done":
                self._on_done(str(event.get("node", "")))
            case "stopped":
                self.board.set_state(name, "stopped")

    def _on_ready(self, container: ContainerProcess, record: ProcessRecord) -> None:
        name = container.spec.name
        container.ready = True
        record.ready_ns = now_ns()
        self._ready.add(name)
        self.board.set_state(name, "running")
        for node in self.board.of_container(name):
            node.ready(record.ready_ns)
        if self._all_ready_ns is None and self._needed <= self._ready:
            self._all_ready_ns = now_ns()
        self._bring_nodes_up()
        if news := self._readiness.news(self._ready):
            self._observer.progress(news)

    def _judge_cores(self, container: ContainerProcess, event: dict[str, Any]) -> None:
        """A core that gets no further message has failed, though its container goes on."""
        spec = container.spec
        for node in event.get("nodes", ()):
            name = str(node.get("id", ""))
            isolated = (node.get("hardware") or {}).get("isolated") is True
            if not isolated or (name, container.pid) in self._isolated or self._stopping:
                continue
            self._isolated.add((name, container.pid))
            wish = "restart" if self._options.restart else spec.wishes.get(name, spec.on_failure)
            text = (
                f"the core of {name} answers no more and gets no further message; "
                "its errors say why; of a simulated FPGA also which --wave FRAME shows it"
            )
            if wish == "stop":
                why = f"{text}\nthe graph stops (on_failure: stop)"
                self._decide(Verdict("failed", why, 1, spec.name))
            elif wish == "continue":
                self._observer.note(f"{text}\nthe others go on (on_failure: continue)")
            else:
                self._observer.note(f"{text}\nending {spec.name} (on_failure: restart)")
                container.send(signal.SIGTERM)

    def _on_done(self, node: str) -> None:
        self._done.add(node)
        for rows in (self.board.nodes, self.board.executables):
            if node in rows:
                rows[node].state = "done"
        if self._is_finished(self._done):
            self._decide(Verdict("finished", "the work is done"))

    def _judge(self, spec: ContainerSpec, record: ProcessRecord, code: int) -> Verdict | None:
        """Whether a container may end like this; if not, the sentence that says what happened."""
        asked = self._stopping and (code in _ENDED_AS_ASKED or (spec.external and code >= 0))
        if asked or (code == 0 and self._done.issuperset(spec.nodes)):
            self.board.set_state(spec.name, "stopped")
            if spec.external and not self._stopping:
                self._on_done(spec.name)
            return None
        self.board.set_state(spec.name, "failed")
        said = self._errors[spec.name]
        if code == 2 and record.ready_ns is None:
            text = "\n".join(said) or f"container {spec.name} refused its configuration"
            text += _skew_hint(spec, said)
            return Verdict("failed", text + ("" if said else self._tail(spec)), 2, spec.name)
        when = "in mid-run" if record.ready_ns is not None else "before it was ready"
        when = "while it was stopping" if self._stopping else when
        text = f"{spec.described(record.pid)} ended {when}: {exit_text(code)}"
        text += "".join(f"\n  {line}" for line in said)
        tail = self._tail(spec)
        if full := said_no_room(text + tail, spec.log.parent):
            tail += f"\n{full}"
        verdict = Verdict("failed", text + tail, 1, spec.name)
        # The graph's work was done, but a destructor crashed: not a clean end. (Not so an edge's.)
        if self._stopping and not spec.auxiliary:
            self._unclean = self._unclean or verdict
        return verdict

    def _tail(self, spec: ContainerSpec) -> str:
        lines = last_lines(spec.log)
        if not lines:
            return f"\nit logged nothing ({spec.log})"
        return f"\nits last lines ({spec.log}):" + "".join(f"\n  | {line}" for line in lines)

    # --- time -------------------------------------------------------------------------------------

    async def _tick(self) -> None:
        """Four times a second: figures to the observer, the duration, containers gone silent."""
        while True:
            await asyncio.sleep(0.25)
            self._look_at_executables()
            self._observer.figures(self.board)
            duration = self._options.duration_s
            if duration is not None and self._all_ready_ns is not None:
                self._end_after(duration, self._all_ready_ns)
            if not self._stopping:
                ready = {name: self._alive[name] for name in sorted(self._ready)}
                self._watch.look(ready, self._done)

    def _look_at_executables(self) -> None:
        for container in self._alive.values():
            if container.spec.external:
                self.board.take_cpu(container.spec.name, now_ns(), container.cpu_ns)
        if self._told is not None:
            for event in self._told.read():
                self.board.take_told(event, now_ns())

    def _end_after(self, duration_s: float, since_ns: int) -> None:
        if now_ns() - since_ns >= duration_s * 1e9:
            self._decide(Verdict("duration", f"ran for {duration_s:g} s"))

    # --- the end ----------------------------------------------------------------------------------

    async def _stop_all(self, tasks: list[asyncio.Task[None]]) -> None:
        """Stop, drain, kill; a second Ctrl-C shortens the drain to nothing.

        What containers sent last still goes through the edge: it is asked after they have ended.
        """
        self._stopping = True
        self._shutdown.stop_ns = now_ns()
        hurry = asyncio.create_task(self._hurry.wait())
        everyone = asyncio.create_task(_all_ended(tasks))
        left = self._options.drain_timeout_s
        for auxiliary in (False, True):
            asked = [t for t, s in zip(tasks, self._specs, strict=True) if s.auxiliary == auxiliary]
            for container in self._alive.values():
                if container.spec.auxiliary == auxiliary:
                    container.stop()
            ended = asyncio.create_task(_all_ended(asked))
            await asyncio.wait([ended, hurry], timeout=left, return_when=asyncio.FIRST_COMPLETED)
            spent = (now_ns() - self._shutdown.stop_ns) * 1e-9
            left = max(self._options.drain_timeout_s - spent, _EDGE_DRAIN_S)
        why = f"did not stop within {self._options.drain_timeout_s:g} s: killed"
        if self._hurry.is_set():
            why = "was still running: killed, as asked"
        hurry.cancel()
        self._shutdown.killed = sorted(self._alive)
        for container in list(self._alive.values()):
            container.kill()
            self._observer.note(f"{container.spec.called} (pid {container.pid}) {why}")
        await everyone
        self._shutdown.drain_ns = now_ns() - self._shutdown.stop_ns


def _skew_hint(spec: ContainerSpec, said: list[str]) -> str:
    """The user did not write the configuration: if its form is refused, the two sides differ."""
    config = Path(spec.command[-1]).name
    if not any(f"{config}: /" in line for line in said):
        return ""
    return (
        "\n  hint: this file is generated; if the installed runtime is of another state than this "
        "tool, `make setup` in Ligament's repository brings them together"
    )


async def _all_ended(tasks: list[asyncio.Task[None]]) -> None:
    await asyncio.gather(*tasks, return_exceptions=True)
