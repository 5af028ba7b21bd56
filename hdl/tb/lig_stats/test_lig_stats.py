# SPDX-License-Identifier: Apache-2.0
"""lig_stats: counts as a model does, saturates, and starts anew when told."""

from __future__ import annotations

import random

import cocotb
import pytest
from bench import RTL, simulate
from cocotb.triggers import RisingEdge
from stream import start

NAMES = ("frames", "beats", "stalls", "gaps")


def read(dut) -> dict[str, int]:
    return {name: int(getattr(dut, f"{name}_o").value) for name in NAMES}


@cocotb.test()
async def counts_as_the_model(dut):
    rng = random.Random(4)
    dut.clear_i.value = 0
    dut.axis.tvalid.value = 0
    dut.axis.tready.value = 0
    dut.axis.tlast.value = 0
    await start(dut)
    full = (1 << len(dut.beats_o)) - 1
    model, inside, before = dict.fromkeys(NAMES, 0), False, dict.fromkeys(NAMES, 0)
    for cycle in range(1500):
        valid, ready, last, clear = (rng.random() < p for p in (0.7, 0.6, 0.3, 0.0))
        clear = cycle == 300
        dut.axis.tvalid.value, dut.axis.tready.value, dut.axis.tlast.value = valid, ready, last
        dut.clear_i.value = clear
        await RisingEdge(dut.clk_i)
        assert read(dut) == before, cycle
        steps = {
            "frames": valid and ready and last,
            "beats": valid and ready,
            "stalls": valid and not ready,
            "gaps": inside and not valid,
        }
        if valid and ready:
            inside = not last
        model = {k: 0 if clear else min(full, model[k] + steps[k]) for k in NAMES}
        before = dict(model)
    if len(dut.beats_o) == 8:
        assert model["beats"] == full, "the counters were not driven into saturation"


@pytest.mark.parametrize("width", [8, 32])
def test_lig_stats(width):
    simulate("test_lig_stats", "lig_stats", [RTL / "lig_stats.sv"], {"COUNTER_WIDTH": width})
