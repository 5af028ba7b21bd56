# SPDX-License-Identifier: Apache-2.0
"""lig_fifo_drop: whole frames or none; every dropped one is counted; the producer never waits."""

from __future__ import annotations

import random

import cocotb
import pytest
from bench import RTL, simulate
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout
from cocotbext.axi import AxiStreamFrame
from queue_model import begin_counting
from stream import STALLS, lanes, left, receive, reset, stall, through

DEPTH = 16


def numbered(rng: random.Random, number: int, beats: int, beat: int) -> bytes:
    """A frame that names itself in every lane, of that many beats, with a random tail."""
    return bytes([number]) * (beats * beat - rng.randrange(beat))


async def prepare(dut):
    return await begin_counting(dut, drop=dut.drop_o)


@cocotb.test()
@cocotb.parametrize(idle=STALLS, back=STALLS)
async def drops_whole_frames_and_counts_them(dut, idle, back):
    tx, rx, counts = await prepare(dut)
    rng = random.Random(5)
    stall(tx, rx, idle, back)
    sent = [numbered(rng, k, rng.randint(1, 9), lanes(dut)) for k in range(40)]
    for frame in sent:
        tx.send_nowait(frame)
    await with_timeout(tx.wait(), 500, "us")
    got = await left(rx, dut.clk_i, 2 * DEPTH + 8)
    assert rx.empty() and not dut.m_axis.tvalid.value
    # What came is a subsequence of what was sent, and the rest was counted.
    rest = iter(sent)
    assert all(frame in rest for frame in got)
    assert counts["drop"] == len(sent) - len(got)
    if back == 0.8 and idle == 0.0:
        assert counts["drop"] > 0
    if back == 0.0:
        assert counts["drop"] == 0


@cocotb.test()
async def drops_what_cannot_fit_and_what_is_marked(dut):
    tx, rx, counts = await prepare(dut)
    beat = lanes(dut)
    good = bytes([1]) * (DEPTH * beat)
    tx.send_nowait(bytes([9]) * (DEPTH * beat + 1))  # oversize: one beat too long
    tx.send_nowait(good)
    await ClockCycles(dut.clk_i, 4 * DEPTH)
    tx.send_nowait(AxiStreamFrame(bytes([8]) * (3 * beat), tuser=[0] * (3 * beat - 1) + [1]))
    tx.send_nowait(AxiStreamFrame(bytes([7]), tuser=[1]))  # runt, and marked
    tx.send_nowait(bytes([2]))
    assert await with_timeout(receive(rx, 2), 10, "us") == [good, bytes([2])]
    assert counts["drop"] == 3


@cocotb.test()
async def offers_nothing_of_an_unfinished_frame(dut):
    tx, rx, counts = await prepare(dut)
    tx.send_nowait(bytes(8 * lanes(dut)))
    await ClockCycles(dut.clk_i, 6)
    tx.pause = True
    await ClockCycles(dut.clk_i, 10)
    assert not dut.m_axis.tvalid.value
    await reset(dut, [tx], [rx])  # in mid-frame
    assert await through(tx, rx, [b"after"]) == [b"after"]
    assert counts["drop"] == 0


@cocotb.test()
async def forgets_at_reset_what_it_holds_and_what_it_lost(dut):
    tx, rx, counts = await prepare(dut)
    rx.pause = True
    beat = lanes(dut)
    for number in range(4):  # DEPTH beats, and one that is offered
        tx.send_nowait(bytes([number]) * (beat * (DEPTH // 4)))
    tx.send_nowait(bytes([8]) * (8 * beat))
    await with_timeout(RisingEdge(dut.dut.lost_q), 10, "us")  # a beat of the fifth found no room
    await reset(dut, [tx], [rx])  # in mid-frame, on both sides
    assert await through(tx, rx, [b"after"]) == [b"after"]
    assert counts["drop"] == 0


@pytest.mark.parametrize("width", [64, 256])
def test_lig_fifo_drop(width):
    parameters = {"DATA_WIDTH": width, "DEPTH": DEPTH}
    simulate("test_lig_fifo_drop", "lig_fifo_drop", [RTL / "lig_fifo_drop.sv"], parameters)
