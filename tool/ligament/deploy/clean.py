# SPDX-License-Identifier: Apache-2.0
"""What earlier deploys left on a host: runs that nobody watches, and their files (deploy.md)."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from ligament.artefacts import write_text
from ligament.deploy.part_run import DRAIN_S
from ligament.deploy.store import Store
from ligament.errors import FailureError

_USERS = ".ligament-run"
_START_FIELD = 19
"""Of /proc/PID/stat after the program's name (proc(5): field 22 of all)."""
_KILL_S = 5.0
"""Longer than the kernel takes to end what was killed, and its children."""


@dataclass
class Cleaned:
    """How many parts were stopped, and how many runs' folders removed."""

    stopped: int = 0
    removed: int = 0


def note_users(tree: Path, server: int, run: int | None = None) -> None:
    """Write down who uses a tree; its lock says whether they still do."""
    users = {"server": server, **({} if run is None else {"run": run})}
    write_text(tree / _USERS, "".join(f"{who} {p} {_start_of(p)}\n" for who, p in users.items()))


def runs_of(tree: Path) -> list[Path]:
    """The folders of runs in a tree."""
    return sorted(path for path in tree.glob("*/runs/*") if path.is_dir())


def left(store: Store, name: str, own: str = "") -> int:
    """How many runs of earlier deploys lie in the trees of a part that nobody else uses."""
    found = 0
    for tree in store.trees_of(name):
        with store.in_use(tree.name) as mark:
            if mark is not None or tree.name == own:
                found += len(runs_of(tree))
    return found


def clean(store: Store, name: str) -> Cleaned:
    """Stop what still uses the trees of a part, and remove its runs' folders.

    Raises FailureError where something cannot be stopped.
    """
    found = Cleaned()
    for tree in store.trees_of(name):
        with store.in_use(tree.name) as mark:
            is_free = mark is not None
        if not is_free:
            _stop(store, tree)
            found.stopped += 1
        with store.in_use(tree.name) as mark:
            if mark is None:
                raise FailureError(f"another deploy began to use {tree} meanwhile")
            for run in runs_of(tree):
                shutil.rmtree(run)
                found.removed += 1
    return found


def _stop(store: Store, tree: Path) -> None:
    """The host's end first: it may hang, and its death is the run's signal to stop in order."""
    for who, wait_s in (("server", DRAIN_S), ("run", _KILL_S)):
        pid = _users(tree).get(who)
        with contextlib.suppress(ProcessLookupError):
            if pid is not None:
                os.kill(pid, signal.SIGKILL)
        if _is_free_within(store, tree, wait_s):
            return
    raise FailureError(
        f"what runs from {tree} cannot be stopped",
        hint=f"look there for who holds {tree}/.ligament-part open: fuser, lsof",
    )


def _is_free_within(store: Store, tree: Path, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while True:
        with store.in_use(tree.name) as mark:
            if mark is not None:
                return True
        if time.monotonic() > end:
            return False
        time.sleep(0.1)


def _users(tree: Path) -> dict[str, int]:
    """Process numbers of those that still live: a number may be another's now."""
    try:
        lines = (tree / _USERS).read_text(encoding="ascii").splitlines()
    except (OSError, ValueError):
        return {}
    found = {}
    for words in map(str.split, lines):
        if len(words) == 3 and words[1].isdecimal() and _start_of(int(words[1])) == words[2]:
            found[words[0]] = int(words[1])
    return found


def _start_of(pid: int) -> str:
    """When a process began, in ticks since the boot; empty: there is none."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return stat.rpartition(")")[2].split()[_START_FIELD]
