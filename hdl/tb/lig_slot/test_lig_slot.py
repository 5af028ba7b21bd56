# SPDX-License-Identifier: Apache-2.0
"""lig_slot: frames pass to and from the region; of an isolated one nothing is heard or said."""

from __future__ import annotations

import random

import cocotb
import pytest
from bench import RTL, simulate
from cocotb.triggers import ClockCycles, RisingEdge
from stream import STALLS, frames_of, lanes, left, receive, sink, source, stall, start, through

OURS = 0x0123456789ABCDEF


async def begin(dut, isolated: bool = False, identity: int = OURS) -> None:
    dut.isolate_i.value = int(isolated)
    dut.identity_i.value = identity
    await start(dut)


@cocotb.test()
@cocotb.parametrize(idle=STALLS, back=STALLS)
async def passes_frames_both_ways(dut, idle, back):
    tx, core_rx = source(dut), sink(dut, "to_region")
    core_tx, rx = source(dut, "from_region"), sink(dut)
    await begin(dut)
    stall(tx, core_rx, idle, back)
    stall(core_tx, rx, back, idle)
    there, again = (frames_of(random.Random(seed), 12, lanes(dut), 5) for seed in (7, 8))
    for frame in again:
        core_tx.send_nowait(frame)
    assert await through(tx, core_rx, there, 100) == there
    assert await receive(rx, len(again)) == again


async def rave(dut, cycles: int) -> int:
    """A region without a core says anything; how often it was taken seriously."""
    rng, heard = random.Random(3), 0
    for _ in range(cycles):
        dut.from_region.tvalid.value = rng.getrandbits(1)
        dut.from_region.tlast.value = rng.getrandbits(1)
        dut.from_region.tdata.value = rng.getrandbits(len(dut.from_region.tdata))
        dut.from_region.tkeep.value = rng.getrandbits(len(dut.from_region.tkeep))
        dut.to_region.tready.value = rng.getrandbits(1)
        await RisingEdge(dut.clk_i)
        heard += int(dut.m_axis.tvalid.value) + int(dut.from_region.tready.value)
        heard += int(dut.to_region.tvalid.value)
    dut.from_region.tvalid.value = 0
    dut.to_region.tready.value = 0
    return heard


@cocotb.test()
@cocotb.parametrize(isolated=(True, False))
async def hears_and_says_nothing(dut, isolated):
    """Isolated, or with a core of another shell: what comes for it is swallowed whole."""
    tx = source(dut)
    dut.m_axis.tready.value = 1
    await begin(dut, isolated, OURS if isolated else OURS ^ 1)
    assert int(dut.foreign_o.value) == int(not isolated)
    for frame in frames_of(random.Random(5), 12, lanes(dut), 5):
        tx.send_nowait(frame)
    assert await rave(dut, 200) == 0
    assert tx.idle()


@cocotb.test()
async def comes_back_clean(dut):
    """A core is exchanged: what its slot was in the middle of is gone, the next frame is whole."""
    tx, core_rx = source(dut), sink(dut, "to_region")
    core_tx, rx = source(dut, "from_region"), sink(dut)
    await begin(dut)
    rx.pause = core_rx.pause = True
    tx.send_nowait(bytes(20 * lanes(dut)))
    core_tx.send_nowait(bytes(20 * lanes(dut)))
    await ClockCycles(dut.clk_i, 10)
    for isolated in (1, 0):
        dut.rst_i.value = 1
        dut.isolate_i.value = isolated
        for port in (tx, core_tx, rx, core_rx):
            port.clear()
        await ClockCycles(dut.clk_i, 4)
        dut.rst_i.value = 0
        await RisingEdge(dut.clk_i)
        assert int(dut.core_rst_o.value) == 1
        await ClockCycles(dut.clk_i, 4)
        assert int(dut.core_rst_o.value) == isolated
    rx.pause = core_rx.pause = False
    assert await through(tx, core_rx, [b"there"]) == [b"there"]
    assert await through(core_tx, rx, [b"back"]) == [b"back"]
    assert await left(rx, dut.clk_i, 50) == []


@cocotb.test()
async def waits_until_the_core_has_left_its_reset(dut):
    for stream in (dut.s_axis, dut.from_region):
        stream.tvalid.value, stream.tlast.value = 0, 1
        stream.tdata.value = 0
        stream.tkeep.value = (1 << lanes(dut)) - 1
    dut.m_axis.tready.value = dut.to_region.tready.value = 1
    await begin(dut)
    passed, in_reset = 0, [1]
    for cycle in range(40):
        dut.rst_i.value = int(cycle < 4)
        dut.s_axis.tvalid.value = dut.from_region.tvalid.value = int(cycle > 4)
        await RisingEdge(dut.clk_i)
        moves = int(dut.to_region.tvalid.value) + int(dut.from_region.tready.value)
        # The core's registers have left it one cycle later.
        in_reset = [int(dut.core_rst_o.value), *in_reset][:2]
        assert cycle < 2 or not (any(in_reset) and moves), cycle
        passed += moves
    assert passed > 40


@pytest.mark.parametrize("width", [64, 512])
def test_lig_slot(width):
    parameters = {"DATA_WIDTH": width, "IDENTITY": f"64'h{OURS:x}"}
    sources = [RTL / "lig_slot.sv", RTL / "lig_skid.sv"]
    simulate("test_lig_slot", "lig_slot", sources, parameters)
