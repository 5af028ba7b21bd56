# SPDX-License-Identifier: Apache-2.0
"""lig_end: frames between any two widths and clocks, at the rate of the narrower side."""

from __future__ import annotations

import os
import random

import cocotb
import pytest
import stream
from bench import RTL, simulate
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge
from stream import PERIODS, framed, lanes, messages_of, reset_both, sink, source, through

CROSS = os.environ.get("CROSS", "1") == "1"
MODULES = ("lig_end", "lig_width", "lig_afifo", "lig_skid")


def sides(dut):
    """Clock and reset of input and output: without a crossing, the input's."""
    s = (dut.s_clk_i, dut.s_rst_i)
    return s, (dut.m_clk_i, dut.m_rst_i) if CROSS else s


def ports(dut):
    s, m = sides(dut)
    return source(dut, "s_axis", *s), sink(dut, "m_axis", *m)


async def prepare(dut, s_ps: int, m_ps: int):
    found = ports(dut)
    # Of a clock that is not used nothing may depend: it runs all the same.
    await stream.start_both((dut.s_clk_i, dut.s_rst_i), (dut.m_clk_i, dut.m_rst_i), s_ps, m_ps)
    return found


@cocotb.test()
@cocotb.parametrize(periods=PERIODS, share=(0.0, 0.6))
async def passes_frames(dut, periods, share):
    tx, rx = await prepare(dut, *periods)
    stream.stall(tx, rx, share, share)
    messages = messages_of(random.Random(7), 8, 400)
    got = await through(tx, rx, [framed(message, lanes(dut)) for message in messages], 500)
    assert got == [framed(message, lanes(dut, "m_axis")) for message in messages]


async def count_waits(clock, valid, ready, last, waits: list[int]) -> None:
    """Count the cycles within a frame in which no beat goes by."""
    inside = False
    while True:
        await RisingEdge(clock)
        await ReadOnly()
        moved = bool(valid.value) and bool(ready.value)
        waits[0] += inside and not moved
        inside = not bool(last.value) if moved else inside


@cocotb.test()
async def keeps_the_rate_of_the_narrower_side(dut):
    """The wider side can move more bytes here, at any clock: so the narrower one never waits."""
    beats = (lanes(dut), lanes(dut, "m_axis"))
    slow_wide = (4000, 10000) if beats[0] < beats[1] else (10000, 4000)
    tx, rx = await prepare(
        dut, *(slow_wide if CROSS and max(beats) >= 4 * min(beats) else (5000, 5000))
    )
    side, clock = ("s", 0) if beats[0] < beats[1] else ("m", 1)
    wires = [getattr(getattr(dut, f"{side}_axis"), name) for name in ("tvalid", "tready", "tlast")]
    waits = [0]
    cocotb.start_soon(count_waits(sides(dut)[clock][0], *wires, waits))
    message = random.Random(3).randbytes(16 + 64 * max(beats))
    got = await through(tx, rx, [framed(message, beats[0])], 500)
    assert got == [framed(message, beats[1])]
    # A wide header beat may be less than a wide beat's worth of narrow ones.
    assert waits[0] <= 1


@cocotb.test()
async def forgets_at_reset(dut):
    tx, rx = await prepare(dut, 7000, 10000)
    rx.pause = True
    tx.send_nowait(bytes([255]) * (100 * lanes(dut)))
    await ClockCycles(dut.s_clk_i, 60)
    dut.s_rst_i.value = 1
    tx.clear()
    await reset_both((dut.s_clk_i, dut.s_rst_i), (dut.m_clk_i, dut.m_rst_i))
    rx.clear()
    rx.pause = False
    message = b"16 bytes of head" + b"and a body"
    got = await through(tx, rx, [framed(message, lanes(dut))])
    assert got == [framed(message, lanes(dut, "m_axis"))]


@pytest.mark.parametrize(
    ("s_width", "m_width", "cross", "depth", "stages"),
    [
        (64, 512, 1, 16, 2),
        (512, 64, 1, 16, 2),
        (256, 128, 1, 8, 3),
        (128, 128, 1, 16, 4),
        (64, 256, 0, 16, 2),
        (64, 64, 0, 16, 2),
    ],
)
def test_lig_end(s_width, m_width, cross, depth, stages):
    parameters = {
        "S_WIDTH": s_width,
        "M_WIDTH": m_width,
        "CROSS": cross,
        "DEPTH": depth,
        "SYNC_STAGES": stages,
    }
    simulate("test_lig_end", "lig_end", [RTL / f"{name}.sv" for name in MODULES], parameters)
