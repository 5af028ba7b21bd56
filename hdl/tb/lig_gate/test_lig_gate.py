# SPDX-License-Identifier: Apache-2.0
"""lig_gate: with LIG_TICK the clock ticks when woken, behind that and in reset; else always."""

from __future__ import annotations

import os
import random

import cocotb
import pytest
from bench import HDL, RTL, simulate
from cocotb.triggers import Timer


@cocotb.test()
async def ticks_as_the_model(dut):
    linger, gated = int(os.environ["LINGER"]), os.environ["GATED"] == "1"
    rng = random.Random(7)
    dut.tick_i.value = 0
    dut.rst_i.value = 1
    dut.wake_i.value = 0
    await Timer(1, "ns")
    left, before, seen = None, int(dut.ticks_o.value), set()
    for cycle in range(600):
        reset, wake = cycle % 200 in (0, 1), rng.random() < 0.2
        dut.rst_i.value, dut.wake_i.value = reset, wake
        dut.tick_i.value = 1 - int(dut.tick_i.value)
        await Timer(1, "ns")
        ticks = int(dut.ticks_o.value) - before
        before += ticks
        if left is not None:  # since the reset
            assert ticks == (wake or reset or left > 0 or not gated), cycle
            seen.add(ticks)
        if reset or wake:
            left = max(linger, 1) if reset else linger
        elif left is not None:
            left = max(left - 1, 0)
    assert seen == ({0, 1} if gated else {1})


@pytest.mark.parametrize(("linger", "gated"), [(0, True), (1, True), (5, True), (3, False)])
def test_lig_gate(linger, gated):
    tick = ["+define+LIG_TICK", "-Wno-SYNCASYNCNET"]
    simulate(
        "test_lig_gate",
        "lig_gate_tb",
        [RTL / "lig_gate.sv", HDL / "tb" / "lig_gate" / "lig_gate_tb.sv"],
        {"LINGER": linger},
        environment={"GATED": str(int(gated))},
        arguments=tick if gated else [],
    )
