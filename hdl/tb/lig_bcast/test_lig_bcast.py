# SPDX-License-Identifier: Apache-2.0
"""lig_bcast: every consumer gets every frame; a ready one does not wait for the others' beat."""

from __future__ import annotations

import random

import cocotb
import pytest
from bench import RTL, simulate
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge, with_timeout
from stream import STALLS, frames_of, receive, reset, scopes, sinks, source, stalls, start


@cocotb.test()
@cocotb.parametrize(idle=STALLS, back=STALLS)
async def passes_frames(dut, idle, back):
    tx, rxs = source(dut), sinks(dut)
    await start(dut)
    tx.set_pause_generator(stalls(idle, 1))
    for i, rx in enumerate(rxs):
        rx.set_pause_generator(stalls(back, 2 + i))
    frames = frames_of(random.Random(7), 8, len(dut.s_axis.tdata) // 8, 4)
    for frame in frames:
        tx.send_nowait(frame)
    for rx in rxs:
        assert await with_timeout(receive(rx, len(frames)), 300, "us") == frames


@cocotb.test()
async def each_output_completes_on_its_own(dut):
    tx, rxs = source(dut), sinks(dut)
    ends = scopes(dut, "m_axis")
    await start(dut)
    rxs[0].pause = True
    await ClockCycles(dut.clk_i, 2)
    tx.send_nowait(b"one beat")
    await ClockCycles(dut.clk_i, 6)
    await ReadOnly()
    # The others have it, and are not offered it again.
    assert [int(end.tvalid.value) for end in ends] == [1] + [0] * (len(ends) - 1)
    await RisingEdge(dut.clk_i)
    rxs[0].pause = False
    for rx in rxs:
        assert await with_timeout(receive(rx, 1), 10, "us") == [b"one beat"]


@cocotb.test()
async def forgets_at_reset(dut):
    tx, rxs = source(dut), sinks(dut)
    await start(dut)
    rxs[0].pause = True
    tx.send_nowait(bytes(1000))
    await ClockCycles(dut.clk_i, 6)
    await reset(dut, [tx], rxs)
    tx.send_nowait(b"after")
    for rx in rxs:
        assert await with_timeout(receive(rx, 1), 10, "us") == [b"after"]


@pytest.mark.parametrize(("width", "outputs"), [(64, 3), (512, 9)])
def test_lig_bcast(width, outputs):
    parameters = {"DATA_WIDTH": width, "OUTPUTS": outputs}
    simulate("test_lig_bcast", "lig_bcast", [RTL / "lig_bcast.sv"], parameters)
