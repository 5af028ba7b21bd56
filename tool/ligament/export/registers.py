# SPDX-License-Identifier: Apache-2.0
"""The registers that a board's software has of a design, besides those of `lig_shell`.

Settings are written by software: resets, isolation, parameters of nodes. Values are read: problems,
messages that passed, counters of networks. spec/device/board.md, section 2.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ligament.generate.fpga.plan import PROBES_PER_WORD, Design, Member
from ligament.graph.model import Parameter

#: Where lig_control has them.
IDENTITY, SETTINGS, VALUES = 0x10008, 0x11000, 0x12000
WORD_BYTES = 8
MOST = 512
WHOLE = 63


@dataclass(frozen=True)
class Register:
    """A register of 64 bits: its number among its kind, and what it is for, in words."""

    number: int
    name: str
    description: str
    #: A setting's value after a reset.
    initial: int = 0
    #: A value's expression in the board top.
    wires: str = ""


@dataclass(frozen=True)
class Registers:
    """All of a design."""

    settings: tuple[Register, ...]
    values: tuple[Register, ...]


def registers_of(design: Design, parameters: Mapping[int, Mapping[str, Any]]) -> Registers:
    """Number the registers of a design; `parameters` are those of each member, by its place."""
    settings = [Register(0, "resets", _resets(design)), *_isolation(design)]
    for member in design.members:
        for parameter in member.core.parameters:
            value = parameters[member.place].get(parameter.name, parameter.default)
            text = f"{parameter.name} of {node_of(member)}: {parameter.description}"
            text = f"{text.rstrip('.')}; {_coded(parameter)}"
            name = f"{member.slug}.{parameter.name}"
            settings.append(Register(len(settings), name, text, bits_of(parameter, value)))
    found = [*_problems(design), *_passed(design), *_counters(design)]
    values = [Register(k, name, text, 0, wires) for k, (name, text, wires) in enumerate(found)]
    return Registers(tuple(settings), tuple(values))


def node_of(member: Member) -> str:
    """Return a node's id, or its type where its design belongs to no single node."""
    return member.id or member.type.type


def bits_of(parameter: Parameter, value: Any) -> int:
    """Return a parameter's value as its register has it (runtime: fpga_registers.hpp)."""
    if parameter.type == "string":
        choices = [str(choice) for choice in parameter.choices]
        return choices.index(str(value)) if str(value) in choices else 0
    if parameter.type == "double":
        (bits,) = struct.unpack("<Q", struct.pack("<d", float(value or 0)))
        return int(bits)
    return int(value or 0) % 2**64


def _coded(parameter: Parameter) -> str:
    """What `bits_of` makes of a value, for people."""
    if parameter.type == "string":
        choices = (f"{number} {choice}" for number, choice in enumerate(parameter.choices))
        return f"one of {', '.join(choices)}"
    if parameter.type == "double":
        return "a double: its 64 bits (IEEE 754)"
    return "0 or 1" if parameter.type == "bool" else "an integer"


def isolation_words(design: Design) -> int:
    """Return how many settings hold a bit per node."""
    return -(-len(design.members) // 64)


def _resets(design: Design) -> str:
    names: dict[int, list[str]] = {}
    parts = design.parts
    for member in design.members:
        link = [*member.inputs, *member.outputs][0]
        names.setdefault(parts[link.name], []).append(node_of(member))
    told = [f"bit {number}: {', '.join(nodes)}" for number, nodes in sorted(names.items())]
    return f"resets while 1: {'; '.join(told)}; bit {WHOLE}: the whole design"


def _isolation(design: Design) -> Iterator[Register]:
    for word in range(isolation_words(design)):
        members = design.members[64 * word : 64 * word + 64]
        told = "; ".join(f"bit {bit}: {node_of(m)}" for bit, m in enumerate(members))
        yield Register(1 + word, f"isolation.{word}", f"isolates a node while 1: {told}")


def _problems(design: Design) -> Iterator[tuple[str, str, str]]:
    for link in design.problems:
        what = f"of the output {link.name}: the last code, and how many"
        yield f"{link.name}.problem", f"broken messages {what}", f"value_problem_{link.name}"
        yield f"{link.name}.refusal", f"refused messages {what}", f"value_refusal_{link.name}"


def _passed(design: Design) -> Iterator[tuple[str, str, str]]:
    for link in design.probes:
        text = f"messages that passed the core's stream {link.name}"
        yield f"{link.name}.messages", text, f"value_messages_{link.name}"


def _counters(design: Design) -> Iterator[tuple[str, str, str]]:
    for network in design.networks:
        n, topic = network.number, network.topic
        for high, low in (("beats", "frames"), ("gaps", "stalls")):
            text = f"{low} (low half) and {high} (high half) of {topic}"
            yield f"{topic}.{low}", text, f"{{{high}_{n}, {low}_{n}}}"
        for end in range(network.sinks):
            text = f"drops (low half) and peak level (high half) of subscription {end} of {topic}"
            wires = f"{{peak_{n}_{end}, drops_{n}_{end}}}"
            yield f"{topic}.drops.{end}", text, wires


def probe_of(link_probe: int) -> tuple[int, int]:
    """Return the word and the bit of a core's stream in the top's probes."""
    return divmod(link_probe, PROBES_PER_WORD)
