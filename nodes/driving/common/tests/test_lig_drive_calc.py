# SPDX-License-Identifier: Apache-2.0
"""lig_drive_calc: each instruction against Python's whole numbers, and what follows one another."""

from __future__ import annotations

import math
import random
import struct
from pathlib import Path

import cocotb
from bench import RTL, simulate
from cocotb.triggers import ClockCycles, RisingEdge
from stream import start

HDL = Path(__file__).resolve().parents[1] / "hdl"
(CONST, LOAD, FIXED, ADD, SUBTRACT, LARGER, SMALLER, PICK,
 MULTIPLY, LEFT, RIGHT, DIVIDE, FLOOR, ROOT, TURN, KEEP) = range(16)  # fmt: skip


class Calculator:
    """Runs programs of one instruction each, and knows what must come."""

    def __init__(self, dut) -> None:
        self.dut = dut

    async def do(
        self, op: int, to: int = 0, a: int = 0, b: int = 0, k: int = 0, value: int = 0
    ) -> int:
        """An instruction; returns what it kept."""
        dut = self.dut
        dut.instruction_i.value = 1 << 26 | op << 22 | to << 17 | a << 12 | b << 7 | k
        dut.value_i.value = value % 2**64
        dut.start_i.value = 1
        await RisingEdge(dut.clk_i)
        dut.start_i.value = 0
        kept = 0
        await RisingEdge(dut.clk_i)
        while dut.busy_o.value:
            if dut.keep_o.value:
                assert int(dut.number_o.value) == k
                kept = dut.kept_o.value.to_signed()
            await RisingEdge(dut.clk_i)
        return kept

    async def load(self, to: int, value: int) -> None:
        await self.do(LOAD, to, value=value)

    async def read(self, register: int) -> int:
        return await self.do(KEEP, a=register, k=register)


async def begin(dut) -> Calculator:
    dut.start_i.value = 0
    dut.start_pc_i.value = 0
    await start(dut)
    return Calculator(dut)


def numbers(dice: random.Random, count: int, bits: int = 62) -> list[int]:
    """Of all sizes, and both signs."""
    found = [0, 1, -1, 2, -2]
    while len(found) < count:
        found.append(dice.choice((-1, 1)) * dice.getrandbits(dice.randint(1, bits)))
    return found


@cocotb.test()
async def adds_and_chooses(dut):
    calc = await begin(dut)
    dice = random.Random(1)
    values = numbers(dice, 24)
    for a, b in zip(values, reversed(values), strict=True):
        await calc.load(3, a)
        await calc.load(31, b)
        for op, want in (
            (ADD, a + b),
            (SUBTRACT, a - b),
            (LARGER, max(a, b)),
            (SMALLER, min(a, b)),
        ):
            await calc.do(op, 7, 3, 31)
            assert await calc.read(7) == want
        await calc.load(7, 99)
        await calc.do(PICK, 7, 3, 31)
        assert await calc.read(7) == (b if a >= 0 else 99)
    for value in (0, 1, -1, 65535, -65536):
        raw = value % 2**17
        await calc.do(CONST, 5, raw >> 12, raw >> 7 & 31, raw & 127)
        assert await calc.read(5) == value


def rounded(numerator: int, denominator: int) -> int:
    """divide_rounded()."""
    return (2 * numerator + denominator) // (2 * denominator)


@cocotb.test()
async def multiplies_divides_and_shifts(dut):
    calc = await begin(dut)
    dice = random.Random(2)
    for a, b, c in zip(numbers(dice, 30), numbers(dice, 30, 50), numbers(dice, 30), strict=True):
        divisor = abs(c) or 1
        await calc.load(1, a)
        await calc.load(2, b)
        await calc.load(4, divisor)
        left, right = dice.randint(0, 12), dice.randint(0, 63)
        for op, want in (
            (DIVIDE, rounded(a * b << left, divisor)),
            (FLOOR, (a * b << left) // divisor),
        ):
            await calc.do(MULTIPLY, 9, 1, 2)
            await calc.do(LEFT, 9, k=left)
            await calc.do(op, 6, 0, 4)
            assert (await calc.read(6) - want) % 2**64 == 0, (a, b, left, divisor)
        await calc.do(MULTIPLY, 9, 1, 2)
        await calc.do(RIGHT, 6, k=right)
        want = a * b if right == 0 else (a * b + (1 << right - 1)) >> right
        assert (await calc.read(6) - want) % 2**64 == 0, (a, b, right)


@cocotb.test()
async def takes_square_roots(dut):
    calc = await begin(dut)
    dice = random.Random(3)
    for value in (
        0,
        1,
        2,
        3,
        4,
        2**64 - 1,
        2**62,
        *(dice.getrandbits(dice.randint(1, 64)) for _ in range(12)),
    ):
        await calc.load(1, value)  # leaves it in the accumulator, too
        await calc.do(ROOT, 2)
        assert await calc.read(2) == math.isqrt(value)


@cocotb.test()
async def makes_whole_numbers_of_doubles(dut):
    calc = await begin(dut)
    dice = random.Random(4)
    doubles = [
        0.0,
        -0.0,
        0.5,
        -0.5,
        1.0,
        0.2,
        89.0,
        -45.0,
        5e-324,
        1e-12,
        2.0**-33,
        -(2.0**-33),
        3 * 2.0**-34,
    ]
    doubles += [dice.uniform(-4000, 4000) * 10 ** dice.randint(-12, 0) for _ in range(20)]
    for number in doubles:
        for bits in (0, 16, 32, 39, 40):
            await calc.do(
                FIXED, 8, k=bits, value=int.from_bytes(struct.pack("<d", number), "little")
            )
            scaled = math.ldexp(number, bits)
            # To the nearest, halves away from 0.
            nearest = math.floor(abs(scaled)) + (abs(scaled) - math.floor(abs(scaled)) >= 0.5)
            assert await calc.read(8) == (nearest if number >= 0 else -nearest), (number, bits)


@cocotb.test()
async def turns(dut):
    calc = await begin(dut)
    for degrees in (-90.0, -45.0, -1e-9, 0.0, 0.5, 25.0, 31.1, 60.0, 85.0, 89.0, 90.0):
        await calc.load(1, round(degrees * 2**40))
        await calc.do(TURN, 2, 1)
        await calc.do(RIGHT, 3)
        sine, cosine = await calc.read(2), await calc.read(3)
        assert abs(sine / 2**40 - math.sin(math.radians(degrees))) < 2**-35
        assert abs(cosine / 2**40 - math.cos(math.radians(degrees))) < 2**-35


@cocotb.test()
async def begins_anew_at_reset(dut):
    calc = await begin(dut)
    await calc.load(1, 77)
    dut.instruction_i.value = 1 << 26 | MULTIPLY << 22
    dut.start_i.value = 1
    await RisingEdge(dut.clk_i)
    dut.start_i.value = 0
    await ClockCycles(dut.clk_i, 9)
    assert dut.busy_o.value
    dut.rst_i.value = 1
    await ClockCycles(dut.clk_i, 3)
    dut.rst_i.value = 0
    await RisingEdge(dut.clk_i)
    assert not dut.busy_o.value
    await calc.load(2, 5)
    await calc.do(ADD, 3, 1, 2)
    assert await calc.read(3) == 82


def test_lig_drive_calc():
    sources = [
        HDL / "lig_drive_calc_pkg.sv",
        RTL / "lig_gate.sv",
        HDL / "lig_drive_turn.sv",
        HDL / "lig_drive_calc.sv",
    ]
    simulate(
        "test_lig_drive_calc",
        "lig_drive_calc",
        sources,
        arguments=("-Wno-UNUSEDPARAM", "-Wno-UNUSEDSIGNAL"),
    )
