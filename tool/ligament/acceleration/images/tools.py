# SPDX-License-Identifier: Apache-2.0
"""The programs that images are made with: found by name, run with argument lists, never by a shell.

All run with one time, one locale and one time zone, so that what they write does not depend on
when or where.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from ligament.disk import said_no_room
from ligament.errors import FailureError

DEFAULT_TIME = 1577836800
"""2020-01-01 00:00 UTC. Unit: seconds since 1970."""

#: By program: the Debian package that has it.
PACKAGES = {
    "mkfs.ext4": "e2fsprogs", "debugfs": "e2fsprogs", "e2fsck": "e2fsprogs",
    "resize2fs": "e2fsprogs", "mkfs.fat": "dosfstools", "mcopy": "mtools", "mmd": "mtools",
    "mdir": "mtools", "apt-get": "apt", "dpkg-deb": "dpkg", "dtc": "device-tree-compiler",
    "fdtget": "device-tree-compiler",
    "fdtoverlay": "device-tree-compiler", "qemu-system-aarch64": "qemu-system-arm",
    "qemu-system-arm": "qemu-system-arm",
}  # fmt: skip


def image_time() -> int:
    """Return the time that everything in an image has; raise FailureError if it is no number."""
    wanted = os.environ.get("SOURCE_DATE_EPOCH", str(DEFAULT_TIME))
    if not wanted.isdigit() or not 315532800 <= int(wanted) < 2**32:
        raise FailureError(
            f"SOURCE_DATE_EPOCH is '{wanted}', which no file system of an image can hold",
            hint="seconds since 1970, from 1980 to 2105; or leave it unset",
        )
    return int(wanted)


def find(name: str) -> str:
    """Return the path of a program; raise FailureError that names the package which has it."""
    folders = os.environ.get("PATH", os.defpath)
    found = shutil.which(name, path=f"{folders}:/usr/sbin:/sbin")
    if found is None:
        package = PACKAGES.get(name)
        raise FailureError(
            f"the program {name} is not on this machine",
            hint=f"install the package {package} (its name in Debian)" if package else "",
        )
    return found


def require(*names: str) -> None:
    """Raise FailureError for the first program that is missing: before anything is written."""
    for name in names:
        find(name)


def environment() -> dict[str, str]:
    """Return the environment of the programs."""
    when = str(image_time())
    return {
        **os.environ,
        "LC_ALL": "C.UTF-8", "TZ": "UTC", "MTOOLSRC": os.devnull, "MTOOLS_SKIP_CHECK": "1",
        "SOURCE_DATE_EPOCH": when, "E2FSPROGS_FAKE_TIME": when,
    }  # fmt: skip


def run(
    command: Sequence[str | Path], folder: Path, what: str, *, codes: Sequence[int] = (0,)
) -> subprocess.CompletedProcess[str]:
    """Run a program in a folder; raise FailureError with `what` and what it said if it fails.

    `codes`: the exit codes that are no failure.
    """
    words = [find(str(command[0])), *map(str, command[1:])]
    result = subprocess.run(
        words, cwd=folder, env=environment(), capture_output=True, text=True,
        errors="replace", stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    if result.returncode not in codes:
        raise failure(what, words, result.stdout + result.stderr, folder)
    return result


def failure(what: str, command: Sequence[str], said: str, folder: Path) -> FailureError:
    """Return the error of a program that failed: no room, where it says so, else its last lines."""
    lines = [line for line in said.splitlines() if line.strip()]
    found = said_no_room(said, folder)
    if found is not None:
        return found
    return FailureError("\n  | ".join([what, *lines[-8:]]), command=command)
