# SPDX-License-Identifier: Apache-2.0
"""Slots of FPGAs: whether the cores that a platform lists for them can be there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ligament.errors import Problem
from ligament.graph.model import NodeType
from ligament.mapping.platform import Platform


def slot_problems(types: Mapping[str, NodeType], platform: Platform) -> Iterator[Problem]:
    """Yield what stands against a slot's cores, of the node types that a graph knows."""
    for device in platform.devices.values():
        for name, slot in sorted(device.slots.items()):
            for core in sorted(set(slot.cores) & set(types)):
                yield from _core_problems(f"{device.name}.{name}", slot.budgets, types[core])


def _core_problems(
    slot: str, budgets: Mapping[str, float], node_type: NodeType
) -> Iterator[Problem]:
    implementation = node_type.implementations.get("fpga")
    if implementation is None:
        yield Problem(
            "slot-core",
            f"the slot {slot} lists '{node_type.type}', which has no implementation for fpga",
            expected="node types with a core",
        )
        return
    if node_type.services:
        yield Problem(
            "slot-core",
            f"the slot {slot} lists '{node_type.type}', which offers services: nobody would answer "
            "their clients while another core is in the slot",
            expected="node types without services",
        )
    for resource, needed in sorted(implementation.get("area", {}).items()):
        if resource in budgets and needed > budgets[resource]:
            yield Problem(
                "slot-core",
                f"'{node_type.type}' needs {needed:g} {resource}, and the slot {slot} has less",
                expected=f"at most {budgets[resource]:g} {resource}",
            )
