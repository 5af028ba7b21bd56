# SPDX-License-Identifier: Apache-2.0
"""lig_drive_calculator: each instruction against Python's whole numbers, and jumps."""

from __future__ import annotations

import math
import os
import random
from collections.abc import Sequence
from pathlib import Path

import cocotb
import drive_bench
import pytest
from bench import RTL, simulate
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge
from stream import start

HDL = Path(__file__).resolve().parents[1] / "hdl"
(HALT, LOAD, PLUS, MINUS, TIMES, ROUNDED, TRUNCATED, SHIFTED,
 FLOORED, ROOT, LEAST, MOST, SIZE, WHERE_LESS, WHERE_EQUAL, GO) = range(16)  # fmt: skip
#: Where programs of the benches begin, and two blocks to jump to.
FIRST, OTHER, THIRD = 3, 17, 31


def instruction(
    op: int, to: int = 0, a: int = 0, b: int = 0, number: int | None = None, target: int = 0
) -> int:
    """As instruction_t of lig_drive_calculator_pkg; `number`: in place of b."""
    bits = op << 12 | to << 6 | a
    bits = (bits << 1 | (number is not None)) << 6 | b
    return (bits << 36 | (number or 0) % 2**36) << 5 | target


class Calculator:
    """Runs programs, and looks at registers."""

    def __init__(self, dut) -> None:
        self.dut = dut
        self.blocks: dict[int, Sequence[int]] = {}
        cocotb.start_soon(self._answer())

    async def _answer(self) -> None:
        """The instruction of each step, in the same cycle."""
        while True:
            await FallingEdge(self.dut.clk_i)
            step = int(self.dut.step_o.value)
            lines = self.blocks.get(step >> 4, ())
            line = step & 15
            self.dut.instruction_i.value = lines[line] if line < len(lines) else 0

    async def run(self, *lines: int, **blocks: Sequence[int]) -> int:
        """Run these lines, and those of other blocks; returns why it stands."""
        self.blocks = {FIRST: lines}
        self.blocks |= {{"other": OTHER, "third": THIRD}[name]: b for name, b in blocks.items()}
        dut = self.dut
        dut.start_at_i.value = FIRST
        dut.start_i.value = 1
        await RisingEdge(dut.clk_i)
        dut.start_i.value = 0
        await FallingEdge(dut.clk_i)
        while dut.busy_o.value:
            await FallingEdge(dut.clk_i)
        await RisingEdge(dut.clk_i)
        return int(dut.why_o.value)

    async def put(self, **registers: int) -> None:
        """Write registers: r7=5."""
        for name, value in registers.items():
            self.dut.register_i.value = int(name[1:])
            self.dut.value_i.value = value % 2 ** len(self.dut.value_i)
            self.dut.write_i.value = 1
            await RisingEdge(self.dut.clk_i)
            self.dut.write_i.value = 0

    async def get(self, register: int) -> int:
        self.dut.register_i.value = register
        await FallingEdge(self.dut.clk_i)
        return self.dut.value_o.value.to_signed()

    async def result(self, op: int, a: int, b: int, *, literal: bool = False) -> int:
        """What an instruction makes of two values."""
        await self.put(r5=a, r63=b)
        line = instruction(op, 9, 5, 0, b) if literal else instruction(op, 9, 5, 63)
        assert await self.run(line, instruction(HALT, target=7)) == 7
        return await self.get(9)


async def begin(dut) -> Calculator:
    for name in ("start", "start_at", "write", "register", "value", "instruction"):
        getattr(dut, f"{name}_i").value = 0
    await start(dut)
    return Calculator(dut)


def numbers(dice: random.Random, count: int, bits: int) -> list[int]:
    """Of all sizes, and both signs."""
    found = [0, 1, -1, 2, -2]
    while len(found) < count:
        found.append(dice.choice((-1, 1)) * dice.getrandbits(dice.randint(1, bits)))
    return found


def width() -> int:
    return int(os.environ["WIDTH"])


@cocotb.test()
async def adds_and_chooses(dut):
    calc = await begin(dut)
    dice = random.Random(1)
    values = numbers(dice, 20, width() - 2)
    for a, b in zip(values, reversed(values), strict=True):
        for op, want in (
            (LOAD, b),
            (PLUS, a + b),
            (MINUS, a - b),
            (LEAST, min(a, b)),
            (MOST, max(a, b)),
            (SIZE, abs(a)),
        ):
            assert await calc.result(op, a, b) == want, (op, a, b)
    for number in (0, 1, -1, 2**35 - 1, -(2**35)):
        assert await calc.result(PLUS, 5, number, literal=True) == 5 + number


def rounded(numerator: int, denominator: int) -> int:
    """divide_rounded()."""
    return (2 * numerator + denominator) // (2 * denominator)


@cocotb.test()
async def multiplies_and_divides(dut):
    calc = await begin(dut)
    dice = random.Random(2)
    half = width() // 2 - 1
    for a, b in zip(numbers(dice, 24, half), reversed(numbers(dice, 24, half)), strict=True):
        assert await calc.result(TIMES, a, b) == a * b, (a, b)
    for a, b in zip(
        numbers(dice, 24, width() - 3), reversed(numbers(dice, 24, width() - 4)), strict=True
    ):
        divisor = abs(b) or 1
        assert await calc.result(ROUNDED, a, divisor) == rounded(a, divisor), (a, divisor)
        quotient = abs(a) // divisor
        assert await calc.result(TRUNCATED, a, divisor) == (quotient if a >= 0 else -quotient)
    for a in (-3, -2, -1, 0, 1, 2, 3):  # halves go up
        assert await calc.result(ROUNDED, a, 2, literal=True) == math.floor(a / 2 + 0.5)


@cocotb.test()
async def shifts_and_takes_roots(dut):
    calc = await begin(dut)
    dice = random.Random(3)
    for a in numbers(dice, 24, width() - 2):
        places = dice.randint(1, 47)
        want = (a + (1 << places - 1)) >> places
        assert await calc.result(SHIFTED, a, places, literal=True) == want, (a, places)
        assert await calc.result(FLOORED, a, places, literal=True) == a >> places
    large = [dice.getrandbits(dice.randint(1, 63)) for _ in range(12)]
    for value in (0, 1, 2, 3, 4, 2**62, 2**63 - 1, *large):
        assert await calc.result(ROOT, value, 0) == math.isqrt(value)


@cocotb.test()
async def jumps(dut):
    calc = await begin(dut)
    for a, b in ((1, 2), (2, 1), (2, 2), (-1, 0)):
        await calc.put(r5=a, r63=b)
        why = await calc.run(
            instruction(LOAD, 1, number=1),
            instruction(WHERE_LESS, a=5, b=63, target=OTHER),
            instruction(WHERE_EQUAL, a=5, b=63, target=THIRD),
            instruction(LOAD, 1, number=2),
            instruction(GO, target=OTHER),
            instruction(LOAD, 1, number=99),
            other=[instruction(PLUS, 2, 1, number=100), instruction(HALT, target=11)],
            third=[instruction(HALT, target=12)],
        )
        if a == b:
            assert why == 12
        else:
            assert (why, await calc.get(2)) == (11, 101 if a < b else 102)


@cocotb.test()
async def begins_anew_at_reset(dut):
    calc = await begin(dut)
    await calc.put(r1=77)
    calc.blocks = {FIRST: [instruction(ROUNDED, 1, 1, number=3), instruction(HALT)]}
    dut.start_at_i.value = FIRST
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
    assert await calc.get(1) == 77
    assert await calc.result(PLUS, 77, 5) == 82


@pytest.mark.parametrize("width", drive_bench.sweep([64], [104, 128]))
def test_lig_drive_calculator(width):
    sources = [
        HDL / "lig_drive_calculator_pkg.sv",
        RTL / "lig_gate.sv",
        HDL / "lig_drive_calculator.sv",
    ]
    simulate(
        "test_lig_drive_calculator",
        "lig_drive_calculator",
        sources,
        {"WIDTH": width},
        arguments=("-Wno-UNUSEDPARAM", "-Wno-UNUSEDSIGNAL"),
    )
