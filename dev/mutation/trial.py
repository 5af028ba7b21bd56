# SPDX-License-Identifier: Apache-2.0
"""Plant one fault at a time in a copy of the tree, and run the tests that cover the place."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mutation.sites import Fault, faults_of

LEAST_SECONDS = 60.0
"""The least time that tests get with a fault; else four times what they take without."""


@dataclass(frozen=True)
class Room:
    """Files of one room, and the commands that build and test them (in the root of the tree)."""

    name: str
    files: tuple[str, ...]
    test: str
    build: str = ""


class BaselineError(Exception):
    """The tests of a room fail without any fault."""


def chosen(room: Room, root: Path, count: int, seed: int) -> list[Fault]:
    """Draw `count` faults of a room: a file, then a kind, then a place, so that none prevails."""
    draw = random.Random(f"{seed}:{room.name}")
    files = sorted({str(p.relative_to(root)) for g in room.files for p in root.glob(g)})
    by_file: dict[str, dict[str, list[Fault]]] = {}
    for file in files:
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


@contextmanager
def copy_of(root: Path) -> Iterator[Path]:
    """A copy of what git tracks, as it is in the working tree, that uses the same `.venv`."""
    with tempfile.TemporaryDirectory(prefix="ligament-mutants-") as folder:
        copy = Path(folder)
        listed = subprocess.run(
            ["git", "ls-files", "-z", "-co", "--exclude-standard"],
            cwd=root, check=True, capture_output=True,
        )  # fmt: skip
        packed = subprocess.run(
            ["tar", "-c", "--null", "-T", "-"],
            cwd=root, check=True, input=listed.stdout, stdout=subprocess.PIPE,
        )  # fmt: skip
        subprocess.run(["tar", "-x", "-C", folder], check=True, input=packed.stdout)
        (copy / ".venv").symlink_to((root / ".venv").resolve())
        yield copy


def call(command: str, root: Path, seconds: float) -> tuple[int | None, str]:
    """Run a command with all its children; its exit status (None: out of time) and output."""
    environment = os.environ | {"PYTHONPATH": str(root / "tool"), "PYTHONDONTWRITEBYTECODE": "1"}
    with subprocess.Popen(
        ["bash", "-c", command], cwd=root, env=environment, text=True, errors="replace",
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
    ) as process:  # fmt: skip
        try:
            output, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return None, ""
    return process.returncode, output


def try_room(
    room: Room, copy: Path, faults: list[Fault], told: Callable[[dict[str, Any]], None]
) -> None:
    """Try each fault, and tell its row: killed, survived, or not compiled."""
    started = time.monotonic()
    status, output = call(f"{room.build or 'true'} && {room.test}", copy, 3600)
    if status != 0:
        raise BaselineError(f"{room.name}: its tests fail without a fault:\n{output[-2000:]}")
    seconds = max(LEAST_SECONDS, 4 * (time.monotonic() - started))
    for fault in faults:
        told(_row(room, fault, copy) | {"result": _result(room, fault, copy, seconds)})


def _result(room: Room, fault: Fault, copy: Path, seconds: float) -> str:
    path = copy / fault.file
    source = path.read_text()
    path.write_text(fault.applied(source))
    try:
        if room.build and call(room.build, copy, seconds)[0] != 0:
            return "not compiled"
        return "survived" if call(room.test, copy, seconds)[0] == 0 else "killed"
    finally:
        path.write_text(source)


def _row(room: Room, fault: Fault, copy: Path) -> dict[str, Any]:
    line, before, after = fault.lines((copy / fault.file).read_text())
    return {"room": room.name, "file": fault.file, "line": line, "kind": fault.kind,
            "before": before, "after": after}  # fmt: skip


def report(rows: list[dict[str, Any]], judged: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Count per room and over all; a survivor that is judged the same program is not planted."""
    same = {(j["file"], j["before"], j["after"]) for j in judged}
    table: dict[str, dict[str, Any]] = {}
    for row in rows:
        for name in (row["room"], "all"):
            line = table.setdefault(
                name, {"room": name, "planted": 0, "killed": 0, "same": 0, "survived": 0}
            )
            if row["result"] == "not compiled":
                continue
            if row["result"] == "survived" and _key(row) in same:
                line["same"] += 1
                continue
            line["planted"] += 1
            line["killed" if row["result"] == "killed" else "survived"] += 1
    rooms = [table[n] for n in table if n != "all"] + ([table["all"]] if table else [])
    for line in rooms:
        line["share"] = line["killed"] / line["planted"] if line["planted"] else None
    return rooms


def _key(row: dict[str, Any]) -> tuple[str, str, str]:
    return row["file"], row["before"], row["after"]


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Read the rows of earlier trials, one JSON object a line."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
