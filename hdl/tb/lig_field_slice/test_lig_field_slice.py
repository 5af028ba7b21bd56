# SPDX-License-Identifier: Apache-2.0
"""lig_field_slice: beats in order with their tokens, and each with the header of its message."""

from __future__ import annotations

import random
from dataclasses import dataclass

import cocotb
from bench import RTL, simulate
from cocotb.triggers import ReadOnly, RisingEdge, with_timeout
from stream import STALLS, stalls, start

MESSAGES = 40
SOURCES = [
    "lig_stream_pkg.sv", "lig_fields_pkg.sv", "lig_fields_if.sv", "lig_skid.sv",
    "lig_field_slice.sv",
]  # fmt: skip


@dataclass(frozen=True)
class Beat:
    """With the header that belongs to it."""

    header: int
    data: int
    keep: int
    user: int
    last: int


def messages(rng: random.Random) -> list[Beat]:
    """Messages of one beat and of several, each with a header of its own."""
    beats = []
    for _ in range(MESSAGES):
        header, count = rng.getrandbits(128), rng.choice([1, 1, 2, 3, 9])
        for i in range(count):
            sides = (rng.getrandbits(64), rng.getrandbits(8), rng.getrandbits(14))
            beats.append(Beat(header, *sides, int(i == count - 1)))
    return beats


async def send(dut, beats: list[Beat], idle: float) -> None:
    """Offer one beat after the other; between messages the header is anything."""
    rng = random.Random(3)
    for beat, pause in zip(beats, stalls(idle, 1), strict=False):
        while pause and rng.random() < idle:
            dut.s_axis.header.value = rng.getrandbits(128)
            await RisingEdge(dut.clk_i)
        dut.s_axis.tvalid.value = 1
        dut.s_axis.tdata.value = beat.data
        dut.s_axis.tkeep.value = beat.keep
        dut.s_axis.tuser.value = beat.user
        dut.s_axis.tlast.value = beat.last
        dut.s_axis.header.value = beat.header
        await ReadOnly()
        while not dut.s_axis.tready.value:
            await RisingEdge(dut.clk_i)
            await ReadOnly()
        await RisingEdge(dut.clk_i)
        dut.s_axis.tvalid.value = 0


async def receive(dut, count: int, back: float) -> list[Beat]:
    """Take so many beats."""
    taken: list[Beat] = []
    for pause in stalls(back, 2):
        dut.m_axis.tready.value = int(not pause)
        await ReadOnly()
        if dut.m_axis.tvalid.value and not pause:
            values = (dut.m_axis.header, dut.m_axis.tdata, dut.m_axis.tkeep, dut.m_axis.tuser)
            taken.append(Beat(*(int(v.value) for v in values), int(dut.m_axis.tlast.value)))
        await RisingEdge(dut.clk_i)
        if len(taken) == count:
            return taken
    raise AssertionError("stalls end never")


async def reset(dut) -> None:
    dut.s_axis.tvalid.value = 0
    dut.m_axis.tready.value = 0
    await start(dut)


@cocotb.test()
@cocotb.parametrize(idle=STALLS, back=STALLS)
async def passes_messages_with_their_headers(dut, idle, back):
    await reset(dut)
    beats = messages(random.Random(7))
    cocotb.start_soon(send(dut, beats, idle))
    assert await with_timeout(receive(dut, len(beats), back), 100, "us") == beats


@cocotb.test()
async def runs_at_full_rate(dut):
    await reset(dut)
    beats = [Beat(5, i, 255, 1, int(i == 99)) for i in range(100)]
    cocotb.start_soon(send(dut, beats, 0.0))
    dut.m_axis.tready.value = 1
    await ReadOnly()
    while not dut.m_axis.tvalid.value:
        await RisingEdge(dut.clk_i)
        await ReadOnly()
    for beat in beats:
        assert dut.m_axis.tvalid.value and int(dut.m_axis.tdata.value) == beat.data
        await RisingEdge(dut.clk_i)
        await ReadOnly()


@cocotb.test()
async def forgets_at_reset(dut):
    await reset(dut)
    old = [Beat(1, i, 255, 2, 0) for i in range(2)]
    await send(dut, old, 0.0)
    dut.rst_i.value = 1
    await RisingEdge(dut.clk_i)
    await RisingEdge(dut.clk_i)
    dut.rst_i.value = 0
    await RisingEdge(dut.clk_i)
    # The message that was cut is over: the next beat begins one.
    new = [Beat(9, 8, 7, 6, 0), Beat(9, 3, 2, 1, 1)]
    cocotb.start_soon(send(dut, new, 0.0))
    assert await with_timeout(receive(dut, 2, 0.0), 10, "us") == new


def test_lig_field_slice():
    simulate("test_lig_field_slice", "lig_field_slice", [RTL / name for name in SOURCES])
