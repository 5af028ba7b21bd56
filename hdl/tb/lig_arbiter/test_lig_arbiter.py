# SPDX-License-Identifier: Apache-2.0
"""lig_arbiter: whole frames, in turn, with the right number, and no cycle lost between them."""

from __future__ import annotations

import random

import cocotb
import pytest
from bench import RTL, simulate
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout
from stream import STALLS, receive, sink, sources, stalls, start


def frame_of(rng: random.Random, source: int, number: int) -> bytes:
    """Every byte names its source, so that a mixed frame shows; then the number."""
    return bytes([source]) * rng.choice([1, 7, 8, 9, 40, 200]) + bytes([source, number])


@cocotb.test()
@cocotb.parametrize(idle=STALLS, back=STALLS)
async def keeps_frames_whole(dut, idle, back):
    txs, rx = sources(dut), sink(dut)
    await start(dut)
    rng = random.Random(3)
    rx.set_pause_generator(stalls(back, 99))
    sent = [[frame_of(rng, i, k) for k in range(8)] for i in range(len(txs))]
    for i, tx in enumerate(txs):
        tx.set_pause_generator(stalls(idle, i))
        for frame in sent[i]:
            tx.send_nowait(frame)
    got = await with_timeout(receive(rx, 8 * len(txs)), 500, "us")
    for i in range(len(txs)):
        assert [frame for frame in got if frame[0] == i] == sent[i]


@cocotb.test()
async def takes_turns_without_a_lost_cycle(dut):
    """Two-beat frames from everybody: each gets its turn, and the output is busy throughout."""
    txs, rx = sources(dut), sink(dut)
    await start(dut)
    beat = len(rx.bus.tdata) // 8
    for i, tx in enumerate(txs):
        for _ in range(10):
            tx.send_nowait(bytes([i]) * beat * 2)
    count = 20 * len(txs)
    while not rx.bus.tvalid.value:
        await RisingEdge(dut.clk_i)
    ids = []
    for _ in range(count):
        assert rx.bus.tvalid.value
        assert int(rx.bus.tdata.value) & 0xFF == int(dut.m_axis_tid.value)
        ids.append(int(dut.m_axis_tid.value))
        await RisingEdge(dut.clk_i)
    turns = ids[::2]
    assert ids[1::2] == turns
    rounds = [turns[i : i + len(txs)] for i in range(0, len(turns), len(txs))]
    assert all(sorted(turn) == list(range(len(txs))) for turn in rounds), rounds
    await receive(rx, 10 * len(txs))


@cocotb.test()
async def forgets_at_reset(dut):
    txs, rx = sources(dut), sink(dut)
    await start(dut)
    rx.pause = True
    txs[-1].send_nowait(bytes(1000))
    await ClockCycles(dut.clk_i, 6)
    dut.rst_i.value = 1
    txs[-1].clear()
    await ClockCycles(dut.clk_i, 3)
    dut.rst_i.value = 0
    rx.clear()
    rx.pause = False
    # The turn of the last input is not held over the reset.
    txs[0].send_nowait(b"after")
    assert await with_timeout(receive(rx, 1), 10, "us") == [b"after"]


@pytest.mark.parametrize(("width", "inputs"), [(64, 2), (512, 1), (128, 5)])
def test_lig_arbiter(width, inputs):
    parameters = {"DATA_WIDTH": width, "INPUTS": inputs}
    simulate("test_lig_arbiter", "lig_arbiter", [RTL / "lig_arbiter.sv"], parameters)
