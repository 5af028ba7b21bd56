# SPDX-License-Identifier: Apache-2.0
"""lig_afifo: nothing lost between clocks of any ratio and phase."""

from __future__ import annotations

import random

import cocotb
import pytest
from bench import RTL, simulate
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, with_timeout
from stream import frames_of, lanes, receive, sink, source, stalls

#: Periods in ps: equal, faster in, faster out, nearly equal (the phase drifts through all values).
PERIODS = ((10000, 10000), (4000, 11000), (13000, 3000), (10000, 10006))


async def prepare(dut, s_ps: int, m_ps: int):
    tx = source(dut, "s_axis", dut.s_clk_i, dut.s_rst_i)
    rx = sink(dut, "m_axis", dut.m_clk_i, dut.m_rst_i)
    cocotb.start_soon(Clock(dut.s_clk_i, s_ps, "ps", period_high=s_ps // 2).start())
    cocotb.start_soon(Clock(dut.m_clk_i, m_ps, "ps", period_high=m_ps // 2).start())
    await reset(dut)
    return tx, rx


async def reset(dut) -> None:
    dut.s_rst_i.value = 1
    dut.m_rst_i.value = 1
    await ClockCycles(dut.s_clk_i, 20)
    await ClockCycles(dut.m_clk_i, 20)
    dut.m_rst_i.value = 0
    await ClockCycles(dut.s_clk_i, 2)
    dut.s_rst_i.value = 0


@cocotb.test()
@cocotb.parametrize(periods=PERIODS, stall=(0.0, 0.6))
async def passes_frames(dut, periods, stall):
    tx, rx = await prepare(dut, *periods)
    tx.set_pause_generator(stalls(stall, 1))
    rx.set_pause_generator(stalls(stall, 2))
    frames = frames_of(random.Random(7), 16, lanes(dut), 24)
    for frame in frames:
        tx.send_nowait(frame)
    assert await with_timeout(receive(rx, len(frames)), 500, "us") == frames


@cocotb.test()
async def fills_and_forgets_at_reset(dut):
    tx, rx = await prepare(dut, 7000, 10000)
    rx.pause = True
    tx.send_nowait(bytes(100 * lanes(dut)))
    await ClockCycles(dut.s_clk_i, 60)
    assert not dut.s_axis_tready.value
    dut.s_rst_i.value = 1
    tx.clear()
    await reset(dut)
    rx.clear()
    rx.pause = False
    tx.send_nowait(b"after")
    assert await with_timeout(receive(rx, 1), 10, "us") == [b"after"]


@pytest.mark.parametrize(("width", "depth", "stages"), [(64, 16, 2), (512, 8, 3)])
def test_lig_afifo(width, depth, stages):
    parameters = {"DATA_WIDTH": width, "DEPTH": depth, "SYNC_STAGES": stages}
    simulate("test_lig_afifo", "lig_afifo", [RTL / "lig_afifo.sv"], parameters)
