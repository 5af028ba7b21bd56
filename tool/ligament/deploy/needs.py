# SPDX-License-Identifier: Apache-2.0
"""What nodes need of their host beside their files: ROS 2's Python, modules in it, emulators."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ligament.deploy.wire import Message, WireError, message_of
from ligament.errors import FailureError, InputError
from ligament.run.ros_python import RosPython, find_ros_python

_WITHOUT = """
import importlib.util, json, os, sys
answer = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # what a package prints while it is imported is no answer
def lacks(name):
    try:
        return "there is none" if importlib.util.find_spec(name) is None else ""
    except BaseException as error:
        if isinstance(error, ModuleNotFoundError) and f"{name}.".startswith(f"{error.name}."):
            return "there is none"
        return f"{type(error).__name__}: {error}"
with answer:
    json.dump({name: why for name in sys.argv[1:] if (why := lacks(name))}, answer)
"""
"""Prints the modules that cannot be found, each with why: a package is imported to look into it."""
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
    try:
        said = _said_by([str(ros.program), "-c", _WITHOUT, *modules], ros.environment)
        lacks = message_of(said.encode())
    except (OSError, FailureError, WireError) as error:
        return [f"the Python of ROS 2, {ros.program}, cannot be asked for modules: {error}"]
    return [f"{ros.program} has no module '{name}' ({why})" for name, why in lacks.items()]


def _said_by(command: Sequence[str], environment: Mapping[str, str]) -> str:
    """Run a program; return what it printed. Raises FailureError if it fails or takes too long.

    Its output goes to files: a child that it leaves behind would hold a pipe open.
    """
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as mistakes:
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,  # ours is the connection
                stdout=output,
                stderr=mistakes,
                timeout=_ASK_S,
                check=False,
                env={**os.environ, **environment},
            )
        except subprocess.TimeoutExpired:
            raise FailureError(f"no answer within {_ASK_S:g} s") from None
        output.seek(0)
        mistakes.seek(0)
        if done.returncode:
            (last,) = mistakes.read().strip().splitlines()[-1:] or ["it says nothing"]
            raise FailureError(f"exit code {done.returncode}: {last}")
        return output.read()


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
