# SPDX-License-Identifier: Apache-2.0
"""One host's part of a graph as a child process: `ligament run --host`, watched and told of."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from ligament.artefacts import read_json_object
from ligament.deploy.wire import Message
from ligament.programs import end_with_tool
from ligament.top.tail import StatusTail

_TAIL_S = 0.25
DRAIN_S = 20.0
"""Longer than a run takes to stop in order: it kills its own containers before."""


class PartRun:
    """Started when it is made. `tell` gets the events; `folder` is the run's, once it is there.

    The run inherits `kept`, the lock of its files: they are in use until it has ended, too.
    """

    def __init__(
        self, build: Path, words: Sequence[str], tell: Callable[[Message], None], kept: int
    ) -> None:
        self.folder: Path | None = None
        self._tell = tell
        self._runs = build.parent / "runs"
        self._before = self._names()
        self._stops = self._passed = 0
        self._lock = threading.Lock()
        command = [sys.executable, "-m", "ligament.cli.main", "run", str(build), "--quiet", *words]
        # A session of its own: a signal to the whole group of the login must not reach it twice.
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            # Its last lines, with paths that are nothing to the deployer.
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            cwd=build.parent,
            start_new_session=True,
            pass_fds=(kept,),
            preexec_fn=end_with_tool,  # noqa: PLW1509 - this process has no other thread yet
        )
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()

    @property
    def pid(self) -> int:
        """The run's process number."""
        return self._process.pid

    def stop(self) -> None:
        """As Ctrl-C: in order; a second one does not wait for the drain.

        One that has only begun does not know of signals yet: it is asked when it does.
        """
        self._stops += 1
        self._pass_stops_on()

    def _pass_stops_on(self) -> None:
        with self._lock:
            if self._passed < self._stops and self._hears() and self._process.poll() is None:
                self._passed += 1
                self._process.send_signal(signal.SIGINT)

    def _hears(self) -> bool:
        """Status lines are written to after signals are caught (supervisor.py)."""
        return self.folder is not None and (self.folder / "status.jsonl").exists()

    def end(self) -> None:
        """Stop it, whatever it takes, and wait for its end."""
        self.stop()
        try:
            self._process.wait(DRAIN_S)
        except subprocess.TimeoutExpired:
            # Its containers go with it: the kernel kills them with their parent.
            self._process.kill()
            self._process.wait()
        self._watcher.join()

    def _watch(self) -> None:
        reader = threading.Thread(target=self._read_output, daemon=True)
        reader.start()
        tail: StatusTail | None = None
        ended = False
        while not ended:
            ended = self._process.poll() is not None
            if self.folder is None:
                tail = self._find_folder()
            self._pass_stops_on()
            for line in tail.read() if tail else ():
                self._tell({"event": "status", "line": line})
            if not ended:
                time.sleep(_TAIL_S)
        reader.join()
        self._tell({"event": "ended", "code": self._exit_code()})

    def _exit_code(self) -> int:
        """As the run ended. It may be asked to stop when it has ended, but its process has not."""
        code = self._process.returncode
        if code == -signal.SIGINT and self.folder is not None:
            state = read_json_object(self.folder / "run.json").get("state")
            return 0 if state in ("finished", "duration", "interrupted") else code
        return code

    def _find_folder(self) -> StatusTail | None:
        """The folder is new: one tree has one run at a time."""
        new = sorted(self._names() - self._before)
        if not new:
            return None
        self.folder = self._runs / new[0]
        self._tell({"event": "run", "folder": self.folder.name})
        return StatusTail(self.folder / "status.jsonl")

    def _names(self) -> set[str]:
        return set(os.listdir(self._runs)) if self._runs.is_dir() else set()

    def _read_output(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self._tell({"event": "said", "text": line.decode(errors="replace").rstrip("\n")})
