# SPDX-License-Identifier: Apache-2.0
"""The programs of a platform's toolchains: which versions this machine has."""

from __future__ import annotations

import shutil
from dataclasses import dataclass

from ligament import __version__
from ligament.acceleration.manifest import Platform


@dataclass(frozen=True)
class Found:
    """One program: the version that is here, and the one that is wanted."""

    toolchain: str
    program: str
    version: str | None
    wanted: str = ""
    get: str = ""

    @staticmethod
    def ligament() -> Found:
        """Return this tool's own version."""
        return Found("ligament", "ligament", __version__)

    @property
    def right(self) -> bool:
        """Return whether it is here, in a version that is known to work."""
        return self.version is not None and fits(self.version, self.wanted)

    @property
    def text(self) -> str:
        """Return what a person is told."""
        if self.version is None:
            return f"missing ({self.toolchain})" + (f"; get it: {self.get}" if self.get else "")
        wrong = "" if self.right else f"; the platform names {self.wanted}"
        return f"{self.version} ({self.toolchain}){wrong}"

    def to_json(self) -> dict[str, object]:
        """Return the row that `--json` prints."""
        row = {"toolchain": self.toolchain, "program": self.program, "version": self.version}
        return {**row, "wanted": self.wanted or None, "right": self.right, "get": self.get or None}


def look_for(platform: Platform) -> list[Found]:
    """Return all programs of the platform's toolchains, in the order of platform.yaml."""
    from ligament.doctor.probes import tool_version  # noqa: PLC0415 - `list` needs none of it

    found = []
    for name, toolchain in platform.document.get("toolchains", {}).items():
        for program, wants in toolchain["programs"].items():
            version = None
            if shutil.which(program) is not None:
                version = tool_version(program, *wants.get("arguments", ()))() or "unknown"
            get = toolchain.get("get", "")
            found.append(Found(name, program, version, wants.get("version", ""), get))
    return found


def fits(version: str, wanted: str) -> bool:
    """Return whether a version is one that is wanted: `12` is every 12.x, `>=12` all from there."""
    if not wanted:
        return True
    numbers = [int(part) for part in wanted.removeprefix(">=").split(".")]
    has = _numbers(version)[: len(numbers)]
    return has >= numbers if wanted.startswith(">=") else has == numbers


def _numbers(version: str) -> list[int]:
    """Return the leading numbers of a version: `12.2.0-14` has 12, 2 and 0."""
    found = []
    for part in version.split("."):
        digits = part[: next((i for i, c in enumerate(part) if not c.isdigit()), len(part))]
        if not digits:
            break
        found.append(int(digits))
        if digits != part:
            break
    return found
