# SPDX-License-Identifier: Apache-2.0
"""Another architecture to build for: an installation of Ligament that was compiled for it.

It says how to compile (`lib/cmake/ligament/toolchain.cmake`) and what runs its programs here
(`share/ligament/target.json`: the architecture as `uname -m` says it, and an emulator's command).
"""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ligament.errors import InputError, Problem
from ligament.graph.loader import read_document


@dataclass(frozen=True)
class Target:
    """Where the installation lies, what it is for, and the words that run its programs here."""

    prefix: Path
    architecture: str
    emulator: tuple[str, ...] = ()

    @property
    def toolchain(self) -> Path:
        """CMake's toolchain file."""
        return self.prefix / "lib" / "cmake" / "ligament" / "toolchain.cmake"

    def recorded(self) -> dict[str, str]:
        """What build.json keeps of it."""
        return {"architecture": self.architecture, "prefix": str(self.prefix)}


def read_target(prefix: Path) -> Target:
    """Read what an installation is for; a clear error where it is none.

    An installation for this machine itself has no target.json, so it is none.
    """
    path = prefix.resolve() / "share" / "ligament" / "target.json"
    if not path.is_file():
        raise _no_target(prefix, f"cannot read {path}: there is no such file")
    data = read_document(path, "target").data
    target = Target(prefix.resolve(), data["architecture"], tuple(data["emulator"]))
    if not target.toolchain.is_file():
        raise _no_target(prefix, f"there is no {target.toolchain}")
    return target


def target_of(build: Mapping[str, Any]) -> Target | None:
    """Return the architecture that a build.json is for; None: that of this machine's runtime."""
    recorded = build.get("target")
    return None if recorded is None else read_target(Path(recorded["prefix"]))


def emulator_for(target: Target | None) -> list[str]:
    """Return the words before a program that run it on this machine."""
    if target is None or target.architecture == platform.machine():
        return []
    if target.emulator:
        return list(target.emulator)
    raise InputError(
        Problem(
            "target-foreign",
            f"this was built for {target.architecture}, and this machine is {platform.machine()}",
            expected="a machine of that architecture (start.sh beside build.json starts it there), "
            "or an emulator that was here when its runtime was built",
            hint="Debian: apt install qemu-user-static; then build that runtime again",
        )
    )


def _no_target(prefix: Path, text: str) -> InputError:
    return InputError(
        Problem(
            "target-unreadable",
            f"{prefix} is no installation of Ligament for another architecture: {text}",
            expected="what `dev/arm64` makes, or `cmake --install` of a runtime that was compiled "
            "with a toolchain file",
        )
    )
