# SPDX-License-Identifier: Apache-2.0
"""lig_control: identity, settings and values, the way to the shell, and buses of 32 and 64 bits."""

from __future__ import annotations

import os
from pathlib import Path

import cocotb
import pytest
from bench import RTL, simulate
from cocotb.triggers import ClockCycles, with_timeout
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiLiteRam, AxiResp
from stream import STALLS, stalls, start

IDENTITY = 0x0123_4567_89AB_CDEF
INITIAL = (0x1111_2222_3333_4444, 0xFFFF_0000_FFFF_0000)
BYTES = int(os.environ.get("BUS_WIDTH", "64")) // 8
SHELL, OWN, SETTING, VALUE = 0x00000, 0x10000, 0x11000, 0x12000


class Software:
    """Register accesses: two words each on a bus of 32 bits."""

    def __init__(self, dut) -> None:
        self.port = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk_i, dut.rst_i)

    async def write(self, place: int, value: int) -> bool:
        data = value.to_bytes(8, "little")
        answers = [await self.put(place + k, data[k : k + BYTES]) for k in range(0, 8, BYTES)]
        return answers[-1]

    async def put(self, place: int, data: bytes) -> bool:
        answer = await with_timeout(self.port.write(place, data), 100, "us")
        return answer.resp == AxiResp.OKAY

    async def read(self, place: int) -> int | None:
        """The value, or None where it is refused."""
        found = b""
        for k in range(0, 8, BYTES):
            answer = await with_timeout(self.port.read(place + k, BYTES), 100, "us")
            if answer.resp != AxiResp.OKAY:
                return None
            found += answer.data
        return int.from_bytes(found, "little")


async def begin(dut, share: float = 0.0) -> tuple[Software, AxiLiteRam]:
    """Reset; a memory in the shell's place, with stalls on every channel."""
    dut.values_i.value = 0xAAAA << 64 | 0x5555
    software = Software(dut)
    shell = AxiLiteRam(AxiLiteBus.from_prefix(dut, "m_axil"), dut.clk_i, dut.rst_i, size=2**16)
    ends = (software.port.write_if, software.port.read_if, shell.write_if, shell.read_if)
    names = ("aw_channel", "w_channel", "b_channel", "ar_channel", "r_channel")
    channels = [getattr(end, name) for end in ends for name in names if hasattr(end, name)]
    for number, channel in enumerate(channels):
        # The design takes addresses and data when it likes, and answers when it likes.
        channel.set_pause_generator(stalls(share, number))
    await start(dut)
    return software, shell


@cocotb.test()
@cocotb.parametrize(share=STALLS)
async def tells_who_it_is_and_keeps_settings(dut, share: float) -> None:
    software, _ = await begin(dut, share)
    assert await software.read(OWN) == 0x0000_0001_4C49_4742
    assert await software.read(OWN + 8) == IDENTITY
    assert await software.read(OWN + 16) == 5 << 32 | 2 << 16 | 2
    assert [await software.read(SETTING + 8 * k) for k in (0, 1)] == list(INITIAL)
    assert [await software.read(VALUE + 8 * k) for k in (0, 1)] == [0x5555, 0xAAAA]
    assert await software.write(SETTING + 8, 0xFEDC_BA98_7654_3210)
    assert int(dut.settings_o.value) == 0xFEDC_BA98_7654_3210 << 64 | INITIAL[0]
    assert await software.read(SETTING + 8) == 0xFEDC_BA98_7654_3210


@cocotb.test()
async def refuses_what_is_not_there(dut) -> None:
    software, shell = await begin(dut)
    for place in (OWN + 24, SETTING + 16, VALUE + 16, OWN + 0x3000, OWN + 0xF000):
        assert await software.read(place) is None
        assert not await software.write(place, 1)
    for place in (OWN, OWN + 8, OWN + 16, VALUE):
        assert not await software.write(place, 1)
    # Bytes of a register are refused, and change nothing.
    assert not await software.put(SETTING + BYTES - 1, b"\xff")
    assert not await software.put(SHELL + BYTES - 1, b"\xff")
    assert int(dut.settings_o.value) == INITIAL[1] << 64 | INITIAL[0]
    assert shell.read(0, 8) == bytes(8)


@cocotb.test()
@cocotb.parametrize(share=STALLS)
async def passes_on_what_is_the_shells(dut, share: float) -> None:
    software, shell = await begin(dut, share)
    for k in range(20):
        place, value = 0x100 * k + 8 * k, 0x0101_0101_0101_0101 * (k + 1)
        assert await software.write(SHELL + place, value)
        assert shell.read(place, 8) == value.to_bytes(8, "little")
        shell.write(place, (value ^ 0xFF).to_bytes(8, "little"))
        assert await software.read(SHELL + place) == value ^ 0xFF
    assert int(dut.settings_o.value) == INITIAL[1] << 64 | INITIAL[0]


@cocotb.test()
async def a_register_is_read_once(dut) -> None:
    """Reading an event takes it: two words of a bus are one access of the shell."""
    software, _ = await begin(dut)
    count = 0

    async def watch() -> None:
        nonlocal count
        while True:
            await ClockCycles(dut.clk_i, 1)
            count += int(dut.m_axil_arvalid.value) and int(dut.m_axil_arready.value)

    cocotb.start_soon(watch())
    for _ in range(5):
        await software.read(SHELL + 0x40)
    await ClockCycles(dut.clk_i, 5)
    assert count == 5


@pytest.mark.parametrize("width", [32, 64])
def test_lig_control(width: int) -> None:
    bench = Path(__file__).with_name("lig_control_tb.sv")
    sources = [RTL / "lig_control.sv", bench]
    simulate("test_lig_control", "lig_control_tb", sources, {"BUS_WIDTH": width})
