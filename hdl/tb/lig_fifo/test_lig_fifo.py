# SPDX-License-Identifier: Apache-2.0
"""lig_fifo: as lig_skid's bench, and frames longer than it, its level, and when it is full."""

from __future__ import annotations

import random

import cocotb
import pytest
from bench import RTL, simulate
from cocotb.triggers import ClockCycles, RisingEdge
from stream import STALLS, begin, frames_of, lanes, receive, reset, through


def depth(dut) -> int:
    return 1 << (len(dut.level_o) - 1)


@cocotb.test()
@cocotb.parametrize(idle=STALLS, back=STALLS)
async def passes_frames(dut, idle, back):
    tx, rx = await begin(dut, idle, back)
    frames = frames_of(random.Random(7), 10, lanes(dut), min(3 * depth(dut), 24))
    assert await through(tx, rx, frames, 200) == frames
    await ClockCycles(dut.clk_i, 2)
    assert dut.level_o.value == 0


@cocotb.test()
async def stops_the_producer_when_full(dut):
    tx, rx = await begin(dut)
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
    tx, rx = await begin(dut)
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
    tx, rx = await begin(dut)
    rx.pause = True
    tx.send_nowait(bytes(2 * depth(dut) * lanes(dut)))
    await ClockCycles(dut.clk_i, depth(dut) // 2 + 4)
    await reset(dut, [tx], [rx])
    assert await through(tx, rx, [b"after"]) == [b"after"]


@pytest.mark.parametrize(("width", "depth"), [(64, 8), (512, 2), (128, 64)])
def test_lig_fifo(width, depth):
    parameters = {"DATA_WIDTH": width, "DEPTH": depth}
    simulate("test_lig_fifo", "lig_fifo", [RTL / "lig_fifo.sv"], parameters)
