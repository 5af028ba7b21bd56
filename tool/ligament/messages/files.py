# SPDX-License-Identifier: Apache-2.0
"""Writing generated trees: only what changed is touched, what is no longer made is removed."""

from __future__ import annotations

from pathlib import Path


def write_if_changed(path: Path, text: str) -> bool:
    """Write the text unless the file already holds it; whether it was written."""
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return True


def write_tree(root: Path, files: dict[str, str]) -> int:
    """Make `root` hold exactly these files of ours; how many were written.

    Headers of types that no longer exist are removed, so that an old include fails to compile.
    """
    written = sum(write_if_changed(root / name, text) for name, text in files.items())
    for stale in root.rglob("*.hpp"):
        if stale.relative_to(root).as_posix() not in files:
            stale.unlink()
    return written
