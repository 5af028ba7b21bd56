# SPDX-License-Identifier: Apache-2.0
"""Export to LiteX: a module in Python that adds the board top to a system-on-chip.

Buses of LiteX have 32 bits, and so have the registers of this export.
"""

from __future__ import annotations

from ligament.export.board import Board, require_one_bus_clock
from ligament.export.ports import full_signals, lite_signals
from ligament.export.render import render

#: Of LiteX's buses; the board top has 64.
ADDRESS_BITS = 32


def litex_files(board: Board) -> dict[str, str | bytes]:
    """Return the module and the README."""
    require_one_bus_clock(board)
    values = {
        **board.values(),
        "lite": [_wired(signal.name) for signal in lite_signals(board.bus_width)],
        "full": [_wired(s.name) for s in full_signals(board.design.port_bits, board.id_bits)],
        "address_bits": ADDRESS_BITS,
    }
    return {
        "ligament_design.py": render("ligament_design.py.j2", values),
        "README.md": render("litex.md.j2", values),
    }


def _wired(name: str) -> tuple[str, str, str]:
    """Return a signal's name, its channel and what LiteX calls it there."""
    channel = name[:2] if name[:2] in ("aw", "ar") else name[:1]
    return name, channel, name[len(channel) :]
