# SPDX-License-Identifier: Apache-2.0
"""Designs: nodes of one FPGA that topics in hardware, or gateways, join (spec/device/fpga.md).

A design is one bitstream with one clock, so one container holds it whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass

import networkx

from ligament.errors import Problem, listing
from ligament.graph.model import Node, Topic, Variant
from ligament.mapping.model import MappedNode, MappedTopic
from ligament.mapping.platform import Device


@dataclass(frozen=True)
class Group:
    """Nodes of a device that share a design."""

    device: str
    nodes: tuple[str, ...]


#: Topics with streams on the chip.
STREAMED = frozenset(("hmt", "gateway"))


def joined_nodes(
    topics: Mapping[str, Topic | MappedTopic],
    transports: Mapping[str, tuple[str, ...]],
    hardware: Set[str],
) -> list[tuple[str, ...]]:
    """Return the groups of nodes that topics join in hardware, each sorted, in order."""
    joins: networkx.Graph[str] = networkx.Graph()
    for name, topic in topics.items():
        if STREAMED & set(transports[name]):
            networkx.add_path(joins, [end.node for end in topic.ends if end.node in hardware])
    return sorted(tuple(sorted(group)) for group in networkx.connected_components(joins))


def designs_of(nodes: Mapping[str, MappedNode], topics: Mapping[str, MappedTopic]) -> list[Group]:
    """Return the designs of a mapping that have topics on the chip."""
    transports = {name: topic.transports for name, topic in topics.items()}
    hardware = {name for name, node in nodes.items() if node.kind == "fpga"}
    found = joined_nodes(topics, transports, hardware)
    return [Group(nodes[group[0]].device, group) for group in found]


def gather(
    groups: list[tuple[str, ...]],
    nodes: Mapping[str, Node],
    containers: Mapping[str, str],
    devices: Mapping[str, Device],
    variant: Variant,
) -> tuple[dict[str, str], list[Problem]]:
    """Return the containers with each design whole in one, and what stands against that."""
    gathered = dict(containers)
    problems: list[Problem] = []
    wished = variant.containers if isinstance(variant.containers, Mapping) else {}
    owner = {node: group for group, members in wished.items() for node in members}
    for group in groups:
        held = sorted({containers[node] for node in group})
        chosen = sorted({owner[node] for node in group if node in owner})
        if len(chosen) > 1:
            problems.append(_parted(group, chosen, variant))
        if len(held) > 1:
            name = chosen[0] if chosen else _free_name(devices[group[0]].name, gathered)
            gathered.update(dict.fromkeys(group, name))
    return {node: gathered[node] for node in nodes}, problems


def _parted(group: tuple[str, ...], chosen: list[str], variant: Variant) -> Problem:
    return Problem(
        "container-design",
        f"hardware topics join {listing(group)} to one design, and the containers "
        f"{listing(chosen)} part them",
        variant.at,
        expected="one container for the nodes of a design",
        hint="name them in one group, or in none",
    )


def _free_name(device: str, containers: Mapping[str, str]) -> str:
    taken = set(containers.values())
    name, number = device, 2
    while name in taken:
        name, number = f"{device}-{number}", number + 1
    return name
