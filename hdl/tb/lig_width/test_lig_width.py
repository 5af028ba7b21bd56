# SPDX-License-Identifier: Apache-2.0
"""lig_width: the frame that leaves is what spec/wire/stream.md says for that width."""

from __future__ import annotations

import os
import random

import cocotb
import pytest
from bench import RTL, simulate
from cocotb.triggers import ClockCycles, with_timeout
from stream import STALLS, lanes, receive, sink, source, stalls, start

HEADER = os.environ.get("HEADER", "1") == "1"


def framed(message: bytes, beat: int) -> bytes:
    """Header (16 bytes) and body as they lie on a stream with beats of that many bytes."""
    if not HEADER or len(message) <= 16:
        return message
    return message[:16].ljust(max(16, beat), b"\0") + message[16:]


@cocotb.test()
@cocotb.parametrize(idle=STALLS, back=STALLS)
async def reframes(dut, idle, back):
    tx, rx = source(dut), sink(dut)
    await start(dut)
    tx.set_pause_generator(stalls(idle, 1))
    rx.set_pause_generator(stalls(back, 2))
    rng = random.Random(9)
    # Runts of one byte and of one narrow beat, header only, one byte of body, around each boundary.
    sizes = [1, 8, 16, 17, 24, 16 + 63, 16 + 64, 16 + 65, *(rng.randint(1, 300) for _ in range(8))]
    messages = [rng.randbytes(size) for size in sizes]
    for message in messages:
        tx.send_nowait(framed(message, lanes(dut)))
    got = await with_timeout(receive(rx, len(messages)), 500, "us")
    assert got == [framed(message, lanes(dut, "m_axis")) for message in messages]


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
    tx.send_nowait(framed(message, lanes(dut)))
    assert await with_timeout(receive(rx, 1), 10, "us") == [framed(message, lanes(dut, "m_axis"))]


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
