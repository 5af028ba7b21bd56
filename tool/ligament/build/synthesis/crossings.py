# SPDX-License-Identifier: Apache-2.0
"""Where a design crosses from one clock to another, and whether it may do so there.

    check_crossings(sources, top, work)        # InputError that names both registers

Yosys reads the design, and nothing is mapped: each register is as its source has it. From each one
the logic in front of it is followed back to other registers and to the top's ports. What has
another clock may come only into lig_sync, lig_reset_cross, and the register behind lig_cross's
memory (spec/device/clocks.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ligament.artefacts import read_json
from ligament.build.synthesis.yosys import copy_sources, run_tool
from ligament.errors import InputError, Problem

NETLIST = "crossings.json"
#: Ports of the top by the clock that they are of; all others have the cores'.
CORES = "clk_i"
BUSES = {"m_axi_": "m_axi_clk_i", "s_axil_": "s_axil_clk_i", "irq_o": "s_axil_clk_i"}
#: Whose registers may have another clock in front of them, by the file that they are written in.
LEVEL, WORD = "level", "word"
MODULES = {"lig_sync": LEVEL, "lig_reset_cross": LEVEL, "lig_cross_read": WORD}
#: Its register for what comes from the other side's memory.
WORD_REGISTER = "out_q"
MOST_TOLD = 5

Bit = int | str  # a net, or a constant


@dataclass(frozen=True)
class End:
    """What logic leads to, and from: a register, a memory or a port, and its clock."""

    name: str
    clock: str


def check_crossings(sources: Sequence[Path], top: str, work: Path) -> None:
    """Raise InputError where a design crosses clocks without a crossing."""
    names = " ".join(copy_sources(list(sources), work))
    script = (
        f"read_slang -j 1 --keep-hierarchy --top {top} {names}; hierarchy -top {top}; proc; "
        f"flatten; memory_collect; opt_clean; write_json {NETLIST}"
    )
    run_tool("yosys", ["-p", script], work)
    module = read_json(work / NETLIST, "run `ligament build --synth`")["modules"][top]
    found = list(unsafe_crossings(module))
    if found:
        more = f", and {len(found) - MOST_TOLD} more" if len(found) > MOST_TOLD else ""
        raise InputError(
            Problem(
                "clock-crossing",
                f"the design {top} crosses clocks: {'; '.join(found[:MOST_TOLD])}{more}",
                expected="lig_cross, lig_sync or lig_reset_cross in between",
                hint="a core with a clock of its own needs a lig_afifo on each of its streams",
            )
        )


def unsafe_crossings(module: Mapping[str, Any]) -> Iterator[str]:
    """Yield each register, memory or port of a flat netlist that depends on another clock."""
    netlist = _Netlist(module)
    for end, bits, kind in netlist.ends():
        others = {s for bit in bits for s in netlist.sources(bit) if s.clock != end.clock}
        if kind == LEVEL:
            # Logic in front of a synchroniser glitches: it takes what comes from registers.
            others = {s for s in others if not netlist.is_direct(bits, s)}
        if kind == WORD and end.name.rpartition(".")[2] == WORD_REGISTER:
            others = {s for s in others if not s.name.endswith(".memory")}
        for source in sorted(others, key=lambda one: one.name)[:1]:
            yield f"{end.name} ({end.clock}) depends on {source.name} ({source.clock})"


class _Netlist:
    def __init__(self, module: Mapping[str, Any]) -> None:
        self.cells: Mapping[str, Any] = module["cells"]
        self.ports: Mapping[str, Any] = module["ports"]
        self.known: dict[Bit, frozenset[End]] = {}
        self.open: set[Bit] = set()
        self.names: dict[Bit, str] = {}
        for name, net in module["netnames"].items():
            for bit in net["bits"]:
                # Of several names that of the register, if one is.
                if bit not in self.names or name.endswith("_q"):
                    self.names[bit] = name
        self.clock_names = {
            bit: name
            for name, port in self.ports.items()
            for bit in port["bits"]
            if port["direction"] == "input"
        }
        self.port_of = {
            bit: End(name, self.clock_of_port(name))
            for name, port in self.ports.items()
            if port["direction"] == "input"
            for bit in port["bits"]
        }

    def clock_of_port(self, name: str) -> str:
        clocks = (clock for prefix, clock in BUSES.items() if name.startswith(prefix))
        clock = next(clocks, CORES)
        return clock if clock in self.ports else CORES

    @cached_property
    def drivers(self) -> dict[Bit, str]:
        """The cell that drives each net."""
        return {
            bit: name
            for name, cell in self.cells.items()
            for port, way in cell["port_directions"].items()
            if way == "output"
            for bit in cell["connections"][port]
        }

    def ends(self) -> Iterator[tuple[End, list[Bit], str]]:
        """Yield what has a clock, the nets in front of it, and what may cross there."""
        for name, cell in self.cells.items():
            for end, ports in self.clocked(name):
                bits = [bit for port in ports for bit in cell["connections"].get(port, ())]
                yield end, bits, _kind(cell)
        for name, port in self.ports.items():
            if port["direction"] == "output":
                yield End(name, self.clock_of_port(name)), port["bits"], ""

    def clocked(self, name: str) -> Iterator[tuple[End, tuple[str, ...]]]:
        """Yield the clocked sides of a cell, and the ports that each of them samples."""
        cell = self.cells[name]
        wires = cell["connections"]
        if cell["type"] == "$mem_v2":
            # All ports of a memory of ours write in one clock, and none reads in one.
            yield End(_memory(cell), self.clock(wires["WR_CLK"])), ("WR_ADDR", "WR_DATA", "WR_EN")
        elif "CLK" in wires:
            told = self.names.get(wires["Q"][0], name)
            yield End(told, self.clock(wires["CLK"])), ("D", "EN", "SRST", "ARST", "AD", "ALOAD")

    def clock(self, bits: Sequence[Bit]) -> str:
        """The clock's port; a core's own clock has its net's name."""
        return self.clock_names.get(bits[0]) or self.names.get(bits[0], "a constant")

    def sources(self, bit: Bit) -> frozenset[End]:
        """What a net depends on, through logic; without recursion, for it may be deep."""
        way: list[Bit] = [bit]
        while way:
            now = way[-1]
            if now not in self.known:
                # A net on the way is a loop of logic, which Verilator has refused before.
                missing = [
                    b for b in self.behind(now) if b not in self.known and b not in self.open
                ]
                self.open.add(now)
                if missing:
                    way += missing[:1]
                    continue
                behind = (self.known.get(b, frozenset()) for b in self.behind(now))
                self.known[now] = frozenset(self.own(now)).union(*behind)
                self.open.discard(now)
            way.pop()
        return self.known[bit]

    def own(self, bit: Bit) -> list[End]:
        """The register, memory or port that a net comes from."""
        if bit in self.port_of:
            return [self.port_of[bit]]
        name = self.drivers.get(bit)
        return [end for end, _ in self.clocked(name)] if name else []

    def behind(self, bit: Bit) -> list[Bit]:
        """The nets that a net follows without a clock."""
        name = self.drivers.get(bit)
        if isinstance(bit, str) or name is None:
            return []
        cell = self.cells[name]
        if cell["type"] == "$mem_v2":
            return [b for b in cell["connections"]["RD_ADDR"] if not isinstance(b, str)]
        if "CLK" in cell["connections"]:
            return []
        ways = cell["port_directions"].items()
        found = (b for port, way in ways if way == "input" for b in cell["connections"][port])
        return [b for b in dict.fromkeys(found) if not isinstance(b, str)]

    def is_direct(self, bits: Sequence[Bit], source: End) -> bool:
        """Whether it comes to these nets with no logic but that of a synchroniser in between."""
        waiting = list(bits)
        while waiting:
            bit = waiting.pop()
            if source not in self.sources(bit) or self.own(bit):
                continue
            if _kind(self.cells[self.drivers[bit]]) != LEVEL:
                return False
            waiting += self.behind(bit)
        return True


def _kind(cell: Mapping[str, Any]) -> str:
    """What may cross where a cell is, by the file that it is written in."""
    written_in = cell.get("attributes", {}).get("src", "").partition(":")[0]
    return MODULES.get(Path(written_in).stem, "")


def _memory(cell: Mapping[str, Any]) -> str:
    return str(cell["parameters"]["MEMID"]).lstrip("\\")
