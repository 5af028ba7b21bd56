# SPDX-License-Identifier: Apache-2.0
"""lig_axi_mux, lig_axi_read, lig_axi_write and lig_port_stats: masters copy pieces of one memory.

The memory model refuses bursts across 4096 bytes and write data that do not follow their
announcement; `rule reserved` of lig_axi_read ends a run in which read data had to wait.
"""

from __future__ import annotations

import os
import random
import struct
from pathlib import Path

import cocotb
import pytest
from bench import RTL, simulate
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge, with_timeout
from memory import Events, Ram, Words
from stream import STALLS, scopes, stalls, start

MODULES = (
    "lig_axi_mux", "lig_axi_read", "lig_axi_write", "lig_port_stats", "lig_arbiter", "lig_fifo",
    "lig_axis_rules",
)  # fmt: skip
OUTSTANDING = int(os.environ.get("OUTSTANDING", "4"))
GUARD = 0xEE
#: A piece's share of memory: source and copy of each master.
PIECE = 0x2000


class Copier:
    def __init__(self, dut, index: int) -> None:
        scope = scopes(dut, "c")[index]
        self.scope = scope
        self.source, self.copy = 2 * index * PIECE, (2 * index + 1) * PIECE
        self.begin, self.end = Words(scope, "from", dut), Words(scope, "to", dut)
        self.done = Events(scope, "done", dut).sink
        self.beat = len(scope.data) // 8

    async def run(self, ram: Ram, offset: int, beats: int, seed: int) -> bool:
        """Copy a piece; whether memory had an error while writing it."""
        data = random.Random(seed).randbytes(beats * self.beat)
        ram.put(self.source + offset, data)
        ram.put(self.copy, bytes([GUARD]) * PIECE)
        self.begin.put(struct.pack("<QI", self.source + offset, beats))
        self.end.put(struct.pack("<QI", self.copy + offset, beats))
        failed = bool(bytes((await with_timeout(self.done.recv(), 400, "us")).tdata)[0])
        if not failed and not ram.reads.fault:
            assert ram.get(self.copy + offset, len(data)) == data
            around = ram.get(self.copy, PIECE)
            assert set(around[:offset] + around[offset + len(data) :]) <= {GUARD}
        return failed


async def begin(dut) -> tuple[Ram, list[Copier]]:
    dut.clear_i.value = 0
    ram = Ram(dut, 16 * PIECE)
    copiers = [Copier(dut, i) for i in range(len(scopes(dut, "c")))]
    await start(dut)
    return ram, copiers


async def watch(dut, most: dict[str, int]) -> None:
    """Reads in flight, per master and together: never more than allowed."""
    asked = [0] * len(scopes(dut, "c"))
    while True:
        await RisingEdge(dut.clk_i)
        await ReadOnly()
        if dut.m_axi.arvalid.value and dut.m_axi.arready.value:
            asked[int(dut.m_axi.arid.value)] += 1
        if dut.m_axi.rvalid.value and dut.m_axi.rready.value and dut.m_axi.rlast.value:
            asked[int(dut.m_axi.rid.value)] -= 1
        most["one"] = max(most["one"], *asked)


@cocotb.test()
@cocotb.parametrize(share=STALLS)
async def copies_pieces_of_all_masters(dut, share):
    ram, copiers = await begin(dut)
    for number, channel in enumerate(ram.channels.values()):
        channel.set_pause_generator(stalls(share, number))
    most = {"one": 0}
    cocotb.start_soon(watch(dut, most))
    rng = random.Random(3)
    beats = 0

    async def work(copier: Copier, plan: list[tuple[int, int]]) -> None:
        for number, (offset, count) in enumerate(plan):
            assert not await copier.run(ram, offset, count, number)

    tasks = []
    for copier in copiers:
        # One beat; across 4096 bytes; the rest at random.
        plan = [(0, 1), (4096 - 64, 128 // copier.beat + 1)]
        plan += [(64 * rng.randint(0, 20), rng.randint(1, 40)) for _ in range(6)]
        beats += sum(count for _, count in plan)
        tasks.append(cocotb.start_soon(work(copier, plan)))
    for task in tasks:
        await with_timeout(task, 2000, "us")
    await ClockCycles(dut.clk_i, 2)
    assert int(dut.reads_o.value) == int(dut.writes_o.value) == beats
    busy = int(dut.busy_o.value)
    assert busy >= beats / 2
    assert most["one"] <= OUTSTANDING
    # Idle: nothing is counted; cleared: nothing is there.
    await ClockCycles(dut.clk_i, 20)
    assert int(dut.busy_o.value) == busy
    dut.clear_i.value = 1
    await ClockCycles(dut.clk_i, 2)
    assert dut.busy_o.value == dut.reads_o.value == dut.writes_o.value == 0


@cocotb.test()
async def keeps_several_bursts_in_flight(dut):
    """Memory does not answer: as many bursts are asked for as the limit and the queue allow."""
    ram, copiers = await begin(dut)
    ram.reads.r_channel.pause = True
    ram.reads.ar_channel.queue_occupancy_limit = -1
    copier = copiers[-1]
    burst = int(os.environ.get("BURST_BEATS", "16"))
    beats = min(16 * burst, PIECE // copier.beat)
    task = cocotb.start_soon(copier.run(ram, 0, beats, 1))
    asked = 0
    for _ in range(200):
        await RisingEdge(dut.clk_i)
        asked += int(dut.m_axi.arvalid.value) and int(dut.m_axi.arready.value)
    depth = int(os.environ.get("DEPTH", "64"))
    assert asked == min(OUTSTANDING, depth // burst, beats // burst)
    ram.reads.r_channel.pause = False
    assert not await with_timeout(task, 400, "us")


@cocotb.test()
async def tells_each_error_to_its_master(dut):
    ram, copiers = await begin(dut)
    guilty = copiers[-1]
    ram.writes.fault = range(guilty.copy + 8 * guilty.beat, guilty.copy + 8 * guilty.beat + 1)
    tasks = [cocotb.start_soon(copier.run(ram, 0, 30, 5)) for copier in copiers]
    for copier, task in zip(copiers, tasks, strict=True):
        assert await with_timeout(task, 400, "us") == (copier is guilty)
    ram.writes.fault = range(0)
    assert not await guilty.run(ram, 0, 30, 6)
    assert guilty.scope.errors.value == 0
    ram.reads.fault = range(guilty.source, guilty.source + 1)
    await guilty.run(ram, 0, 3, 7)
    assert guilty.scope.errors.value == 1


@cocotb.test()
async def forgets_at_reset(dut):
    ram, copiers = await begin(dut)
    for copier in copiers:
        copier.begin.put(struct.pack("<QI", copier.source, 100))
        copier.end.put(struct.pack("<QI", copier.copy, 100))
    await ClockCycles(dut.clk_i, 40)
    dut.rst_i.value = 1
    await ClockCycles(dut.clk_i, 3)
    dut.rst_i.value = 0
    for copier in copiers:
        copier.done.clear()
    await ClockCycles(dut.clk_i, 3)
    for copier in copiers:
        assert not await copier.run(ram, 64, 20, 9)


@pytest.mark.parametrize(
    ("width", "masters", "burst", "depth", "outstanding"),
    [(64, 3, 16, 64, 8), (128, 1, 1, 2, 2), (512, 2, 64, 256, 2)],
)
def test_lig_axi_mux(width, masters, burst, depth, outstanding):
    files = [
        Path(__file__).with_name("lig_axi_mux_tb.sv"),
        *(RTL / f"{name}.sv" for name in MODULES),
    ]
    parameters = {
        "DATA_WIDTH": width,
        "MASTERS": masters,
        "BURST_BEATS": burst,
        "DEPTH": depth,
        "OUTSTANDING": outstanding,
        "PENDING": 2,
    }
    environment = {
        "OUTSTANDING": str(outstanding),
        "DEPTH": str(depth),
        "BURST_BEATS": str(burst),
    }
    simulate("test_lig_axi_mux", "lig_axi_mux_tb", files, parameters, environment=environment)
