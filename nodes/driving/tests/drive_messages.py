# SPDX-License-Identifier: Apache-2.0
"""The driving nodes' small messages as field streams, and cores that answer each by itself."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

import cocotb
from cocotb.triggers import with_timeout
from image_bench import BROKEN, COUNT, DONE, HEADER_REST, VALUES, Beat, Port

SECOND_NS = 1_000_000_000
#: `Nothing` of lig_fields_pkg: the core has no answer.
NOTHING = 9
DONE_BEAT = Beat(0, 1, DONE, 0, last=True)


def broken(code: int) -> Beat:
    """The end of a message that is not valid."""
    return Beat(code, 1, BROKEN, 0, last=True)


def _values(number: int, data: bytes) -> list[Beat]:
    pieces = [data[i : i + 8] for i in range(0, len(data), 8)]
    return [Beat(int.from_bytes(p, "little"), (1 << len(p)) - 1, VALUES, number) for p in pieces]


def stamp_fields(stamp_ns: int, loose: bool = False) -> list[Beat]:
    """Seconds and nanoseconds; `loose`: a second more in the nanoseconds."""
    sec, nanosec = divmod(stamp_ns, SECOND_NS)
    if loose:
        sec, nanosec = sec - 1, nanosec + SECOND_NS
    return [*_values(0, struct.pack("<i", sec)), *_values(1, struct.pack("<I", nanosec))]


def _name(text: str) -> list[Beat]:
    return [Beat(len(text), 0x0F, COUNT, 2), *_values(2, text.encode())]


def polygon(
    stamp_ns: int, points: Sequence[tuple[float, float]], loose: bool = False
) -> list[Beat]:
    """A geometry_msgs/PolygonStamped as lig_unpack gives it."""
    beats = [*stamp_fields(stamp_ns, loose), *_name("base_link"), Beat(len(points), 0x0F, COUNT, 3)]
    for point in points:
        for number, value in zip((4, 5, 6), (*point, 0.0), strict=True):
            beats += _values(number, struct.pack("<f", value))
    return [*beats, DONE_BEAT]


def point_stamped(stamp_ns: int, loose: bool = False, z: float = 7.5) -> list[Beat]:
    """A geometry_msgs/PointStamped of that time."""
    places = zip((3, 4, 5), (4.5, 6.0, z), strict=True)
    numbers = [beat for n, value in places for beat in _values(n, struct.pack("<d", value))]
    return [*stamp_fields(stamp_ns, loose), *_name("camera"), *numbers, DONE_BEAT]


def time(stamp_ns: int) -> list[Beat]:
    """A builtin_interfaces/Time."""
    return [*stamp_fields(stamp_ns), DONE_BEAT]


@dataclass
class Answer:
    """What came: the bytes of each field, or the code of a Broken beat."""

    fields: dict[int, bytes]
    counts: dict[int, int]
    problem: int | None
    length: int

    @property
    def stamp_ns(self) -> int:
        sec, nanosec = struct.unpack("<iI", self.fields[0] + self.fields[1])
        assert nanosec < SECOND_NS
        return int(sec * SECOND_NS + nanosec)


async def ask(dut, port: str, beats: Sequence[Beat], stall: float = 0.0, seed: int = 1) -> Answer:
    """Send one message to an input of a core with one output, and wait for what it answers."""
    return (await ask_each(dut, port, beats, stall, seed, several=False))[0]


async def ask_each(
    dut, port: str, beats: Sequence[Beat], stall: float = 0.0, seed: int = 1, several: bool = True
) -> list[Answer]:
    """The same of a core that may answer with several messages.

    The last element is no message: it has the code of the Broken beat that ends the answer.
    """
    tx, rx = Port(dut, port, stall, seed), Port(dut, "m_axis", stall, seed + 1)
    getattr(dut, port).header.value = HEADER_REST | 0x155
    sending = cocotb.start_soon(tx.send(beats))
    answers: list[Answer] = []
    while not answers or (several and answers[-1].problem is None):
        got = await with_timeout(rx.receive(), 50, "ms")
        answers.append(read(got, rx.header))
    await with_timeout(sending, 50, "ms")
    return answers


def read(beats: Sequence[Beat], header: int) -> Answer:
    """The answer; a message that is broken amidst its fields is an error here."""
    last = beats[-1]
    if last.kind == BROKEN:
        assert len(beats) == 1, "it had begun to say something"
        return Answer({}, {}, last.data, 0)
    assert last.kind == DONE
    fields: dict[int, bytes] = {}
    counts: dict[int, int] = {}
    for beat in beats[:-1]:
        if beat.kind == COUNT:
            counts[beat.field] = beat.data
        else:
            size = beat.keep.bit_length()
            assert beat.keep == (1 << size) - 1, "holes in tkeep"
            data = beat.data.to_bytes(8, "little")
            assert not any(data[size:]), "a lane that is not kept is not 0"
            fields[beat.field] = fields.get(beat.field, b"") + data[:size]
    assert header >> 32 == HEADER_REST >> 32, "the header is another one"
    return Answer(fields, counts, None, header & 0xFFFF_FFFF)
