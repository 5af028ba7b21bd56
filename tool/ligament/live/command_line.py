# SPDX-License-Identifier: Apache-2.0
"""What a process's command line is as an executable of a graph.

ROS arguments (--ros-args ... --) become fields; what has none stays among the arguments, as ROS
arguments in front of those that the graph adds.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ligament.graph import names
from ligament.graph.yaml_source import parse_yaml
from ligament.live.processes import Process

_INTERPRETER = re.compile(r"(python|bash|sh|dash|perl|ruby)[0-9.]*")
_INSTALLED = re.compile(r".*/lib/([a-z][a-z0-9_]*)/([^/]+)")
_LEVELS = ("debug", "info", "warn", "error", "fatal")


@dataclass
class Started:
    """How a process was started, in the terms of graph.yaml."""

    executable: str
    """PACKAGE/NAME, or an absolute path."""
    arguments: list[str] = field(default_factory=list)
    told: dict[str, Any] = field(default_factory=dict)
    """`ros_arguments` but parameter files."""
    parameter_files: list[Path] = field(default_factory=list)
    other: list[str] = field(default_factory=list)
    """ROS arguments that graph.yaml has no field for."""

    @property
    def words(self) -> list[str]:
        """Return `arguments` as graph.yaml has them."""
        return [*self.arguments, *(["--ros-args", *self.other, "--"] if self.other else [])]


def started_by(process: Process) -> Started:
    """Return how to start the same program again."""
    program, rest = _program(process)
    started = Started(program)
    plain, told = _parted(rest)
    started.arguments = plain
    _take(started, told, process.folder)
    return started


def _program(process: Process) -> tuple[str, list[str]]:
    """Return what is started, and the words behind it."""
    words = list(process.words)
    script = words[1] if len(words) > 1 else ""
    is_script = _INTERPRETER.fullmatch(Path(words[0]).name) and script and script[0] != "-"
    if is_script:
        path = _absolute(script, process.folder)
        # Any other script needs the interpreter that it had.
        if os.access(path, os.X_OK) or path.endswith(".py"):
            return _named(path), words[2:]
        return _absolute(process.program, process.folder), [path, *words[2:]]
    path = words[0] if "/" in words[0] else process.program
    return _named(_absolute(path, process.folder)), words[1:]


def _absolute(path: str, folder: Path) -> str:
    return os.path.normpath(folder / path)


def _named(path: str) -> str:
    """Return PACKAGE/NAME, where a ROS 2 package is installed there; else the path."""
    found = _INSTALLED.fullmatch(path)
    if found is None:
        return path
    prefix = Path(path).parents[2]
    package = prefix / "share" / "ament_index" / "resource_index" / "packages" / found[1]
    return f"{found[1]}/{found[2]}" if package.is_file() else path


def _parted(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the program's own words, and those between --ros-args and -- (or the end)."""
    plain: list[str] = []
    told: list[str] = []
    into = plain
    for word in words:
        if word == "--ros-args":
            into = told
        elif word == "--" and into is told:
            into = plain
        else:
            into.append(word)
    return plain, told


def _take(started: Started, told: list[str], folder: Path) -> None:
    words = iter(told)
    for word in words:
        value = next(words, None) if word in _WITH_VALUE else None
        if value is None or not _WITH_VALUE[word](started, value, folder):
            started.other += [word] if value is None else [word, value]


def _remap(started: Started, value: str, _: Path) -> bool:
    source, is_rule, target = value.partition(":=")
    if not is_rule:
        return False
    key = {"__node": "name", "__name": "name", "__ns": "namespace"}.get(source)
    if key:
        if names.name_fault(target):
            return False
        started.told[key] = target
        return True
    if names.name_fault(source.rpartition(":")[2]) or names.name_fault(target):
        return False
    started.told.setdefault("remap", {})[source] = target
    return True


def _parameter(started: Started, value: str, _: Path) -> bool:
    """Of one node alone (node:name:=value) it has no field."""
    name, is_rule, text = value.partition(":=")
    if not is_rule or ":" in name:
        return False
    data = parse_yaml(text, name, ros_booleans=True).data
    items = data if isinstance(data, list) else [data]
    if not all(isinstance(item, bool | int | float | str) for item in items):
        return False
    started.told.setdefault("parameters", {})[name] = data
    return True


def _file(started: Started, value: str, folder: Path) -> bool:
    started.parameter_files.append(Path(_absolute(value, folder)))
    return True


def _level(started: Started, value: str, _: Path) -> bool:
    """Of one logger alone (logger:=level) it has no field."""
    if value.lower() not in _LEVELS:
        return False
    started.told["log_level"] = value.lower()
    return True


def _kept(_started: Started, _value: str, _folder: Path) -> bool:
    return False


_WITH_VALUE = {
    "-r": _remap,
    "--remap": _remap,
    "-p": _parameter,
    "--param": _parameter,
    "--params-file": _file,
    "--log-level": _level,
    "-e": _kept,
    "--enclave": _kept,
    "--log-config-file": _kept,
    "--log-file-name": _kept,
}
