# SPDX-License-Identifier: Apache-2.0
"""Export to an ECP5 with open tools: a whole design for Lattice's ECP5 evaluation board.

The board has no processor. A serial line takes its place, and on-chip memory that of main memory:
all that the board top does can be done from a host, at the pace of the line. For a board with a
processor or memory of its own, the board top is connected to these instead.
"""

from __future__ import annotations

import math

from ligament.build.synthesis.families import OPEN_FAMILY, ROOM
from ligament.errors import InputError, Problem
from ligament.export.board import Board, require_one_bus_clock
from ligament.export.registers import node_of
from ligament.export.render import render
from ligament.export.sources import ligament_source
from ligament.mapping.platform import declared_area

#: The board's oscillator, and what the PLL makes of it: (times, output divider). Unit: hertz.
OSCILLATOR_HZ, TIMES, DIVIDER = 12_000_000, 4, 12
#: Largest divider of the PLL's other outputs.
MOST_DIVIDER = 128
BAUD = 115_200
MEMORY_BITS = 16
STAND_INS = ("lig_axi_ram.sv", "lig_uart_host.sv")
RESOURCES = {"lut": "LUTs", "ff": "registers", "bram18": "block RAMs", "dsp": "multipliers"}


def ecp5_files(board: Board) -> dict[str, str | bytes]:
    """Return the design for the board, its constraints, the script and the bench."""
    require_one_bus_clock(board)
    _check_room(board)
    buses, cores = dividers_of(board)
    fastest_hz = OSCILLATOR_HZ * TIMES
    clock_hz = fastest_hz * DIVIDER // buses
    values = {
        **board.values(),
        "system": board.top.replace("lig_board_", "lig_ecp5_", 1),
        "clock_hz": clock_hz,
        "cores_hz": fastest_hz * DIVIDER / cores,
        "slow_divider": max(buses, cores),
        "clocks_per_bit": round(clock_hz / BAUD),
        "oscillator_hz": OSCILLATOR_HZ,
        "times": TIMES,
        "divider": DIVIDER,
        "baud": BAUD,
        "memory_bits": MEMORY_BITS,
        "stand_ins": [f"rtl/ecp5/{name}" for name in STAND_INS],
    }
    return {
        **{f"rtl/ecp5/{name}": ligament_source(name) for name in STAND_INS},
        "rtl/ecp5/lig_ecp5_system.sv": render("ecp5_system.sv.j2", values),
        "rtl/ecp5/lig_ecp5_pins.v": render("ecp5_pins.v.j2", values),
        "constraints/ecp5-evn.lpf": render("ecp5.lpf.j2", values),
        "sim/serial_tb.sv": render("serial_tb.sv.j2", values),
        "software/serial_host.py": render("serial_host.py.j2", values),
        "build.py": render("ecp5_build.py.j2", values),
        "README.md": render("ecp5.md.j2", values),
    }


def dividers_of(board: Board) -> tuple[int, int]:
    """Return what the PLL divides by for buses and cores: at their ratio, the slower just below."""
    buses_hz, cores_hz = board.clocks[-1].hz, board.clock_hz
    slow = math.ceil(DIVIDER * max(buses_hz, cores_hz) / min(buses_hz, cores_hz))
    slow = min(MOST_DIVIDER, slow)
    return (DIVIDER, slow) if cores_hz < buses_hz else (slow, DIVIDER)


def _check_room(board: Board) -> None:
    """Refuse nodes that declare more than the part has, before hours of placing them."""
    problems = []
    for resource, most in ROOM.items():
        areas = _areas(board, resource)
        if sum(areas.values()) > most:
            narrow = sum(_areas(board, resource, 1).values()) <= most
            problems.append(_too_large(resource, most, areas, narrow))
    if problems:
        raise InputError(problems)


def _areas(board: Board, resource: str, pixels: int | None = None) -> dict[str, float]:
    """What each node declares, with its pixels per cycle or with so many."""
    return {
        node_of(m): float(
            declared_area(m.type, "fpga", OPEN_FAMILY, pixels or m.pixels).get(resource, 0)
        )
        for m in board.design.members
    }


def _too_large(resource: str, most: float, areas: dict[str, float], narrow: bool) -> Problem:
    needed = sum(areas.values())
    shares = sorted(areas.items(), key=lambda entry: -entry[1])
    told = ", ".join(f"{node} {amount:g}" for node, amount in shares if amount)
    fits = [node for node, amount in shares if needed - amount <= most]
    hint = (
        f"without {' or '.join(fits)} the others fit" if fits else "leaving out one is not enough"
    )
    what = RESOURCES[resource]
    return Problem(
        "export-room",
        f"the nodes declare {needed:g} {what}: {told}",
        expected=f"at most {most:g} {what}, what an LFE5UM5G-85F has",
        hint=f"{hint}: map fewer nodes to the device"
        + (", or ask for fewer pixels per cycle" if narrow else ""),
    )
