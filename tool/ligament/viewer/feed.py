# SPDX-License-Identifier: Apache-2.0
"""Starts `ligament-bag watch`, and reads its records: lines of JSON, some followed by bytes."""

from __future__ import annotations

import contextlib
import json
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any

from ligament.bag.program import bag_program, errors_of
from ligament.programs import end_with_tool

LONGEST_LINE = 1 << 22
MOST_BYTES = 64 << 20
#: So long after it was last asked for, a topic is told no more.
WANTED_S = 3.0


class FeedError(Exception):
    """What the program writes is not what spec/wire/view.md says."""


@dataclass(frozen=True)
class Record:
    """One record: what it says, and the bytes of a message."""

    told: dict[str, Any]
    payload: bytes = b""

    @property
    def event(self) -> str:
        """What kind of record it is."""
        return str(self.told.get("event", ""))


def read_record(stream: IO[bytes]) -> Record | None:
    """Return the next record, None at the end."""
    line = stream.readline(LONGEST_LINE)
    if not line.endswith(b"\n"):
        return None
    try:
        told = json.loads(line)
    except ValueError as error:
        raise FeedError(f"a record is no JSON: {error}") from error
    if not isinstance(told, dict):
        raise FeedError("a record is no object")
    size = told.get("bytes", 0)
    if not isinstance(size, int) or not 0 <= size <= MOST_BYTES:
        raise FeedError(f"a record has {size!r} bytes")
    payload = stream.read(size) if size else b""
    return Record(told, payload) if len(payload) == size else None


class Feed:
    """A started `ligament-bag watch`."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._lock = threading.Lock()
        self._wanted: dict[str, float] = {}
        self._told: list[str] = []

    @classmethod
    @contextlib.contextmanager
    def started(cls, words: list[str]) -> Iterator[Feed]:
        """Run it with these words until the block ends."""
        process = subprocess.Popen(
            [str(bag_program()), "watch", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C in the terminal reaches only the tool
            preexec_fn=end_with_tool,  # noqa: PLW1509 - no thread of ours holds a lock yet
        )
        feed = cls(process)
        try:
            yield feed
        finally:
            feed.close()

    def records(self) -> Iterator[Record]:
        """Everything that it tells; at its end an error, if it says that there is one."""
        assert self._process.stdout is not None and self._process.stderr is not None
        while (record := read_record(self._process.stdout)) is not None:
            if record.event == "topics":
                self._forget()
            yield record
        errors_of(self._process.wait(), self._process.stderr.read().decode(errors="replace"))

    def want(self, topic: str) -> None:
        """Have the topic's large messages told whole, for the next seconds."""
        with self._lock:
            self._wanted[topic] = time.monotonic()
            self._tell()

    def _forget(self) -> None:
        since = time.monotonic() - WANTED_S
        with self._lock:
            self._wanted = {topic: at for topic, at in self._wanted.items() if at >= since}
            self._tell()

    def _tell(self) -> None:
        topics = sorted(self._wanted)
        if topics == self._told or self._process.stdin is None:
            return
        self._told = topics
        with contextlib.suppress(OSError, ValueError):  # it has ended: its records say so
            self._process.stdin.write(json.dumps(topics).encode() + b"\n")
            self._process.stdin.flush()

    def close(self) -> None:
        """End it; it ends with its input."""
        process = self._process
        with contextlib.suppress(OSError):
            assert process.stdin is not None
            process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.terminate()
            process.wait(10)
        if process.poll() is None:
            process.kill()
            process.wait()
