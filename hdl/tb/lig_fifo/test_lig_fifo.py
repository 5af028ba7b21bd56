# SPDX-License-Identifier: Apache-2.0
"""lig_fifo: as lig_skid's bench, and frames longer than it, its level, and when it is full."""

from __future__ import annotations

import random

import cocotb
import pytest
from bench import RTL, simulate
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout
from stream import STALLS, frames_of, lanes, receive, sink, source, stalls, start


def depth(dut) -> int:
    return 1 << (len(dut.level_o) - 1)


@cocotb.test()
@cocotb.parametrize(idle=STALLS, back=STALLS)
async def passes_frames(dut, idle, back):
    tx, rx = source(dut), sink(dut)
    await start(dut)
    tx.set_pause_generator(stalls(idle, 1))
    rx.set_pause_generator(stalls(back, 2))
    frames = frames_of(random.Random(7), 10, lanes(dut), min(3 * depth(dut), 24))
    for frame in frames:
        tx.send_nowait(frame)
    assert await with_timeout(receive(rx, len(frames)), 200, "us") == frames
    await ClockCycles(dut.clk_i, 2)
    assert dut.level_o.value == 0


@cocotb.test()
async def stops_the_producer_when_full(dut):
    tx, rx = source(dut), sink(dut)
    await start(dut)
    rx.pause = True
    frame = random.Random(1).randbytes((2 * depth(dut) + 4) * lanes(dut))
    tx.send_nowait(frame)
    await ClockCycles(dut.clk_i, 2 * depth(dut) + 20)
    assert dut.level_o.value == depth(dut)
    assert not dut.s_axis.tready.value
    rx.pause = False
    assert await receive(rx, 1) == [frame]


@cocotb.test()
async def runs_at_full_rate_two_cycles_behind(dut):
    tx, rx = source(dut), sink(dut)
    await start(dut)
    tx.send_nowait(bytes(60 * lanes(dut)))
    while not (dut.s_axis.tvalid.value and dut.s_axis.tready.value):
        await RisingEdge(dut.clk_i)
    seen = []
    for _ in range(62):
        seen.append(int(dut.m_axis.tvalid.value))
        await RisingEdge(dut.clk_i)
    assert seen == [0, 0] + 60 * [1]
    await receive(rx, 1)


@cocotb.test()
async def forgets_at_reset(dut):
    tx, rx = source(dut), sink(dut)
    await start(dut)
    rx.pause = True
    tx.send_nowait(bytes(2 * depth(dut) * lanes(dut)))
    await ClockCycles(dut.clk_i, depth(dut) // 2 + 4)
    dut.rst_i.value = 1
    tx.clear()
    await ClockCycles(dut.clk_i, 3)
    dut.rst_i.value = 0
    rx.clear()
    rx.pause = False
    tx.send_nowait(b"after")
    assert await with_timeout(receive(rx, 1), 10, "us") == [b"after"]


@pytest.mark.parametrize(("width", "depth"), [(64, 8), (512, 2), (128, 64)])
def test_lig_fifo(width, depth):
    parameters = {"DATA_WIDTH": width, "DEPTH": depth}
    simulate("test_lig_fifo", "lig_fifo", [RTL / "lig_fifo.sv"], parameters)
