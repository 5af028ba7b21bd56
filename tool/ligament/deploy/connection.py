# SPDX-License-Identifier: Apache-2.0
"""The deployer's end of a host's connection: requests, answers, events, and whether it lives."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from ligament.deploy.hosts import Host
from ligament.deploy.ssh import connect_failure, ssh_command
from ligament.deploy.wire import (
    CHUNK,
    LONGEST_LINE,
    READY,
    Message,
    WireError,
    inner_path,
    line_of,
    message_of,
    size_in,
)
from ligament.disk import replacing
from ligament.errors import FailureError

PING_S = 0.25
CONNECT_S = 30.0
_CLOSE_S = 2.0


@dataclass(frozen=True)
class Ping:
    """The host's CLOCK_MONOTONIC was `there_ns` at some moment between two of ours."""

    sent_ns: int
    there_ns: int
    received_ns: int


class HostLostError(FailureError):
    """A host that answered before does not any more."""


class Connection:
    """One host. `on_event` gets its events; those come between answers."""

    def __init__(self, host: Host, lease_s: float, on_event: Callable[[Message], None]) -> None:
        self.host = host
        self.pings: list[Ping] = []
        self._lease_s = lease_s
        self._on_event = on_event
        self._process: asyncio.subprocess.Process | None = None
        self._answers: dict[int, asyncio.Future[Message]] = {}
        self._number = 0
        self._heard = time.monotonic()
        self._said: list[str] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._folder: Path | None = None
        self._sending = asyncio.Lock()
        self.lost: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        """Why the host is gone, once it is."""

    async def open(self) -> Message:
        """Connect; return what the host says of itself. Raises FailureError with what to do."""
        if shutil.which("ssh") is None:
            raise FailureError(
                "ssh is not installed here", hint="Debian: apt install openssh-client"
            )
        self._process = await asyncio.create_subprocess_exec(
            *ssh_command(self.host, self._lease_s),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=LONGEST_LINE,
            # Ctrl-C in the terminal is ours: it stops the parts in order, over the connection.
            start_new_session=True,
            env={**os.environ, "LC_ALL": "C"},
        )
        errors = asyncio.create_task(self._read_errors())
        self._tasks.append(errors)
        try:
            first = await asyncio.wait_for(self._first_line(), CONNECT_S)
        except TimeoutError:
            raise connect_failure(self.host, "connecting timed out") from None
        if first is None:
            await errors
            raise connect_failure(self.host, "\n".join(self._said))
        if "error" in first:
            raise FailureError(f"{self.host.name}: {first['error']}", hint="`folder` in hosts.yaml")
        self._heard = time.monotonic()
        self._tasks.append(asyncio.create_task(self._read()))
        self._tasks.append(asyncio.create_task(self._keep_alive()))
        return await self.ask({"do": "hello"})

    async def _first_line(self) -> Message | None:
        """The host's first line; what a login shell prints before is passed over."""
        assert self._process is not None
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
            with contextlib.suppress(WireError):
                if (message := message_of(line)).get("hello") == READY:
                    return message
        return None

    async def ask(self, message: Message, payload: BinaryIO | None = None) -> Message:
        """Send a request, and the bytes of `payload`; return the answer.

        Raises HostLostError if the host is gone, FailureError if it refuses.
        """
        self._number += 1
        number = self._number
        if self.lost.done():
            raise HostLostError(f"{self.host.name}: {self.lost.result()}")
        answer: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
        self._answers[number] = answer
        await self._send({**message, "n": number}, payload)
        either: set[asyncio.Future[Any]] = {answer, self.lost}
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        self._answers.pop(number, None)
        if not answer.done():
            raise HostLostError(f"{self.host.name}: {self.lost.result()}")
        if "error" in (found := answer.result()):
            raise FailureError(f"{self.host.name}: {found['error']}")
        return found

    async def _send(self, message: Message, payload: BinaryIO | None) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        async with self._sending:
            try:
                self._process.stdin.write(line_of(message))
                while payload is not None and (data := payload.read(CHUNK)):
                    self._process.stdin.write(data)
                    await self._process.stdin.drain()
                    self._heard = time.monotonic()  # it takes what is sent
                await self._process.stdin.drain()
            except (BrokenPipeError, ConnectionResetError):
                self.lose("the connection broke off")

    async def ping(self) -> int:
        """Ask for its clocks; returns by how much its real time is ahead of ours, about."""
        sent = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        real = time.clock_gettime_ns(time.CLOCK_REALTIME)
        answer = await self.ask({"do": "clock"})
        received = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        self.pings.append(Ping(sent, size_in(answer, "monotonic_ns"), received))
        return size_in(answer, "realtime_ns") - real - (received - sent) // 2

    def silent_s(self) -> float:
        """For how long nothing has been heard of it."""
        return time.monotonic() - self._heard

    async def fetch(self, run: str, folder: Path) -> int:
        """Fetch the files of a run into a folder; returns how many."""
        self._folder = folder
        try:
            answer = await self.ask({"do": "fetch", "run": run})
        finally:
            self._folder = None
        return size_in(answer, "files")

    async def close(self) -> None:
        """End the connection; the host's end stops whatever runs. One that is lost gets no time."""
        patience = 0.0 if self.lost.done() else _CLOSE_S
        if not self.lost.done():
            self.lost.set_result("the connection was closed")
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._process is None:
            return
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), patience)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()

    async def _read(self) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        try:
            while line := await self._process.stdout.readline():
                self._heard = time.monotonic()
                await self._take(message_of(line), self._process.stdout)
            why = "the connection was closed"
        except (OSError, FailureError) as error:
            why = f"what it sends cannot be kept: {error}"
        except Exception as error:  # lines may hold anything, at any depth
            why = f"what it says makes no sense ({error!r})"
        if self._said:
            why += f" (ssh: {self._said[-1]})"
        self.lose(why)

    async def _take(self, message: Message, stream: asyncio.StreamReader) -> None:
        if "file" in message:
            await self._keep(message, stream)
        elif "to" in message:
            answer = self._answers.get(size_in(message, "to"))
            if answer is not None and not answer.done():
                answer.set_result(message)
        else:
            self._on_event(message)

    async def _keep(self, message: Message, stream: asyncio.StreamReader) -> None:
        """One file of a run that is fetched, under the name that the host gives it."""
        if self._folder is None:
            raise WireError("a file that nobody asked for")
        path = self._folder / inner_path(str(message["file"]))
        path.parent.mkdir(parents=True, exist_ok=True)
        left = size_in(message)
        with replacing(path, left) as partial, partial.open("wb") as out:
            while left:
                data = await stream.readexactly(min(left, CHUNK))
                self._heard = time.monotonic()
                out.write(data)
                left -= len(data)

    async def _read_errors(self) -> None:
        assert self._process is not None
        assert self._process.stderr is not None
        while line := await self._process.stderr.readline():
            self._said = [*self._said[-19:], line.decode(errors="replace").rstrip()]

    async def _keep_alive(self) -> None:
        """Ask for the clocks again and again; who is silent for the lease is gone."""
        asking: asyncio.Task[None] | None = None
        while not self.lost.done():
            if asking is None or asking.done():
                asking = asyncio.create_task(self._ping_once())
            # All hosts at the same moments: so their answers can be compared with each other.
            await asyncio.sleep(PING_S - asyncio.get_running_loop().time() % PING_S)
            if (silent := self.silent_s()) > self._lease_s:
                self.lose(f"it does not answer any more (silent for {silent:.1f} s)")

    async def _ping_once(self) -> None:
        with contextlib.suppress(FailureError, WireError):
            await self.ping()

    def lose(self, why: str) -> None:
        """Wait for nothing of it any more, not even for its taking what is being sent."""
        if not self.lost.done():
            self.lost.set_result(why)
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()


def figures_of(answer: Message) -> dict[str, Any]:
    """Return what a host said of itself, without the number of its request."""
    return {key: value for key, value in answer.items() if key != "to"}


async def said_of(host: Host, step: Coroutine[Any, Any, None]) -> None:
    """Do a step with a host; of an answer that is none it is said whose it was."""
    try:
        await step
    except WireError as error:
        raise FailureError(f"{host.name}: what it says makes no sense ({error})") from error
