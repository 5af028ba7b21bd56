# SPDX-License-Identifier: Apache-2.0
"""Recordings whose stream files end inside a packet: what is whole of them.

LTTng writes an index beside each stream that says where its packets lie. Where a stream is shorter
than its index says (the disk was full, a copy broke off), babeltrace refuses the whole recording;
so a copy is made in which such streams end with their last whole packet. All else is linked.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from ligament.disk import writing

CHUNK = 1024 * 1024
MAGIC = 0xC1F1DCC1
HEADER = struct.Struct(">IIII")
ENTRY = struct.Struct(">QQ")
"""Where a packet begins, in bytes, and how long it is, in bits; more follows, not needed here."""


@dataclass(frozen=True)
class Cut:
    """A stream that ends too early."""

    stream: Path
    whole_bytes: int
    whole_packets: int
    packets: int

    @property
    def sentence(self) -> str:
        """What is missing, in words."""
        return (
            f"{self.stream.name} ends inside a packet: {self.packets - self.whole_packets} of its "
            f"{self.packets} packets are not there"
        )


def find_cuts(recording: Path) -> list[Cut]:
    """Streams that are shorter than their index says; a stream without an index is not judged."""
    found = []
    for index in sorted(recording.rglob("*.idx")):
        stream = index.parent.parent / index.stem
        if stream.is_file() and (cut := _measure(stream, index)):
            found.append(cut)
    return found


def _measure(stream: Path, index: Path) -> Cut | None:
    data = index.read_bytes()
    if len(data) < HEADER.size:
        return None
    magic, _, _, entry_bytes = HEADER.unpack_from(data)
    if magic != MAGIC or entry_bytes < ENTRY.size:
        return None
    places = range(HEADER.size, len(data) - entry_bytes + 1, entry_bytes)
    ends = [offset + bits // 8 for offset, bits in (ENTRY.unpack_from(data, p) for p in places)]
    size = stream.stat().st_size
    whole = [end for end in ends if end <= size]
    if len(whole) == len(ends):
        return None
    return Cut(stream, max(whole, default=0), len(whole), len(ends))


def copy_whole(recording: Path, cuts: list[Cut], into: Path) -> Path:
    """The recording without what is not whole. Indexes are left out: babeltrace makes its own."""
    cut_at = {cut.stream: cut.whole_bytes for cut in cuts}
    for path in sorted(recording.rglob("*")):
        if not path.is_file() or path.suffix == ".idx":
            continue
        copy = into / path.relative_to(recording)
        copy.parent.mkdir(parents=True, exist_ok=True)
        whole = cut_at.get(path)
        if whole is None:
            copy.symlink_to(path.resolve())
        elif whole > 0:
            with writing(copy, whole), path.open("rb") as source, copy.open("wb") as target:
                _copy(source, target, whole)
    return into


def _copy(source: IO[bytes], target: IO[bytes], count: int) -> None:
    while count > 0 and (data := source.read(min(count, CHUNK))):
        target.write(data)
        count -= len(data)
