# SPDX-License-Identifier: Apache-2.0
"""lig_rest: with LIG_TICK the clock ticks as a beat passes or is newly offered, and behind it."""

from __future__ import annotations

import os
import random

import cocotb
import pytest
from bench import HDL, RTL, simulate
from cocotb.triggers import Timer


@cocotb.test()
async def ticks_as_the_model(dut):
    linger = int(os.environ["LINGER"])
    rng = random.Random(11)
    dut.tick_i.value = 0
    left, before, was, seen = 0, 0, None, set()
    for cycle in range(1500):
        reset, busy = cycle < 3, rng.random() < 0.02
        # Most of the time both streams stay as they are: idle, waiting, or passing beats.
        if cycle % 20 == 0 or rng.random() < 0.05:
            valid, ready = rng.randrange(4), rng.randrange(4)
        dut.rst_i.value, dut.busy_i.value = reset, busy
        dut.valid_i.value, dut.ready_i.value = valid, ready
        dut.tick_i.value = 1 - int(dut.tick_i.value)
        await Timer(1, "ns")
        ticks = int(dut.ticks_o.value) - before
        before += ticks
        wakes = busy or valid & ready != 0 or (valid, ready) != was
        if not reset:
            assert ticks == (wakes or left > 0), cycle
            seen.add((ticks, valid != 0))
        left = linger if reset or wakes else max(left - 1, 0)
        was = valid, ready
    assert seen == {(0, False), (0, True), (1, False), (1, True)}


@pytest.mark.parametrize("linger", [1, 5])
def test_lig_rest(linger):
    simulate(
        "test_lig_rest",
        "lig_rest_tb",
        [RTL / "lig_gate.sv", RTL / "lig_rest.sv", HDL / "tb" / "lig_rest" / "lig_rest_tb.sv"],
        {"LINGER": linger},
        environment={"LINGER": str(linger)},
        arguments=["+define+LIG_TICK", "-Wno-SYNCASYNCNET"],
    )
