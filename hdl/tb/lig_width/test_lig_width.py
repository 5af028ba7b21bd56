# SPDX-License-Identifier: Apache-2.0
"""lig_width: the frame that leaves is what spec/wire/stream.md says for that width."""

from __future__ import annotations

import os
import random

import cocotb
import pytest
from bench import RTL, simulate
from cocotb.triggers import ClockCycles
from stream import STALLS, begin, framed, lanes, messages_of, reset, through

HEADER = os.environ.get("HEADER", "1") == "1"


def as_sent(message: bytes, beat: int) -> bytes:
    return framed(message, beat) if HEADER else message


@cocotb.test()
@cocotb.parametrize(idle=STALLS, back=STALLS)
async def reframes(dut, idle, back):
    tx, rx = await begin(dut, idle, back)
    messages = messages_of(random.Random(9), 8, 300)
    got = await through(tx, rx, [as_sent(message, lanes(dut)) for message in messages], 500)
    assert got == [as_sent(message, lanes(dut, "m_axis")) for message in messages]


@cocotb.test()
async def forgets_at_reset(dut):
    tx, rx = await begin(dut)
    rx.pause = True
    tx.send_nowait(bytes([255]) * 1000)
    await ClockCycles(dut.clk_i, 7)
    await reset(dut, [tx], [rx])
    message = b"16 bytes of head" + b"and a body"
    got = await through(tx, rx, [as_sent(message, lanes(dut))])
    assert got == [as_sent(message, lanes(dut, "m_axis"))]


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
