# SPDX-License-Identifier: Apache-2.0
"""lig_length: passes everything as it is, and tells runt and oversize frames from right ones."""

from __future__ import annotations

import random

import cocotb
import pytest
from bench import RTL, simulate
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge
from stream import begin, lanes, reset, through


def frame_of(length: int, pad: int, body: int, beat: int) -> bytes:
    """A header that announces `length` and `pad`, and that many bytes of body."""
    header = length.to_bytes(4, "little") + bytes([1, 0, 3, pad]) + bytes(8)
    return header.ljust(max(16, beat), b"\0") + random.Random(body).randbytes(body)


async def watch(dut, seen: list[tuple[int, int, int]]) -> None:
    while True:
        await RisingEdge(dut.clk_i)
        await ReadOnly()
        if dut.done_o.value:
            seen.append((int(dut.body_o.value), int(dut.runt_o.value), int(dut.oversize_o.value)))


async def watch_user(dut, marks: list[int]) -> None:
    while True:
        await RisingEdge(dut.clk_i)
        last = dut.m_axis.tvalid.value and dut.m_axis.tready.value and dut.m_axis.tlast.value
        if last:
            marks.append(int(dut.m_axis.tuser.value))


@cocotb.test()
@cocotb.parametrize(stall=(0.0, 0.5))
async def measures(dut, stall):
    tx, rx = await begin(dut, stall, stall)
    seen: list[tuple[int, int, int]] = []
    marks: list[int] = []
    cocotb.start_soon(watch(dut, seen))
    cocotb.start_soon(watch_user(dut, marks))
    beat = lanes(dut)
    cases = [
        (length, pad, pad + length) for length in (5, beat - 1, beat, 200) for pad in (0, 8, 63)
    ]
    cases += [(100, 3, 102), (100, 3, 104), (100, 3, 1), (5, 0, 300), (2**32 - 1, 63, 77)]
    frames = [frame_of(length, pad, body, beat) for length, pad, body in cases]
    # The header alone, and less than that.
    frames += [frame_of(9, 0, 0, beat), b"\1\0\0\0"]
    assert await through(tx, rx, frames, 300) == frames
    await ClockCycles(dut.clk_i, 2)
    expected = [(body, int(body < n + pad), int(body > n + pad)) for n, pad, body in cases]
    assert seen[: len(cases)] == expected
    assert [runt for _, runt, _ in seen[len(cases) :]] == [1, 1]
    assert marks == [int(runt or oversize) for _, runt, oversize in seen]


@cocotb.test()
async def begins_anew_after_reset(dut):
    tx, rx = await begin(dut)
    seen: list[tuple[int, int, int]] = []
    cocotb.start_soon(watch(dut, seen))
    tx.send_nowait(frame_of(400, 0, 400, lanes(dut)))
    await ClockCycles(dut.clk_i, 5)
    await reset(dut, [tx], [rx])
    await through(tx, rx, [frame_of(10, 6, 16, lanes(dut))])
    await ClockCycles(dut.clk_i, 2)
    assert seen == [(16, 0, 0)]


@pytest.mark.parametrize("width", [64, 512])
def test_lig_length(width):
    simulate("test_lig_length", "lig_length", [RTL / "lig_length.sv"], {"DATA_WIDTH": width})
