# SPDX-License-Identifier: Apache-2.0
"""A verb where there is no room: a small disk of its own, filled up, or a limit of files' sizes.

    full_disk.py '{"disk": DIR, "free": 8000, "seed": DIR, "limit": null, "words": ["check", ...]}'

The disk (a tmpfs in a mount namespace of this process) gets a copy of `seed`, then is filled until
`free` bytes are left. What is printed last is JSON: the exit code, and the files beside the filling
with their contents, since nobody can look into the namespace afterwards.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import resource
import shutil
import subprocess
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

SIZE = 16 * 1024 * 1024
FILLING = "filling"


@dataclass(frozen=True)
class Ended:
    """How a verb ended, what it said, and what it left on the disk."""

    code: int
    out: str
    err: str
    left: dict[str, str]

    @property
    def names(self) -> set[str]:
        """Names of the files that it left, without folders."""
        return {Path(path).name for path in self.left}


def run_without_room(
    disk: Path,
    *words: str,
    free: int = SIZE,
    seed: Path | None = None,
    limit: int | None = None,
    env: dict[str, str] | None = None,
) -> Ended:
    """Run `ligament WORDS` where `disk` has `free` bytes and a file at most `limit`."""
    disk.mkdir(exist_ok=True)
    asked = {
        "disk": str(disk), "free": free, "seed": str(seed) if seed else None,
        "limit": limit, "words": words,
    }  # fmt: skip
    result = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--mount", sys.executable, __file__,
         json.dumps(asked)],
        capture_output=True, text=True, check=False, cwd=disk.parent, timeout=120,
        env={**os.environ, **(env or {})},
    )  # fmt: skip
    if result.returncode != 0:
        pytest.skip(
            f"this machine has no such thing: leave to mount a small disk ({result.stderr})"
        )
    return Ended(**json.loads(result.stdout))


def main() -> int:
    """Make the disk, run the verb in it and tell."""
    asked: dict[str, Any] = json.loads(sys.argv[1])
    disk = Path(asked["disk"])
    words = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "none", str(disk)]
    if subprocess.run(words, check=False).returncode != 0:
        return 1
    if asked["seed"]:
        shutil.copytree(asked["seed"], disk / "seed")
    with (disk / FILLING).open("wb") as filling:
        found = os.statvfs(disk)
        filled = found.f_bavail * found.f_frsize - asked["free"]
        if filled > 0:
            os.posix_fallocate(filling.fileno(), 0, filled)
    out, err, code = io.StringIO(), io.StringIO(), -1
    if asked["limit"] is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (asked["limit"], resource.RLIM_INFINITY))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        from ligament.cli.main import main as ligament

        try:
            code = ligament(asked["words"])
        except BaseException:
            traceback.print_exc()
    left = {
        str(path.relative_to(disk)): path.read_text(errors="replace")
        for path in sorted(disk.rglob("*"))
        if path.is_file() and path.name != FILLING
    }
    print(json.dumps({"code": code, "out": out.getvalue(), "err": err.getvalue(), "left": left}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
