# SPDX-License-Identifier: Apache-2.0
"""Export to FuseSoC: a core file (CAPI2) of the folder's sources."""

from __future__ import annotations

from ligament.export.board import TESTBENCH, Board
from ligament.export.render import render


def fusesoc_files(board: Board) -> dict[str, str | bytes]:
    """Return the core file, and the README with its steps."""
    values = {**board.values(), "testbench": TESTBENCH}
    return {
        f"{board.top}.core": render("fusesoc.core.j2", values),
        "README.md": render("fusesoc.md.j2", values),
    }
