# SPDX-License-Identifier: Apache-2.0
"""A tree as a FAT file system, with mkfs.fat and mtools: sorted, with one time for everything.

FAT has no owners, modes or links; names that differ only in case are one name there.
"""

from __future__ import annotations

import uuid
from pathlib import Path

from ligament.acceleration.images import tools
from ligament.acceleration.images.tree import Tree
from ligament.errors import InputError, Problem

PROGRAMS = ("mkfs.fat", "mmd", "mcopy")
_FORBIDDEN = set('"*:<>?|\\')
_CLUSTER = 16 * 1024


def needed_bytes(tree: Tree) -> int:
    """Return how large a file system must be to hold a tree, with some room. Unit: bytes."""
    data = sum(-(-e.size // _CLUSTER) * _CLUSTER for e in tree if e.kind == "file")
    return data + len(tree.entries) * _CLUSTER + 2 * 1024 * 1024


def make(tree: Tree, path: Path, size: int, name: str, identity: uuid.UUID) -> None:
    """Write a file system of `size` bytes to a new file; raise if the tree does not fit."""
    _check(tree, name)
    needed = sum(e.size for e in tree if e.kind == "file")
    if needed > size - 64 * 1024:
        text = f"partition '{name}' of {size >> 20} MiB is too small for {needed} bytes of files"
        raise InputError(
            Problem("image-size", text, expected=f"{(needed_bytes(tree) >> 20) + 1} MiB")
        )
    with path.open("wb") as file:
        file.truncate(size)
    volume = identity.hex[:8]
    what = f"cannot fill partition '{name}'"
    tools.run(["mkfs.fat", "--invariant", "-i", volume, "-n", name.upper(), path.name],
              path.parent, f"cannot make the file system of partition '{name}'")  # fmt: skip
    scratch = path.with_name(path.name + ".files")
    scratch.mkdir()
    for number, entry in enumerate(tree):
        if entry.kind == "folder":
            tools.run(["mmd", "-i", path.name, f"::/{entry.path}"], path.parent, what)
            continue
        source = entry.data
        if isinstance(source, bytes):
            source = scratch / str(number)
            source.write_bytes(entry.read())
        tools.run(["mcopy", "-i", path.name, str(source.absolute()), f"::/{entry.path}"],
                  path.parent, what)  # fmt: skip


def _check(tree: Tree, name: str) -> None:
    seen: dict[str, str] = {}
    for entry in tree:
        if entry.kind not in ("file", "folder"):
            raise _mistake(name, f"'{entry.path}' is a {entry.kind}, which FAT does not have")
        if _FORBIDDEN & set(entry.path) or any(ord(c) < 32 for c in entry.path):
            raise _mistake(name, f"'{entry.path}' has a character that FAT does not have")
        other = seen.setdefault(entry.path.lower(), entry.path)
        if other != entry.path:
            raise _mistake(name, f"'{entry.path}' and '{other}' are one name on FAT")


def _mistake(name: str, text: str) -> InputError:
    return InputError(Problem("image-content", f"partition '{name}': {text}"))


def extract(path: Path, offset: int, folder: Path) -> None:
    """Write the files of the FAT file system at an offset of an image into an empty folder."""
    place = f"{path.absolute()}@@{offset}"
    tools.run(
        ["mcopy", "-s", "-n", "-i", place, "::/*", "."], folder, f"cannot read files of {path}"
    )
