# SPDX-License-Identifier: Apache-2.0
"""lig_skid: nothing lost, doubled or turned around under stalls; full rate without them."""

from __future__ import annotations

import random

import cocotb
import pytest
from bench import RTL, simulate
from cocotb.triggers import ClockCycles, RisingEdge
from stream import STALLS, begin, frames_of, lanes, receive, reset, through


@cocotb.test()
@cocotb.parametrize(idle=STALLS, back=STALLS)
async def passes_frames(dut, idle, back):
    tx, rx = await begin(dut, idle, back)
    frames = frames_of(random.Random(7), 12, lanes(dut), 5)
    assert await through(tx, rx, frames, 100) == frames


@cocotb.test()
async def runs_at_full_rate(dut):
    tx, rx = await begin(dut)
    tx.send_nowait(bytes(100 * lanes(dut)))
    beats = 0
    while not dut.m_axis.tvalid.value:
        await RisingEdge(dut.clk_i)
    for _ in range(100):
        beats += int(dut.m_axis.tvalid.value)
        await RisingEdge(dut.clk_i)
    assert beats == 100
    await receive(rx, 1)


@cocotb.test()
async def forgets_at_reset(dut):
    tx, rx = await begin(dut)
    rx.pause = True
    tx.send_nowait(bytes(20 * lanes(dut)))
    await ClockCycles(dut.clk_i, 10)
    await reset(dut, [tx], [rx])
    assert await through(tx, rx, [b"after"]) == [b"after"]


@pytest.mark.parametrize("width", [8, 512])
def test_lig_skid(width):
    simulate("test_lig_skid", "lig_skid", [RTL / "lig_skid.sv"], {"DATA_WIDTH": width})
