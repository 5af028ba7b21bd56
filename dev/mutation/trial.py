# SPDX-License-Identifier: Apache-2.0
"""Plant one fault at a time in a copy of the tree, and run the tests that cover the place."""

from __future__ import annotations

import ast
import contextlib
import importlib
import json
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import pytest

from mutation import CALLS, FAULT
from mutation.fault import Fault
from mutation.rooms import Room

LEAST_SECONDS = 120.0
"""The least time that tests get with a fault; else three times what they take without."""

_PASSED = re.compile(r"(\d+) passed|\[  PASSED  \] (\d+) test")
_SKIPPED = re.compile(r"(\d+) skipped|\[  SKIPPED \] (\d+) test")
_FAILED = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$|^\[  FAILED  \] ([\w./]+)", re.MULTILINE)


class BaselineError(Exception):
    """The tests of a room fail without any fault."""


@dataclass(frozen=True)
class Unchanged:
    """The tests without a fault: how many passed and skipped themselves, and how long they took."""

    passed: int
    skipped: int
    seconds: float

    def __add__(self, other: Unchanged) -> Unchanged:
        return Unchanged(self.passed + other.passed, self.skipped + other.skipped,
                         self.seconds + other.seconds)  # fmt: skip


@contextmanager
def copy_of(root: Path) -> Iterator[Path]:
    """A copy of what git tracks, as it is in the working tree, in memory if there is room.

    `.venv` and the C++ that was built in build/ are reached by links: no test skips for their lack.
    """
    shared = Path("/dev/shm")
    with tempfile.TemporaryDirectory(
        prefix="mutants-of-tests-", dir=shared if os.access(shared, os.W_OK) else None
    ) as folder:
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
        (copy / "build").mkdir()
        for cache in (root / "build").glob("*/CMakeCache.txt"):
            (copy / "build" / cache.parent.name).symlink_to(cache.parent)
        yield copy


def call(
    command: str, root: Path, seconds: float, fault: str | None = None
) -> tuple[int | None, str]:
    """Run a command with all its children; its exit status (None: out of time) and output.

    A status that a signal caused is 128 and the signal's number, as in a shell. `fault` is where
    there is one: what is compiled of its file must not be found by the next trial.
    """
    environment = {
        "PYTHONPATH": f"{root / 'tool'}:{root / 'dev'}",
        CALLS: str(root / "build" / "test-calls.json"),
        **({"PYTHONDONTWRITEBYTECODE": "1", FAULT: fault} if fault else {}),
        "CCACHE_BASEDIR": str(root),
        "CCACHE_NOHASHDIR": "1",
    }
    in_copy = fault is not None and command.split()[:3] == PYTEST
    if in_copy:
        _import_what_all_do(Path(environment[CALLS]))
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        pid = os.fork()
        if pid == 0:
            os.setsid()
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            os.dup2(output.fileno(), 1)
            os.dup2(output.fileno(), 2)
            os.chdir(root)
            os.environ.update(environment)
            if in_copy:
                _test_here(command.split()[3:], root)
            os.execvp("bash", ["bash", "-c", command])
        status = _ended(pid, seconds)
        output.seek(0)
        return status, output.read()


PYTEST = [".venv/bin/python", "-m", "pytest"]
"""What a command begins with whose trials start as copies of this process: half of a trial is to
start Python and import packages."""


def _import_what_all_do(calls: Path) -> None:
    for name in json.loads(calls.read_text())["modules"] if calls.exists() else ():
        if not name.startswith(("ligament", "mutation", "__editable__")):
            with contextlib.suppress(Exception):
                importlib.import_module(name)


def _test_here(words: list[str], root: Path) -> NoReturn:
    """Run pytest in this process, and end it."""
    status = 3
    try:
        sys.stdout = sys.stderr = os.fdopen(1, "w", closefd=False)
        sys.dont_write_bytecode = True
        sys.path[:0] = ["", str(root / "tool"), str(root / "dev")]
        status = int(pytest.main(words))
        sys.stdout.flush()
    except BaseException:
        traceback.print_exc()
    os._exit(status)


def _ended(pid: int, seconds: float) -> int | None:
    """Wait for a process that leads its session, and end what it started and left."""
    ended = os.pidfd_open(pid)
    in_time: list[int] = []
    try:
        in_time, _, _ = select.select([ended], [], [], seconds)
    finally:
        os.close(ended)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
        _, raw = os.waitpid(pid, 0)
    status = os.waitstatus_to_exitcode(raw)
    if not in_time:
        return None
    return 128 - status if status < 0 else status


def try_room(
    room: Room, copy: Path, faults: Sequence[Fault], told: Callable[[dict[str, Any]], None]
) -> Unchanged:
    """Try each fault and tell its row; return what the tests do without a fault."""
    together = Unchanged(0, 0, 0.0)
    by_commands: dict[tuple[str, str], list[Fault]] = {}
    for fault in faults:
        by_commands.setdefault(room.commands(fault.file), []).append(fault)
    for commands, group in by_commands.items():
        unchanged = without_fault(room.name, commands, copy)
        together += unchanged
        for fault in group:
            started = time.monotonic()
            row = try_fault(fault, commands, room.killed, copy, unchanged.seconds)
            told({"room": room.name} | row | {"seconds": round(time.monotonic() - started, 1)})
    return together


def without_fault(name: str, commands: tuple[str, str], copy: Path) -> Unchanged:
    """Build and test the unchanged tree, which must pass: else no failure says anything."""
    build, test = commands
    status, output = call(build or "true", copy, 7200)
    started = time.monotonic()
    if status == 0:
        status, output = call(test, copy, 3600)
    if status != 0:
        raise BaselineError(f"{name}: its tests fail without a fault:\n{output[-2000:]}")
    passed, skipped = (
        sum(int(a or b) for a, b in pattern.findall(output)) for pattern in (_PASSED, _SKIPPED)
    )
    return Unchanged(passed, skipped, time.monotonic() - started)


def try_fault(
    fault: Fault, commands: tuple[str, str], killed: tuple[int, ...], copy: Path, seconds: float
) -> dict[str, Any]:
    """Plant a fault, build and test, and take it out again; return its row."""
    path = copy / fault.file
    source = path.read_text()
    line, before, after = fault.lines(source)
    row = {"file": fault.file, "line": line, "kind": fault.kind, "before": before, "after": after}
    place = f"{fault.file}:{function_at(source, line) if path.suffix == '.py' else 0}"
    path.write_text(fault.applied(source))
    for compiled in path.parent.glob(f"__pycache__/{path.stem}.*"):
        compiled.unlink()
    try:
        return row | _result(commands, killed, copy, max(LEAST_SECONDS, 3 * seconds), place)
    finally:
        path.write_text(source)


def function_at(source: str, line: int) -> int:
    """Return the line at which the innermost function around a line begins, decorators included."""
    begins = [0]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            begin = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            if begin <= line <= (node.end_lineno or 0):
                begins.append(begin)
    return max(begins)


def _result(
    commands: tuple[str, str], killed: tuple[int, ...], copy: Path, seconds: float, place: str
) -> dict[str, Any]:
    build, test = commands
    if build:
        status, output = call(build, copy, 1800, place)
        if status is None:
            return {"result": "error", "why": "the build ran out of time"}
        if status != 0:
            return {"result": "not compiled"}
    status, output = call(test, copy, seconds, place)
    if status is None:
        return {"result": "timed out"}
    if status == 0:
        return {"result": "survived"}
    if status not in killed:
        return {"result": "error", "why": f"the tests ended with status {status}"}
    by = _FAILED.search(output)
    return {"result": "killed", "by": (by[1] or by[2]) if by else None}
