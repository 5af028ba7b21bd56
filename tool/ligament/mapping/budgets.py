# SPDX-License-Identifier: Apache-2.0
"""What a mapping takes of a device's budgets: cores, and on an FPGA what is around them.

That is the networks and gateways of its topics, the ends in memory of the others and of services,
and the memory port with its registers, which all of these share; and where memory port or registers
have a clock of their own, the crossings there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set

from ligament.cores.manifest import CORE_BITS, port_bits
from ligament.errors import Problem, listing
from ligament.graph.model import Graph, NodeType
from ligament.mapping.at_memory import AtMemory, areas_at_memory
from ligament.mapping.model import MappedTopic, Pixels
from ligament.mapping.network_area import area_of_counters, area_of_gateway
from ligament.mapping.pixels import per_cycle
from ligament.mapping.platform import Device


def budget_problems(
    graph: Graph,
    devices: Mapping[str, Device],
    topics: Mapping[str, MappedTopic],
    pixels: Mapping[str, Pixels],
) -> Iterator[Problem]:
    """Yield a problem for each resource of which a device has less than is needed."""
    for device in _with_budgets(devices):
        members = _members(device, devices)
        for resource, need in needs_of(graph, device, devices, topics, pixels).items():
            amount, rest = need["cores"] + need["around"], need["around"]
            if amount <= device.budgets[resource]:
                continue
            share = f", with {rest:g} for their topics and the memory port" if rest else ""
            node = graph.nodes[members[0]]
            yield Problem(
                "budget-overrun",
                f"the nodes on {device.name} need {amount:g} {resource}: {listing(members)}{share}",
                node.device_at or node.at,
                expected=f"at most {device.budgets[resource]:g}",
                hint=_less(device, members, pixels),
                notes=(("the budgets", device.budgets_at),),
            )


def _less(device: Device, members: Iterable[str], pixels: Mapping[str, Pixels]) -> str:
    """What would need less."""
    wide = any(per_cycle(pixels, node) > 1 for node in members)
    narrower = "fewer pixels per cycle (`fpga: {pixels: N}` of the variant), " if wide else ""
    return f"{narrower}fewer nodes on {device.name}, or a platform with a larger device"


def needs_of(
    graph: Graph,
    device: Device,
    devices: Mapping[str, Device],
    topics: Mapping[str, MappedTopic],
    pixels: Mapping[str, Pixels],
) -> dict[str, dict[str, float]]:
    """Return what a device's cores take of each budget, and what is around them."""
    members = _members(device, devices)
    cores = _added(
        device.area(graph.types[graph.nodes[n].type], per_cycle(pixels, n)) for n in members
    )
    around = _around(graph, device, frozenset(members), topics.values(), pixels)
    return {
        resource: {"cores": cores.get(resource, 0), "around": around.get(resource, 0)}
        for resource in sorted({*cores, *around} & set(device.budgets))
    }


def budget_warnings(
    graph: Graph,
    devices: Mapping[str, Device],
    topics: Mapping[str, MappedTopic],
    pixels: Mapping[str, Pixels],
) -> Iterator[str]:
    """Yield a sentence for each device on which something is not counted."""
    for device in _with_budgets(devices):
        members = set(_members(device, devices))
        for node in sorted(members):
            count, node_type = per_cycle(pixels, node), graph.types[graph.nodes[node].type]
            if not device.area(node_type, count):
                wide = f" for {count} pixels per cycle" if node in pixels else ""
                yield (
                    f"cells of {node} are not counted: {node_type.type} declares no area{wide} "
                    f"on the family '{device.family}' of {device.name}"
                )
        streamed = any(
            topic.mapped != "software" and any(end.node in members for end in topic.ends)
            for topic in topics.values()
        )
        if streamed and (sentence := uncounted(device)):
            yield sentence


def uncounted(device: Device) -> str:
    """Return what is not counted because nothing of the kind was synthesised for the family."""
    if not device.budgets or device.implementation != "fpga" or area_of_gateway(device.family, 64):
        return ""
    return (
        "cells of gateways, and LUTs of networks, are not counted: there are no figures of "
        f"them for the family '{device.family}' of {device.name}"
    )


def _with_budgets(devices: Mapping[str, Device]) -> list[Device]:
    found = {device.name: device for device in devices.values() if device.budgets}
    return [found[name] for name in sorted(found)]


def _members(device: Device, devices: Mapping[str, Device]) -> list[str]:
    return sorted(node for node, its in devices.items() if its.name == device.name)


def _around(
    graph: Graph,
    device: Device,
    nodes: Set[str],
    topics: Iterable[MappedTopic],
    pixels: Mapping[str, Pixels],
) -> dict[str, float]:
    """Return the cells of an FPGA that are no node's."""
    if not device.streams:
        return {}
    ends = AtMemory()
    parts: list[Mapping[str, float]] = []
    for node in sorted(nodes):
        node_type = graph.types[graph.nodes[node].type]
        reads, writes = own_ends(node_type)
        ends.reads += [CORE_BITS] * reads
        ends.writes += [CORE_BITS] * writes
    for topic in topics:
        own = [end for end in topic.ends if end.node in nodes]
        if own and topic.mapped == "software":
            for end in own:
                node_type = graph.types[graph.nodes[end.node].type]
                width = port_bits(node_type, end.port, per_cycle(pixels, end.node))
                (ends.reads if end.direction == "in" else ends.writes).append(width)
        elif own:
            parts += [way.area for way in topic.alternatives if way.chosen]
            subscriptions = sum(end.direction == "in" for end in own)
            parts.append(area_of_counters(device.family, subscriptions))
            if topic.mapped == "gateway" and topic.stream:
                ends.gateways.append(topic.stream.width_bits)
    return _added([*parts, *areas_at_memory(device.family, ends, own_clocks(device))])


def own_ends(node_type: NodeType) -> tuple[int, int]:
    """Return how many ends in memory a core reads and writes by itself, whatever its topics are.

    Of a service two, and one of each timer: the container tells the core of it as by a message.
    """
    called = len(node_type.services) + len(node_type.clients)
    timers: Mapping[str, str] = node_type.implementations.get("fpga", {}).get("timers", {})
    return called + len(timers), called


def own_clocks(device: Device) -> frozenset[str]:
    """Return which of `memory` and `registers` have a clock that is not the cores'."""
    return frozenset(side for side, clock in device.clocks.items() if clock != device.clock)


def _added(parts: Iterable[Mapping[str, float]]) -> dict[str, float]:
    total: dict[str, float] = {}
    for part in parts:
        for resource, amount in part.items():
            total[resource] = total.get(resource, 0) + amount
    return total
