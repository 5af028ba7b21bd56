# SPDX-License-Identifier: Apache-2.0
"""FPGA families: how Yosys synthesises for them, and what their cells count as.

A family is a line of `FAMILIES`. Resources have the names of the platforms' budgets: lut, ff, dsp,
bram18 (block RAM of 18 kbit), uram (UltraRAM of 288 kbit). Place-and-route exists for the families
that have a `part`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from ligament.errors import InputError, no_such

#: Pieces of a resource that a cell takes: (pattern of its type, resource, pieces).
Counts = tuple[tuple[str, str, float], ...]

_XILINX: Counts = (
    (r"LUT\d|INV|SRL\w+", "lut", 1),
    (r"RAM(32|64)X1S", "lut", 1),
    (r"RAM(32|64)X1D|RAM128X1S", "lut", 2),
    (r"RAM(32|64)M|RAM128X1D|RAM256X1S", "lut", 4),
    (r"RAM(32M16|64M8|64X8SW|32X16DR8)|RAM256X1D|RAM512X1S", "lut", 8),
    (r"FD[RSCP]E(_1)?", "ff", 1),
    (r"RAMB18E\d", "bram18", 1),
    (r"RAMB36E\d", "bram18", 2),
    (r"DSP48E\d", "dsp", 1),
)
#: UltraRAM is taken where a source asks for it (ram_style = "ultra"), and for other large memories.
_ULTRASCALE_PLUS: Counts = (*_XILINX, (r"URAM288(E5|_BASE)?", "uram", 1))
_ECP5: Counts = (
    (r"LUT4", "lut", 1),
    (r"CCU2C", "lut", 2),
    (r"TRELLIS_DPR16X4", "lut", 4),
    (r"TRELLIS_FF", "ff", 1),
    (r"DP16KD|PDPW16KD", "bram18", 1),
    (r"MULT18X18D", "dsp", 1),
)


@dataclass(frozen=True)
class Family:
    """How a family is synthesised, and placed where open tools can."""

    name: str
    command: str
    counts: Counts
    #: Options of nextpnr that name a part and a speed grade; empty: no open place-and-route.
    part: tuple[str, ...] = ()
    part_name: str = ""
    #: What that part has.
    room: Mapping[str, int] = field(default_factory=dict)

    def holds(self, cells: Mapping[str, int]) -> bool:
        """Return whether the part that open tools place on has that many pieces."""
        return all(cells.get(resource, 0) <= most for resource, most in self.room.items())

    def resources(self, cells: Mapping[str, int]) -> dict[str, int]:
        """Return what cells count as, every resource of the family named."""
        found = dict.fromkeys(sorted({resource for _, resource, _ in self.counts}), 0.0)
        for cell, count in cells.items():
            for pattern, resource, pieces in self.counts:
                if re.fullmatch(pattern, cell):
                    found[resource] += count * pieces
        return {resource: round(pieces) for resource, pieces in found.items()}


#: For nextpnr: the part, its package and speed grade.
PART = ("--85k", "--package", "CABGA381", "--speed", "8")
ROOM = {"lut": 83640, "ff": 83640, "bram18": 208, "dsp": 156}

FAMILIES: tuple[Family, ...] = (
    Family("ecp5", "synth_ecp5 -noiopad", _ECP5, PART, "LFE5U-85F-8", ROOM),
    Family("xcup", "synth_xilinx -family xcup -noiopad -uram", _ULTRASCALE_PLUS),
    Family("xcu", "synth_xilinx -family xcu -noiopad", _XILINX),
    Family("xc7", "synth_xilinx -family xc7 -noiopad", _XILINX),
)
#: Where timing comes from if the platform's own family has no open place-and-route.
OPEN_FAMILY = "ecp5"


def find_family(name: str) -> Family:
    """Return a family by the name that platform.yaml gives it."""
    found = next((f for f in FAMILIES if f.name == name), None)
    if found is None:
        names = [f.name for f in FAMILIES]
        raise InputError(
            no_such(
                "family-unknown",
                f"nothing here synthesises for the family '{name}'"
                if name
                else "the platform does not say which family its FPGA is of",
                name,
                names,
                before="`family` of the device in platform.yaml: one of ",
            )
        )
    return found
