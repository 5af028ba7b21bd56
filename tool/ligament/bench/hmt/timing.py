# SPDX-License-Identifier: Apache-2.0
"""The highest clock of a network and of a gateway, by place-and-route on the open family."""

from __future__ import annotations

from ligament.bench.hmt.area import SOURCES, flattened
from ligament.bench.hmt.network import BUILD
from ligament.bench.measuring import Row, make_row
from ligament.build.synthesis.families import OPEN_FAMILY, find_family
from ligament.build.synthesis.yosys import NETLIST, fastest_mhz

GOAL_MHZ = 100
#: Tops by the name that rows give them, with values of their parameters: the network of the goal of
#: area, and what stands between a network and memory.
DESIGNS = {
    "network": ("hmt_network", "-G DATA_WIDTH=64 -G PUBLISHERS=2 -G SUBSCRIBERS=9"),
    "gateway": ("hmt_gateway", "-G DATA_WIDTH=64"),
}
NOTES = ("fmax: by nextpnr, one seed, ports are no pins: paths between registers alone are judged",)


def measure(name: str) -> list[Row]:
    """One row: megahertz."""
    top, values = DESIGNS[name]
    family = find_family(OPEN_FAMILY)
    folder = BUILD / f"timing-{name}"
    flattened(folder, top, values, SOURCES, family.name)
    reached = fastest_mhz(family, GOAL_MHZ, NETLIST, folder)
    params = {"design": name, "width": 64, "part": family.part_name, "goal": GOAL_MHZ}
    return [make_row("hmt", params, "fmax", "MHz", reached or 0.0)]
