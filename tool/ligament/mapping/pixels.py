# SPDX-License-Identifier: Apache-2.0
"""How many pixels per cycle the cores of a variant are built for (spec/device/fpga.md).

A variant asks for a number, and each core takes the most that it can of it. With `auto` the number
is chosen for each device: as many as the memory port can feed, and as few as the declared rates
need, as far as the budget reaches.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ligament.cores.manifest import CORE_BITS, port_bits, stream_bits
from ligament.graph.model import Graph, Node, NodeType, Topic, Variant
from ligament.mapping.alternatives import port_of
from ligament.mapping.cost_model import MemoryPort
from ligament.mapping.model import Pixels
from ligament.mapping.platform import Device, Platform

AUTO = "auto"
#: Share of a budget that cores may take: the rest is for what is around them, which is decided
#: later. What then does not fit is refused as always.
FOR_CORES = 0.75


def pixels_of(
    graph: Graph, devices: Mapping[str, Device], variant: Variant, platform: Platform
) -> dict[str, Pixels]:
    """Return the nodes whose cores are built for several pixels per cycle."""
    asked = variant.fpga.get("pixels", 1)
    found = {}
    for device in {d.name: d for d in devices.values() if d.streams}.values():
        members = {n: graph.nodes[n] for n in sorted(devices) if devices[n].name == device.name}
        limit, text = int(asked) if asked != AUTO else 1, f"the variant asks for {asked}"
        if asked == AUTO:
            limit, text = _chosen(graph, members, device, platform)
        for name, node in members.items():
            most = most_of(graph.types[node.type], limit)
            if most > 1:
                notes = _of_a_wish(most, limit, device, platform) if asked != AUTO else []
                found[name] = Pixels(most, "; ".join([text, *notes]))
    return found | dict(_in_slots(graph, devices, platform))


def _of_a_wish(most: int, asked: int, device: Device, platform: Platform) -> Iterator[str]:
    """Yield what somebody should know who asked for so many."""
    if most < asked:
        yield f"{most} is the most that the core can"
    if unfed := _unfed(most, port_of(device, platform)):
        yield unfed


def _in_slots(
    graph: Graph, devices: Mapping[str, Device], platform: Platform
) -> Iterator[tuple[str, Pixels]]:
    """Yield nodes in slots whose streams are wide: there the slot says how wide a core is."""
    for node, device in sorted(devices.items()):
        if device.slot_of:
            slot = platform.devices[device.slot_of].slots[device.name.partition(".")[2]]
            pixels = slot_pixels(graph.types[graph.nodes[node].type], slot.stream_bits)
            if pixels > 1:
                yield node, Pixels(pixels, f"{device.name} has streams of {slot.stream_bits} bits")


def slot_pixels(node_type: NodeType, bits: int) -> int:
    """Return the pixels per cycle of a core in a slot whose streams have so many bits."""
    fitting = [n for n in choices_of(node_type) if stream_bits(n) <= bits]
    return 1 if bits == CORE_BITS else max(fitting)


def _chosen(
    graph: Graph, members: Mapping[str, Node], device: Device, platform: Platform
) -> tuple[int, str]:
    """Return the most pixels per cycle for the cores of a device, and why not more."""
    types = [graph.types[node.type] for node in members.values()]
    port = port_of(device, platform)
    topics = [t for t in graph.topics.values() if any(e.node in members for e in t.ends)]
    limit, text = 1, "no core can handle more"
    for count in sorted({n for node_type in types for n in choices_of(node_type)}):
        if count == 1:
            continue
        if limit > 1 and port and (rate := _enough(limit, topics, port)):
            return limit, f"chosen: enough for {rate}"
        reason = _unfed(count, port) or _over_budget(count, types, device)
        if reason:
            return limit, f"chosen: {reason}"
        limit, text = count, "chosen: the most that its cores can"
    return limit, text


def _enough(count: int, topics: Iterable[Topic], port: MemoryPort) -> str | None:
    """Return the highest declared rate if so many pixels per cycle keep up with all rates."""
    rated = [t for t in topics if t.rate_hz and t.bound_bytes]
    # A pixel has a byte at least, so a message has no more pixels than bytes.
    busy = [t.rate_hz * t.bound_bytes / count for t in rated if t.rate_hz and t.bound_bytes]
    if not busy or max(busy) > port.clock_hz:
        return None
    return f"{max(t.rate_hz or 0 for t in rated):g} Hz"


def _unfed(count: int, port: MemoryPort | None) -> str | None:
    needed = stream_bits(count) / 8
    if port is None or needed <= port.bytes_per_cycle:
        return None
    return f"{count} need {needed:g} bytes per cycle, and memory gives {port.bytes_per_cycle:g}"


def _over_budget(count: int, types: Iterable[NodeType], device: Device) -> str | None:
    if not device.budgets:
        return None
    total: dict[str, float] = {}
    for node_type in types:
        area = device.area(node_type, most_of(node_type, count))
        if not area:
            return f"{node_type.type} declares no area for {count} on {device.family}"
        for resource, amount in area.items():
            total[resource] = total.get(resource, 0) + amount
    for resource, amount in sorted(total.items()):
        budget = device.budgets.get(resource)
        if budget is not None and amount > budget * FOR_CORES:
            return f"{count} need {amount:g} {resource} of {budget:g}, cores alone"
    return None


def pixel_warnings(
    graph: Graph, devices: Mapping[str, Device], variant: Variant, pixels: Mapping[str, Pixels]
) -> Iterator[str]:
    """Yield a sentence where several pixels per cycle were asked for, and no core got them."""
    asked = variant.fpga.get("pixels", 1)
    if asked != 1 and not pixels:
        cores = {n: d for n, d in devices.items() if d.implementation == "fpga"}
        types = {graph.nodes[name].type: device for name, device in cores.items()}
        why = "no node is a core in an FPGA"
        if cores:
            reasons = sorted({_narrow(graph.types[name], types[name], asked) for name in types})
            why = "; ".join(reasons)
        yield f"`fpga: {{pixels: {asked}}}` of the variant '{variant.name}' changes nothing: {why}"


def _narrow(node_type: NodeType, device: Device, asked: Any) -> str:
    """Why a core is not built for more than one pixel per cycle."""
    more = choices_of(node_type)[1:]
    if not more:
        return (
            f"{node_type.type} has one width, {CORE_BITS // 8} bytes per cycle "
            "(no `pixels` in its manifest)"
        )
    without = [str(n) for n in more if device.budgets and not device.area(node_type, n)]
    if without:
        return (
            f"{node_type.type} declares no `area` for {', '.join(without)} on {device.family} "
            "(`ligament build --synth` counts it)"
        )
    if asked != AUTO and more[0] > asked:
        return f"{node_type.type} is built for 1, or for {more[0]} and more"
    return f"{node_type.type} takes {more[0]} at least, more than memory or budget allow"


def choices_of(node_type: NodeType) -> list[int]:
    """Return what a core may be built for, 1 first."""
    declared = node_type.implementations.get("fpga", {}).get("pixels", {})
    return [1, *(choice["pixels"] for choice in declared.get("choices", ()))]


def most_of(node_type: NodeType, limit: int) -> int:
    """Return the most that a core can of at most so many pixels per cycle."""
    return max(n for n in choices_of(node_type) if n <= limit)


def per_cycle(pixels: Mapping[str, Pixels], node: str) -> int:
    """Return how many pixels per cycle a node's core is built for."""
    return pixels[node].per_cycle if node in pixels else 1


def width_of(topic: Topic, graph: Graph, pixels: Mapping[str, Pixels]) -> int:
    """Return the width of the widest stream that a core has on a topic. Unit: bits."""
    widths = (
        port_bits(graph.types[graph.nodes[end.node].type], end.port, per_cycle(pixels, end.node))
        for end in topic.ends
    )
    return max(widths, default=CORE_BITS)
