# SPDX-License-Identifier: Apache-2.0
"""lig_skid: nothing lost, doubled or turned around under stalls; full rate without them."""

from __future__ import annotations

import random

import cocotb
import pytest
from bench import RTL, simulate
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout
from stream import STALLS, frames_of, lanes, receive, sink, source, stalls, start


@cocotb.test()
@cocotb.parametrize(idle=STALLS, back=STALLS)
async def passes_frames(dut, idle, back):
    rng = random.Random(7)
    tx, rx = source(dut), sink(dut)
    await start(dut)
    tx.set_pause_generator(stalls(idle, 1))
    rx.set_pause_generator(stalls(back, 2))
    frames = frames_of(rng, 12, lanes(dut), 5)
    for frame in frames:
        tx.send_nowait(frame)
    assert await with_timeout(receive(rx, len(frames)), 100, "us") == frames


@cocotb.test()
async def runs_at_full_rate(dut):
    tx, rx = source(dut), sink(dut)
    await start(dut)
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
    tx, rx = source(dut), sink(dut)
    await start(dut)
    rx.pause = True
    tx.send_nowait(bytes(20 * lanes(dut)))
    await ClockCycles(dut.clk_i, 10)
    dut.rst_i.value = 1
    tx.clear()
    await ClockCycles(dut.clk_i, 3)
    dut.rst_i.value = 0
    rx.clear()
    rx.pause = False
    tx.send_nowait(b"after")
    assert await with_timeout(receive(rx, 1), 10, "us") == [b"after"]


@pytest.mark.parametrize("width", [8, 512])
def test_lig_skid(width):
    simulate("test_lig_skid", "lig_skid", [RTL / "lig_skid.sv"], {"DATA_WIDTH": width})
