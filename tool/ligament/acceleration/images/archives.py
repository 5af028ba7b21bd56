# SPDX-License-Identifier: Apache-2.0
"""Archives as trees: Debian packages and tar files, with owners and modes, unpacked once.

An archive is unpacked into a folder of the cache that is named by its digest: `index.json`, and the
files' bytes by number. Owners stand in the index, so the folder may belong to anyone.
"""

from __future__ import annotations

import json
import lzma
import os
import shutil
import subprocess
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from ligament.acceleration.images.tools import environment, failure, find
from ligament.acceleration.images.tree import Entry, Kind, Tree
from ligament.disk import writing
from ligament.errors import FailureError, InputError, Problem

INDEX = "index.json"
_CUT_SHORT = (tarfile.TarError, EOFError, zlib.error, lzma.LZMAError)
"""What tarfile raises for an archive that is not whole, compressed or not."""


def unpacked(archive: Path, digest: str, cache: Path) -> Tree:
    """Return a package (.deb) or tar archive as a tree; `digest`: its SHA-256, already checked."""
    folder = cache / digest
    if not (folder / INDEX).is_file():
        with writing(folder):
            _unpack(archive, folder)
    tree = Tree()
    for item in json.loads((folder / INDEX).read_text(encoding="utf-8")):
        data = folder / str(item.pop("number")) if "number" in item else b""
        device = tuple(item.pop("device", (0, 0)))
        tree.add(Entry(**item, data=data, device=device))
    return tree


def _unpack(archive: Path, folder: Path) -> None:
    partial = folder.with_name(f".{folder.name}.{os.getpid()}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    try:
        with _opened(archive) as stream:
            index = list(_members(stream, partial))
        (partial / INDEX).write_text(json.dumps(index), encoding="utf-8")
        try:
            partial.rename(folder)
        except OSError:
            if not (folder / INDEX).is_file():  # else another build was first, with the same
                raise
    except _CUT_SHORT as error:
        raise FailureError(f"{archive} cannot be unpacked: {error}") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)


@contextmanager
def _opened(archive: Path) -> Iterator[tarfile.TarFile]:
    if archive.suffix != ".deb":
        with tarfile.open(archive) as found:
            yield found
        return
    command = [find("dpkg-deb"), "--fsys-tarfile", str(archive)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        try:
            with tarfile.open(fileobj=process.stdout, mode="r|") as found:
                yield found
        except _CUT_SHORT:
            if process.poll() in (None, 0):
                raise
        _to_the_end(process.stdout)
        said = process.stderr.read().decode(errors="replace")
        if process.wait() != 0:
            raise failure(f"{archive} cannot be unpacked", command, said, archive.parent)


def _to_the_end(stream: IO[bytes]) -> None:
    while stream.read(1 << 16):
        pass


def _members(archive: tarfile.TarFile, folder: Path) -> Iterator[dict[str, Any]]:
    numbers: dict[str, tuple[int, int, int, int]] = {}
    for count, member in enumerate(archive):
        path = member.name.removeprefix("./").strip("/")
        if path in ("", "."):
            continue
        if ".." in path.split("/"):
            raise InputError(
                Problem("image-archive", f"'{member.name}' leaves the archive by '..'")
            )
        item: dict[str, Any] = {
            "path": path, "kind": _kind(member), "mode": member.mode & 0o7777,
            "uid": member.uid, "gid": member.gid,
        }  # fmt: skip
        if member.isreg():
            source = archive.extractfile(member)
            assert source is not None
            with (folder / str(count)).open("wb") as to:
                shutil.copyfileobj(source, to, 1 << 20)
            numbers[path] = (count, item["mode"], item["uid"], item["gid"])
            item["number"] = count
        elif member.islnk():  # one more name of a file: a copy here
            first = numbers.get(member.linkname.removeprefix("./"))
            if first is None:
                raise FailureError(f"'{path}' is a hard link to nothing in the archive")
            item["number"], item["mode"], item["uid"], item["gid"] = first
        elif member.issym():
            item["target"] = member.linkname
        elif member.ischr() or member.isblk():
            item["device"] = [member.devmajor, member.devminor]
        yield item


def _kind(member: tarfile.TarInfo) -> Kind:
    if member.isdir():
        return "folder"
    if member.issym():
        return "link"
    if member.ischr():
        return "char"
    if member.isblk():
        return "block"
    return "fifo" if member.isfifo() else "file"
