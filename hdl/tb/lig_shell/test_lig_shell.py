# SPDX-License-Identifier: Apache-2.0
"""lig_shell: words with doorbells, events with an interrupt, what is refused, and counters."""

from __future__ import annotations

import os
from pathlib import Path

import cocotb
import pytest
from bench import RTL, simulate
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp
from memory import Events, Words, header_of, room_of, send_of
from stream import STALLS, scopes, stalls, start

HEADER_LOW, HEADER_HIGH, ADDRESS, SEND, ROOM_ADDRESS, ROOM = 0x00, 0x08, 0x10, 0x18, 0x20, 0x28
SENT, STORED, CONTROL, STATE, DROPS = 0x30, 0x48, 0x60, 0x68, 0x70
GLOBAL = 0xFF00
PAGE, ENTRY, REFUSED, REFUSED_ADDRESS = 0x30, 0x38, 0x40, 0x48
#: Whether the port goes through a table of pages.
PAGES = os.environ.get("PAGES") == "1"
RECALL, INTERRUPT = 1, 2
LATE, SEND_LOST, ROOM_LOST, SEND_READY, ROOM_READY = 1, 2, 4, 1 << 8, 1 << 9


class Software:
    """Register accesses."""

    def __init__(self, dut) -> None:
        self.port = AxiLiteMaster(AxiLiteBus.from_entity(dut.s_axil), dut.clk_i, dut.rst_i)

    def stall(self, share: float) -> None:
        write, read = self.port.write_if, self.port.read_if
        channels = (
            write.aw_channel,
            write.w_channel,
            write.b_channel,
            read.ar_channel,
            read.r_channel,
        )
        for number, channel in enumerate(channels):
            channel.set_pause_generator(stalls(share, number))

    async def write(self, end: int, place: int, value: int) -> bool:
        """Whether it was accepted."""
        data = value.to_bytes(8, "little")
        response = await with_timeout(self.port.write(end << 8 | place, data), 100, "us")
        return response.resp == AxiResp.OKAY

    async def read(self, end: int, place: int) -> int:
        response = await with_timeout(self.port.read(end << 8 | place, 8), 100, "us")
        assert response.resp == AxiResp.OKAY
        return int.from_bytes(response.data, "little")

    async def send(self, end: int, word: bytes) -> bool:
        """As send_t lies: header, address, tag."""
        for place in (HEADER_LOW, HEADER_HIGH, ADDRESS):
            assert await self.write(end, place, int.from_bytes(word[place : place + 8], "little"))
        return await self.write(end, SEND, int.from_bytes(word[24:], "little"))

    async def lend(self, end: int, tag: int, address: int, capacity: int) -> bool:
        assert await self.write(end, ROOM_ADDRESS, address)
        return await self.write(end, ROOM, capacity << 32 | tag)

    async def event(self, end: int, place: int) -> bytes | None:
        """As event_t lies: header, tag, status; None: there is none."""
        header = b"".join(
            [(await self.read(end, place + half)).to_bytes(8, "little") for half in (0, 8)]
        )
        word = await self.read(end, place + 16)
        return header + word.to_bytes(8, "little")[:3] if word >> 63 else None

    async def taken(self, end: int, place: int) -> bytes | None:
        """An event without looking at its header first, which could be that of the next one."""
        word = await self.read(end, place + 16)
        return bytes(16) + word.to_bytes(8, "little")[:3] if word >> 63 else None


async def begin(dut) -> tuple[Software, list]:
    dut.late_i.value = 0
    dut.page_ready_i.value = 1
    software = Software(dut)
    ends = scopes(dut, "e")
    await start(dut)
    return software, ends


async def again(action, *arguments):
    """Until it gives something: what software does with a full queue or an event on its way."""
    for _ in range(100):
        if (value := await action(*arguments)) not in (None, False):
            return value
    raise AssertionError(f"{action.__name__} gave nothing in 100 attempts")


@cocotb.test()
@cocotb.parametrize(share=STALLS)
async def passes_words_and_events_of_every_end(dut, share):
    software, ends = await begin(dut)
    software.stall(share)
    for number, scope in enumerate(ends):
        sends, rooms = Events(scope, "send", dut), Events(scope, "room", dut)
        sent, stored = Words(scope, "sent", dut), Words(scope, "stored", dut)
        for port in (sends.sink, rooms.sink, sent.source, stored.source):
            port.set_pause_generator(stalls(share, number))
        for tag in range(4):
            word = send_of(tag, 0x1122334455667740 + number, header_of(1000 + tag))
            place, capacity = 0x40 * tag, 0x80000000 + tag
            await again(software.send, number, word)
            await again(software.lend, number, tag, place, capacity)
            assert bytes((await sends.sink.recv()).tdata) == word
            assert bytes((await rooms.sink.recv()).tdata) == room_of(tag, place, capacity)
            for register, port in ((SENT, sent), (STORED, stored)):
                assert await software.event(number, register) is None
                told = header_of(tag + 1) + bytes([tag, 7, 3])
                port.put(told)
                await ClockCycles(dut.clk_i, 20)
                assert (await again(software.taken, number, register))[16:] == told[16:]
                assert await software.event(number, register) is None


@cocotb.test()
async def tells_header_tag_and_status_of_an_event(dut):
    software, ends = await begin(dut)
    sent, stored = Words(ends[-1], "sent", dut), Words(ends[-1], "stored", dut)
    last = len(ends) - 1
    words = [header_of(9) + bytes([1, 2, 6]), header_of(8) + bytes([3, 4, 1])]
    sent.put(words[0])
    stored.put(words[1])
    await ClockCycles(dut.clk_i, 10)
    assert await software.read(0xFF, 0x20) == 1 << last
    assert await software.read(0xFF, 0x28) == 1 << last
    assert await software.event(last, SENT) == words[0]
    assert await software.event(last, STORED) == words[1]
    assert await software.read(0xFF, 0x20) == await software.read(0xFF, 0x28) == 0


@cocotb.test()
async def a_doorbell_that_finds_the_queue_full_is_told(dut):
    software, ends = await begin(dut)
    sends, rooms = Events(ends[0], "send", dut), Events(ends[0], "room", dut)
    sends.sink.pause = rooms.sink.pause = True
    assert await software.read(0, STATE) == SEND_READY | ROOM_READY
    taken = 0
    while await software.send(0, send_of(taken, 0, header_of(5))):
        assert await software.lend(0, taken, 0, 64)
        taken += 1
        assert taken < 100
    assert not await software.lend(0, taken, 0, 64)
    assert await software.read(0, STATE) == SEND_LOST | ROOM_LOST
    assert await software.write(0, CONTROL, 0)
    assert await software.read(0, STATE) == 0
    sends.sink.pause = rooms.sink.pause = False
    for tag in range(taken):
        assert bytes((await sends.sink.recv()).tdata) == send_of(tag, 0, header_of(5))
        assert bytes((await rooms.sink.recv()).tdata) == room_of(tag, 0, 64)
    await ClockCycles(dut.clk_i, 20)
    assert sends.count() == rooms.count() == 0


@cocotb.test()
async def interrupts_where_it_is_allowed_and_recalls(dut):
    software, ends = await begin(dut)
    last = len(ends) - 1
    sent = Words(ends[last], "sent", dut)
    sent.put(header_of(1) + bytes(3))
    await ClockCycles(dut.clk_i, 10)
    assert not dut.irq_o.value
    assert await software.write(last, CONTROL, INTERRUPT)
    await ClockCycles(dut.clk_i, 3)
    assert dut.irq_o.value
    assert await software.event(last, SENT) is not None
    await ClockCycles(dut.clk_i, 3)
    assert not dut.irq_o.value
    assert dut.recall_o.value == 0
    assert await software.write(last, CONTROL, RECALL)
    assert int(dut.recall_o.value) == 1 << last
    assert await software.read(last, CONTROL) == RECALL


@cocotb.test()
async def counts_are_read_and_what_is_not_there_is_refused(dut):
    software, ends = await begin(dut)
    for number in range(len(ends)):
        assert await software.read(number, DROPS) == (200 + number) << 32 | (100 + number)
    assert [await software.read(0xFF, place) for place in (0x08, 0x10, 0x18)] == [1000, 900, 50]
    assert await software.read(0xFF, 0) & 0xFFFFFFFF == int.from_bytes(b"SGIL"[::-1], "big")
    dut.late_i.value = 1
    await ClockCycles(dut.clk_i, 1)
    assert await software.read(0, STATE) & LATE
    none = () if PAGES else (GLOBAL + REFUSED, GLOBAL + REFUSED_ADDRESS)
    for address in (GLOBAL + PAGE, len(ends) << 8 | STATE, 0x80, *none):
        response = await with_timeout(software.port.read(address, 8), 100, "us")
        assert response.resp == AxiResp.SLVERR
    for address, size in ((GLOBAL, 8), (len(ends) << 8 | CONTROL, 8), (SENT, 8), (CONTROL, 4)):
        response = await with_timeout(software.port.write(address, bytes([3] * size)), 100, "us")
        assert response.resp == AxiResp.SLVERR
    assert dut.recall_o.value == 0


async def watch_pages(dut, written: list[tuple[int, int]]) -> None:
    """Entries that the table takes."""
    while True:
        await RisingEdge(dut.clk_i)
        if dut.page_write_o.value and dut.page_ready_i.value:
            written.append((int(dut.page_o.value), int(dut.page_entry_o.value)))


@cocotb.test()
async def entries_of_pages_are_written_one_behind_the_other(dut):
    software, _ = await begin(dut)
    written: list[tuple[int, int]] = []
    cocotb.start_soon(watch_pages(dut, written))
    assert await software.write(0xFF, PAGE, 40) == PAGES
    entries = [number << 12 | 3 for number in range(5)]
    for entry in entries:
        assert await software.write(0xFF, ENTRY, entry) == PAGES
    dut.page_ready_i.value = 0
    assert not await software.write(0xFF, ENTRY, 7), "the table takes none there"
    dut.page_ready_i.value = 1
    assert await software.write(0xFF, ENTRY, 9) == PAGES
    await ClockCycles(dut.clk_i, 2)
    assert written == ([*enumerate(entries, 40), (45, 9)] if PAGES else [])
    if PAGES:
        assert await software.read(0xFF, REFUSED) == 1 << 40 | 5 << 32 | 7
        assert await software.read(0xFF, REFUSED_ADDRESS) == 0x123456789ABCD000
    half = await with_timeout(software.port.write(GLOBAL + ENTRY, bytes(4)), 100, "us")
    assert half.resp == AxiResp.SLVERR


@cocotb.test()
async def forgets_at_reset(dut):
    software, ends = await begin(dut)
    sends = Events(ends[0], "send", dut)
    sends.sink.pause = True
    assert await software.send(0, send_of(1, 0, header_of(5)))
    assert await software.write(0, CONTROL, RECALL)
    dut.rst_i.value = 1
    await ClockCycles(dut.clk_i, 3)
    dut.rst_i.value = 0
    sends.sink.pause = False
    await ClockCycles(dut.clk_i, 20)
    assert sends.count() == 0
    assert dut.recall_o.value == 0
    assert await software.send(0, send_of(2, 0, header_of(5)))
    assert bytes((await with_timeout(sends.sink.recv(), 10, "us")).tdata)[-2] == 2


@pytest.mark.parametrize(("ends", "queue", "pages"), [(1, 2, 1), (3, 4, 0)])
def test_lig_shell(ends, queue, pages):
    packages = [RTL / f"{name}.sv" for name in ("lig_stream_pkg", "lig_transfer_pkg")]
    bench = Path(__file__).with_name("lig_shell_tb.sv")
    modules = [
        RTL / f"{name}.sv" for name in ("lig_axil_if", "lig_shell", "lig_queue", "lig_axis_rules")
    ]
    parameters = {"ENDS": ends, "QUEUE": queue, "PAGES": pages}
    simulate("test_lig_shell", "lig_shell_tb", [*packages, bench, *modules], parameters)
