# SPDX-License-Identifier: Apache-2.0
"""Designs: all that runs on one FPGA (spec/device/fpga.md).

An FPGA has one bitstream with one clock and one port on memory, so one container holds its nodes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ligament.errors import Problem, listing
from ligament.graph.model import Node, Variant


@dataclass(frozen=True)
class Group:
    """The nodes of a device, sorted."""

    device: str
    nodes: tuple[str, ...]


#: Topics with streams on the chip.
STREAMED = frozenset(("hmt", "gateway"))


def designs_of(devices: Mapping[str, str], hosts: Mapping[str, str]) -> list[Group]:
    """Return the designs of nodes whose cores are hardware, by their devices and their hosts."""
    found: dict[tuple[str, str], list[str]] = {}
    for node, device in sorted(devices.items()):
        found.setdefault((device, hosts.get(node, "")), []).append(node)
    return [Group(device, tuple(nodes)) for (device, _), nodes in sorted(found.items())]


def gather(
    designs: list[Group],
    nodes: Mapping[str, Node],
    containers: Mapping[str, str],
    variant: Variant,
) -> tuple[dict[str, str], list[Problem]]:
    """Return the containers with each design whole in one, and what stands against that."""
    gathered = dict(containers)
    problems: list[Problem] = []
    wished = variant.containers if isinstance(variant.containers, Mapping) else {}
    owner = {node: group for group, members in wished.items() for node in members}
    for design in designs:
        held = sorted({containers[node] for node in design.nodes})
        chosen = sorted({owner[node] for node in design.nodes if node in owner})
        if len(chosen) > 1:
            problems.append(_parted(design, chosen, variant))
        if len(held) > 1:
            name = chosen[0] if chosen else _free_name(design.device, gathered)
            gathered.update(dict.fromkeys(design.nodes, name))
    return {node: gathered[node] for node in nodes}, problems


def _parted(design: Group, chosen: list[str], variant: Variant) -> Problem:
    return Problem(
        "container-design",
        f"{listing(design.nodes)} are one design or image on {design.device}, and the containers "
        f"{listing(chosen)} part them",
        variant.at,
        expected="one container for all nodes of an FPGA or a microcontroller: it is one bitstream "
        "or one firmware image",
        hint="name them in one group, or in none",
    )


def _free_name(device: str, containers: Mapping[str, str]) -> str:
    taken = set(containers.values())
    name, number = device, 2
    while name in taken:
        name, number = f"{device}-{number}", number + 1
    return name
