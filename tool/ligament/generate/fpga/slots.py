# SPDX-License-Identifier: Apache-2.0
"""Shells, and the cores that come into their slots (spec/device/slots.md).

A shell has two streams per slot and knows no message type. A core is compiled for itself, into a
library with a class for each slot.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ligament import resources
from ligament.cores.manifest import CORE_BITS, Core
from ligament.errors import InputError, Problem
from ligament.generate.files import render
from ligament.generate.fpga.plan import (
    FIGURES,
    Design,
    Hardware,
    Link,
    Member,
    hardware_of,
    member_of,
    slug,
)
from ligament.generate.fpga.texts import (
    MEMORY,
    class_of,
    link_values,
    member_refusals,
    parameter_values,
    room_bytes,
    wrapper_of,
)
from ligament.generate.registers import others_of
from ligament.graph.model import NodeType
from ligament.mapping.clocks import SIDES
from ligament.mapping.credit import IN_DESIGN
from ligament.mapping.model import GraphMapping
from ligament.mapping.pixels import slot_pixels
from ligament.messages.cpp_names import header_path

#: Of the stream IP, what a shell has beside its ends in memory.
_AROUND_SLOTS = ("lig_stream_pkg.sv", "lig_axis_if.sv", "lig_gate.sv", "lig_skid.sv", "lig_slot.sv")


@dataclass(frozen=True)
class Shell:
    """The static design of an FPGA with slots."""

    device: Hardware
    """As one of its slots has it, under the FPGA's own name."""

    @property
    def name(self) -> str:
        """What its library is called."""
        in_flight = self.device.in_flight
        words = ["shell", slug(self.device.name), *self.device.clock_words]
        return "-".join([*words, *([f"x{in_flight}"] if in_flight > 1 else [])])

    @property
    def function(self) -> str:
        """What gives its one design in a process."""
        return slug(self.name)

    @property
    def top(self) -> str:
        """The name of its top level: of what the hardware is."""
        bits = self.device.slot_bits
        widths = [] if set(bits) == {CORE_BITS} else map(str, bits)
        return "_".join([f"lig_shell_of_{len(self.device.slots)}", *widths])

    @property
    def sources(self) -> list[str]:
        """Its SystemVerilog of ours, packages first."""
        adapters = ("lig_width.sv",) if len(set(self.device.slot_bits)) > 1 else ()
        names = dict.fromkeys((*_AROUND_SLOTS, *MEMORY, *adapters))
        return [str(resources.hdl_dir() / name) for name in names]

    def identity(self) -> str:
        """Return the 64 bits that it shares with its cores, in hexadecimal."""
        digest = hashlib.sha256(self.text("0" * 16).encode())
        for path in self.sources:
            digest.update(Path(path).read_bytes())
        return digest.hexdigest()[:16]

    def text(self, identity: str) -> str:
        """Return its top level."""
        return render("fpga", "shell.sv.j2", self.source, self.values() | {"identity": identity})

    @property
    def source(self) -> str:
        """What its files are made from."""
        return f"slots of {self.device.name}"

    def values(self) -> dict[str, Any]:
        """Return what its templates need."""
        figures = self.device.figures
        links = [_links(*slot) for slot in enumerate(self.device.slot_bits)]
        entries, exits = tuple(one for one, _ in links), tuple(one for _, one in links)
        design = Design(self.device, self.name, self.top, (), (), entries, exits, ())
        return {
            "name": self.name,
            "top": self.top,
            "function": self.function,
            "device": self.device.name,
            "slots": [
                {"number": n, "name": f"{self.device.name}.{slot}", "bits": bits}
                for n, (slot, bits) in enumerate(
                    zip(self.device.slots, self.device.slot_bits, strict=True)
                )
            ],
            "figures": {name: repr(float(figures[name])) for name in FIGURES},
            "clocks": dict.fromkeys(SIDES, ""),  # a shell has one (`slot-clock`)
            "duplex": self.device.duplex,
            "contention": {
                "share": repr(float(figures.get("contention", 0))),
                "seed": int(figures.get("seed", 1)),
            },
            "in_flight": self.device.in_flight,
            "held": self.device.in_flight + IN_DESIGN,
            "ends": design.ends,
            "gateways": [],
            "pages": 0,
            "port_bits": design.port_bits,
            "port_id_bits": max(1, (len(design.ends) - 1).bit_length()),
            "part_of": {link.name: n for n, pair in enumerate(links) for link in pair},
        }


@dataclass(frozen=True)
class SlotCore:
    """A node type's core, for the slots of a shell that have streams of one width."""

    shell: Shell
    type: NodeType
    core: Core
    bits: int = CORE_BITS
    """Of these slots' streams."""

    @property
    def name(self) -> str:
        """What its library is called."""
        words = [self.type.type.replace("/", "-"), self.shell.name.removeprefix("shell-")]
        return "-".join([*words, *([] if self.bits == CORE_BITS else [str(self.bits)]), "slot"])

    @property
    def top(self) -> str:
        """The name of its top level."""
        name = f"lig_slot_core_{slug(self.type.type)}_of_{len(self.shell.device.slots)}"
        return name if self.bits == CORE_BITS else f"{name}_{self.bits}"

    @property
    def member(self) -> Member:
        """The core as nothing joins it with others, as wide as the slots allow."""
        return member_of(self.type, self.core, slot_pixels(self.type, self.bits))

    @property
    def adapts(self) -> bool:
        """Whether one of its streams is narrower than the slots'."""
        member = self.member
        return any(link.width < self.bits for link in (*member.inputs, *member.outputs))

    @property
    def slots(self) -> list[int]:
        """The numbers of the slots that it is for."""
        return [n for n, bits in enumerate(self.shell.device.slot_bits) if bits == self.bits]

    def class_in(self, slot: int) -> str:
        """Return the class of its nodes in that slot."""
        return f"{class_of(member_of(self.type, self.core))}Slot{slot}"

    def full_class_in(self, slot: int) -> str:
        """Return the same with its namespace."""
        return f"ligament::generated::{self.class_in(slot)}"

    @property
    def messages(self) -> list[str]:
        """Its message types, sorted."""
        return sorted({port.message for port in self.core.ports})

    def values(self, identity: str, longest: Mapping[str, int]) -> dict[str, Any]:
        """Return what its templates need; `longest` has the bytes of each message type at most."""
        member = self.member
        (entry,), (exit_,) = member.inputs, member.outputs
        return {
            "type": self.type.type,
            "top": self.top,
            "bits": self.bits,
            "pixels": member.pixels if self.core.wide_ports else None,
            "module": wrapper_of(self.type.type),
            "identity": identity,
            "shell": self.shell.function,
            "device": self.shell.device.name,
            "node_name": self.type.type.rpartition("/")[2],
            "includes": sorted(header_path(name) for name in self.messages),
            "entry": link_values(entry),
            "exit": link_values(exit_),
            "room_bytes": room_bytes(longest[exit_.message]),
            "refusals": member_refusals(member),
            "parameters": [parameter_values(p, "") for p in self.core.parameters],
            "others": others_of(self.type, self.core),
            "classes": [{"name": self.class_in(n), "slot": n} for n in self.slots],
        }


def _links(number: int, bits: int) -> tuple[Link, Link]:
    """A slot's streams, as ends in memory have them."""
    return (
        Link("in", f"slot_{number}_in", "", 2 * number, outside=number, width=bits),
        Link(
            "out",
            f"slot_{number}_out",
            "",
            2 * number + 1,
            outside=number,
            problem=number,
            width=bits,
        ),
    )


def shell_of(mapping: GraphMapping, device: str) -> Shell:
    """Return the shell of a slot's FPGA; raise InputError where none can be generated."""
    figures = mapping.hardware[device]
    whole = device.partition(".")[0]
    for figure, what in (("waveforms", "waveforms (`--wave`)"), ("pages", "a table of pages")):
        if figures.get(figure):
            text = f"'{device}' is a slot, and a shell has no {what} yet"
            raise InputError(Problem("slot-shell", text, expected=f"the whole of {whole}"))
    return Shell(replace(hardware_of(mapping, device), name=whole))


def slot_cores(
    mapping: GraphMapping, types: Mapping[str, tuple[NodeType, Core]]
) -> dict[str, tuple[SlotCore, int]]:
    """Return the core of each node in a slot, and the slot's number."""
    found = {}
    for name, node in sorted(mapping.nodes.items()):
        slots = mapping.hardware.get(node.device, {}).get("slots", ())
        if slots and node.implementation == "fpga":
            shell = shell_of(mapping, node.device)
            number = list(slots).index(node.device.partition(".")[2])
            bits = shell.device.slot_bits[number]
            found[name] = SlotCore(shell, *types[node.type], bits), number
    return found
