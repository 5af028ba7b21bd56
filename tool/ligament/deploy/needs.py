# SPDX-License-Identifier: Apache-2.0
"""What nodes need of their host beside their files: ROS 2's Python, modules in it, emulators."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ligament.deploy.wire import Message, WireError
from ligament.errors import InputError
from ligament.run.ros_python import RosPython, find_ros_python

_WITHOUT = """
import importlib.util, sys
def lacks(name):
    try:
        return importlib.util.find_spec(name) is None
    except ImportError:
        return True
print(*filter(lacks, sys.argv[1:]))
"""
_ASK_S = 20.0


@dataclass(frozen=True)
class Needs:
    """Asked of a host before anything is copied. `distro`: of ROS 2, "" for any; None: not at all.

    `modules` are Python's, by their full names; `programs` are looked for as a shell does.
    """

    distro: str | None = None
    modules: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.distro is not None or bool(self.programs)

    def plain(self) -> dict[str, Any]:
        """As it goes over the wire."""
        return {"distro": self.distro, "modules": self.modules, "programs": self.programs}


def answer(message: Message) -> dict[str, Any]:
    """Return what this host lacks of what a request `needs` names."""
    distro = message.get("distro")
    if distro is not None and not isinstance(distro, str):
        raise WireError(f"'distro' is {distro!r} and no text")
    programs, modules = _words(message, "programs"), _words(message, "modules")
    lacks = [f"the program '{name}' is missing" for name in programs if not shutil.which(name)]
    if distro is not None:
        lacks += _python_lacks(distro, modules)
    return {"lacks": lacks}


def _python_lacks(distro: str, modules: Sequence[str]) -> Iterator[str]:
    try:
        ros = find_ros_python(distro)
    except InputError as error:
        yield from (f"{p.text} ({p.hint})" for p in error.problems)
        return
    if modules:
        yield from _modules_lacking(ros, modules)


def _modules_lacking(ros: RosPython, modules: Sequence[str]) -> list[str]:
    command = [str(ros.program), "-c", _WITHOUT, *modules]
    environment = {**os.environ, **ros.environment}
    try:
        found = subprocess.run(
            command, capture_output=True, text=True, timeout=_ASK_S, check=True, env=environment
        )
    except (OSError, subprocess.SubprocessError) as error:
        return [f"the Python of ROS 2 does not run: {error}"]
    return [f"{ros.program} has no module '{name}'" for name in found.stdout.split()]


def lacks_in(said: Mapping[str, Any]) -> list[str]:
    """Read the host's answer; raises WireError if it is none."""
    lacks = said.get("lacks")
    if not isinstance(lacks, list) or not all(isinstance(one, str) for one in lacks):
        raise WireError(f"'lacks' is {lacks!r} and no list of sentences")
    return lacks


def _words(message: Message, key: str) -> list[str]:
    words = message.get(key)
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise WireError(f"'{key}' is no list of words")
    return words
