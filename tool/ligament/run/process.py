# SPDX-License-Identifier: Apache-2.0
"""One container as a child process: started, listened to, and never outliving the tool."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import os
import re
import signal
import socket
import time
from collections import deque
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

_PR_SET_PDEATHSIG = 1
# Looked up before any fork: the child may only call what is already loaded.
_libc = ctypes.CDLL(None, use_errno=True)
# A status line is a few kilobytes; asyncio's default limit would cut graphs of many nodes.
_LINE_LIMIT = 16 * 1024 * 1024


def die_with_tool() -> None:
    """Run in the child: the kernel kills it when the tool dies, however that happens."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


@dataclass
class ContainerSpec:
    """What starts one container: its name, command, log, and the nodes it holds."""

    name: str
    command: list[str]
    log: Path
    nodes: list[str]
    on_failure: str = "stop"
    wishes: Mapping[str, str] = field(default_factory=dict)
    """What each node wants of those, where it is known: the strictest one is `on_failure`."""
    auxiliary: bool = False
    """The graph's work does not need it: its failures are told, and it is tried again."""
    external: bool = False
    """A program of another package: it has no status lines, and is ready when it has started."""
    network: str = ""
    """What an auxiliary one is on, for people: `DDS domain 77`."""
    environment: dict[str, str] = field(default_factory=dict)
    shell: str = ""
    """The FPGA whose shell it holds (spec/device/slots.md): it takes nodes in, and stays when it is
    left without any."""
    slots: dict[str, str] = field(default_factory=dict)
    """Which of its nodes are in which slots."""
    movable: bool = False
    """It has a control socket, over which its nodes can be asked to move (spec/run/moving.md)."""

    def described(self, pid: int) -> str:
        """Who it is, for people: `container a (pid 5, nodes /a)`, or `edge (pid 6)`."""
        nodes = f", nodes {', '.join(self.nodes)}" if self.nodes else ""
        return f"{self.called} (pid {pid}{nodes})"

    @property
    def called(self) -> str:
        """Its kind and name: `container a`, `executable viewer`; an edge has its name alone."""
        if self.auxiliary:
            return self.name
        return f"{'executable' if self.external else 'container'} {self.name}"


@dataclass
class ContainerProcess:
    """A started container and the reading end of its status pipe."""

    spec: ContainerSpec
    process: asyncio.subprocess.Process
    started_ns: int
    _reader: asyncio.StreamReader
    _transport: asyncio.ReadTransport
    ready: bool = False
    control: socket.socket | None = None
    """Where a node is asked for that shall move; None: it has none."""

    @classmethod
    async def start(
        cls, spec: ContainerSpec, taking: socket.socket | None = None
    ) -> ContainerProcess:
        """Start `spec`; `--status-fd N` is appended to its command, unless it is external.

        It gets a session of its own, so that Ctrl-C in the terminal reaches only the tool, which
        then stops the containers in order. `taking`: socket to the container whose node it takes,
        which is closed here.
        """
        read_end, write_end = os.pipe()
        control, theirs = _control_pair() if spec.movable else (None, None)
        given = {"--control-fd": theirs, "--take-over-fd": taking}
        inherited = {option: end.fileno() for option, end in given.items() if end is not None}
        try:
            spec.log.parent.mkdir(parents=True, exist_ok=True)
            with spec.log.open("ab") as log:
                process = await asyncio.create_subprocess_exec(
                    *spec.command,
                    *(word for option, end in inherited.items() for word in (option, str(end))),
                    *(() if spec.external else ("--status-fd", str(write_end))),
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    pass_fds=() if spec.external else (write_end, *inherited.values()),
                    start_new_session=True,
                    preexec_fn=die_with_tool,
                    env={**os.environ, **spec.environment},
                )
        except BaseException:
            os.close(read_end)
            if control is not None:
                control.close()
            raise
        finally:
            os.close(write_end)
            for end in given.values():
                if end is not None:
                    end.close()
        reader = asyncio.StreamReader(limit=_LINE_LIMIT)
        loop = asyncio.get_running_loop()
        transport, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(read_end, "rb")
        )
        started = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        return cls(spec, process, started, reader, transport, control=control)

    @property
    def pid(self) -> int:
        """The container's process id."""
        return self.process.pid

    @property
    def wakes(self) -> int | None:
        """How often its main thread went to sleep so far; None where that is not known."""
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
                if line.startswith("voluntary_ctxt_switches:"):
                    return int(line.split()[1])
        return None

    @property
    def cpu_ns(self) -> int | None:
        """The CPU time that it has used; None where that is not known."""
        with contextlib.suppress(OSError, ValueError, IndexError):
            # The second field is the program's name in brackets, which may hold spaces.
            text = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
            return (int(text[11]) + int(text[12])) * 1_000_000_000 // os.sysconf("SC_CLK_TCK")
        return None

    async def lines(self) -> AsyncIterator[bytes]:
        """The status lines until the container closes its end or dies."""
        while line := await self._reader.readline():
            yield line

    def send(self, number: signal.Signals) -> None:
        """Send a signal; a container that is gone already does not mind."""
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(number)

    def stop(self) -> None:
        """Ask it to end: with SIGTERM; another package's program as Ctrl-C and `ros2 launch` do."""
        self.send(signal.SIGINT if self.spec.external else signal.SIGTERM)

    def kill(self) -> None:
        """End it; of another package's program also what it has started."""
        if self.spec.external:
            self.end_group()
        self.send(signal.SIGKILL)

    def end_group(self) -> None:
        """End what it has started and left: they are in its session, which is its own."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)

    def close(self) -> None:
        """Give back the status pipe and the control socket."""
        self._transport.close()
        if self.control is not None:
            self.control.close()


def _control_pair() -> tuple[socket.socket, socket.socket]:
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


def exit_text(code: int) -> str:
    """How a process ended, in words: `exit 3`, `killed by SIGSEGV`."""
    if code >= 0:
        return f"exit {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"


def last_lines(log: Path, count: int = 15) -> list[str]:
    """The end of a log, for the message about a container that failed."""
    try:
        with log.open("rb") as file:
            return [
                line.decode(errors="replace").rstrip()
                for line in deque(file, maxlen=count)
                if line.strip()
            ]
    except OSError:
        return []


#: As rclcpp and rclpy warn of an end that gets or gives nothing, each time that one comes.
_MISMATCH = re.compile(rb"Incompatible type on topic|incompatible QoS")
_TIME = re.compile(rb"\[\d+\.\d+\] ?")


def mismatches_in(folder: Path, most: int = 3) -> list[str]:
    """What programs were told of ends that do not fit theirs: lines of the logs, with the log."""
    found: list[str] = []
    for log in sorted(folder.glob("*.log")):
        told: dict[bytes, None] = {}
        with contextlib.suppress(OSError), log.open("rb") as file:
            for line in filter(_MISMATCH.search, file):
                told[_TIME.sub(b"", line.strip())] = None
                if len(told) == most:
                    break
        found += [f"{log.stem}: {line.decode(errors='replace')} ({log})" for line in told]
    return found
