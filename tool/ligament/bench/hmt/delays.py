# SPDX-License-Identifier: Apache-2.0
"""What cells of an UltraScale+ device take, without wires, in picoseconds.

As RapidWright states them, AMD's open tool (timing/ultrascaleplus/intrasite_delay_terms.txt of its
repository, commit 325baa006242): of pins of one kind, and of both halves of a LUT, the slowest. It
has no setup of a register's enable and reset: those are an Artix-7's, which is slower, as Yosys's
library has them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from ligament.errors import FailureError


@dataclass(frozen=True)
class Cell:
    """Delays of the cells whose type matches; patterns of pins stand for the whole name."""

    type: str
    #: From an input to an output through logic, by `input>output`.
    through: tuple[tuple[str, int], ...] = ()
    #: From the clock to every output; None: no register.
    leaves: int | None = None
    #: How long before the clock an input must be there.
    setup: tuple[tuple[str, int], ...] = ()

    def delay(self, entry: str, exit_: str) -> int | None:
        """Through logic; None: none leads there."""
        return _first(self.through, f"{entry}>{exit_}")

    def needs(self, entry: str) -> int | None:
        """The setup of an input; None: nothing samples it."""
        return _first(self.setup, entry)


#: Inputs of a LUT, the fastest last, as Yosys orders them.
_PINS = (165, 140, 115, 100, 70, 35)
_LUTS = tuple(
    Cell(f"LUT{n}", tuple((f"I{i}>O", ps) for i, ps in enumerate(_PINS[6 - n :])))
    for n in range(1, 7)
)
_MUX = (("I.>O", 95), ("S>O", 77))
_WORDS = ((r"ADDR\w|A\d?|DPRA\d", 117), ("WE|CE", 180), (r"D\w*", 81))

CELLS = (
    *_LUTS,
    Cell("INV", (("I>O", 35),)),
    Cell("MUXF7", _MUX),
    Cell("MUXF8", _MUX),
    Cell(
        "CARRY4",
        (("CI>O", 82), ("CI>CO", 60), ("S>O", 139), ("S>CO", 186), ("DI>O", 115), ("DI>CO", 182),
         ("CYINIT>O", 135), ("CYINIT>CO", 177)),
    ),
    Cell("FD[RSCP]E", leaves=77, setup=(("D", 0), ("CE", 109), ("R|S|CLR|PRE", 404))),
    Cell("RAM(32M16|64M8)", ((r"ADDR(\w)>DO\1", 165),), 312, _WORDS),
    Cell(r"RAM\d+X1[SD]", ((r"A\d?>S?O|A\d?>SPO|DPRA\d?>DPO", 165),), 312, _WORDS),
    Cell("SRL(16E|C32E)", ((r"A\d?>Q", 165),), 312, _WORDS),
    Cell(
        "RAMB(18|36)E2",  # without its output register
        leaves=1003,
        setup=(("ADDREN.", 445), ("ADDR.*", 383), ("WE.*", 394), ("EN.*", 342), ("DIN.*", 313),
               ("RST.*", 313), ("REGCE.*", 233)),
    ),
)  # fmt: skip
#: Of a register outside, at a port.
CLOCK_TO_PORT = 77
#: Of clocks, and constants.
WITHOUT = ("BUFG", "GND", "VCC", "$scopeinfo")


@cache
def cell_of(kind: str) -> Cell | None:
    """The delays of a type of cell; None: it has none."""
    for cell in CELLS:
        if re.fullmatch(cell.type, kind):
            return cell
    if kind in WITHOUT:
        return None
    raise FailureError(f"no delays of a cell {kind}", hint="state them in bench/hmt/delays.py")


@cache
def _first(patterns: tuple[tuple[str, int], ...], pin: str) -> int | None:
    return next((ps for pattern, ps in patterns if re.fullmatch(pattern, pin)), None)
