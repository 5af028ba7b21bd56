# SPDX-License-Identifier: Apache-2.0
"""Clocks: by place-and-route on the open family, and what cells leave for wires on UltraScale+.

No open tool places a part of that family. What a clock can be there follows from the delays of its
cells and a rule for wires; benchmarks/hmt/method.md has both.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ligament.artefacts import read_json, write_text
from ligament.bench.hmt import driving
from ligament.bench.hmt.area import SOURCES, flattened
from ligament.bench.hmt.network import BUILD
from ligament.bench.hmt.paths import Paths
from ligament.bench.measuring import Row, make_row
from ligament.build.synthesis.families import OPEN_FAMILY, find_family
from ligament.build.synthesis.yosys import NETLIST, fastest_mhz

GOAL_MHZ = 100
#: On UltraScale+: the clock of the published case study.
GOAL_CELLS_MHZ = 250
#: Of a path, what its cells may take: the 50/50 rule.
CELLS_SHARE = 0.5


@dataclass(frozen=True)
class Design:
    """A top with values of its parameters."""

    name: str
    width: int
    top: str
    values: str
    sources: tuple[Path, ...] = tuple(SOURCES)

    def params(self) -> dict[str, str | int]:
        """As `params` of a row."""
        return {"design": self.name, "width": self.width}


def _network(width: int) -> Design:
    """The network of the goal of area."""
    values = f"-G DATA_WIDTH={width} -G PUBLISHERS=2 -G SUBSCRIBERS=9"
    return Design("network", width, "hmt_network", values)


#: What stands between a network and memory.
_GATEWAY = Design("gateway", 64, "hmt_gateway", "-G DATA_WIDTH=64")
#: With the memory port, the ends and the topics of the driving graph, its nodes empty.
_SHELL = Design("shell", 64, "hmt_driving", "-G TOPICS=1", tuple(driving.sources()))
PLACED = (_network(64), _GATEWAY)
BY_CELLS = (_network(64), _network(512), _GATEWAY, _SHELL)

NOTES = (
    "fmax: by nextpnr, one seed, ports are no pins: paths between registers alone are judged",
    "cells, wire, clock: of the longest path in the delays of UltraScale+ cells after synthesis,"
    " ports counted as registers; no place-and-route",
)


def place(design: Design) -> list[Row]:
    """One row: megahertz on the open family."""
    family = find_family(OPEN_FAMILY)
    folder = BUILD / f"timing-{design.name}"
    flattened(folder, design.top, design.values, list(design.sources), family.name)
    reached = fastest_mhz(family, GOAL_MHZ, NETLIST, folder)
    params = {**design.params(), "part": family.part_name, "goal": GOAL_MHZ}
    return [make_row("hmt", params, "fmax", "MHz", reached or 0.0)]


def add_up(design: Design) -> list[Row]:
    """What the cells of the longest path take, and what follows for wires and for the clock."""
    folder = BUILD / f"cells-{design.name}-{design.width}"
    flattened(folder, design.top, design.values, list(design.sources), driving.FAMILY)
    whole = read_json(folder / NETLIST, "run `ligament bench hmt --area`")
    paths = Paths(whole["modules"][design.top])
    longest = paths.longest()
    reached = 1e6 * CELLS_SHARE / longest.ps
    wire = paths.wire_at(round(1e6 / GOAL_CELLS_MHZ))
    write_text(folder / "path.txt", "".join(f"{net}\n" for net in longest.nets))
    params = {**design.params(), "family": driving.FAMILY}
    return [
        make_row("hmt", params, "cells", "ns", longest.ps / 1e3),
        make_row("hmt", params, "wire", "ns", wire / 1e3),
        make_row("hmt", {**params, "goal": GOAL_CELLS_MHZ}, "clock", "MHz", reached),
    ]
