# SPDX-License-Identifier: Apache-2.0
"""A partition's files in a folder, and what was changed there written back: without a loop device.

What was written is kept beside the folder (`.FOLDER.mount.json`): image, partition, and each file's
digest, so that only what changed is written back, and everything else keeps owner and mode.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ligament.acceleration.images import ext4, fat, tools
from ligament.acceleration.images.disk_file import copy_range, scratch_beside, synced
from ligament.acceleration.images.record import NAME, Image, read_image
from ligament.acceleration.images.tree import Entry, Tree
from ligament.disk import replacing, writing
from ligament.errors import FailureError, InputError, Problem

_LOST = "lost+found"


@dataclass(frozen=True)
class Changes:
    """Paths that differ between a folder and the partition that it came from."""

    removed: tuple[tuple[str, str], ...]
    """Path and kind."""
    added: tuple[Entry, ...]

    def __bool__(self) -> bool:
        return bool(self.removed or self.added)


def state_of(folder: Path) -> Path:
    """Return where it is kept what a folder came from."""
    folder = folder.absolute()
    return folder.with_name(f".{folder.name}.mount.json")


def check_out(image: Image, name: str, folder: Path) -> int:
    """Write a partition's files into a folder, which must be empty; return how many."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(
            Problem("mount-folder", f"'{folder}' is there, and is not an empty folder")
        )
    if state_of(folder).exists():
        text = f"'{folder}' is a partition's already"
        raise InputError(Problem("mount-folder", text, hint="`umount` it first"))
    part = image.part(name)
    kind = _kind(image, name)
    folder.mkdir(parents=True, exist_ok=True)
    with writing(folder), scratch_beside(folder) as scratch:
        if kind == "fat":
            fat.extract(image.path, part.start, folder)
        else:
            work = scratch / "part"
            _copied(image.path, part.start, part.size, work)
            ext4.extract(work, folder, name)
    seen = _seen(folder)
    state = {"image": str(image.path.absolute()), "record": image.record, "partition": name,
             "kind": kind, "files": seen}  # fmt: skip
    with replacing(state_of(folder)) as partial:
        partial.write_text(json.dumps(state), encoding="utf-8")
    return len(seen)


def _kind(image: Image, name: str) -> str:
    return "fat" if image.part(name).kind in ("fat", "esp") else "ext4"


def _copied(source: Path, start: int, size: int, work: Path) -> None:
    with work.open("wb") as file:
        file.truncate(size)
    copy_range(source, start, size, work, 0)


def _seen(folder: Path) -> dict[str, list[str]]:
    tree = Tree()
    tree.add_folder(folder)
    return {
        e.path: [e.kind, oct(e.mode), e.sha256() if e.kind == "file" else e.target]
        for e in tree
        if e.path != _LOST
    }


def load_state(folder: Path) -> dict[str, Any]:
    """Return what a folder came from; raise InputError if it came from no image."""
    try:
        state: dict[str, Any] = json.loads(state_of(folder).read_text(encoding="utf-8"))
        if {"image", "record", "partition", "kind", "files"} <= state.keys():
            return state
    except (OSError, ValueError, AttributeError):
        pass
    text = f"'{folder}' holds no partition that `mount` has written"
    raise InputError(Problem("mount-folder", text))


def changes(folder: Path, state: dict[str, Any]) -> Changes:
    """Return what was changed in a folder since it was written."""
    tree = Tree()
    tree.add_folder(folder)
    now, before = _seen(folder), state["files"]
    removed = tuple((p, told[0]) for p, told in before.items() if now.get(p) != told)
    added = tuple(e for e in tree if e.path in now and now[e.path] != before.get(e.path))
    return Changes(removed, added)


def write_back(folder: Path, state: dict[str, Any], found: Changes) -> Path:
    """Write changes back into the image, whole or not at all; return its path."""
    image = read_image(Path(state["image"]))
    _check_still(image, folder, state)
    part = image.part(state["partition"])
    with replacing(image.path, image.table.size) as partial, scratch_beside(image.path) as scratch:
        _copied(image.path, 0, image.table.size, partial)
        work = scratch / "part"
        _copied(image.path, part.start, part.size, work)
        if state["kind"] == "fat":
            _remake_fat(folder, work, part.size, part.name, scratch)
        else:
            _change_ext4(work, found, part.name)
        _replace_range(work, part.start, part.size, partial)
        shutil.copymode(image.path, partial)
        synced(partial)
    return image.path


def _check_still(image: Image, folder: Path, state: dict[str, Any]) -> None:
    """Raise InputError where the folder's files would not fit the image as it is now."""
    stale, name = image.record != state["record"], state["partition"]
    if name == image.names()[0]:  # made anew from the folder as a whole
        told = {path: told[2] for path, told in state["files"].items() if told[0] == "file"}
        stale |= told != {p: hashlib.sha256(data).hexdigest() for p, data in image.boot.items()}
        kept = folder / NAME
        if not stale and (not kept.is_file() or kept.read_bytes() != image.boot[NAME]):
            text = f"{kept} was changed or removed: it says what is in the image"
            hint = "`umount --discard`, `mount` again, repeat the other changes"
            raise InputError(Problem("mount-record", text, hint=hint))
    if stale:
        text = f"{image.path} was changed since '{folder}' was written from it"
        hint = "`umount --discard`, `mount` again, repeat the changes"
        raise InputError(Problem("mount-stale", text, hint=hint))


def _remake_fat(folder: Path, work: Path, size: int, name: str, scratch: Path) -> None:
    """FAT has no owners: it is made anew from the folder, with the old one's number."""
    with work.open("rb") as file:
        start = file.read(512)
    at = 67 if start[82:87] == b"FAT32" else 39
    number = int.from_bytes(start[at : at + 4], "little")
    tree = Tree()
    tree.add_folder(folder)
    new = scratch / "new"
    fat.make(tree, new, size, name, uuid.UUID(f"{number:08x}{0:024x}"))
    new.replace(work)


def _replace_range(work: Path, start: int, size: int, image: Path) -> None:
    """Put a file's bytes into an image that has others there: holes become zeros."""
    with image.open("r+b") as file:
        zeros = bytes(1 << 20)
        file.seek(start)
        for done in range(0, size, len(zeros)):
            file.write(zeros[: min(len(zeros), size - done)])
    copy_range(work, 0, size, image, start)


def _change_ext4(work: Path, found: Changes, name: str) -> None:
    ext4.require_clean(work, name)
    script = work.with_name("script")
    script.write_text("\n".join(_script(found, work.parent)) + "\n", encoding="utf-8")
    command = ["debugfs", "-w", "-f", str(script.absolute()), work.name]
    said = tools.run(command, work.parent, f"cannot change partition '{name}'")
    faults = said.stderr.splitlines()[1:]
    if faults:
        raise FailureError(f"cannot change partition '{name}': {faults[0]}", command=command,
                           hint="`package --grow` makes room")  # fmt: skip
    ext4.check(work, name)


def _script(found: Changes, work: Path) -> Iterator[str]:
    yield f"set_current_time @{tools.image_time()}"
    for path, kind in sorted(found.removed, reverse=True):
        yield f"{'rmdir' if kind == 'folder' else 'rm'} {ext4.quoted('/' + path)}"
    for number, entry in enumerate(found.added):
        parent, _, name = entry.path.rpartition("/")
        yield f"cd {ext4.quoted('/' + parent)}"
        yield from ext4.entry_lines(entry, ext4.quoted(name), work / str(number))
