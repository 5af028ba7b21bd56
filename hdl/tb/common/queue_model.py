# SPDX-License-Identifier: Apache-2.0
"""What the benches of the dropping queues watch."""

from __future__ import annotations

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge
from stream import begin


async def count_pulses(dut, signal, counts: dict[str, int], name: str) -> None:
    """Count the cycles in which `signal` is high."""
    counts.setdefault(name, 0)
    while True:
        await RisingEdge(dut.clk_i)
        await ReadOnly()
        counts[name] += int(signal.value)


async def begin_counting(dut, **pulses):
    """Start a stream into the dropping queue and one out of it, and count these of its outputs."""
    tx, rx = await begin(dut)
    counts: dict[str, int] = {}
    for name, signal in pulses.items():
        cocotb.start_soon(count_pulses(dut, signal, counts, name))
    cocotb.start_soon(never_waits(dut))
    return tx, rx, counts


async def never_waits(dut) -> None:
    """The queue's input is ready in every cycle outside of reset."""
    while True:
        await RisingEdge(dut.clk_i)
        await ReadOnly()
        if not dut.rst_i.value:
            assert dut.s_axis.tready.value, "a dropping queue made its producer wait"
