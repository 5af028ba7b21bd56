# SPDX-License-Identifier: Apache-2.0
"""What a mapping takes of a device's budgets: cores, and on an FPGA what is around them.

That is the networks and gateways of its topics, the ends in memory of the others and of services,
and the memory port with its registers, which all of these share.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set

from ligament.errors import Problem, listing
from ligament.graph.model import Graph
from ligament.mapping.model import MappedTopic, Pixels
from ligament.mapping.network_area import Masters, area_of_ends, area_of_gateway, area_of_port
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
        cores = _added(
            device.area(graph.types[graph.nodes[n].type], per_cycle(pixels, n)) for n in members
        )
        around = _around(graph, device, frozenset(members), topics.values())
        for resource in sorted({*cores, *around} & set(device.budgets)):
            rest = around.get(resource, 0)
            amount = cores.get(resource, 0) + rest
            if amount <= device.budgets[resource]:
                continue
            share = f", with {rest:g} for their topics and the memory port" if rest else ""
            node = graph.nodes[members[0]]
            yield Problem(
                "budget-overrun",
                f"the nodes on {device.name} need {amount:g} {resource}: {listing(members)}{share}",
                node.device_at or node.at,
                expected=f"at most {device.budgets[resource]:g}",
                notes=(("the budgets", device.budgets_at),),
            )


def budget_warnings(
    graph: Graph,
    devices: Mapping[str, Device],
    topics: Mapping[str, MappedTopic],
    pixels: Mapping[str, Pixels],
) -> Iterator[str]:
    """Yield a sentence for each device on which something is not counted."""
    for device in _with_budgets(devices):
        members = set(_members(device, devices))
        for node in sorted(members & set(pixels)):
            count, node_type = pixels[node].per_cycle, graph.types[graph.nodes[node].type]
            if not device.area(node_type, count):
                yield (
                    f"cells of {node} are not counted: {node_type.type} declares no area for "
                    f"{count} pixels per cycle on the family '{device.family}' of {device.name}"
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
    graph: Graph, device: Device, nodes: Set[str], topics: Iterable[MappedTopic]
) -> dict[str, float]:
    """Return the cells of an FPGA that are no node's."""
    if not device.streams:
        return {}
    types = [graph.types[graph.nodes[node].type] for node in nodes]
    called = sum(len(t.services) + len(t.clients) for t in types)
    masters = Masters(entries=called, exits=called)
    parts = [area_of_ends(device.family, called, called)]
    for topic in topics:
        ends = [end.direction for end in topic.ends if end.node in nodes]
        exits, entries = ends.count("out"), ends.count("in")
        if not ends:
            continue
        if topic.mapped == "software":
            parts.append(area_of_ends(device.family, exits, entries))
            masters += Masters(entries=entries, exits=exits)
        else:
            parts += [way.area for way in topic.alternatives if way.chosen]
            masters += Masters(gateways=int(topic.mapped == "gateway"))
    return _added([*parts, area_of_port(device.family, masters.count)])


def _added(parts: Iterable[Mapping[str, float]]) -> dict[str, float]:
    total: dict[str, float] = {}
    for part in parts:
        for resource, amount in part.items():
            total[resource] = total.get(resource, 0) + amount
    return total
