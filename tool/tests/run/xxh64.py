# SPDX-License-Identifier: Apache-2.0
"""XXH64, and the hash of an image that the sink writes (nodes/image/common/record.hpp)."""

from __future__ import annotations

import struct

_MASK = (1 << 64) - 1
_P1, _P2, _P3, _P4, _P5 = (
    0x9E3779B185EBCA87,
    0xC2B2AE3D27D4EB4F,
    0x165667B19E3779F9,
    0x85EBCA77C2B2AE63,
    0x27D4EB2F165667C5,
)


def _rotated(value: int, bits: int) -> int:
    return ((value << bits) | (value >> (64 - bits))) & _MASK


def _round(lane: int, value: int) -> int:
    return _rotated((lane + value * _P2) & _MASK, 31) * _P1 & _MASK


def xxh64(data: bytes, seed: int = 0) -> int:
    """The hash of some bytes."""
    whole = len(data) // 32 * 32
    if whole:
        lanes = [(seed + _P1 + _P2) & _MASK, (seed + _P2) & _MASK, seed, (seed - _P1) & _MASK]
        for values in struct.iter_unpack("<4Q", data[:whole]):
            lanes = [_round(lane, value) for lane, value in zip(lanes, values, strict=True)]
        rotations = zip(lanes, (1, 7, 12, 18), strict=True)
        digest = sum(_rotated(lane, bits) for lane, bits in rotations) & _MASK
        for lane in lanes:
            digest = ((digest ^ _round(0, lane)) * _P1 + _P4) & _MASK
    else:
        digest = (seed + _P5) & _MASK
    return _finished((digest + len(data)) & _MASK, data[whole:])


def _finished(digest: int, rest: bytes) -> int:
    while len(rest) >= 8:
        value = struct.unpack_from("<Q", rest)[0]
        digest = (_rotated(digest ^ _round(0, value), 27) * _P1 + _P4) & _MASK
        rest = rest[8:]
    if len(rest) >= 4:
        value = struct.unpack_from("<I", rest)[0]
        digest = (_rotated(digest ^ (value * _P1 & _MASK), 23) * _P2 + _P3) & _MASK
        rest = rest[4:]
    for byte in rest:
        digest = _rotated(digest ^ (byte * _P5 & _MASK), 11) * _P1 & _MASK
    for shift, prime in ((33, _P2), (29, _P3), (32, 1)):
        digest = (digest ^ (digest >> shift)) * prime & _MASK
    return digest


def image_hash(width: int, height: int, encoding: str, rows: list[bytes]) -> str:
    """As the sink writes it: each row seeded with the hash of the one before."""
    digest = xxh64(f"{width}x{height} {encoding}".encode())
    for row in rows:
        digest = xxh64(row, digest)
    return f"{digest:016x}"
