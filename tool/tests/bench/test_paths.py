# SPDX-License-Identifier: Apache-2.0
"""Longest paths in the delays of cells: of netlists as Yosys writes them."""

from __future__ import annotations

from typing import Any

import pytest

from ligament.bench.hmt.delays import cell_of
from ligament.bench.hmt.paths import Paths
from ligament.errors import FailureError


def cell(kind: str, outputs: str, **pins: Any) -> dict[str, Any]:
    """A cell whose pins are nets, one or a list; those named in `outputs` leave it."""
    wires = {pin: nets if isinstance(nets, list) else [nets] for pin, nets in pins.items()}
    ways = {pin: "output" if pin in outputs.split() else "input" for pin in wires}
    return {"type": kind, "connections": wires, "port_directions": ways}


def register(entry: int, leaves: int, **more: Any) -> dict[str, Any]:
    return cell("FDRE", "Q", C=1, D=entry, Q=leaves, **{"CE": "1", "R": "0", **more})


def paths_of(*cells: dict[str, Any], **ports: tuple[str, int]) -> Paths:
    module = {
        "cells": {f"c{place}": one for place, one in enumerate(cells)},
        "ports": {name: {"direction": way, "bits": [net]} for name, (way, net) in ports.items()},
        "netnames": {
            "deep.name": {"bits": [3], "hide_name": 0},
            "near": {"bits": [3], "hide_name": 0},
            "x": {"bits": [3], "hide_name": 1},
        },
    }
    return Paths(module)


def test_the_longest_of_all_paths_is_found() -> None:
    slow = cell("LUT2", "O", I0=2, I1=5, O=3)
    fast = cell("LUT6", "O", I0="0", I1="0", I2="0", I3="0", I4="0", I5=2, O=4)
    paths = paths_of(register(4, 2), register(3, 5), slow, fast)
    found = paths.longest()
    assert found.ps == 77 + 70  # of LUT2's two inputs the slower, the fifth of six
    assert found.nets == ("2", "near[0]", "5")
    assert paths.longest(wire=100).ps == 77 + 100 + 70 + 100


def test_the_setup_of_an_enable_and_a_reset_counts() -> None:
    assert paths_of(register(2, 2)).longest().ps == 77
    assert paths_of(register(2, 2, CE=2)).longest().ps == 77 + 109
    assert paths_of(register(2, 2, CE=2, R=2)).longest().ps == 77 + 404


def test_ports_are_registers_outside() -> None:
    logic = cell("LUT1", "O", I0=2, O=3)
    assert paths_of(logic, a=("input", 2), b=("output", 3)).longest().ps == 77 + 35
    assert paths_of(logic, b=("output", 3)).longest().ps == 0


def test_a_carry_chain_has_no_wires_within_and_leads_upwards_only() -> None:
    low = cell("CARRY4", "O CO", CI="0", S=[2, 2, 2, 2], DI=["0"] * 4, CYINIT="0",
               O=[10, 11, 12, 13], CO=[14, 15, 16, 17])  # fmt: skip
    high = cell("CARRY4", "O CO", CI=17, S=["0", "0", "0", 10], DI=["0"] * 4, CYINIT="0",
                O=[20, 21, 22, 23], CO=[24, 25, 26, 27])  # fmt: skip
    paths = paths_of(register(20, 2), low, high)
    assert paths.longest().ps == 77 + 186 + 82
    assert paths.longest(wire=100).ps == 77 + 100 + 186 + 82 + 100
    # The sum's last place comes from its own S, the others do not.
    assert paths_of(register(23, 2), low, high).longest(wire=100).ps == 77 + 300 + 139 + 139


def test_memories_begin_and_end_paths() -> None:
    words = cell("RAM32M16", "DOA DOB", WCLK=1, WE=7, ADDRA=[2], ADDRB=[8], DIA=[3], DOA=[3],
                 DOB=[4])  # fmt: skip
    block = cell("RAMB36E2", "DOUTADOUT", CLKARDCLK=1, ADDRARDADDR=[4], DOUTADOUT=[8])
    # Out of the block RAM, through the other memory's second port, and to the block's address.
    assert paths_of(words, block).longest().ps == 1003 + 165 + 383
    assert paths_of(words, register(9, 2)).longest().ps == 312 + 81  # written in this cycle


def test_what_each_wire_may_take() -> None:
    paths = paths_of(register(3, 2), cell("LUT1", "O", I0=2, O=3))
    assert paths.wire_at(1000) == (1000 - 77 - 35) // 2
    assert paths.wire_at(77 + 35) == 0
    assert paths.wire_at(100) == -1


def test_a_cell_without_delays_is_no_silence() -> None:
    with pytest.raises(FailureError, match="no delays of a cell DSP48E2"):
        paths_of(cell("DSP48E2", "P", A=2, P=3))
    assert cell_of("BUFG") is None
