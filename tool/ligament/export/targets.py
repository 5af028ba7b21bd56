# SPDX-License-Identifier: Apache-2.0
"""What an export is for: the files that a target adds, and the steps that its README says.

To add a target, write a module with a function from `Board` to its files, and give it a line in
`TARGETS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ligament.errors import InputError, Problem, no_such
from ligament.export.board import Board
from ligament.export.ecp5 import ecp5_files
from ligament.export.fusesoc import fusesoc_files
from ligament.export.litex import litex_files
from ligament.export.vivado import vivado_files

Files = Mapping[str, str | bytes]


@dataclass(frozen=True)
class Target:
    """A line of the table."""

    name: str
    text: str
    files: Callable[[Board], Files]
    #: Width of the bus on the registers. Unit: bits.
    bus_width: int = 64


TARGETS: tuple[Target, ...] = (
    Target("fusesoc", "a FuseSoC core file: lint, simulation, and your own targets", fusesoc_files),
    Target("ecp5", "open tools (Yosys, nextpnr) and an ECP5 evaluation board", ecp5_files),
    Target("vivado", "an IP with AXI ports, a project script, a device tree overlay", vivado_files),
    Target("litex", "a module for a LiteX system-on-chip", litex_files, bus_width=32),
)


def find_target(name: str | None) -> Target:
    """Return a target by its name; InputError where there is none, or none is named."""
    if name is None:
        raise InputError(
            Problem(
                "export-target",
                "whose tools shall read it is not said",
                expected="--to with one of "
                + "; ".join(f"{target.name} ({target.text})" for target in TARGETS),
            )
        )
    found = next((target for target in TARGETS if target.name == name), None)
    if found is None:
        names = [target.name for target in TARGETS]
        text = f"nothing is exported to '{name}'"
        raise InputError(no_such("export-target", text, name, names, before="--to one of "))
    return found
