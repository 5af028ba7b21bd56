# SPDX-License-Identifier: Apache-2.0
"""The files of a file system that is still to be written: by path, with owner and mode.

A tree is data: nothing of it has to lie on this machine with its owner, so no root is needed. Links
to folders are followed when files are added, as the board's kernel would.
"""

from __future__ import annotations

import fnmatch
import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache as once
from pathlib import Path, PurePosixPath
from typing import Literal

from ligament.errors import InputError, Problem

MOST_LINKS = 40
"""That are followed for one path, as Linux does (MAXSYMLINKS)."""

Kind = Literal["file", "folder", "link", "char", "block", "fifo"]


@dataclass(frozen=True)
class Entry:
    """One file: `data` holds its bytes, or is the path of a file on this machine that does."""

    path: str
    kind: Kind
    mode: int = 0o644
    uid: int = 0
    gid: int = 0
    data: bytes | Path = b""
    target: str = ""
    device: tuple[int, int] = (0, 0)

    @property
    def size(self) -> int:
        """Return how long it is. Unit: bytes."""
        return len(self.data) if isinstance(self.data, bytes) else self.data.stat().st_size

    def read(self) -> bytes:
        """Return its bytes."""
        return self.data if isinstance(self.data, bytes) else self.data.read_bytes()

    def sha256(self) -> str:
        """Return the digest of its bytes, in hexadecimal digits."""
        if isinstance(self.data, bytes):
            return hashlib.sha256(self.data).hexdigest()
        found = self.data.stat()
        return _file_digest(self.data, found.st_size, found.st_mtime_ns, found.st_ino)


@once
def _file_digest(path: Path, _size: int, _mtime_ns: int, _inode: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Tree:
    """Files by path, without a leading slash."""

    def __init__(self) -> None:
        self.entries: dict[str, Entry] = {}

    def __iter__(self) -> Iterator[Entry]:
        """Yield all entries by path: a folder comes before what is in it."""
        return (self.entries[path] for path in sorted(self.entries, key=_order))

    def add(self, entry: Entry) -> None:
        """Add a file; one of that path is replaced, a folder stays with what is in it."""
        parent, _, name = _normal(entry.path).rpartition("/")
        folder = self.resolved(parent)
        path = f"{folder}/{name}" if folder else name
        if not name:
            return
        self._make_folders(folder)
        there = self.entries.get(path)
        if entry.kind == "folder" and there is not None:
            if there.kind == "folder":
                self.entries[path] = replace(entry, path=path)
                return
            if there.kind == "link":
                return
        if entry.kind != "folder" and there is not None and there.kind == "folder":
            raise _mistake(
                f"'{entry.path}' is a folder in one part of the content, a file in another"
            )
        self.entries[path] = replace(entry, path=path)

    def _make_folders(self, folder: str) -> None:
        parts = PurePosixPath(folder).parts
        for end in range(1, len(parts) + 1):
            path = "/".join(parts[:end])
            there = self.entries.setdefault(path, Entry(path, "folder", 0o755))
            if there.kind != "folder":
                raise _mistake(f"'{path}' is a file, and '{folder}' lies in it")

    def resolved(self, path: str) -> str:
        """Return a path with links to folders followed; what does not exist stays as it is."""
        waiting, done, followed = list(PurePosixPath(_normal(path)).parts), list[str](), 0
        while waiting:
            part = waiting.pop(0)
            if part == "..":
                done = done[:-1]
                continue
            here = self.entries.get("/".join([*done, part]))
            if here is None or here.kind != "link":
                done.append(part)
                continue
            followed += 1
            if followed > MOST_LINKS:
                raise _mistake(f"'{path}' goes through more than {MOST_LINKS} links")
            if here.target.startswith("/"):
                done = []
            waiting = [p for p in PurePosixPath(here.target).parts if p not in ("/", ".")] + waiting
        return "/".join(done)

    def find(self, pattern: str) -> list[Entry]:
        """Return the entries whose path a pattern with * and ? fits, links followed."""
        pattern = _normal(pattern)
        if not any(c in pattern for c in "*?["):
            found = self.entries.get(self.resolved(pattern))
            return [found] if found is not None else []
        folder, _, name = pattern.rpartition("/")
        pattern = f"{self.resolved(folder)}/{name}".strip("/")
        return [e for e in self if fnmatch.fnmatchcase(e.path, pattern)]

    def add_folder(self, folder: Path, at: str = "/") -> None:
        """Add a folder of this machine: its owner is root, its modes 755 or 644."""
        for root, folders, names in os.walk(folder, onerror=_unreadable):
            for name in sorted([*folders, *names]):
                source = Path(root, name)
                inside = source.relative_to(folder).as_posix()
                self.add(_of_this_machine(source, str(PurePosixPath(at, inside))))

    def add_tree(
        self, other: Tree, at: str = "/", only: list[str] | None = None,
        without: list[str] | None = None,
    ) -> int:  # fmt: skip
        """Add the entries of a tree whose paths a pattern fits; return how many."""
        count = 0
        for entry in other:
            if only is not None and not _fits(entry.path, only):
                continue
            if without is not None and _fits(entry.path, without):
                continue
            self.add(replace(entry, path=str(PurePosixPath(at, entry.path))))
            count += 1
        return count

    def digest(self, *further: object) -> str:
        """Return SHA-256 over all that an image shows of the tree, and over `further`."""
        found = hashlib.sha256(repr(further).encode())
        for entry in self:
            what = entry.sha256() if entry.kind == "file" else entry.target
            line = (entry.path, entry.kind, entry.mode, entry.uid, entry.gid, what, entry.device)
            found.update(repr(line).encode())
        return found.hexdigest()


def of_texts(texts: Mapping[str, bytes]) -> Tree:
    """Return a tree of files with these bytes, mode 644."""
    tree = Tree()
    for path, data in texts.items():
        tree.add(Entry(path, "file", data=data))
    return tree


def _order(path: str) -> list[str]:
    return path.split("/")


def _normal(path: str) -> str:
    parts = [p for p in PurePosixPath(path).parts if p not in ("/", ".")]
    if ".." in parts:
        raise _mistake(f"the path '{path}' leaves the file system by '..'")
    return "/".join(parts)


def _fits(path: str, patterns: list[str]) -> bool:
    """Whether a pattern fits the path or a folder that it is in."""
    ends = [path[:i] for i, c in enumerate(path) if c == "/"] + [path]
    return any(fnmatch.fnmatchcase(end, p.strip("/")) for p in patterns for end in ends)


def _of_this_machine(source: Path, path: str) -> Entry:
    found = source.lstat()
    if stat.S_ISLNK(found.st_mode):
        return Entry(path, "link", 0o777, target=os.readlink(source))
    if stat.S_ISDIR(found.st_mode):
        return Entry(path, "folder", 0o755)
    if stat.S_ISREG(found.st_mode):
        return Entry(path, "file", 0o755 if found.st_mode & stat.S_IXUSR else 0o644, data=source)
    raise _mistake(f"'{source}' is neither a file, a folder nor a link: an image cannot hold it")


def _unreadable(error: OSError) -> None:
    raise _mistake(f"'{error.filename}' cannot be read: {error.strerror}")


def _mistake(text: str) -> InputError:
    return InputError(Problem("image-content", text))
