# SPDX-License-Identifier: Apache-2.0
"""What a test wants to know of an FST file: its signals, and from when to when it goes."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

HEADER, HIERARCHY = 0, 6
SCOPE, END_OF_SCOPE, ATTRIBUTE, END_OF_ATTRIBUTE = 254, 255, 252, 253


@dataclass(frozen=True)
class Fst:
    """Times in units of the file; names with scopes, as `TOP.top.data[63:0]`."""

    begin: int
    end: int
    unit: int  # power of ten of a second
    names: frozenset[str]


def read_fst(path: Path) -> Fst:
    """Read header and hierarchy."""
    data = path.read_bytes()
    at, begin, end, unit, names = 0, 0, 0, 0, frozenset[str]()
    while at < len(data):
        kind, (length,) = data[at], struct.unpack_from(">Q", data, at + 1)
        body = data[at + 9 : at + 1 + length]
        if kind == HEADER:
            begin, end = struct.unpack_from(">QQ", body)
            (unit,) = struct.unpack_from("b", body, 64)
        elif kind == HIERARCHY:
            names = frozenset(_names(_unpacked(body[8:])))
        at += 1 + length
    return Fst(begin, end, unit, names)


def _unpacked(block: bytes) -> bytes:
    """An LZ4 block: literals and copies of what came before, in turn."""
    made, at = bytearray(), 0

    def more(count: int) -> int:
        nonlocal at
        while count >= 15 and block[at] == 255:
            count, at = count + 255, at + 1
        if count >= 15:
            count, at = count + block[at], at + 1
        return count

    while at < len(block):
        token = block[at]
        at += 1
        literals = more(token >> 4)
        made += block[at : at + literals]
        at += literals
        if at < len(block):
            back = block[at] | block[at + 1] << 8
            at += 2
            for _ in range(more(token & 15) + 4):
                made.append(made[-back])
    return bytes(made)


def _names(data: bytes) -> list[str]:
    scopes: list[str] = []
    found: list[str] = []
    at = 0

    def text() -> str:
        nonlocal at
        end = data.index(0, at)
        word, at = data[at:end].decode(), end + 1
        return word

    def number() -> None:
        nonlocal at
        while data[at] & 0x80:
            at += 1
        at += 1

    while at < len(data):
        kind = data[at]
        at += 1
        if kind == SCOPE:
            at += 1
            scopes.append(text())
            text()
        elif kind == END_OF_SCOPE:
            scopes.pop()
        elif kind == ATTRIBUTE:
            at += 2
            text()
            number()
        elif kind != END_OF_ATTRIBUTE:
            at += 1
            found.append(".".join((*scopes, text().replace(" ", ""))))
            number()
            number()
    return found
