# SPDX-License-Identifier: Apache-2.0
"""lig_width: the frame that leaves is what spec/wire/stream.md says for that width."""

from __future__ import annotations

import os
import random

import cocotb
import pytest
from bench import RTL, simulate
from cocotb.triggers import ClockCycles, with_timeout
from stream import STALLS, framed, lanes, messages_of, receive, sink, source, stalls, start

HEADER = os.environ.get("HEADER", "1") == "1"


def as_sent(message: bytes, beat: int) -> bytes:
    return framed(message, beat) if HEADER else message


@cocotb.test()
@cocotb.parametrize(idle=STALLS, back=STALLS)
async def reframes(dut, idle, back):
    tx, rx = source(dut), sink(dut)
    await start(dut)
    tx.set_pause_generator(stalls(idle, 1))
    rx.set_pause_generator(stalls(back, 2))
    messages = messages_of(random.Random(9), 8, 300)
    for message in messages:
        tx.send_nowait(as_sent(message, lanes(dut)))
    got = await with_timeout(receive(rx, len(messages)), 500, "us")
    assert got == [as_sent(message, lanes(dut, "m_axis")) for message in messages]


@cocotb.test()
async def forgets_at_reset(dut):
    tx, rx = source(dut), sink(dut)
    await start(dut)
    rx.pause = True
    tx.send_nowait(bytes([255]) * 1000)
    await ClockCycles(dut.clk_i, 7)
    dut.rst_i.value = 1
    tx.clear()
    await ClockCycles(dut.clk_i, 3)
    dut.rst_i.value = 0
    rx.clear()
    rx.pause = False
    message = b"16 bytes of head" + b"and a body"
    tx.send_nowait(as_sent(message, lanes(dut)))
    assert await with_timeout(receive(rx, 1), 10, "us") == [as_sent(message, lanes(dut, "m_axis"))]


@pytest.mark.parametrize(
    ("narrow", "wide", "header"),
    [
        (64, 128, 1),
        (64, 512, 1),
        (128, 256, 1),
        (512, 64, 1),
        (256, 64, 0),
        (64, 64, 1),
    ],
)
def test_lig_width(narrow, wide, header):
    parameters = {"S_WIDTH": narrow, "M_WIDTH": wide, "HEADER": header}
    simulate("test_lig_width", "lig_width", [RTL / "lig_width.sv", RTL / "lig_skid.sv"], parameters)
