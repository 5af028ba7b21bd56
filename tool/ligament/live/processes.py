# SPDX-License-Identifier: Apache-2.0
"""Processes of this computer, as /proc tells of them."""

from __future__ import annotations

import contextlib
import os
import platform
from dataclasses import dataclass, field
from pathlib import Path

_LIGAMENTS = ("ligament-container", "ligament-edge", "ligament-bag", "ligament-look")


@dataclass(frozen=True)
class Process:
    """What a process was started with, and where."""

    pid: int
    words: tuple[str, ...]
    folder: Path
    program: str
    """The file that runs: an interpreter, where it is a script."""

    @property
    def is_ligament(self) -> bool:
        """Return whether it is a part of a Ligament graph."""
        return Path(self.program).name in _LIGAMENTS


def _machine_id() -> str:
    with contextlib.suppress(OSError):
        return Path("/etc/machine-id").read_text().strip()
    return ""


@dataclass
class ThisHost:
    """This computer. Processes that may not be read are none for us."""

    name: str = field(default_factory=platform.node)
    machine_id: str = field(default_factory=_machine_id)
    root: Path = Path("/proc")

    def is_here(self, host: str) -> bool:
        """Return whether an end is of this computer; where nothing is told it is in the pool.

        Engines name the host, or (Fast DDS 3) its machine id.
        """
        return host in ("", self.name, self.machine_id)

    def process(self, pid: int) -> Process | None:
        """Return a process; None: it has ended, or is another user's."""
        folder = self.root / str(pid)
        try:
            words = (folder / "cmdline").read_bytes().removesuffix(b"\0").split(b"\0")
            text = tuple(word.decode() for word in words)
            place, program = os.readlink(folder / "cwd"), os.readlink(folder / "exe")
        except (OSError, UnicodeDecodeError):
            return None
        if not text[0] or not all(c.isprintable() or c in "\n\t" for word in text for c in word):
            return None
        return Process(pid, text, Path(place), program)

    def descendants(self, pid: int) -> set[int]:
        """Return a process and all that it has started, and they."""
        children: dict[int, list[int]] = {}
        for entry in self.root.iterdir():
            if entry.name.isdigit():
                children.setdefault(self._parent(entry), []).append(int(entry.name))
        found, waiting = set[int](), [pid]
        while waiting:
            one = waiting.pop()
            found.add(one)
            waiting += children.get(one, [])
        return found

    def leaves(self, pids: set[int]) -> set[int]:
        """Return those that have started no other of them."""
        return pids - {self._parent(self.root / str(pid)) for pid in pids}

    def of_session(self, session: int) -> set[int]:
        """Return the processes of a session: also those whose parent has ended."""
        return {
            int(e.name)
            for e in self.root.iterdir()
            if e.name.isdigit() and self._stat(e, 3) == session
        }

    def _parent(self, folder: Path) -> int:
        return self._stat(folder, 1)

    @staticmethod
    def _stat(folder: Path, number: int) -> int:
        """Return a field behind the program's name in brackets, which may hold spaces; 0: gone."""
        try:
            return int((folder / "stat").read_text().rpartition(")")[2].split()[number])
        except (OSError, ValueError, IndexError):
            return 0
