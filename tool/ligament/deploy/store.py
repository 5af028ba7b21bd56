# SPDX-License-Identifier: Apache-2.0
"""Files on a host, found by their content, and the trees that are made of them.

    store = Store(folder)
    with store.locked():
        for digest in store.missing(tree, files): store.put(digest, size, read)
        path = store.make(tree, files)

Whatever has its final name is whole: it was written beside, compared, synced, and renamed.
Layout and why: spec/run/deploy.md, "The store".
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from ligament.deploy.wire import CHUNK, WireError, digest_in, inner_path
from ligament.errors import FailureError

KEPT_TREES = 2
"""Of one graph, variant and host: the one in use, and the one before, to go back to."""
_NAME = ".ligament-part"


@dataclass(frozen=True)
class File:
    """A file of a tree: its path there, the digest of its bytes, how many."""

    path: str
    digest: str
    size: int

    @staticmethod
    def of(entry: object) -> File:
        """Read it as it comes over the wire; raise WireError if it is none."""
        if not isinstance(entry, list) or len(entry) != 3 or not isinstance(entry[0], str):
            raise WireError(f"{entry!r} is no file")
        path, digest, size = entry
        if not isinstance(size, int) or isinstance(size, bool) or size < 0:
            raise WireError(f"{size!r} is no size of a file")
        return File(inner_path(path), digest_in(digest), size)

    def plain(self) -> list[str | int]:
        """As it goes over the wire."""
        return [self.path, self.digest, self.size]


def tree_digest(files: Sequence[File]) -> str:
    """The name of a tree: the digest of its list of files."""
    listed = sorted(file.plain() for file in files)
    return hashlib.sha256(json.dumps(listed, ensure_ascii=True).encode()).hexdigest()


class Store:
    """The store in a folder, which is made if it is not there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._blobs = folder / "blobs"
        self._trees = folder / "trees"
        for needed in (self._blobs, self._trees):
            needed.mkdir(parents=True, exist_ok=True)

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """One deploy at a time copies into it; others wait."""
        with (self.folder / ".lock").open("ab") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def path(self, tree: str) -> Path:
        """Where a tree lies."""
        return self._trees / digest_in(tree)

    def has(self, tree: str, files: Sequence[File]) -> bool:
        """Whether a tree is there with all of its files, by their sizes."""
        folder = self.path(tree)
        return folder.is_dir() and all(_size(folder / f.path) == f.size for f in files)

    def missing(self, tree: str, files: Sequence[File]) -> list[str]:
        """Return the digests that have to be sent before the tree can be made."""
        if self.has(tree, files):
            return []
        sizes = {file.digest: file.size for file in files}
        return sorted(d for d, size in sizes.items() if _size(self._blobs / d) != size)

    def put(self, digest: str, size: int, read: Callable[[int], bytes]) -> None:
        """Keep `size` bytes that `read` gives; raise WireError if they have another digest."""
        target = self._blobs / digest_in(digest)
        partial = target.with_name(f".{digest}.{os.getpid()}.partial")
        found = hashlib.sha256()
        try:
            with partial.open("wb") as out:
                left = size
                while left:
                    data = read(min(left, CHUNK))
                    found.update(data)
                    out.write(data)
                    left -= len(data)
                out.flush()
                os.fsync(out.fileno())
            if found.hexdigest() != digest:
                raise WireError(f"the bytes that came as {digest} are others: the copy is damaged")
            partial.chmod(0o444)
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)

    def make(self, tree: str, files: Sequence[File], name: str) -> Path:
        """Make a tree of blobs, if it is not there; `name`: of which graph, variant and host."""
        target = self.path(tree)
        if not self.has(tree, files):
            if tree_digest(files) != tree:
                raise WireError(f"the list of files has another digest than {tree}")
            self._make(target, files, name)
        os.utime(target / _NAME)
        self._prune(target, name)
        return target

    def _make(self, target: Path, files: Sequence[File], name: str) -> None:
        partial = target.with_name(f".{target.name}.partial")
        shutil.rmtree(partial, ignore_errors=True)
        for file in files:
            path = partial / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            _link(self._blobs / file.digest, path)
        (partial / _NAME).write_text(name, encoding="utf-8")
        if target.exists():  # files are missing in it: it goes, with its runs
            with self.in_use(target.name) as free:
                if not free:
                    raise FailureError(f"files are missing in {target}, and a run uses it")
                shutil.rmtree(target)
        partial.replace(target)
        with _opened(self._trees) as folder:
            os.fsync(folder)

    @contextlib.contextmanager
    def in_use(self, tree: str) -> Iterator[BinaryIO | None]:
        """Keep a tree from being removed; None: another run of it goes on already.

        Who inherits the file keeps it, too.
        """
        with (self.path(tree) / _NAME).open("ab") as mark:
            try:
                fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield None
                return
            yield mark

    def trees_of(self, name: str) -> list[Path]:
        """All trees of a graph, variant and host, the newest first."""
        found = [path for path in self._trees.iterdir() if _read(path / _NAME) == name]
        return sorted(found, key=lambda path: (path / _NAME).stat().st_mtime_ns, reverse=True)

    def _prune(self, kept: Path, name: str) -> None:
        """Remove older trees of the same part that nobody uses, and blobs of no tree."""
        others = [path for path in self.trees_of(name) if path != kept]
        for old in others[KEPT_TREES - 1 :]:
            with self.in_use(old.name) as free:
                if free:
                    shutil.rmtree(old, ignore_errors=True)
        for blob in self._blobs.iterdir():
            if blob.stat().st_nlink == 1:
                blob.unlink(missing_ok=True)


def _link(blob: Path, path: Path) -> None:
    """A hard link; a copy where the file system has none."""
    try:
        os.link(blob, path)
    except OSError:
        shutil.copyfile(blob, path)


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""


@contextlib.contextmanager
def _opened(folder: Path) -> Iterator[int]:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield handle
    finally:
        os.close(handle)
