# SPDX-License-Identifier: Apache-2.0
"""Partition tables as bytes: GPT (UEFI specification 2.10, chapter 5) and MBR.

`written(table)` returns what belongs at the beginning and at the end of an image, `read(file)` the
table of an image. Checksums of a GPT are verified: a table that is damaged is refused.
"""

from __future__ import annotations

import struct
import uuid
import zlib
from dataclasses import dataclass
from typing import BinaryIO, Literal

from ligament.errors import InputError, Problem

SECTOR = 512
ALIGNMENT = 1 << 20
"""Of each partition's begin and size. Unit: bytes."""
_ENTRIES, _ENTRY = 128, 128
_HEADER = struct.Struct("<8sIIIIQQQQ16sQIII")
_PART = struct.Struct("<16s16sQQQ72s")
_MBR_PART = struct.Struct("<B3sB3sII")
_SPARE = _ENTRIES * _ENTRY // SECTOR + 1
"""Sectors of the second table, at the end of the disk."""
LINUX = uuid.UUID("0fc63daf-8483-4772-8e79-3d69d8477de4")
BASIC_DATA = uuid.UUID("ebd0a0a2-b9e5-4433-87c0-68b6b72699c7")
ESP = uuid.UUID("c12a7328-f81f-11d2-ba4b-00a0c93ec93b")
_BOOTABLE = 1 << 2
"""Attribute of a GPT entry: what U-Boot takes for the partition to boot from."""
_MBR_KINDS = {"fat": 0x0C, "ext4": 0x83, "esp": 0xEF}
_NONE = uuid.UUID(int=0)
_ANY_CHS = b"\xfe\xff\xff"


@dataclass(frozen=True)
class Part:
    """One partition; `start` and `size` in bytes."""

    name: str
    kind: Literal["fat", "ext4", "esp"]
    start: int
    size: int
    identity: uuid.UUID = _NONE
    bootable: bool = False

    def uuid_text(self, table: Table, number: int) -> str:
        """Return its PARTUUID as Linux has it; `number` counts from 1."""
        if table.kind == "gpt":
            return str(self.identity)
        return f"{table.signature:08x}-{number:02x}"


@dataclass(frozen=True)
class Table:
    """What is where on a disk of `size` bytes."""

    kind: Literal["gpt", "mbr"]
    size: int
    identity: uuid.UUID
    parts: tuple[Part, ...]

    @property
    def signature(self) -> int:
        """Return the disk's number in an MBR."""
        return int.from_bytes(self.identity.bytes[:4], "big") or 1


def end_bytes(kind: str) -> int:
    """Return what a table needs behind the last partition. Unit: bytes."""
    return ALIGNMENT if kind == "gpt" else 0


def written(table: Table) -> tuple[bytes, bytes]:
    """Return what the image begins with, and what it ends with."""
    if table.kind == "mbr":
        return _mbr(table.signature, [_mbr_part(p) for p in table.parts]), b""
    sectors = table.size // SECTOR
    entries = b"".join(_gpt_part(p) for p in table.parts).ljust(_ENTRIES * _ENTRY, b"\0")
    cover = _MBR_PART.pack(0, b"\0\2\0", 0xEE, b"\xff" * 3, 1, min(sectors - 1, 0xFFFFFFFF))
    first = _gpt_header(table, entries, 1, sectors - 1, 2)
    last = _gpt_header(table, entries, sectors - 1, 1, sectors - _SPARE)
    return _mbr(0, [cover]) + first + entries, entries + last


def _mbr(signature: int, parts: list[bytes]) -> bytes:
    return (
        bytes(440)
        + struct.pack("<IH", signature, 0)
        + b"".join(parts).ljust(64, b"\0")
        + b"\x55\xaa"
    )


def _mbr_part(part: Part) -> bytes:
    return _MBR_PART.pack(
        0x80 if part.bootable else 0, _ANY_CHS, _MBR_KINDS[part.kind], _ANY_CHS,
        part.start // SECTOR, part.size // SECTOR,
    )  # fmt: skip


def _gpt_part(part: Part) -> bytes:
    kind = {"fat": BASIC_DATA, "ext4": LINUX, "esp": ESP}[part.kind]
    first, count = part.start // SECTOR, part.size // SECTOR
    attributes = _BOOTABLE if part.bootable else 0
    name = part.name.encode("utf-16-le")
    return _PART.pack(
        kind.bytes_le, part.identity.bytes_le, first, first + count - 1, attributes, name
    )


def _gpt_header(table: Table, entries: bytes, here: int, other: int, entries_at: int) -> bytes:
    sectors = table.size // SECTOR

    def packed(check: int) -> bytes:
        return _HEADER.pack(
            b"EFI PART", 0x10000, _HEADER.size, check, 0, here, other, _SPARE + 1,
            sectors - _SPARE - 1, table.identity.bytes_le, entries_at, _ENTRIES, _ENTRY,
            zlib.crc32(entries),
        )  # fmt: skip

    return packed(zlib.crc32(packed(0))).ljust(SECTOR, b"\0")


def read(file: BinaryIO, name: str) -> Table:
    """Return the table of an image; raise InputError if there is none, or it is damaged."""
    size = file.seek(0, 2)
    file.seek(0)
    first = file.read(SECTOR)
    if len(first) < SECTOR or first[510:] != b"\x55\xaa":
        raise _damaged(name, "it has no partition table")
    parts = [_MBR_PART.unpack_from(first, 446 + 16 * i) for i in range(4)]
    table = (
        _read_gpt(file, name, size)
        if any(p[2] == 0xEE for p in parts)
        else Table("mbr", size, uuid.UUID(bytes=first[440:444][::-1] + bytes(12)),
                   tuple(_from_mbr(p) for p in parts if p[2]))
    )  # fmt: skip
    ends = [SECTOR]
    for part in sorted(table.parts, key=lambda p: p.start):
        if part.size <= 0 or part.start < ends[-1] or part.start + part.size > size:
            raise _damaged(name, f"its partition '{part.name}' lies outside of it or in another")
        ends.append(part.start + part.size)
    return table


def _from_mbr(fields: tuple[int, bytes, int, bytes, int, int]) -> Part:
    active, _, kind, _, first, count = fields
    kinds: dict[int, Literal["fat", "ext4", "esp"]] = {0x0C: "fat", 0xEF: "esp"}
    return Part(
        "", kinds.get(kind, "ext4"), first * SECTOR, count * SECTOR, bootable=active == 0x80
    )


def _read_gpt(file: BinaryIO, name: str, size: int) -> Table:
    header = file.read(SECTOR)
    if len(header) < SECTOR or header[:8] != b"EFI PART":
        raise _damaged(name, "the header of its GPT is missing")
    fields = _HEADER.unpack_from(header)
    length, check, last, disk, at, count, each, entries_check = (
        fields[2], fields[3], fields[6], fields[9], fields[10], fields[11], fields[12], fields[13],
    )  # fmt: skip
    if not _HEADER.size <= length <= SECTOR or zlib.crc32(
        header[:16] + bytes(4) + header[20:length]
    ) != check:  # fmt: skip
        raise _damaged(name, "the checksum of its GPT's header is wrong")
    if (last + 1) * SECTOR > size:
        raise _damaged(
            name, f"it is cut short: its GPT is of a disk of {(last + 1) * SECTOR} bytes"
        )
    if each < _ENTRY or each > 4096 or count > 1024:
        raise _damaged(name, "its GPT has entries of an unknown size")
    if at * SECTOR + count * each > size:
        raise _damaged(name, "its partitions' entries lie outside of it")
    file.seek(at * SECTOR)
    entries = file.read(count * each)
    if zlib.crc32(entries) != entries_check:
        raise _damaged(name, "the checksum of its partitions' entries is wrong")
    parts = [_PART.unpack_from(entries, i * each) for i in range(count)]
    found = tuple(_from_gpt(p) for p in parts if any(p[0]))
    return Table("gpt", size, uuid.UUID(bytes_le=disk), found)


def _from_gpt(fields: tuple[bytes, bytes, int, int, int, bytes]) -> Part:
    kind, identity, first, last, attributes, name = fields
    kinds: dict[uuid.UUID, Literal["fat", "ext4", "esp"]] = {BASIC_DATA: "fat", ESP: "esp"}
    return Part(
        name.decode("utf-16-le", errors="replace").rstrip("\0"),
        kinds.get(uuid.UUID(bytes_le=kind), "ext4"),
        first * SECTOR,
        (last - first + 1) * SECTOR,
        uuid.UUID(bytes_le=identity),
        bool(attributes & _BOOTABLE),
    )


def _damaged(name: str, text: str) -> InputError:
    hint = "`ligament acceleration linux` makes it anew"
    return InputError(Problem("image-table", f"{name} is no whole disk image: {text}", hint=hint))
