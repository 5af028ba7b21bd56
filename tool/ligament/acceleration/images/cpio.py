# SPDX-License-Identifier: Apache-2.0
"""A tree as an initramfs: a cpio archive, format `newc` (Linux, initramfs buffer format), gzip.

Each file has a header of 110 characters (magic `070701`, then thirteen numbers of eight hexadecimal
digits), its path with a zero, and its bytes, each padded to a multiple of four.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator

from ligament.acceleration.images.tools import image_time
from ligament.acceleration.images.tree import Entry, Tree
from ligament.errors import InputError, Problem

MOST_BYTES = 2**32 - 1
_TYPES = {
    "file": 0o100000, "folder": 0o040000, "link": 0o120000,
    "char": 0o020000, "block": 0o060000, "fifo": 0o010000,
}  # fmt: skip


def initramfs(tree: Tree) -> bytes:
    """Return a tree as a compressed archive: the same tree gives the same bytes."""
    return gzip.compress(b"".join(_archive(tree)), 6, mtime=0)


def _archive(tree: Tree) -> Iterator[bytes]:
    when = image_time()
    number = 0
    for number, entry in enumerate(tree, 1):
        if entry.kind == "file" and entry.size > MOST_BYTES:
            text = (
                f"'{entry.path}' has {entry.size} bytes; a file of an initramfs has at most 4 GiB"
            )
            raise InputError(Problem("image-content", text))
        yield from _member(entry, number, when)
    yield from _member(Entry("TRAILER!!!", "file", 0), 0, 0)


def _member(entry: Entry, number: int, when: int) -> Iterator[bytes]:
    data = entry.target.encode() if entry.kind == "link" else b""
    if entry.kind == "file":
        data = entry.read()
    mode = (entry.mode | _TYPES[entry.kind]) if number else 0
    links = 2 if entry.kind == "folder" else 1
    name = entry.path.encode() + b"\0"
    fields = (number, mode, entry.uid, entry.gid, links, when, len(data), 0, 0, *entry.device,
              len(name), 0)  # fmt: skip
    yield _padded(b"070701" + b"".join(b"%08X" % f for f in fields) + name)
    yield _padded(data)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)
