# SPDX-License-Identifier: Apache-2.0
"""Slots of FPGAs: whether the cores that a platform lists for them can be there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ligament.errors import Problem
from ligament.graph.model import NodeType
from ligament.mapping.platform import Device, Platform, Slot


def slot_problems(types: Mapping[str, NodeType], platform: Platform) -> Iterator[Problem]:
    """Yield what stands against a slot's cores, of the node types that a graph knows."""
    for device in platform.devices.values():
        for name, slot in sorted(device.slots.items()):
            for core in sorted(set(slot.cores) & set(types)):
                yield from _core_problems(f"{device.name}.{name}", slot, types[core])
                yield from _area_problems(f"{device.name}.{name}", device, slot, types[core])


def _core_problems(name: str, slot: Slot, node_type: NodeType) -> Iterator[Problem]:
    if "fpga" not in node_type.implementations:
        yield Problem(
            "slot-core",
            f"the slot {name} lists '{node_type.type}', which has no implementation for fpga",
            slot.at,
            expected="node types with a core",
        )
    elif node_type.services:
        yield Problem(
            "slot-core",
            f"the slot {name} lists '{node_type.type}', which offers services: nobody would answer "
            "their clients while another core is in the slot",
            slot.at,
            expected="node types without services",
        )


def _area_problems(name: str, device: Device, slot: Slot, node_type: NodeType) -> Iterator[Problem]:
    for resource, needed in sorted(device.area(node_type).items()):
        if resource in slot.budgets and needed > slot.budgets[resource]:
            yield Problem(
                "slot-core",
                f"'{node_type.type}' needs {needed:g} {resource}, and the slot {name} has less",
                slot.at,
                expected=f"at most {slot.budgets[resource]:g} {resource}",
            )
