# SPDX-License-Identifier: Apache-2.0
"""lig_axil_cross: registers behind a bus with another clock, and their interrupt."""

from __future__ import annotations

import os
import random

import cocotb
import pytest
from bench import RTL, simulate
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, with_timeout
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiLiteRam
from stream import PERIODS, stalls

CROSSES = os.environ.get("ENABLE", "1") == "1"
RATIOS = (*PERIODS, (3142, 10000), (10000, 3142), (61803, 2000)) if CROSSES else ((10000, 10000),)


async def begin(dut, periods, share: float) -> tuple[AxiLiteMaster, AxiLiteRam]:
    bus = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s"), dut.s_clk_i)
    registers = AxiLiteRam(AxiLiteBus.from_prefix(dut, "m"), dut.m_clk_i, size=1 << 12)
    ends = (bus.write_if, bus.read_if, registers.write_if, registers.read_if)
    names = ("aw_channel", "w_channel", "b_channel", "ar_channel", "r_channel")
    channels = [getattr(end, name) for end in ends for name in names if hasattr(end, name)]
    for number, channel in enumerate(channels if share else ()):
        channel.set_pause_generator(stalls(share, number))
    dut.m_irq_i.value = 0
    dut.m_rst_i.value = 1
    for clock, period in zip((dut.s_clk_i, dut.m_clk_i), periods, strict=True):
        cocotb.start_soon(Clock(clock, period, "ps", period_high=period // 2).start())
    await ClockCycles(dut.m_clk_i, 4)
    dut.m_rst_i.value = 0
    return bus, registers


@cocotb.test()
@cocotb.parametrize(periods=RATIOS, share=(0.0, 0.6))
async def reads_back_what_was_written(dut, periods, share):
    bus, registers = await begin(dut, periods, share)
    rng = random.Random(3)
    beat = len(dut.s_wdata) // 8
    for k in range(24):
        place, data = beat * rng.randrange(100), rng.randbytes(beat)
        await with_timeout(bus.write(place, data), 1000, "us")
        assert registers.read(place, beat) == data
        value = rng.randbytes(beat)
        registers.write(place, value)
        assert (await with_timeout(bus.read(place, beat), 1000, "us")).data == value
        dut.m_irq_i.value = k % 2
        await ClockCycles(dut.m_clk_i, 1)
        await ClockCycles(dut.s_clk_i, 6)
        assert int(dut.s_irq_o.value) == k % 2


@cocotb.test(skip=not CROSSES)
@cocotb.parametrize(periods=RATIOS)
async def the_bus_waits_while_the_registers_are_in_reset(dut, periods):
    bus, registers = await begin(dut, periods, 0.0)
    await with_timeout(bus.write(8, b"before"), 1000, "us")
    dut.m_rst_i.value = 1
    await ClockCycles(dut.m_clk_i, 2)
    await ClockCycles(dut.s_clk_i, 2)
    task = cocotb.start_soon(bus.write(16, b"during"))
    await ClockCycles(dut.s_clk_i, 20)
    assert not task.done()
    dut.m_rst_i.value = 0
    await with_timeout(task, 2000, "us")
    assert registers.read(16, 6) == b"during"


@pytest.mark.parametrize(("enable", "width", "stages"), [(1, 64, 2), (1, 32, 4), (0, 64, 2)])
def test_lig_axil_cross(enable, width, stages):
    parameters = {"ENABLE": enable, "DATA_WIDTH": width, "ADDRESS_WIDTH": 12, "SYNC_STAGES": stages}
    sources = [RTL / "lig_axil_cross.sv"]
    simulate(
        "test_lig_axil_cross",
        "lig_axil_cross",
        sources,
        parameters,
        environment={"ENABLE": str(enable)},
    )
