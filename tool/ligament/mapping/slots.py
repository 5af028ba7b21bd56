# SPDX-License-Identifier: Apache-2.0
"""Slots of FPGAs: whether a core can be in one (spec/device/slots.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ligament.cores.manifest import Core, core_of
from ligament.errors import Location, Problem, listing
from ligament.graph.model import Graph, NodeType
from ligament.mapping.pixels import slot_pixels
from ligament.mapping.platform import Device, Platform, Slot

#: Parameters that a slot has registers for.
MOST_REGISTERS = 8
#: Slots of a shell: two probes each are one word.
MOST_SLOTS = 32


def slot_problems(types: Mapping[str, NodeType], platform: Platform) -> Iterator[Problem]:
    """Yield what stands against the cores that a platform lists, of those that a graph knows."""
    for device in platform.devices.values():
        if len(device.slots) > MOST_SLOTS:
            text = f"'{device.name}' has {len(device.slots)} slots"
            yield Problem("slot-count", text, expected=f"at most {MOST_SLOTS}")
        for name, slot in sorted(device.slots.items()):
            for core in sorted(set(slot.cores) & set(types)):
                where = f"the slot {device.name}.{name}"
                yield from _core_problems(f"{where} lists", slot, types[core], slot.at)
                yield from _area_problems(where, device, slot, types[core])


def placed_problems(
    graph: Graph, devices: Mapping[str, Device], platform: Platform
) -> Iterator[Problem]:
    """Yield what stands against nodes in the slots that they are placed in."""
    held: dict[str, str] = {}
    for node, device in sorted(devices.items()):
        if not device.slot_of:
            continue
        at = graph.nodes[node].device_at or graph.nodes[node].at
        node_type = graph.types[graph.nodes[node].type]
        slot = platform.devices[device.slot_of].slots[device.name.partition(".")[2]]
        what = f"'{node}' is to be in the slot {device.name}:"
        if slot.cores and node_type.type not in slot.cores:
            text = f"{what} '{node_type.type}' is none of its cores"
            yield Problem("slot-core", text, at, expected=f"one of {listing(slot.cores)}")
        yield from _core_problems(what, slot, node_type, at)
        other = held.setdefault(device.name, node)
        if other != node:
            text = f"'{other}' and '{node}' are both to be in the slot {device.name}"
            yield Problem("slot-taken", text, at, expected="a slot of its own for each")
    yield from _design_problems(graph, devices)


def _design_problems(graph: Graph, devices: Mapping[str, Device]) -> Iterator[Problem]:
    """An FPGA is one bitstream: a design, or a shell."""
    shells = {device.slot_of: node for node, device in devices.items() if device.slot_of}
    for node, device in sorted(devices.items()):
        if device.name in shells:
            yield Problem(
                "slot-design",
                f"'{node}' is on {device.name}, and '{shells[device.name]}' in a slot of it",
                graph.nodes[node].device_at or graph.nodes[node].at,
                expected="all of them in slots, or none: an FPGA is one bitstream",
            )


def _core_problems(
    what: str, slot: Slot, node_type: NodeType, at: Location | None
) -> Iterator[Problem]:
    said, expected = f"{what} '{node_type.type}', which", ""
    if "fpga" not in node_type.implementations:
        said, expected = f"{said} has no implementation for fpga", "node types with a core"
    elif node_type.services:
        why = "nobody would answer their clients while another core is in the slot"
        said, expected = f"{said} offers services: {why}", "node types without services"
    else:
        said, expected = _misfit(said, core_of(node_type, "fpga"))
    if expected:
        yield Problem("slot-core", said, at, expected=expected)


def _misfit(said: str, core: Core) -> tuple[str, str]:
    """What of a core the slot's pins have no place for, and what they have."""
    streams = len(core.inputs), len(core.outputs)
    if streams != (1, 1):
        return f"{said} has {streams[0]} streams in and {streams[1]} out", "one of each"
    if core.answers_each:
        return (
            f"{said} has `answers: each`",
            "`answers: sets`: a slot's driver waits for one answer",
        )
    if core.timers:
        return f"{said} has timers", "none: a slot has no stream of the time"
    if len(core.parameters) > MOST_REGISTERS:
        return f"{said} has {len(core.parameters)} registers", f"at most {MOST_REGISTERS}"
    return said, ""


def _area_problems(what: str, device: Device, slot: Slot, node_type: NodeType) -> Iterator[Problem]:
    pixels = slot_pixels(node_type, slot.stream_bits)
    for resource, needed in sorted(device.area(node_type, pixels).items()):
        if resource in slot.budgets and needed > slot.budgets[resource]:
            yield Problem(
                "slot-core",
                f"'{node_type.type}' needs {needed:g} {resource}, and {what} has less",
                slot.at,
                expected=f"at most {slot.budgets[resource]:g} {resource}",
            )
