# SPDX-License-Identifier: Apache-2.0
"""Parts of large files with their holes: copied within the disk where it can share them."""

from __future__ import annotations

import errno
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_CHUNK = 1 << 24
_NOT_HERE = (errno.EXDEV, errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.EBADF, errno.EPERM)
_LEFT = re.compile(r"\.(?P<pid>\d+)[-.]\w+\.(partial|parts)$")


def copy_range(source: Path, start: int, size: int, target: Path, at: int) -> None:
    """Copy bytes of a file into another that is there; holes stay holes. Units: bytes.

    Where the target lies, it must be empty still: holes are not written.
    """
    with source.open("rb") as reading, target.open("r+b") as writing:
        for begin, end in _extents(reading.fileno(), start, start + size):
            _copy(reading.fileno(), begin, end - begin, writing.fileno(), at + begin - start)


def _extents(file: int, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where the file has data between two places."""
    here = start
    while here < end:
        try:
            data = os.lseek(file, here, os.SEEK_DATA)
        except OSError as error:
            if error.errno == errno.ENXIO:  # none behind here
                return
            raise
        if data >= end:
            return
        here = min(os.lseek(file, data, os.SEEK_HOLE), end)
        yield max(data, start), here


def _copy(reading: int, start: int, size: int, writing: int, at: int) -> None:
    done, shared = 0, True
    while done < size:
        count = min(_CHUNK, size - done)
        if shared:
            try:
                copied = os.copy_file_range(reading, writing, count, start + done, at + done)
            except OSError as error:
                if error.errno not in _NOT_HERE:
                    raise
                shared = False
                continue
        else:
            copied = os.pwrite(writing, os.pread(reading, count, start + done), at + done)
        if copied == 0:
            raise OSError(errno.EIO, "the file ended while it was copied")
        done += copied


def synced(path: Path) -> None:
    """Wait until a file, or a folder's names, are on the disk."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


@contextmanager
def scratch_beside(path: Path) -> Iterator[Path]:
    """Yield a folder on the disk of `path` that is gone afterwards."""
    prefix, suffix = f".{path.name}.{os.getpid()}-", ".parts"
    folder = Path(tempfile.mkdtemp(suffix, prefix, path.parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def remove_left_over(path: Path) -> None:
    """Remove what builds of `path` left that were killed: their processes are gone."""
    for left in path.parent.glob(f".{path.name}.*"):
        found = _LEFT.search(left.name.removeprefix(f".{path.name}"))
        if found is None or Path("/proc", found["pid"]).exists():
            continue
        with suppress(OSError):
            if left.is_dir():
                shutil.rmtree(left)
            else:
                left.unlink()
