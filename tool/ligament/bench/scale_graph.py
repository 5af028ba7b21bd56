# SPDX-License-Identifier: Apache-2.0
"""A graph of many node processes: starts them, gives them orders, looks at them from outside.

The program is `ligament-bench-scale` (benchmarks/scale/); what a process costs is read from /proc
and from its CPU clock, so that it does nothing for being measured.
"""

from __future__ import annotations

import json
import os
import re
import selectors
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from ligament.errors import FailureError

#: A watchdog, not a bound on speed: who has said nothing for so long hangs.
PATIENCE_S = 120.0


@dataclass(frozen=True)
class Size:
    """How large a graph is, and its topics."""

    nodes: int
    topics: int = 5
    payload_bytes: int = 64
    depth: int = 10

    def params(self) -> dict[str, Any]:
        """Return the parameters of its rows."""
        return {"nodes": self.nodes, "topics": self.nodes * self.topics}


@dataclass(frozen=True)
class Start:
    """How a start went, in seconds."""

    matched_s: float  #: from before the first process's start until the last end was matched
    created_s: float  #: until the last process had created its endpoints
    cpu_s: float  #: CPU time of all processes until then


class Node:
    """One process and the lines it prints."""

    def __init__(self, command: list[str], stderr: IO[str]) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr
        )
        self._rest = b""

    @property
    def pid(self) -> int:
        """Its process id."""
        return self.process.pid

    def stdout_fd(self) -> int:
        """Where its lines come from."""
        assert self.process.stdout is not None
        return self.process.stdout.fileno()

    def read(self) -> list[dict[str, Any]] | None:
        """Complete lines that are there, after select said so; None: it has ended."""
        data = os.read(self.stdout_fd(), 65536)
        if not data:
            return None
        *lines, self._rest = (self._rest + data).split(b"\n")
        return [json.loads(line) for line in lines]

    def order(self, text: str) -> None:
        """Send one line."""
        assert self.process.stdin is not None
        self.process.stdin.write(text.encode() + b"\n")
        self.process.stdin.flush()

    def release(self) -> None:
        """Let it end: it does when its input does."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.close()


class Graph:
    """Node processes of one graph, all alive."""

    def __init__(self, program: Path, size: Size, name: str, errors: IO[str]) -> None:
        self.size = size
        self.nodes: list[Node] = []
        self._program = program
        self._name = name
        self._errors = errors
        self._selector = selectors.DefaultSelector()
        #: Lines that came before somebody waited for them, by event and node.
        self._early: dict[tuple[str, int], dict[str, Any]] = {}

    def start(self) -> Start:
        """Start all processes and wait until each has all its matches."""
        begin_ns = time.monotonic_ns()
        for index in range(self.size.nodes):
            node = Node(self._command(index), self._errors)
            self.nodes.append(node)
            self._selector.register(node.stdout_fd(), selectors.EVENT_READ, index)
        everyone = range(self.size.nodes)
        created = self.await_events("created", everyone)
        matched = self.await_events("matched", everyone)
        return Start(
            (max(line["at_ns"] for line in matched.values()) - begin_ns) / 1e9,
            (max(line["at_ns"] for line in created.values()) - begin_ns) / 1e9,
            self.cpu_s(),
        )

    def _command(self, index: int) -> list[str]:
        size = self.size
        options = {"domain": self._name, "index": index, "nodes": size.nodes, "topics": size.topics,
                   "bytes": size.payload_bytes, "depth": size.depth}  # fmt: skip
        words = [str(self._program)]
        for key, value in options.items():
            words += [f"--{key}", str(value)]
        return words

    def await_events(self, event: str, indices: Any) -> dict[int, dict[str, Any]]:
        """The next line of this event from each of these nodes, whatever else they say."""
        found = {i: self._early.pop((event, i)) for i in indices if (event, i) in self._early}
        waiting = set(indices) - set(found)
        deadline = time.monotonic() + PATIENCE_S
        while waiting:
            ready = self._selector.select(max(0.0, deadline - time.monotonic()))
            if not ready:
                raise FailureError(
                    f"{len(waiting)} of {self.size.nodes} nodes did not get as far as "
                    f"'{event}' in {PATIENCE_S:.0f} s, node {min(waiting)} among them"
                )
            for key, _ in ready:
                index = int(key.data)
                for line in self._lines(index):
                    if line["event"] == event and index in waiting:
                        found[index] = line
                        waiting.discard(index)
                    else:
                        self._early[line["event"], index] = line
        return found

    def _lines(self, index: int) -> list[dict[str, Any]]:
        lines = self.nodes[index].read()
        if lines is None:
            self._errors.flush()
            said = Path(self._errors.name).read_text().strip().splitlines()[-1:]
            raise FailureError(
                f"node {index} of the graph ended: {said[0] if said else 'it said nothing'}"
            )
        return lines

    def order(self, indices: Any, text: str) -> None:
        """Send one order to these nodes and wait until each obeys."""
        for index in indices:
            self.nodes[index].order(f"orders {text}")
        self.await_events("obeyed", indices)

    def counts(self) -> dict[str, int]:
        """Sums of what the nodes published and took; orders silence."""
        for node in self.nodes:
            node.order("orders 0 0 0 0")
        lines = self.await_events("obeyed", range(self.size.nodes)).values()
        return {
            key: sum(line["counts"][key] for line in lines)
            for key in ("published", "taken", "lost", "failed")
        }

    def place_probe(self) -> None:
        """Put the two ends of the probe on different cores; their housekeeping stays free.

        By chance they would share one or not, and a wake-up within one costs half of one across.
        """
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(self.nodes[0].pid, {cores[0]})
        os.sched_setaffinity(self.nodes[-1].pid, {cores[-1]})

    def probe(self, count: int, period_us: int, load_hz: float) -> list[int]:
        """One-way latencies (ns) from node 0 to the subscriber of its first topic."""
        taker = self.size.nodes - 1
        self.order([taker], f"{load_hz} 0 0 {count}")
        self.order([0], f"{load_hz} {period_us} {count} 0")
        return list(self.await_events("probed", [taker])[taker]["latency_ns"])

    def cpu_s(self) -> float:
        """CPU time that all processes have used, from their clocks (ns, not ticks)."""
        return sum(process_cpu_s(node.pid) for node in self.nodes)

    def stop(self) -> None:
        """End all processes."""
        for node in self.nodes:
            node.release()
        deadline = time.monotonic() + PATIENCE_S
        for node in self.nodes:
            try:
                node.process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                node.process.kill()
                node.process.wait()
        self._selector.close()


@contextmanager
def graph(program: Path, size: Size, name: str) -> Iterator[Graph]:
    """A graph that is not started yet; its processes end with the block."""
    with tempfile.NamedTemporaryFile("w", prefix="ligament-bench-scale-", suffix=".log") as errors:
        made = Graph(program, size, name, errors.file)
        try:
            yield made
        finally:
            made.stop()


# --- from outside --------------------------------------------------------------------------------


def process_cpu_s(pid: int) -> float:
    """CPU time of another process: its CPUCLOCK_SCHED clock, numbered as the kernel's ABI says."""
    return time.clock_gettime((~pid << 3) | 2)


def pss_bytes(pid: int) -> int:
    """Its memory, with a page that k processes map counted as 1/k."""
    text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    found = re.search(r"(?m)^Pss:\s+(\d+) kB", text)
    return int(found.group(1)) * 1024 if found else 0


def segments(pid: int) -> dict[int, tuple[str, int]]:
    """The pool segments that it owns: inode -> (kind, bytes of pages that exist)."""
    found = {}
    for entry in os.scandir(f"/proc/{pid}/fd"):
        target = os.readlink(entry.path)
        if match := re.match(r"/memfd:ligament-([a-z]+)", target):
            status = os.stat(entry.path)
            found[status.st_ino] = (match.group(1), status.st_blocks * 512)
    return found


def descriptors(pid: int) -> int:
    """How many it holds."""
    return len(os.listdir(f"/proc/{pid}/fd"))


def wake_ups(pid: int) -> dict[str, int]:
    """Times that each of its threads went to sleep, by the thread's name."""
    found: dict[str, int] = {}
    for task in Path(f"/proc/{pid}/task").iterdir():
        text = (task / "status").read_text()
        name = re.search(r"(?m)^Name:\s+(.+)$", text)
        count = re.search(r"(?m)^voluntary_ctxt_switches:\s+(\d+)$", text)
        if name and count:
            found[name.group(1)] = found.get(name.group(1), 0) + int(count.group(1))
    return found


def available_bytes() -> int:
    """What the machine could still give."""
    found = re.search(r"(?m)^MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text())
    return int(found.group(1)) * 1024 if found else 0
