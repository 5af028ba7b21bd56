# SPDX-License-Identifier: Apache-2.0
"""What the boards of a variant hold (`backend: uio`): a folder beside the library that drives each.

It is what `ligament export` writes, without what a target's tools read. The board's bitstream is of
the same design where it has the same identity. A stand-in is compiled from the folder.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ligament.artefacts import read_json_object
from ligament.errors import FailureError, InputError, Problem, listing
from ligament.export import stand_in
from ligament.export.board import board_of, common_files
from ligament.export.stage import EXPORT, chosen_in, parameters_of, write_folder
from ligament.export.streams import streams_of
from ligament.generate.fpga.backend import designs_in, longest_in
from ligament.generate.fpga.plan import Design
from ligament.generate.fpga.texts import board_folder
from ligament.graph.model import Graph
from ligament.mapping.model import GraphMapping

#: A message lies behind a boundary, and a read may take as much behind it (board_start.cpp).
_AROUND = 128
_PAGE = 4096


def export_boards(graph: Graph, mapping: GraphMapping, variant: Path) -> None:
    """Write the folders; raise InputError for a design that no board's driver serves."""
    found = {d.name: d for d in designs_in(graph, mapping).values() if d.device.is_board}
    designs = {design.device.name: design for design in found.values()}
    counts = Counter(design.device.name for design in found.values())
    if several := [name for name, count in counts.items() if count > 1]:
        raise InputError(
            Problem(
                "backend-uio",
                f"nodes of several hosts are on the board {listing(several)}",
                expected="one host for each board",
                hint="name the board of the other host as another device of the platform",
            )
        )
    if problems := [p for d in designs.values() for p in _unfit(d)]:
        raise InputError(problems)
    for name, design in designs.items():
        longest = longest_in(graph, mapping, design)
        board = board_of(
            design,
            (mapping.graph, mapping.variant, mapping.platform),
            parameters_of(mapping, chosen_in(mapping, graph, name)),
            variant.parent / "gen" / f"fpga-{mapping.platform}",
            longest=longest,
        )
        folder = variant.parent / "lib" / f"fpga-{mapping.platform}" / board_folder(design)
        write_folder(folder, board, "board", common_files(board))


def _unfit(design: Design) -> list[Problem]:
    device = design.device
    problems = [
        Problem(
            "backend-uio",
            f"the board {device.name} has no driver for {stream['unfit']}",
            expected="nodes that answer sets of messages, on topics in the pool or on the chip",
            hint="map that node elsewhere, give its topic other `transports`, or simulate the "
            "FPGA: a platform without `backend: uio`",
        )
        for stream in streams_of(design, {})
        if "unfit" in stream
    ]
    if device.waveforms:
        text = f"--wave: {device.name} is driven as a board, which writes no waveforms"
        hint = "the same graph on a platform with a simulated FPGA has the same signals"
        problems.append(Problem("wave-nothing", text, hint=hint))
    return problems[:1]


def build_stand_in(folder: Path) -> Path:
    """Compile the stand-in of a folder, unless it is there; return the program."""
    try:
        return stand_in.build(folder.resolve())
    except SystemExit as error:
        raise FailureError(str(error)) from error


def memory_of(folder: Path) -> int:
    """Return the bytes of memory that a design's longest messages need, in whole pages."""
    data: Mapping[str, Any] = read_json_object(folder / EXPORT)
    page = int(data.get("pages", {}).get("bytes", _PAGE))
    rooms = [s["bytes"] + _AROUND for s in data["streams"] if "end" in s]
    return sum(-(-room // page) * page for room in rooms)
