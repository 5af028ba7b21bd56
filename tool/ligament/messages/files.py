# SPDX-License-Identifier: Apache-2.0
"""Writing generated files: only what changed is touched, what is no longer made is removed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ligament.artefacts import write_text


def write_tree(root: Path, files: Mapping[str, str], made: str = "*.hpp") -> int:
    """Make `root` hold exactly these files of all that are named as `made`; how many were written.

    Files of types that no longer exist are removed, so that an old include fails to compile.
    """
    written = sum(write_text(root / name, text) for name, text in files.items())
    for stale in sorted(root.rglob(made)):
        if stale.relative_to(root).as_posix() not in files:
            stale.unlink()
    return written
