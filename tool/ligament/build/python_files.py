# SPDX-License-Identifier: Apache-2.0
"""Copies the files of nodes in Python into the build, where containers run them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ligament.artefacts import write_text
from ligament.build.ninja import Progress
from ligament.errors import FailureError


def copy_python(
    folder: Path, entry: Mapping[str, Any], _jobs: int, _progress: Progress | None
) -> bool:
    """Copy what a manifest's entry lists; tells whether anything was copied."""
    copied = False
    for library in entry["libraries"].values():
        for source in library["sources"]:
            path = Path(library["folder"]) / source
            try:
                text = path.read_text(encoding="utf-8")
            except (OSError, ValueError) as error:
                raise FailureError(
                    f"cannot read {path}: {error}", hint="Python files are in UTF-8"
                ) from error
            copied |= write_text(folder / library["target"] / source, text)
    return copied
