# SPDX-License-Identifier: Apache-2.0
"""Export to Vivado: an IP (IP-XACT), a project script, constraints, and a device tree overlay."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ligament.export.board import Board
from ligament.export.ports import full_signals, lite_signals
from ligament.export.registers import SETTINGS, VALUES, WORD_BYTES
from ligament.export.render import render
from ligament.export.sources import ligament_source

#: Where the registers are in a Zynq UltraScale+: the first addresses of its port HPM0.
BASE = 0xA000_0000
#: Of `lig_shell` and `lig_control`, what all designs have.
FIXED = (
    (0x0FF00, "shell_version", "lig_shell and its version"),
    (0x0FF20, "sent_ends", "ends at which an event of a send waits"),
    (0x0FF28, "stored_ends", "ends at which an event of a room waits"),
    (0x10000, "board_version", "lig_control and its version"),
    (0x10008, "identity", "the design's identity"),
    (0x10010, "counts", "how many settings, values and ends there are"),
)


def vivado_files(board: Board) -> dict[str, str | bytes]:
    """Return the IP's description, the script, its constraints, the overlay and the README."""
    lite = lite_signals(board.bus_width)
    full = full_signals(board.design.port_bits, board.id_bits)
    values = {
        **board.values(),
        "base": BASE,
        "registers": list(_registers(board)),
        "lite_map": [(signal.name.upper(), f"s_axil_{signal.name}") for signal in lite],
        "full_map": [(signal.name.upper(), f"m_axi_{signal.name}") for signal in full],
    }
    crossings = {"constraints/crossings.xdc": ligament_source("lig_cross.xdc")}
    return {
        **(crossings if board.design.device.domains else {}),
        "component.xml": render("component.xml.j2", values),
        "create_project.tcl": render("vivado.tcl.j2", values),
        "constraints/alone.xdc": render("alone.xdc.j2", values),
        "ligament.dtso": render("ligament.dtso.j2", values),
        "README.md": render("vivado.md.j2", values),
    }


def _registers(board: Board) -> Iterator[dict[str, Any]]:
    for address, name, text in FIXED:
        yield _register(address, name, text, "read-only")
    for setting in board.registers.settings:
        address = SETTINGS + WORD_BYTES * setting.number
        yield _register(address, f"setting_{setting.name}", setting.description, "read-write")
    for value in board.registers.values:
        address = VALUES + WORD_BYTES * value.number
        yield _register(address, f"value_{value.name}", value.description, "read-only")


def _register(address: int, name: str, text: str, access: str) -> dict[str, Any]:
    plain = re.sub(r"\W+", "_", name).strip("_")
    return {"address": f"0x{address:05x}", "name": plain, "description": text, "access": access}
