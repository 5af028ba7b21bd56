# SPDX-License-Identifier: Apache-2.0
"""The longest path of a netlist in the delays of its cells: no place-and-route, no wires.

    paths = Paths(module)          # of a flat netlist in Yosys's JSON
    paths.longest().ps             # of cells alone
    paths.longest(wire=300).ps     # as if each wire took 300 ps

Ports count as registers outside. Yosys's own `sta` is of no use for it: it leaves out registers,
because their delays have conditions in its library.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from typing import Any

from ligament.bench.hmt.delays import CLOCK_TO_PORT, Cell, cell_of

Net = int
#: Inputs that the cell before leads to without a wire.
WITHIN = {("CARRY4", "CI"), ("MUXF7", "I0"), ("MUXF7", "I1"), ("MUXF8", "I0"), ("MUXF8", "I1")}


@dataclass(frozen=True)
class Path:
    """From register to register: its delay, and its nets, the last one that of the second."""

    ps: int
    nets: tuple[str, ...]


class Paths:
    """All paths between registers, and between these and ports."""

    def __init__(self, module: Mapping[str, Any]) -> None:
        #: In front of each net, through logic: net, delay, whether a wire leads from it.
        self.arcs: dict[Net, list[tuple[Net, int, bool]]] = {}
        self.starts: dict[Net, int] = {}
        #: What is sampled: net, setup, and a net behind the register.
        self.ends: list[tuple[Net, int, Net]] = []
        self.module = module
        for cell in module["cells"].values():
            found = cell_of(cell["type"])
            if found is not None:
                self._add(found, cell)
        for port in module["ports"].values():
            if port["direction"] == "input":
                self.starts.update((net, CLOCK_TO_PORT) for net in _nets(port["bits"]))
            else:
                self.ends += [(net, 0, net) for net in _nets(port["bits"])]
        graph = {net: [arc[0] for arc in arcs] for net, arcs in self.arcs.items()}
        self.order = list(TopologicalSorter(graph).static_order())

    def longest(self, wire: int = 0) -> Path:
        """The longest path where each wire takes that many picoseconds."""
        arrival = dict(self.starts)
        before: dict[Net, Net] = {}
        for net in self.order:
            for source, ps, wired in self.arcs.get(net, ()):
                there = arrival.get(source, -1) + ps + wire * wired
                if source in arrival and there > arrival.get(net, -1):
                    arrival[net], before[net] = there, source
        reached = [(arrival[end[0]] + wire + end[1], end) for end in self.ends if end[0] in arrival]
        if not reached:
            return Path(0, ())
        ps, (net, _, behind) = max(reached)
        return Path(ps, tuple(self._names([*_back(before, net), behind])))

    def wire_at(self, period_ps: int) -> int:
        """The most that each wire may take for a period; below 0: it is too long without any."""
        low, high = -1, period_ps
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.longest(middle).ps <= period_ps else (low, middle)
        return low

    def _add(self, found: Cell, cell: Mapping[str, Any]) -> None:
        wires, ways = cell["connections"], cell["port_directions"]
        inputs = [pin for pin in wires if ways[pin] == "input"]
        outputs = [pin for pin in wires if ways[pin] != "input"]
        for pin in outputs:
            if found.leaves is not None:
                self.starts.update((net, found.leaves) for net in _nets(wires[pin]))
            for entry in inputs:
                ps = found.delay(entry, pin)
                if ps is not None:
                    self._add_arcs(wires[entry], wires[pin], ps, (found.type, entry) not in WITHIN)
        for pin in inputs:
            setup = found.needs(pin)
            if setup is not None:
                behind = next((net for out in outputs for net in _nets(wires[out])), 0)
                self.ends += [(net, setup, behind) for net in _nets(wires[pin])]

    def _add_arcs(self, entry: Sequence[Any], leaves: Sequence[Any], ps: int, wired: bool) -> None:
        for place, source in enumerate(entry):
            # Of a carry chain, a place leads to itself and those behind it.
            first = place if len(entry) == len(leaves) else 0
            for net in _nets(leaves[first:]):
                if isinstance(source, int):
                    self.arcs.setdefault(net, []).append((source, ps, wired))

    def _names(self, nets: Sequence[Net]) -> Iterator[str]:
        """As the source has them where it does; the shortest of several."""
        wanted: dict[Net, list[tuple[bool, int, str]]] = {net: [] for net in nets}
        for name, found in self.module["netnames"].items():
            for place, net in enumerate(found["bits"]):
                if net in wanted:
                    wanted[net].append((bool(found["hide_name"]), len(name), f"{name}[{place}]"))
        return (min(wanted[net], default=(True, 0, str(net)))[2] for net in nets)


def _nets(bits: Sequence[Any]) -> Iterator[Net]:
    """Those that are no constants."""
    return (bit for bit in bits if isinstance(bit, int))


def _back(before: Mapping[Net, Net], net: Net) -> list[Net]:
    way = [net]
    while way[-1] in before:
        way.append(before[way[-1]])
    return way[::-1]
