# SPDX-License-Identifier: Apache-2.0
"""lig_axi_pages: bursts to scattered pages of memory, and none to what is not open to them.

What is contiguous on the masters' side lies in pages whose order in memory is drawn by chance; all
of memory that no page lies in keeps its bytes.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import cocotb
import pytest
from bench import RTL, simulate
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge, with_timeout
from cocotbext.axi import AxiBus, AxiMaster, AxiResp
from memory import Ram
from stream import STALLS, stalls, start

PAGES = int(os.environ.get("PAGES", "16"))
PAGE_BYTES = int(os.environ.get("PAGE_BYTES", "4096"))
BEAT = int(os.environ.get("DATA_WIDTH", "64")) // 8
ADDRESS_WIDTH = int(os.environ.get("ADDRESS_WIDTH", "40"))
#: Pages of memory; most of them are nobody's.
FRAMES = 4 * PAGES
GUARD = 0xEE
READ, WRITE = 1, 2


class Bench:
    def __init__(self, dut) -> None:
        self.dut = dut
        self.ram = Ram(dut, FRAMES * PAGE_BYTES)
        self.master = AxiMaster(AxiBus.from_entity(dut.s_axi), dut.clk_i, dut.rst_i)
        self.frames: list[int] = []
        self.rng = random.Random(7)

    async def set_page(self, page: int, frame: int, rights: int) -> bool:
        """Whether the entry was accepted."""
        dut = self.dut
        dut.page_i.value = page
        dut.page_entry_i.value = frame * PAGE_BYTES | rights
        dut.page_write_i.value = 1
        await ReadOnly()
        accepted = bool(dut.page_ready_o.value)
        await RisingEdge(dut.clk_i)
        dut.page_write_i.value = 0
        return accepted

    async def fill(self, rights: int = READ | WRITE) -> None:
        """Every page lies somewhere, none as in the order of the masters' addresses."""
        self.frames = self.rng.sample(range(FRAMES), PAGES)
        for page, frame in enumerate(self.frames):
            assert await self.set_page(page, frame, rights)

    def place(self, address: int) -> int:
        """Where a byte is in memory."""
        return self.frames[address // PAGE_BYTES] * PAGE_BYTES + address % PAGE_BYTES

    def put(self, address: int, data: bytes) -> None:
        for i, byte in enumerate(data):
            self.ram.put(self.place(address + i), bytes([byte]))

    def get(self, address: int, length: int) -> bytes:
        return b"".join(self.ram.get(self.place(address + i), 1) for i in range(length))

    async def read(self, address: int, length: int, id_: int = 0):
        return await with_timeout(self.master.read(address, length, arid=id_), 2, "ms")

    async def write(self, address: int, data: bytes, id_: int = 0):
        return await with_timeout(self.master.write(address, data, awid=id_), 2, "ms")


async def begin(dut, share: float = 0.0) -> Bench:
    dut.page_write_i.value = 0
    bench = Bench(dut)
    reads, writes = bench.master.read_if, bench.master.write_if
    own = (reads.ar_channel, reads.r_channel, writes.aw_channel, writes.w_channel, writes.b_channel)
    for number, channel in enumerate([*bench.ram.channels.values(), *own]):
        if share:
            channel.set_pause_generator(stalls(share, number))
    await start(dut)
    bench.ram.put(0, bytes([GUARD]) * (FRAMES * PAGE_BYTES))
    return bench


def span(rng: random.Random, share: range) -> tuple[int, int]:
    """A piece of whole beats: address and length."""
    at = rng.randrange(share.start, share.stop - BEAT, BEAT)
    most = min(share.stop - at, 40 * BEAT)
    return at, rng.randrange(BEAT, most + 1, BEAT)


@cocotb.test()
@cocotb.parametrize(share=STALLS)
async def gathers_and_scatters_both_ways_at_once(dut, share):
    """Each id has pages of its own for reading and for writing; pieces cross their borders."""
    bench = await begin(dut, share)
    await bench.fill()
    rng = random.Random(3)
    quarter = PAGES * PAGE_BYTES // 4
    content = rng.randbytes(2 * quarter)
    bench.put(0, content)
    wanted = bytearray([GUARD]) * (2 * quarter)

    async def reader(id_: int) -> None:
        own = range(id_ * quarter, (id_ + 1) * quarter)
        borders = range(own.start + PAGE_BYTES, own.stop, PAGE_BYTES)
        pieces = [(border - BEAT, 2 * BEAT) for border in borders]
        for at, length in pieces + [span(rng, own) for _ in range(12)]:
            answer = await bench.read(at, length, id_)
            assert answer.resp == AxiResp.OKAY
            assert answer.data == content[at : at + length]

    async def writer(id_: int) -> None:
        own = range((2 + id_) * quarter, (3 + id_) * quarter)
        for at, length in [(own.start + PAGE_BYTES - BEAT, 3 * BEAT)] + [
            span(rng, own) for _ in range(12)
        ]:
            data = rng.randbytes(length)
            assert (await bench.write(at, data, id_)).resp == AxiResp.OKAY
            wanted[at - 2 * quarter : at - 2 * quarter + length] = data

    tasks = [cocotb.start_soon(work(id_)) for id_ in (0, 1) for work in (reader, writer)]
    for task in tasks:
        await with_timeout(task, 20, "ms")
    assert bench.get(2 * quarter, 2 * quarter) == bytes(wanted)
    assert bench.get(0, 2 * quarter) == content
    for frame in set(range(FRAMES)) - set(bench.frames):
        assert set(bench.ram.get(frame * PAGE_BYTES, PAGE_BYTES)) == {GUARD}
    assert dut.refused_o.value == 0


@cocotb.test()
async def costs_a_cycle_and_no_rate(dut):
    """An announcement leaves in the cycle behind its coming, one per cycle, answered or not."""
    bench = await begin(dut)
    await bench.fill()
    bench.ram.reads.r_channel.pause = True
    bench.ram.reads.ar_channel.queue_occupancy_limit = -1
    tasks = [cocotb.start_soon(bench.read(i * PAGE_BYTES, BEAT, i % 4)) for i in range(8)]
    came, left = [], []
    for cycle in range(60):
        await RisingEdge(dut.clk_i)
        if dut.s_axi.arvalid.value and dut.s_axi.arready.value:
            came.append(cycle)
        if dut.m_axi.arvalid.value and dut.m_axi.arready.value:
            left.append(cycle)
    assert len(came) == 8
    assert left == [cycle + 1 for cycle in came]
    bench.ram.reads.r_channel.pause = False
    for task in tasks:
        assert (await task).resp == AxiResp.OKAY
    # At full rate data come in every cycle, across the borders of pages.
    beats = 3 * PAGE_BYTES // BEAT
    task = cocotb.start_soon(bench.read(PAGE_BYTES // 2, 3 * PAGE_BYTES))
    moved = []
    while len(moved) < beats:
        await RisingEdge(dut.clk_i)
        moved.append(bool(dut.s_axi.rvalid.value and dut.s_axi.rready.value))
        if not any(moved):
            moved.clear()
    await with_timeout(task, 1, "ms")
    assert sum(moved) >= 0.9 * beats


async def watch(dut, seen: list[int]) -> None:
    """Addresses that memory is told of."""
    while True:
        await RisingEdge(dut.clk_i)
        if dut.m_axi.arvalid.value and dut.m_axi.arready.value:
            seen.append(int(dut.m_axi.araddr.value))
        if dut.m_axi.awvalid.value and dut.m_axi.awready.value:
            seen.append(int(dut.m_axi.awaddr.value))


async def refused(dut) -> tuple[int, bool, int, int]:
    """How often, and of the last: whether it would have written, its id, its address."""
    await RisingEdge(dut.clk_i)  # told in the cycle behind the answer
    name = (dut.refused_write_o, dut.refused_id_o, dut.refused_address_o)
    write, id_, address = (int(signal.value) for signal in name)
    return int(dut.refused_o.value), bool(write), id_, address


@cocotb.test()
@cocotb.parametrize(share=STALLS)
async def refuses_what_is_not_open(dut, share):
    """Amidst bursts of others; what is refused is counted and named, and memory never hears it."""
    bench = await begin(dut, share)
    rng = random.Random(5)
    bench.frames = rng.sample(range(FRAMES), PAGES)
    # The last page was never written to the table; others are read-only, write-only, closed.
    rights = [READ | WRITE, READ, WRITE, 0] + [READ | WRITE] * (PAGES - 5)
    for page, right in enumerate(rights):
        assert await bench.set_page(page, bench.frames[page], right)
    content = rng.randbytes(16 * BEAT)
    bench.put(0, content)
    bench.put(PAGE_BYTES, content)
    seen: list[int] = []
    cocotb.start_soon(watch(dut, seen))

    async def others() -> None:
        for _ in range(12):
            answer = await bench.read(0, 16 * BEAT, 1)
            assert answer.resp == AxiResp.OKAY and answer.data == content
            data = rng.randbytes(5 * BEAT)
            assert (await bench.write(4 * PAGE_BYTES, data, 1)).resp == AxiResp.OKAY
            assert bench.get(4 * PAGE_BYTES, len(data)) == data

    busy = cocotb.start_soon(others())
    end = PAGES * PAGE_BYTES
    no_reads = [2 * PAGE_BYTES, 3 * PAGE_BYTES + 64, end - PAGE_BYTES, end, 1 << 40, 2**64 - 4096]
    no_writes = [PAGE_BYTES, 3 * PAGE_BYTES, end - 64, end + 64, 1 << 63]
    count = 0
    for address in no_reads:
        answer = await bench.read(address, 4 * BEAT if address % 4096 == 0 else BEAT, 2)
        count += 1
        assert answer.resp == AxiResp.DECERR
        assert await refused(dut) == (count, False, 2, address)
    for address in no_writes:
        answer = await bench.write(address, bytes(BEAT), 3)
        count += 1
        assert answer.resp == AxiResp.DECERR
        assert await refused(dut) == (count, True, 3, address)
    # What is open is still open: read-only, write-only.
    answer = await bench.read(PAGE_BYTES, 16 * BEAT, 2)
    assert answer.resp == AxiResp.OKAY and answer.data == content
    assert (await bench.write(2 * PAGE_BYTES, content, 3)).resp == AxiResp.OKAY
    assert bench.get(2 * PAGE_BYTES, len(content)) == content
    await with_timeout(busy, 10, "ms")
    assert (await refused(dut))[0] == count
    allowed = {bench.frames[page] for page in (0, 1, 2, 4)}
    assert {address // PAGE_BYTES for address in seen} <= allowed


@cocotb.test()
async def answers_of_one_master_stay_in_order(dut):
    """A refused burst between two that are answered late, all of one id."""
    bench = await begin(dut)
    await bench.fill()
    assert await bench.set_page(1, 0, 0)
    bench.put(0, b"a" * BEAT)
    bench.put(2 * PAGE_BYTES, b"b" * BEAT)
    bench.ram.reads.r_channel.pause = True
    bench.ram.writes.b_channel.pause = True
    got: list[tuple[str, AxiResp]] = []

    async def note(name: str, action) -> None:
        got.append((name, (await action).resp))

    tasks = []
    for name, page in (("first", 0), ("refused", 1), ("last", 2)):
        tasks.append(cocotb.start_soon(note(name, bench.read(page * PAGE_BYTES, BEAT, 3))))
        at = page * PAGE_BYTES + PAGE_BYTES - BEAT
        tasks.append(cocotb.start_soon(note(name, bench.write(at, b"c" * BEAT, 3))))
    await ClockCycles(dut.clk_i, 100)
    assert got == [] and (await refused(dut))[0] == 0
    bench.ram.reads.r_channel.pause = False
    bench.ram.writes.b_channel.pause = False
    for task in tasks:
        await with_timeout(task, 1, "ms")
    names = [name for name, _ in got]
    assert sorted(names, key=["first", "refused", "last"].index) == names
    assert {name for name, resp in got if resp == AxiResp.DECERR} == {"refused"}
    assert (await refused(dut))[0] == 2


@cocotb.test()
async def entries_follow_one_another_and_are_written_anew(dut):
    bench = await begin(dut)
    assert not await bench.set_page(1, 3, READ), "page 0 has never been written"
    assert (await bench.read(0, BEAT)).resp == AxiResp.DECERR
    await bench.fill()
    assert not await bench.set_page(PAGES, 3, READ), "the table is full"
    if ADDRESS_WIDTH < 64:
        beyond = 2**ADDRESS_WIDTH // PAGE_BYTES
        assert not await bench.set_page(0, beyond, READ), "addresses do not reach there"
    rng = random.Random(11)
    for _ in range(8):
        page, free = (
            rng.randrange(PAGES),
            rng.choice(sorted(set(range(FRAMES)) - set(bench.frames))),
        )
        old = bench.place(page * PAGE_BYTES)
        assert await bench.set_page(page, free, READ | WRITE)
        bench.frames[page] = free
        data = rng.randbytes(4 * BEAT)
        before = bench.ram.get(old, 4 * BEAT)
        assert (await bench.write(page * PAGE_BYTES, data)).resp == AxiResp.OKAY
        assert bench.ram.get(old, 4 * BEAT) == before
        assert bench.get(page * PAGE_BYTES, 4 * BEAT) == data
        assert (await bench.read(page * PAGE_BYTES, 4 * BEAT)).data == data


@cocotb.test()
async def forgets_at_reset(dut):
    """In the middle of bursts, one of them refused; no entry counts behind it."""
    bench = await begin(dut)
    await bench.fill()
    assert await bench.set_page(3, 0, 0)
    bench.ram.reads.r_channel.pause = True
    bench.ram.writes.b_channel.pause = True
    for page in range(4):
        cocotb.start_soon(bench.master.read(page * PAGE_BYTES, 30 * BEAT, arid=page))
        cocotb.start_soon(bench.master.write(page * PAGE_BYTES, bytes(30 * BEAT), awid=page))
    await ClockCycles(dut.clk_i, 50)
    dut.rst_i.value = 1
    await ClockCycles(dut.clk_i, 3)
    bench.ram.reads.r_channel.pause = False
    bench.ram.writes.b_channel.pause = False
    dut.rst_i.value = 0
    await ClockCycles(dut.clk_i, 3)
    assert await refused(dut) == (0, False, 0, 0)
    assert (await bench.read(0, BEAT)).resp == AxiResp.DECERR
    await bench.fill()
    data = bench.rng.randbytes(30 * BEAT)
    assert (await bench.write(PAGE_BYTES - 8 * BEAT, data, 1)).resp == AxiResp.OKAY
    answer = await bench.read(PAGE_BYTES - 8 * BEAT, len(data), 1)
    assert answer.resp == AxiResp.OKAY and answer.data == data


@pytest.mark.parametrize(
    ("width", "pages", "page_bytes", "address_width"),
    [(64, 16, 4096, 40), (512, 8, 16384, 64), (128, 64, 4096, 32)],
)
def test_lig_axi_pages(width, pages, page_bytes, address_width):
    files = [
        Path(__file__).with_name("lig_axi_pages_tb.sv"),
        RTL / "lig_axi_pages.sv",
        RTL / "lig_page_table.sv",
    ]
    parameters = {
        "DATA_WIDTH": width,
        "ID_WIDTH": 2,
        "PAGES": pages,
        "PAGE_BYTES": page_bytes,
        "ADDRESS_WIDTH": address_width,
    }
    simulate("test_lig_axi_pages", "lig_axi_pages_tb", files, parameters)
