# SPDX-License-Identifier: Apache-2.0
"""A tree as an ext4 file system, without root: mkfs.ext4 makes it, a script for debugfs fills it.

The script is sorted and sets owner, mode and time of everything, so the same tree gives the same
bytes. `e2fsck` looks at each before it is used.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from pathlib import Path

from ligament.acceleration.images import tools
from ligament.acceleration.images.tree import Entry, Tree
from ligament.errors import FailureError, InputError, Problem

PROGRAMS = ("mkfs.ext4", "debugfs", "e2fsck")
BLOCK = 4096
_INODE = 256
_INCOMPATIBLE_AT, _RECOVER = 1024 + 0x60, 0x4
"""Of the superblock: s_feature_incompat, and its bit needs_recovery (Linux, ext4/super.rst)."""
_TYPES = {"char": "c", "block": "b", "fifo": "p"}


def needed_bytes(tree: Tree) -> int:
    """Return how large a file system must be to hold a tree, with some room. Unit: bytes."""
    data = sum(-(-e.size // BLOCK) * BLOCK for e in tree if e.kind == "file")
    entries = len(tree.entries)
    # An inode each and half a block of folders; journal and group tables; a tenth to write to.
    return int((data + entries * (_INODE + BLOCK // 2)) * 1.1) + 12 * 1024 * 1024


def make(tree: Tree, path: Path, size: int, name: str, identity: uuid.UUID) -> None:
    """Write a file system of `size` bytes to a new file; raise if the tree does not fit."""
    inodes = max(1024, int(len(tree.entries) * 1.25) + 256)
    with path.open("wb") as file:
        file.truncate(size)
    seed = uuid.uuid5(identity, "hash seed")
    tools.run(
        ["mkfs.ext4", "-q", "-F", "-b", str(BLOCK), "-I", str(_INODE), "-N", str(inodes),
         "-U", str(identity), "-L", name, "-m", "0",
         "-E", f"hash_seed={seed},root_owner=0:0,lazy_itable_init=0,lazy_journal_init=0",
         path.name],
        path.parent, f"cannot make the file system of partition '{name}'",
    )  # fmt: skip
    _fill(tree, path, name)
    check(path, name)


def check(path: Path, name: str) -> None:
    """Raise FailureError if e2fsck finds a fault in the file system."""
    tools.run(["e2fsck", "-f", "-n", path.name], path.parent,
              f"the file system of partition '{name}' is faulty")  # fmt: skip


def require_clean(path: Path, name: str) -> None:
    """Raise FailureError if changes wait in the journal: the next boot would put them over ours."""
    with path.open("rb") as file:
        file.seek(_INCOMPATIBLE_AT)
        features = int.from_bytes(file.read(4), "little")
    if features & _RECOVER:
        raise FailureError(
            f"partition '{name}' was not unmounted: its journal holds changes",
            hint="boot it once and shut it down in order",
        )


def _fill(tree: Tree, path: Path, name: str) -> None:
    work = path.with_name(path.name + ".files")
    work.mkdir()
    script = work / "script"
    script.write_text("\n".join(_script(tree, work)) + "\n", encoding="utf-8")
    command = ["debugfs", "-w", "-f", str(script.absolute()), path.name]
    said = tools.run(command, path.parent, f"cannot fill partition '{name}'")
    faults = said.stderr.splitlines()[1:]  # the first line is the version
    if faults:
        if any("allocate" in line or "No space" in line for line in faults):
            have = path.stat().st_size >> 20
            text = f"partition '{name}' of {have} MiB is too small for its content"
            needed = f"about {(needed_bytes(tree) >> 20) + 1} MiB"
            hint = "enlarge `bytes` of the partition, or leave it out"
            raise InputError(Problem("image-size", text, expected=needed, hint=hint))
        raise tools.failure(
            f"cannot fill partition '{name}'", command, "\n".join(faults), path.parent
        )


def _script(tree: Tree, work: Path) -> Iterator[str]:
    when = f"@{tools.image_time()}"
    yield f"set_current_time {when}"
    here = ""
    for number, entry in enumerate(tree):
        folder, _, name = entry.path.rpartition("/")
        if folder != here or number == 0:
            yield f"cd {quoted('/' + folder)}"
            here = folder
        yield from entry_lines(entry, quoted(name), work / str(number))
        yield from _owner(entry, quoted(name))
    for path in ("/", "/lost+found"):
        for field in ("atime", "ctime", "mtime", "crtime"):
            yield f"set_inode_field {path} {field} {when}"


def entry_lines(entry: Entry, name: str, scratch: Path) -> Iterator[str]:
    """Yield debugfs's lines that make one entry in the current folder; `scratch`: for its bytes."""
    if entry.kind == "folder":
        if entry.path != "lost+found":
            yield f"mkdir {name}"
        yield f"set_inode_field {name} mode 0{0o040000 | entry.mode:o}"
    elif entry.kind == "link":
        yield f"symlink {name} {quoted(entry.target)}"
    elif entry.kind == "file":
        source = entry.data
        if isinstance(source, bytes):
            scratch.write_bytes(source)
            source = scratch
        yield f"write {quoted(os.path.abspath(source))} {name}"
        yield f"set_inode_field {name} mode 0{0o100000 | entry.mode:o}"
    else:
        numbers = " ".join(map(str, entry.device)) if entry.kind != "fifo" else ""
        yield f"mknod {name} {_TYPES[entry.kind]} {numbers}".rstrip()
        kind = {"char": 0o020000, "block": 0o060000, "fifo": 0o010000}[entry.kind]
        yield f"set_inode_field {name} mode 0{kind | entry.mode:o}"


def _owner(entry: Entry, name: str) -> Iterator[str]:
    for field, value in (("uid", entry.uid), ("gid", entry.gid)):
        if value:
            yield f"set_inode_field {name} {field} {value}"


def quoted(word: str) -> str:
    """Return a word as debugfs reads it: in double quotes, a quote twice, no line breaks."""
    if any(c in word for c in "\n\r\0"):
        raise InputError(Problem("image-content", f"{word!r} has a line break in its name"))
    return '"' + word.replace('"', '""') + '"'


def extract(path: Path, folder: Path, name: str) -> None:
    """Write the files of a file system into a folder; their owners only as root."""
    require_clean(path, name)
    command = ["debugfs", "-R", f"rdump / {quoted(str(folder.absolute()))}", path.name]
    said = tools.run(command, path.parent, f"cannot read partition '{name}'")
    faults = [line for line in said.stderr.splitlines()[1:] if "changing ownership" not in line]
    if faults:
        raise tools.failure(f"cannot read partition '{name}'", command, "\n".join(faults), folder)


def grow(path: Path, size: int, name: str) -> None:
    """Enlarge a file system in its file to `size` bytes."""
    tools.require("resize2fs")
    has = path.stat().st_size
    if size < has:
        text = f"partition '{name}' has {has} bytes, more than {size}: it can only grow"
        raise InputError(Problem("image-size", text))
    require_clean(path, name)
    check(path, name)
    os.truncate(path, size)
    tools.run(["resize2fs", "-f", path.name], path.parent, f"cannot grow partition '{name}'")
    check(path, name)
