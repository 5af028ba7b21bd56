# SPDX-License-Identifier: Apache-2.0
"""The processes of one run: started, listened to, and gone when it is over, however it ends."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Sequence

from ligament.errors import FailureError
from ligament.run.process import die_with_tool, exit_text

#: A program that prints more than this prints nonsense.
_LARGEST_OUTPUT = 256 << 20
#: How long children may take to leave when a run is given up.
_LEAVING_S = 3.0


class Child:
    """One process with what it said so far."""

    def __init__(self, name: str, command: Sequence[str]) -> None:
        self.name = name
        self.command = list(command)
        self.out = bytearray()
        self.err = bytearray()
        try:
            # A session of its own: Ctrl-C reaches the driver alone, which then ends the children,
            # and a program's own children are in its process group.
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                preexec_fn=die_with_tool,  # noqa: PLW1509 - the driver has no threads
            )
        except OSError as error:
            raise FailureError(f"{name} cannot be started: {error}", command=command) from error

    @property
    def is_ready(self) -> bool:
        """Whether it has printed the line `ready`."""
        return self.out.startswith(b"ready\n") or b"\nready\n" in self.out

    @property
    def lines(self) -> list[str]:
        """What it printed on stdout."""
        return self.out.decode(errors="replace").splitlines()

    def failure(self, text: str) -> FailureError:
        """An error with what it said last on stderr: a mistake is above the usage."""
        said = self.err.decode(errors="replace").strip().splitlines()[-6:]
        lines = "".join(f"\n  said: {line[:300]}" for line in said)
        return FailureError(f"{self.name} {text}{lines}", command=self.command)


class Children:
    """All processes of a run, as a context: at its end none of them is left."""

    def __init__(self, timeout_s: float) -> None:
        self.timeout_s = timeout_s
        self._deadline = time.monotonic() + timeout_s
        self._children: list[Child] = []
        self._selector = selectors.DefaultSelector()

    def __enter__(self) -> Children:
        return self

    def __exit__(self, *_: object) -> None:
        # Asked first: transports that keep files remove them, and a killed one cannot.
        self._signal(signal.SIGTERM, [c for c in self._children if c.process.poll() is None])
        deadline = time.monotonic() + _LEAVING_S
        for child in self._children:
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.process.wait(max(0.0, deadline - time.monotonic()))
        self._signal(signal.SIGKILL, self._children)
        for child in self._children:
            child.process.wait()
            for pipe in (child.process.stdout, child.process.stderr):
                if pipe is not None:
                    pipe.close()
        self._selector.close()

    @staticmethod
    def _signal(number: signal.Signals, children: Sequence[Child]) -> None:
        """To a child and to what it has started."""
        for child in children:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.process.pid, number)

    def start(self, name: str, command: Sequence[str]) -> Child:
        """Start one more."""
        child = Child(name, command)
        self._children.append(child)
        for pipe, said in ((child.process.stdout, child.out), (child.process.stderr, child.err)):
            assert pipe is not None
            os.set_blocking(pipe.fileno(), False)
            self._selector.register(pipe, selectors.EVENT_READ, said)
        return child

    def await_ready(self, children: Sequence[Child]) -> None:
        """Until all have said that they can be started against."""
        self._await(children, lambda child: child.is_ready, "is not ready")
        for child in children:
            if not child.is_ready:
                raise child.failure(f"ended before it was ready ({self._end_of(child)})")

    def await_end(self, children: Sequence[Child]) -> None:
        """Until all have ended well; one that did not ends the wait at once."""
        self._await(children, lambda child: False, "has not ended")

    def ask_to_end(self, children: Sequence[Child]) -> None:
        """SIGTERM: a subscriber then prints what it has."""
        for child in children:
            child.process.terminate()

    def _await(self, children: Sequence[Child], done: Callable[[Child], bool], text: str) -> None:
        waiting = list(children)
        while waiting:
            self._listen()
            # Looked at once: a child that ends between two looks would be neither failed nor
            # waited for.
            ended = {child: child.process.poll() for child in self._children}
            for child, status in ended.items():
                if status not in (None, 0):
                    self._listen()
                    raise child.failure(f"ended with {self._end_of(child)}")
            still = [c for c in waiting if not done(c) and ended[c] is None]
            if still and time.monotonic() > self._deadline:
                raise still[0].failure(f"{text} within {self.timeout_s:.0f} s and was ended")
            waiting = still
        self._listen()

    def _listen(self) -> None:
        """Take what has been said, for 50 ms at most if nothing is."""
        open_pipes = self._selector.get_map()
        if not open_pipes:
            time.sleep(0.002)
            return
        for key, _ in self._selector.select(timeout=0.05):
            pipe, said = key.fd, key.data
            while chunk := _read(pipe):
                said += chunk
                if len(said) > _LARGEST_OUTPUT:
                    raise FailureError("a program printed more than 256 MB")
            if chunk is not None:
                self._selector.unregister(key.fileobj)

    @staticmethod
    def _end_of(child: Child) -> str:
        return exit_text(child.process.wait())


def _read(pipe: int) -> bytes | None:
    """Empty at the end of the pipe; None when there is nothing now."""
    try:
        return os.read(pipe, 1 << 20)
    except BlockingIOError:
        return None
