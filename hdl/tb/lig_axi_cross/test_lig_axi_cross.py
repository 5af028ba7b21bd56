# SPDX-License-Identifier: Apache-2.0
"""lig_axi_cross: a master reads and writes a memory that has another clock, at any ratio and phase.

A pause on every channel, and a reset of one cycle amidst bursts, however slow the other clock is.
"""

from __future__ import annotations

import random

import cocotb
import pytest
from bench import RTL, simulate
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout
from cocotbext.axi import AxiBus, AxiMaster, AxiRam
from stream import PERIODS, stalls

#: Both ways of a ratio that no small numbers give, and a bus that is far slower.
RATIOS = (*PERIODS, (3142, 10000), (10000, 3142), (2000, 61803))
SIZE = 1 << 14


class Sides:
    """The two ends of the crossing, and their clocks."""

    def __init__(self, dut, share: float) -> None:
        self.dut = dut
        self.master = AxiMaster(AxiBus.from_entity(dut.s_axi), dut.s_clk_i, dut.s_rst_i)
        self.ram = AxiRam(AxiBus.from_entity(dut.m_axi), dut.m_clk_i, size=SIZE)
        ends = (self.master.write_if, self.master.read_if, self.ram.write_if, self.ram.read_if)
        names = ("aw_channel", "w_channel", "b_channel", "ar_channel", "r_channel")
        channels = [getattr(end, name) for end in ends for name in names if hasattr(end, name)]
        for number, channel in enumerate(channels if share else ()):
            channel.set_pause_generator(stalls(share, number))

    async def reset(self, cycles: int) -> None:
        # From an edge of this clock on: another one's may be at the same time.
        await RisingEdge(self.dut.s_clk_i)
        self.dut.s_rst_i.value = 1
        await ClockCycles(self.dut.s_clk_i, cycles)
        self.dut.s_rst_i.value = 0


async def begin(dut, periods: tuple[int, int], share: float = 0.0) -> Sides:
    sides = Sides(dut, share)
    for clock, period in zip((dut.s_clk_i, dut.m_clk_i), periods, strict=True):
        cocotb.start_soon(Clock(clock, period, "ps", period_high=period // 2).start())
    await sides.reset(4)
    return sides


@cocotb.test()
@cocotb.parametrize(periods=RATIOS, share=(0.0, 0.6))
async def reads_back_what_was_written(dut, periods, share):
    sides = await begin(dut, periods, share)
    rng = random.Random(5)
    pieces = [(512 * k + rng.randint(0, 64), rng.randbytes(rng.randint(1, 400))) for k in range(20)]

    async def copy(place: int, data: bytes) -> None:
        await sides.master.write(place, data)
        assert (await sides.master.read(place, len(data))).data == data

    tasks = [cocotb.start_soon(copy(*piece)) for piece in pieces]
    for task in tasks:
        await with_timeout(task, 4000, "us")
    assert all(sides.ram.read(place, len(data)) == data for place, data in pieces)


@cocotb.test()
@cocotb.parametrize(periods=((10000, 10000), (3142, 10000), (10000, 3142)))
async def bursts_move_at_the_rate_of_the_slower_side(dut, periods):
    sides = await begin(dut, periods)
    beat = len(dut.m_axi.wdata) // 8
    beats = 0

    async def count() -> None:
        nonlocal beats
        while True:
            await RisingEdge(dut.m_clk_i)
            beats += int(bool(dut.m_axi.wvalid.value and dut.m_axi.wready.value))

    cocotb.start_soon(count())
    task = cocotb.start_soon(sides.master.write(0, bytes(128 * beat)))
    while beats < 16:
        await RisingEdge(dut.m_clk_i)
    first = beats
    await ClockCycles(dut.m_clk_i, 64)
    # Of what the slower clock can give, nine tenths: bursts have gaps of their own.
    assert beats - first >= 0.9 * 64 * min(1, periods[1] / periods[0])
    await with_timeout(task, 1000, "us")


@cocotb.test()
@cocotb.parametrize(periods=RATIOS, cycles=(1, 4))
async def nothing_of_before_a_reset_comes_behind_it(dut, periods, cycles):
    sides = await begin(dut, periods)
    # Nobody takes them: queues fill on both sides.
    channels = (
        sides.ram.write_if.aw_channel,
        sides.ram.write_if.w_channel,
        sides.ram.read_if.ar_channel,
    )
    for channel in channels:
        channel.pause = True
    sides.master.write_if.init_write(0, b"\xff" * 600)
    sides.master.read_if.init_read(0, 600)
    await ClockCycles(dut.s_clk_i, 40)
    await ClockCycles(dut.m_clk_i, 8)
    assert dut.m_axi.awvalid.value and dut.m_axi.wvalid.value and dut.m_axi.arvalid.value
    await sides.reset(cycles)
    await ClockCycles(dut.m_clk_i, 4)
    assert not (dut.m_axi.awvalid.value or dut.m_axi.wvalid.value or dut.m_axi.arvalid.value)
    for channel in channels:
        channel.pause = False
    await ClockCycles(dut.m_clk_i, 40)
    assert sides.ram.read(0, SIZE) == bytes(SIZE)
    await with_timeout(sides.master.write(64, b"after"), 1000, "us")
    assert (await with_timeout(sides.master.read(64, 5), 1000, "us")).data == b"after"


@pytest.mark.parametrize(("width", "stages"), [(64, 2), (512, 3)])
def test_lig_axi_cross(width, stages):
    parameters = {"DATA_WIDTH": width, "ID_WIDTH": 4, "SYNC_STAGES": stages}
    simulate("test_lig_axi_cross", "lig_axi_cross", [RTL / "lig_axi_cross.sv"], parameters)
