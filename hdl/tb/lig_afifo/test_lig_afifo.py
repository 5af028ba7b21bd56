# SPDX-License-Identifier: Apache-2.0
"""lig_afifo: nothing lost between clocks of any ratio and phase."""

from __future__ import annotations

import random

import cocotb
import pytest
import stream
from bench import RTL, simulate
from cocotb.triggers import ClockCycles
from stream import PERIODS, frames_of, lanes, reset_both, sink, source, stall, through


async def prepare(dut, s_ps: int, m_ps: int):
    tx = source(dut, "s_axis", dut.s_clk_i, dut.s_rst_i)
    rx = sink(dut, "m_axis", dut.m_clk_i, dut.m_rst_i)
    await stream.start_both((dut.s_clk_i, dut.s_rst_i), (dut.m_clk_i, dut.m_rst_i), s_ps, m_ps)
    return tx, rx


@cocotb.test()
@cocotb.parametrize(periods=PERIODS, share=(0.0, 0.6))
async def passes_frames(dut, periods, share):
    tx, rx = await prepare(dut, *periods)
    stall(tx, rx, share, share)
    frames = frames_of(random.Random(7), 16, lanes(dut), 24)
    assert await through(tx, rx, frames, 500) == frames


@cocotb.test()
async def fills_and_forgets_at_reset(dut):
    tx, rx = await prepare(dut, 7000, 10000)
    rx.pause = True
    tx.send_nowait(bytes(100 * lanes(dut)))
    await ClockCycles(dut.s_clk_i, 60)
    assert not dut.s_axis.tready.value
    dut.s_rst_i.value = 1
    tx.clear()
    await reset_both((dut.s_clk_i, dut.s_rst_i), (dut.m_clk_i, dut.m_rst_i))
    rx.clear()
    rx.pause = False
    assert await through(tx, rx, [b"after"]) == [b"after"]


@pytest.mark.parametrize(("width", "depth", "stages"), [(64, 16, 2), (512, 8, 3)])
def test_lig_afifo(width, depth, stages):
    parameters = {"DATA_WIDTH": width, "DEPTH": depth, "SYNC_STAGES": stages}
    simulate("test_lig_afifo", "lig_afifo", [RTL / "lig_afifo.sv"], parameters)
