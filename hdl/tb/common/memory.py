# SPDX-License-Identifier: Apache-2.0
"""Memory behind an AXI4 port with faults, and what software says to the ends of a topic in it."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum

from cocotbext.axi import (
    AxiBus,
    AxiRamRead,
    AxiRamWrite,
    AxiStreamBus,
    AxiStreamSink,
    AxiStreamSource,
)

#: Of a hardware header (spec/wire/stream.md, section 2).
HEADER = struct.Struct("<IHBBQ")
SOFTWARE = 64


class Status(IntEnum):
    """As status_e of lig_transfer_pkg."""

    DONE = 0
    RECALLED = 1
    LOOP = 2
    TOO_LONG = 3
    MALFORMED = 4
    BUS_ERROR = 5
    LATE = 6


@dataclass(frozen=True)
class Event:
    """What an end tells of a send or a room."""

    status: Status
    tag: int
    header: bytes

    @property
    def length(self) -> int:
        return int.from_bytes(self.header[:4], "little")


def header_of(
    length: int, pad: int = 0, publisher: int = 0, topic: int = 7, kind: int = 0
) -> bytes:
    """Sequence number and time are any."""
    return HEADER.pack(length, 0x1234, publisher, pad | kind << 6, 0x00A1A2A3A4A5A6A7 | topic << 56)


def frame_of(message: bytes, beat: int, pad: int = 0, **of_header: int) -> bytes:
    """The frame of a message: the header filled up to whole beats, padding, message."""
    header = header_of(len(message), pad, **of_header)
    return header.ljust(-(-16 // beat) * beat, b"\0") + bytes(pad) + message


def send_of(tag: int, address: int, header: bytes) -> bytes:
    """As send_t lies on its port."""
    return header + struct.pack("<QH", address, tag)


def room_of(tag: int, address: int, capacity: int) -> bytes:
    """As room_t lies on its port."""
    return struct.pack("<QIH", address, capacity, tag)


def event_of(data: bytes) -> Event:
    """From event_t."""
    return Event(Status(data[18]), int.from_bytes(data[16:18], "little"), bytes(data[:16]))


class FaultyRead(AxiRamRead):
    """Answers with an error in [begin, end) of `fault`."""

    fault = range(0)

    async def _read(self, address, length):
        if address in self.fault:
            raise ValueError("fault")
        return await super()._read(address, length)


class FaultyWrite(AxiRamWrite):
    """The same for writing."""

    fault = range(0)

    async def _write(self, address, data):
        if address in self.fault:
            raise ValueError("fault")
        await super()._write(address, data)


class Ram:
    """A memory port: stalls of each channel, faults, content."""

    def __init__(self, dut, size: int = 1 << 16) -> None:
        bus = AxiBus.from_entity(dut.m_axi)
        self.writes = FaultyWrite(bus.write, dut.clk_i, dut.rst_i, size=size)
        self.reads = FaultyRead(bus.read, dut.clk_i, dut.rst_i, size=size, mem=self.writes.mem)
        self.channels = {
            "ar": self.reads.ar_channel, "r": self.reads.r_channel,
            "aw": self.writes.aw_channel, "w": self.writes.w_channel, "b": self.writes.b_channel,
        }  # fmt: skip

    def put(self, address: int, data: bytes) -> None:
        self.writes.write(address, data)

    def get(self, address: int, length: int) -> bytes:
        return bytes(self.writes.read(address, length))


class Words:
    """A port of one word per transfer (NAME_tvalid, _tready, _tdata), as a source of words."""

    def __init__(self, scope, name: str, dut) -> None:
        self.source = AxiStreamSource(AxiStreamBus.from_prefix(scope, name), dut.clk_i, dut.rst_i)

    def put(self, word: bytes) -> None:
        self.source.send_nowait(word)


class Events:
    """The same as a sink of events."""

    def __init__(self, scope, name: str, dut) -> None:
        self.sink = AxiStreamSink(AxiStreamBus.from_prefix(scope, name), dut.clk_i, dut.rst_i)

    def count(self) -> int:
        return self.sink.count()

    async def next(self) -> Event:
        return event_of(bytes((await self.sink.recv()).tdata))
