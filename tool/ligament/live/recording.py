# SPDX-License-Identifier: Apache-2.0
"""A command (a launch file) is started, what it has started is seen, and it is stopped again.

A launch file is a program: only running it tells what it starts.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ligament.errors import FailureError, InputError, Problem
from ligament.live.processes import ThisHost
from ligament.live.seen import Seen
from ligament.run.process import exit_text

_LAUNCH_FILES = (".launch.py", ".launch.xml", ".launch.yaml", ".launch.yml")
_STOP_S = 10.0
_PATIENCE = 4
"""Looks without anything new, where a process that was started is not seen as a node."""


def command_words(words: Sequence[str]) -> list[str]:
    """Return the command: a launch file is given to `ros2 launch`. Raise InputError if missing."""
    command = list(words)
    if command[0].endswith(_LAUNCH_FILES):
        if not Path(command[0]).is_file():
            text = f"there is no launch file '{command[0]}'"
            hint = f"of a package: ligament import ros2 launch PACKAGE {Path(command[0]).name}"
            raise InputError(Problem("file-missing", text, hint=hint))
        command = ["ros2", "launch", *command]
    if shutil.which(command[0]) is None:
        hint = "source ROS 2's setup.bash" if command[0] == "ros2" else ""
        raise InputError(
            Problem("command-missing", f"there is no command '{command[0]}'", hint=hint)
        )
    return command


@contextlib.contextmanager
def running(command: Sequence[str], domain_id: int) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command in a session of its own; stop it as Ctrl-C does, with all that it started."""
    sys.stderr.flush()
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr.fileno(),
        start_new_session=True,
        env={**os.environ, "ROS_DOMAIN_ID": str(domain_id)},
    )
    try:
        yield process
    finally:
        _stop(process)


def started_by(process: subprocess.Popen[bytes], here: ThisHost) -> set[int]:
    """Return all processes that it has started, itself included."""
    return here.descendants(process.pid) | here.of_session(process.pid)


def see_all(
    process: subprocess.Popen[bytes],
    look: Callable[[], Seen],
    here: ThisHost,
    most_s: float,
) -> tuple[Seen, set[int]]:
    """Look until the same processes of the command are seen again; return what was seen of whom.

    Where some of its processes are not seen, they may be slow to start: that takes more looks.
    """
    end = time.monotonic() + most_s
    before: set[int] = set()
    same = 0
    while True:
        seen = look()
        pids = started_by(process, here)
        mine = {e.pid for e in seen.ends if e.pid in pids and here.is_here(e.host)}
        same = same + 1 if mine == before else 0
        if mine and same >= (1 if here.leaves(pids) <= mine else _PATIENCE):
            return seen, pids
        before = {pid for pid in mine if pid is not None}
        if process.poll() is not None and not mine:
            how = exit_text(process.returncode)
            raise FailureError(f"the command ended ({how}) before a node of it was seen")
        if time.monotonic() > end:
            if mine:
                return seen, pids
            raise FailureError(
                f"no node of the command was seen in ROS domain {seen.domain_id} "
                f"within {most_s:g} s",
                hint="does it set ROS_DOMAIN_ID or ROS_AUTOMATIC_DISCOVERY_RANGE itself?",
            )


def _stop(process: subprocess.Popen[bytes]) -> None:
    here = ThisHost()
    pids = started_by(process, here)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGINT)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_STOP_S)
    for pid in {*pids, *started_by(process, here)}:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
    process.wait()
