# SPDX-License-Identifier: Apache-2.0
"""The rooms of dev/mutants.yaml, and which of their faults are tried."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any

from mutation.fault import Fault
from mutation.python import faults_in_python
from mutation.text import faults_in_text


@dataclass(frozen=True)
class Room:
    """Files of one room, and the commands that build and test them (in the root of the tree).

    In a command, $FOLDER is that of the file with the fault, and $STEM its name without ending.
    `killed` are the exit statuses that say that a test failed; any other than these and 0 is an
    error of the trial.
    """

    name: str
    files: tuple[str, ...]
    test: str
    build: str = ""
    killed: tuple[int, ...] = (1, 2)

    def commands(self, file: str) -> tuple[str, str]:
        """Return how a file of the room is built and tested."""
        words = {"STEM": Path(file).stem, "FOLDER": str(Path(file).parent)}
        build, test = (Template(text).safe_substitute(words) for text in (self.build, self.test))
        return build, test


def read_room(name: str, entry: Mapping[str, Any], words: Mapping[str, str]) -> Room:
    """Return a room, or a fixed fault as one; its commands hold words as $NAME."""
    files = entry["files"] if "files" in entry else [entry["file"]]
    test, build = (Template(entry.get(key, "")).safe_substitute(words) for key in ("test", "build"))
    killed = tuple(entry.get("killed", (1, 2)))
    return Room(name, tuple(files), test, build, killed)


def faults_of(file: str, source: str) -> list[Fault]:
    """Return every fault that can be planted in a file, by its language."""
    find = faults_in_python if Path(file).suffix == ".py" else faults_in_text
    return list(find(file, source))


def chosen(room: Room, root: Path, count: int, seed: int) -> list[Fault]:
    """Draw `count` faults of a room: a file, then a kind, then a place, so that none prevails."""
    draw = random.Random(f"{seed}:{room.name}")
    by_file: dict[str, dict[str, list[Fault]]] = {}
    for file in files_of(room, root):
        for fault in faults_of(file, (root / file).read_text()):
            by_file.setdefault(file, {}).setdefault(fault.kind, []).append(fault)
    found: list[Fault] = []
    while by_file and len(found) < count:
        file = draw.choice(sorted(by_file))
        kind = draw.choice(sorted(by_file[file]))
        places = by_file[file][kind]
        found.append(places.pop(draw.randrange(len(places))))
        if not places:
            del by_file[file][kind]
        if not by_file[file]:
            del by_file[file]
    return found


def files_of(room: Room, root: Path) -> list[str]:
    """Return the room's files; a pattern with `!` before it takes out."""
    found: set[str] = set()
    for pattern in room.files:
        matches = {str(p.relative_to(root)) for p in root.glob(pattern.removeprefix("!"))}
        found = found - matches if pattern.startswith("!") else found | matches
    return sorted(found)


def again(rows: Iterable[Mapping[str, Any]], root: Path) -> list[Fault]:
    """Return the faults of earlier rows that can still be planted, each at the nearest place."""
    found = []
    for row in rows:
        path = root / row["file"]
        source = path.read_text() if path.exists() else ""
        same = [
            fault
            for fault in faults_of(row["file"], source)
            if fault.kind == row["kind"]
            and fault.lines(source)[1:] == (row["before"], row["after"])
        ]
        if same:
            line = row["line"]
            found.append(min(same, key=lambda f: abs(f.lines(source)[0] - line)))
    return found
