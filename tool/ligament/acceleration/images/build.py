# SPDX-License-Identifier: Apache-2.0
"""Makes a disk image, or one from another with some parts exchanged (spec/platform/images.md).

plan = planned(layout, sources, kernel="vanilla")            # a new image
plan = planned(layout, sources, old=image, swap_install=True)  # one part is made anew
write(plan, output)
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ligament.acceleration.images import ext4, fat, table, tools
from ligament.acceleration.images.bootfiles import (
    DEVICE_TREE,
    EXTLINUX,
    INITRAMFS,
    KERNEL,
    SCRIPT,
    kernel_files,
    loader_files,
)
from ligament.acceleration.images.disk_file import (
    copy_range,
    remove_left_over,
    scratch_beside,
    synced,
)
from ligament.acceleration.images.domains import CONTROL_INITRAMFS, DomainImage
from ligament.acceleration.images.layout import Layout, Partition, sources_named
from ligament.acceleration.images.record import NAME, Image, check_old, record_bytes
from ligament.acceleration.images.sources import Sources
from ligament.acceleration.images.table import ALIGNMENT, Part, Table
from ligament.acceleration.images.tree import Tree, of_texts
from ligament.disk import replacing
from ligament.errors import InputError, Problem

_SPACE = uuid.UUID("8f3b1c52-6c1a-5d0e-9a7e-0f6d5c2b1a90")
"""Of all identities, so that they are no other tool's."""
_ROUND = 4 << 20
_KERNEL_FILES = (KERNEL, INITRAMFS, DEVICE_TREE)
_OURS = (*_KERNEL_FILES, EXTLINUX, SCRIPT, NAME)
"""Of the boot partition; others put the rest there, which stays."""


@dataclass
class Piece:
    """One partition of the image that is to be: made from its tree, or copied from the old one."""

    partition: Partition
    size: int
    identity: uuid.UUID
    digest: str = ""
    tree: Tree | None = None
    old: Part | None = None
    grown: bool = False
    packages: Mapping[str, str] = field(default_factory=dict)

    @property
    def action(self) -> str:
        """Return what is done with it: made, copied or grown."""
        if self.tree is not None:
            return "made"
        return "grown" if self.old is not None and self.size != self.old.size else "copied"


@dataclass
class Plan:
    """What is to be written."""

    layout: Layout
    kernel: str
    pieces: list[Piece]
    table: Table
    source: Path | None = None

    def to_json(self) -> dict[str, Any]:
        """Return what is done with each partition."""
        return {
            "platform": self.layout.platform.name,
            "kernel": self.kernel,
            "bytes": self.table.size,
            "partitions": [
                {"name": p.partition.name, "kind": p.partition.kind, "start": t.start,
                 "bytes": t.size, "action": p.action}
                for p, t in zip(self.pieces, self.table.parts, strict=True)
            ],
        }  # fmt: skip


def planned(
    layout: Layout,
    sources: Sources,
    *,
    kernel: str | None = None,
    old: Image | None = None,
    domains: DomainImage | None = None,
    swap_kernel: bool = False,
    swap_install: bool = False,
    grow: Mapping[str, int] | None = None,
) -> Plan:
    """Return the plan of an image; with `old`, only what is swapped or grown differs from that one.

    `grow`: new sizes of partitions in bytes, by name. Raise InputError for what cannot be.
    """
    if old is not None:
        check_old(layout, old)
        kernel = kernel or str(old.record["kernel"])
    name, chosen = layout.kernel(domains.kernel if domains is not None else kernel)
    sizes = {layout.partition(n).name: size for n, size in (grow or {}).items()}
    pieces = [
        _kept(p, old, number, sizes)
        if old is not None and not (swap_install and p.holds_install)
        else _made(p, layout, sources, _wished(p.name, sizes, old), domains)
        for number, p in enumerate(layout.partitions[1:], 1)
    ]
    boot = _boot_piece(layout, sources, chosen, old, swap_kernel, domains)
    wished = _wished(boot.partition.name, sizes, old)
    boot.size, boot.grown = wished or layout.partitions[0].bytes, bool(wished)
    identity = _identity(layout, "disk", *(p.digest for p in pieces))
    return _finished(layout, name, chosen, boot, pieces, identity, old, domains)


def _wished(name: str, sizes: Mapping[str, int], old: Image | None) -> int:
    """What the user wants a partition's size to be, now or when it was grown; 0: no wish."""
    if name in sizes or old is None:
        return sizes.get(name, 0)
    grown = next(p.get("grown", False) for p in old.record["partitions"] if p["name"] == name)
    return old.part(name).size if grown else 0


def _identity(layout: Layout, *words: str) -> uuid.UUID:
    return uuid.uuid5(_SPACE, "/".join([layout.platform.name, *words]))


def _made(
    partition: Partition, layout: Layout, sources: Sources, wished: int,
    domains: DomainImage | None,
) -> Piece:  # fmt: skip
    tree, used = sources.content(partition.content), sources_named(list(partition.content))
    if domains is not None and partition.root:
        tree.add_tree(domains.root_files())
        used += domains.root_sources()
    room = fat if partition.kind == "fat" else ext4
    size = wished or partition.bytes or _rounded(room.needed_bytes(tree))
    digest = tree.digest(partition.kind, size, tools.image_time())
    identity = _identity(layout, partition.name, digest)
    made = sources.packages(used)
    return Piece(partition, size, identity, digest, tree, None, bool(wished), made)


def _kept(partition: Partition, old: Image, number: int, sizes: Mapping[str, int]) -> Piece:
    told, part = old.record["partitions"][number], old.table.parts[number]
    size = sizes.get(partition.name, part.size)
    if size < part.size:
        text = f"partition '{partition.name}' has {part.size} bytes: it can only grow"
        raise InputError(Problem("image-size", text, expected=f"more than {size}"))
    if size != part.size and partition.kind != "ext4":
        text = f"partition '{partition.name}' is FAT, which is not grown in place"
        raise InputError(Problem("image-size", text, hint="enlarge its `bytes`, then `linux`"))
    return Piece(
        partition, size, uuid.UUID(told["uuid"]), told["digest"], None, part,
        told.get("grown", False) or size != part.size, told["packages"],
    )  # fmt: skip


def _boot_piece(
    layout: Layout, sources: Sources, kernel: Mapping[str, Any], old: Image | None, swap: bool,
    domains: DomainImage | None,
) -> Piece:  # fmt: skip
    """The boot partition without its configuration; the kernel is `old`'s, if there is no swap."""
    partition = layout.partitions[0]
    tree = sources.content(partition.content)
    packages = sources.packages(sources_named(list(partition.content)))
    if domains is not None:
        files = domains.boot_files("")  # their sizes; the root partition is named in the end
        packages |= sources.packages(domains.boot_sources())
    elif old is None or swap:
        content = layout.boot.get("initramfs")
        files = kernel_files(kernel, content, sources)
        packages |= sources.packages(sources_named([kernel, content or []]))
    else:
        files = {n: old.boot[n] for n in _KERNEL_FILES if n in old.boot}
        packages |= old.record["partitions"][0]["packages"]
    if old is not None:
        files |= {n: data for n, data in old.boot.items() if n not in {*_OURS, *tree.entries}}
    tree.add_tree(of_texts(files))
    return Piece(partition, 0, uuid.UUID(int=0), tree=tree, packages=dict(sorted(packages.items())))


def _finished(
    layout: Layout, name: str, kernel: Mapping[str, Any], boot: Piece, pieces: list[Piece],
    identity: uuid.UUID, old: Image | None, domains: DomainImage | None,
) -> Plan:  # fmt: skip
    """Lay the partitions out, then write the configuration and the record, which name them."""
    assert boot.tree is not None
    spare = len(layout.partitions) * 4096 + 64 * 1024  # the configuration and the record
    boot.size = boot.size or _rounded(fat.needed_bytes(boot.tree) + spare)
    every = [boot, *pieces]
    parts, here = [], ALIGNMENT
    for piece in every:
        guid = uuid.uuid5(_SPACE, f"{identity}/{piece.partition.name}")
        kind = "esp" if piece.partition.esp else piece.partition.kind
        is_boot = piece is boot
        parts.append(Part(piece.partition.name, kind, here, piece.size, guid, is_boot))
        here += -(-piece.size // ALIGNMENT) * ALIGNMENT
    needed = here + table.end_bytes(layout.table)
    declared = layout.boot["image"].get("bytes", 0)
    size = max(declared, needed)
    if declared and needed > declared and old is None:
        text = f"the partitions need {needed} bytes, the image has {declared}"
        at = layout.platform.at("boot", "image", "bytes")
        raise InputError(Problem("image-size", text, at, expected=f"bytes: {needed} or more"))
    found = Table(layout.table, size, identity, tuple(parts))
    _configure(layout, name, kernel, every, found, domains)
    return Plan(layout, name, every, found, old.path if old else None)


def _configure(
    layout: Layout, name: str, kernel: Mapping[str, Any], every: list[Piece], found: Table,
    domains: DomainImage | None,
) -> None:  # fmt: skip
    boot = every[0]
    assert boot.tree is not None
    root = ""
    for number, piece in enumerate(every):
        if piece.partition.root:
            by_number = found.parts[number].uuid_text(found, number + 1)
            has = any(path in boot.tree.entries for path in (INITRAMFS, f"xen/{CONTROL_INITRAMFS}"))
            root = f"UUID={piece.identity}" if has else f"PARTUUID={by_number}"
    if domains is not None:
        files = domains.boot_files(root)
    else:
        files = loader_files(layout.boot, kernel, root, boot.tree.entries)
    files[NAME] = record_bytes({
        "platform": layout.platform.name, "kernel": name, "time": tools.image_time(),
        **({"domains": domains.names()} if domains is not None else {}),
        "partitions": [_told(p, t) for p, t in zip(every, found.parts, strict=True)],
    })  # fmt: skip
    boot.tree.add_tree(of_texts(files))
    boot.identity = _identity(layout, boot.partition.name, boot.tree.digest(boot.size))


def _told(piece: Piece, part: Part) -> dict[str, Any]:
    told: dict[str, Any] = {"name": part.name, "start": part.start, "bytes": part.size}
    if piece.digest:
        told |= {"digest": piece.digest, "uuid": str(piece.identity)}
    if piece.grown:
        told["grown"] = True
    return {**told, "packages": dict(piece.packages)}


def _rounded(size: int) -> int:
    return -(-size // _ROUND) * _ROUND


def require_tools() -> None:
    """Raise FailureError if a program is missing, before anything is fetched or written."""
    tools.require(*ext4.PROGRAMS, *fat.PROGRAMS)


def write(plan: Plan, output: Path) -> None:
    """Write the image: whole under its name, or not at all."""
    remove_left_over(output)
    with replacing(output, plan.table.size) as partial, scratch_beside(output) as scratch:
        first, last = table.written(plan.table)
        with partial.open("wb") as file:
            file.write(first)
            file.seek(plan.table.size - len(last))
            file.write(last)
            file.truncate(plan.table.size)
        for number, (piece, part) in enumerate(zip(plan.pieces, plan.table.parts, strict=True)):
            _place(piece, part, plan.source, scratch / str(number), partial)
        os.chmod(partial, 0o644)
        synced(partial)
    synced(output.parent)


def _place(piece: Piece, part: Part, source: Path | None, work: Path, image: Path) -> None:
    """Put one partition to its place in the image."""
    if piece.tree is None and piece.action == "copied":
        assert piece.old is not None and source is not None
        copy_range(source, piece.old.start, part.size, image, part.start)
        return
    if piece.tree is None:
        assert piece.old is not None and source is not None
        with work.open("wb") as file:
            file.truncate(piece.old.size)
        copy_range(source, piece.old.start, piece.old.size, work, 0)
        ext4.grow(work, part.size, part.name)
    else:
        room = fat if piece.partition.kind == "fat" else ext4
        room.make(piece.tree, work, part.size, part.name, piece.identity)
    copy_range(work, 0, part.size, image, part.start)
    work.unlink()
