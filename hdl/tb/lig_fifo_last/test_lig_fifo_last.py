# SPDX-License-Identifier: Apache-2.0
"""lig_fifo_last: the newest HISTORY frames, whole, in order; the older ones counted as dropped."""

from __future__ import annotations

import os
import random

import cocotb
import pytest
from bench import RTL, simulate
from cocotb.triggers import ClockCycles, with_timeout
from cocotbext.axi import AxiStreamFrame
from queue_model import begin_counting
from stream import STALLS, lanes, left, receive, reset, stall, through

DEPTH = 64
HISTORY = int(os.environ.get("HISTORY", "1"))
LONGEST = DEPTH // 8  # beats; (HISTORY + 2) of them fit


async def prepare(dut):
    return await begin_counting(dut, old=dut.drop_old_o, new=dut.drop_new_o)


def frame_of(number: int, size: int) -> bytes:
    return bytes([number]) * size


@cocotb.test()
async def a_stopped_consumer_gets_the_newest(dut):
    tx, rx, counts = await prepare(dut)
    rx.pause = True
    frames = [frame_of(k, 1 + (5 * k) % (LONGEST * lanes(dut))) for k in range(20)]
    for frame in frames:
        tx.send_nowait(frame)
        await tx.wait()
        await ClockCycles(dut.clk_i, 4)
    rx.pause = False
    # The one that was offered when it stopped, and the newest HISTORY.
    expected = [frames[0], *frames[-HISTORY:]]
    assert await with_timeout(receive(rx, len(expected)), 20, "us") == expected
    await ClockCycles(dut.clk_i, 10)
    assert rx.empty()
    assert counts == {"old": 20 - 1 - HISTORY, "new": 0}


@cocotb.test()
@cocotb.parametrize(idle=STALLS, back=STALLS)
async def keeps_order_and_counts(dut, idle, back):
    tx, rx, counts = await prepare(dut)
    rng = random.Random(11)
    stall(tx, rx, idle, back)
    sent = [frame_of(k, rng.randint(1, LONGEST * lanes(dut))) for k in range(50)]
    for frame in sent:
        tx.send_nowait(frame)
    await with_timeout(tx.wait(), 500, "us")
    got = await left(rx, dut.clk_i, 2 * DEPTH)
    rest = iter(sent)
    assert all(frame in rest for frame in got)
    # With room for HISTORY + 2 of the longest it is never the new one that goes.
    assert counts["new"] == 0
    assert counts["old"] == len(sent) - len(got)
    assert got[-1] == sent[-1]
    if back == 0.8 and idle == 0.0:
        assert counts["old"] > 0


@cocotb.test()
async def drops_the_new_one_without_room_or_when_marked(dut):
    tx, rx, counts = await prepare(dut)
    beat = lanes(dut)
    tx.send_nowait(frame_of(1, (DEPTH + 1) * beat))  # oversize
    tx.send_nowait(AxiStreamFrame(frame_of(2, 3), tuser=[0, 0, 1]))
    tx.send_nowait(frame_of(3, DEPTH * beat))
    assert await with_timeout(receive(rx, 1), 20, "us") == [frame_of(3, DEPTH * beat)]
    assert counts == {"old": 0, "new": 2}


@cocotb.test()
async def forgets_at_reset(dut):
    tx, rx, _ = await prepare(dut)
    rx.pause = True
    for k in range(5):
        tx.send_nowait(frame_of(k, 3 * lanes(dut)))
    await ClockCycles(dut.clk_i, 14)
    await reset(dut, [tx], [rx])
    assert await through(tx, rx, [b"after"]) == [b"after"]


@pytest.mark.parametrize(("width", "history"), [(64, 1), (128, 3)])
def test_lig_fifo_last(width, history):
    parameters = {"DATA_WIDTH": width, "DEPTH": DEPTH, "HISTORY": history}
    simulate("test_lig_fifo_last", "lig_fifo_last", [RTL / "lig_fifo_last.sv"], parameters)
