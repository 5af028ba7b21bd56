# SPDX-License-Identifier: Apache-2.0
"""What every exported folder has: sources, board top, test bench, software, the list of sources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ligament import resources
from ligament.errors import InputError, Problem
from ligament.export.ports import full_signals, lite_signals
from ligament.export.registers import (
    IDENTITY,
    MOST,
    SETTINGS,
    VALUES,
    WORD_BYTES,
    Register,
    Registers,
    node_of,
    probe_of,
    registers_of,
)
from ligament.export.render import render
from ligament.export.sources import identity_of, sources_in
from ligament.export.streams import streams_of
from ligament.generate.fpga.plan import Design, Member, slug

TESTBENCH = "board_tb"


@dataclass(frozen=True)
class Clock:
    """A clock port of the board top, and the buses that are in its domain."""

    port: str
    hz: int
    buses: tuple[str, ...]


@dataclass(frozen=True)
class Board:
    """A design with all that its exported folder says of it, whatever the target."""

    design: Design
    graph: str
    variant: str
    platform: str
    registers: Registers
    identity: int
    sources: Mapping[str, bytes]
    bus_width: int = 64
    #: Bytes of each message type at most.
    longest: Mapping[str, int] = field(default_factory=dict)

    @property
    def top(self) -> str:
        """The board top's module."""
        return self.design.top.replace("lig_design_", "lig_board_", 1)

    @property
    def id_bits(self) -> int:
        """Width of ids on the memory port."""
        return max(1, (len(self.design.ends) - 1).bit_length())

    @property
    def clock_hz(self) -> int:
        """The clock that the platform declares."""
        return round(float(self.design.device.figures["clock_hz"]))

    @property
    def clocks(self) -> list[Clock]:
        """The clock ports: the cores' first, then those of buses that have their own."""
        domains = self.design.device.domains
        buses = {"memory": "m_axi", "registers": "s_axil"}
        own = [
            Clock(f"{buses[side]}_aclk", round(hz), (buses[side],)) for side, hz in domains.items()
        ]
        with_cores = tuple(bus for side, bus in buses.items() if side not in domains)
        return [Clock("aclk", self.clock_hz, with_cores), *own]

    @property
    def has_stand_in(self) -> bool:
        """Whether a stand-in of the board can be built: it has one clock and whole registers."""
        return self.bus_width == 64 and len(self.clocks) == 1

    @property
    def is_driven(self) -> bool:
        """Whether `ligament run` drives such a board, or simulates the FPGA of this platform."""
        return self.design.device.figures.get("backend") == "uio"

    @property
    def hex_identity(self) -> str:
        """The identity as people and programs compare it."""
        return f"0x{self.identity:016x}"

    @property
    def list(self) -> list[str]:
        """All sources in the order that tools take; the last is the top."""
        return [*self.sources, f"rtl/{self.top}.v"]

    @property
    def top_text(self) -> str:
        """The board top in Verilog."""
        return render("board.v.j2", self.values())

    def values(self) -> dict[str, Any]:
        """What templates know."""
        design = self.design
        parts = design.parts
        return {
            "board": self,
            "design": design,
            "settings": self.registers.settings,
            "values": self.registers.values,
            "members": [_member(member, self.registers, parts) for member in design.members],
            "clocks": self.clocks,
            "crosses": list(self.design.device.domains),
            "clock_of": {bus: clock.port for clock in self.clocks for bus in clock.buses},
            "part_count": len(set(parts.values())),
            "part_of": parts,
            "id_bits": self.id_bits,
            "lite": lite_signals(self.bus_width),
            "full": full_signals(design.port_bits, self.id_bits),
            "pages": design.device.pages,
            "words": -(-len(design.probes) // 64),
            "probes": [(link, *probe_of(link.probe)) for link in design.probes],
            "addresses": {"identity": IDENTITY, "settings": SETTINGS, "values": VALUES},
            "first_entry": _first_entry(design),
        }


def board_of(
    design: Design,
    names: tuple[str, str, str],
    parameters: Mapping[int, Mapping[str, Any]],
    generated: Path,
    bus_width: int = 64,
    longest: Mapping[str, int] | None = None,
) -> Board:
    """Return a design as its folder has it; `names` are those of graph, variant, platform."""
    registers = registers_of(design, parameters)
    most = max(len(registers.settings), len(registers.values))
    if not design.ends or most > MOST:
        raise InputError(
            Problem(
                "export-registers",
                f"the design '{design.name}' has {len(design.ends)} ends in memory and "
                f"{most} registers of a kind",
                expected=f"an end in memory, and at most {MOST} registers",
                hint="map fewer nodes to the device",
            )
        )
    sources = sources_in(design, generated)
    board = Board(design, *names, registers, 0, sources, bus_width, longest or {})
    # The board top without its identity, and with it the register map, is of the bitstream too.
    return replace(board, identity=identity_of(board.sources, board.top_text))


def common_files(board: Board) -> dict[str, str | bytes]:
    """Return what the folder of any target has, by its place there."""
    values = board.values()
    return {
        **(stand_in_files(values) if board.has_stand_in else {}),
        **board.sources,
        f"rtl/{board.top}.v": board.top_text,
        "sources.f": "\n".join(board.list) + "\n",
        f"sim/{TESTBENCH}.sv": render("board_tb.sv.j2", values),
        "software/ligament_design.h": render("ligament_design.h.j2", values),
        "software/check_design.py": render("check_design.py.j2", values),
    }


def stand_in_files(values: Mapping[str, Any]) -> dict[str, str | bytes]:
    """Return the program that stands in for the board, with the design in it."""
    link = resources.spec_dir() / "device" / "board_link.h"
    return {
        "sim/stand_in.cpp": render("stand_in.cpp.j2", values),
        "sim/board_link.h": link.read_bytes(),
    }


def described(board: Board, target: str) -> dict[str, Any]:
    """Return export.json, without its list of files."""
    design = board.design
    return {
        "schema": "ligament/export/1",
        "target": target,
        "graph": board.graph,
        "variant": board.variant,
        "platform": board.platform,
        "device": design.device.name,
        "identity": board.hex_identity,
        "top": board.top,
        "clock_hz": board.clock_hz,
        **_clocks(board),
        "ports": {
            "s_axil": {"address_bits": 17, "data_bits": board.bus_width},
            "m_axi": {"address_bits": 64, "data_bits": design.port_bits},
        },
        "nodes": [node_of(member) for member in design.members],
        "ends": [{"number": end.number, "for": end.what} for end in design.ends],
        **_pages(design),
        "streams": streams_of(design, board.longest),
        "settings": [_told(one, SETTINGS) for one in board.registers.settings],
        "values": [_told(one, VALUES) for one in board.registers.values],
        "sources": board.list,
    }


def _clocks(board: Board) -> dict[str, Any]:
    """What export.json says of clocks, where there is more than one."""
    if len(board.clocks) == 1:
        return {}
    return {"clocks": {c.port: {"hz": c.hz, "buses": list(c.buses)} for c in board.clocks}}


def _pages(design: Design) -> dict[str, Any]:
    """What export.json says of the table of pages, where there is one."""
    device = design.device
    return {"pages": {"count": device.pages, "bytes": device.page_bytes}} if device.pages else {}


def _told(register: Register, base: int) -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": register.name,
        "address": f"0x{base + WORD_BYTES * register.number:05x}",
        "description": register.description,
    }
    return found | ({"initial": f"0x{register.initial:x}"} if base == SETTINGS else {})


def _member(member: Member, registers: Registers, parts: Mapping[str, int]) -> dict[str, Any]:
    numbers = {setting.name: setting.number for setting in registers.settings}
    link = [*member.inputs, *member.outputs][0]
    return {
        "slug": member.slug,
        "place": member.place,
        "part": parts[link.name],
        "outputs": member.outputs,
        "parameters": [
            (f"{member.slug}_{slug(p.name)}", numbers[f"{member.slug}.{p.name}"])
            for p in member.core.parameters
        ],
    }


def _first_entry(design: Design) -> int | None:
    """The first end to which software can send."""
    return next((end.number for end in design.ends if end.entry or end.gateway), None)


def require_one_bus_clock(board: Board) -> None:
    """Refuse a memory port and registers with clocks of their own, where both are on one bus."""
    domains = board.design.device.domains
    if domains and (len(domains) == 1 or len(set(domains.values())) > 1):
        told = ", ".join(f"{clock.port} {clock.hz / 1e6:g} MHz" for clock in board.clocks)
        raise InputError(
            Problem(
                "export-clocks",
                f"the design has the clocks {told}",
                expected="for this target one clock for memory port and registers, or for all",
                hint="`fpga: {clocks: ...}` of the variant names clocks (spec/device/clocks.md)",
            )
        )
