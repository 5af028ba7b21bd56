# SPDX-License-Identifier: Apache-2.0
"""Copies the files of nodes in Python into the build, where containers run them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ligament.build.ninja import Progress
from ligament.build.target import Target
from ligament.disk import replacing
from ligament.errors import FailureError


def copy_python(
    folder: Path,
    entry: Mapping[str, Any],
    _jobs: int,
    _progress: Progress | None,
    _target: Target | None = None,
) -> bool:
    """Copy what a manifest's entry lists; tells whether anything was copied."""
    changed = [
        copy_changed(Path(library["folder"]) / source, folder / library["target"] / source)
        for library in entry["libraries"].values()
        for source in library["sources"]
    ]
    return any(changed)


def copy_changed(source: Path, target: Path) -> bool:
    """Copy a file; tells whether the copy had another content before."""
    try:
        content = source.read_bytes()
        if target.is_file() and target.read_bytes() == content:
            return False
        target.parent.mkdir(parents=True, exist_ok=True)
        with replacing(target, len(content)) as partial:
            partial.write_bytes(content)
    except OSError as error:
        raise FailureError(f"cannot copy {source} to {target}: {error.strerror}") from error
    return True
