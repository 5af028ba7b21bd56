# SPDX-License-Identifier: Apache-2.0
"""The classes that a topic with ends on an FPGA could have, each with its predicted cost.

`alternatives_of` is what `transports` looks at where the method leaves a choice, and what
mapping.json, the terminal and the picture show. A figure that nothing is declared for is None.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ligament.errors import counted
from ligament.graph.model import Topic
from ligament.mapping.cost_model import (
    WIDTHS,
    Load,
    MemoryPort,
    Predicted,
    gateway,
    hardware,
    software,
)
from ligament.mapping.model import Alternative, Stream
from ligament.mapping.network_area import area_of_ends, area_of_gateway, network_area
from ligament.mapping.platform import Device, Platform
from ligament.mapping.streams import stream_of


@dataclass(frozen=True)
class Hardware:
    """The FPGA that a topic's hardware ends are on, and what the platform says of it."""

    device: Device
    nodes: frozenset[str]
    port: MemoryPort | None


def hardware_of(devices: Mapping[str, Device], platform: Platform) -> Hardware | None:
    """Return the FPGA of some nodes; None where none or several are: nothing is predicted then."""
    found = {d.name: d for d in devices.values() if d.streams}
    if len(found) != 1:
        return None
    device = next(iter(found.values()))
    nodes = frozenset(n for n, d in devices.items() if d.streams)
    return Hardware(device, nodes, port_of(device, platform))


def port_of(device: Device, platform: Platform) -> MemoryPort | None:
    """Return the memory port of an FPGA, where clock and link are declared."""
    clock = platform.clocks.get(device.clock or "", {})
    link = platform.link(device.name, platform.pool_memory) if platform.pool_memory else None
    if link is None or "frequency_hz" not in clock:
        return None
    return MemoryPort(clock["frequency_hz"], link.latency_ns, link.bandwidth_bytes_per_s)


def load_of(topic: Topic, hardware_nodes: frozenset[str]) -> Load | None:
    """Return what one message asks for; None without a declared bound."""
    if topic.bound_bytes is None:
        return None
    # Whoever is outside Ligament is software.
    outside_publishers = int("publisher" in topic.outside)
    outside_subscriptions = int("subscription" in topic.outside)
    return Load(
        topic.bound_bytes,
        sum(e.node in hardware_nodes for e in topic.publishers),
        sum(e.node in hardware_nodes for e in topic.subscriptions),
        sum(e.node not in hardware_nodes for e in topic.publishers) + outside_publishers,
        sum(e.node not in hardware_nodes for e in topic.subscriptions) + outside_subscriptions,
    )


def alternatives_of(
    topic: Topic, found: Hardware | None, least: int = WIDTHS[0]
) -> tuple[Alternative, ...]:
    """Return what the topic could be, none chosen yet; empty without ends in hardware.

    `least`: width of the widest stream that a core has on it. Unit: bits.
    """
    if found is None or not any(e.node in found.nodes for e in topic.ends):
        return ()
    load = load_of(topic, found.nodes)
    stream = stream_of(topic, found.nodes, found.port, least)
    area = network_area(stream, topic, found.nodes, found.device.family)
    inside = not topic.outside and all(e.node in found.nodes for e in topic.ends)
    publishers, subscriptions = (
        sum(end.node in found.nodes for end in ends)
        for ends in (topic.publishers, topic.subscriptions)
    )
    ends = area_of_ends(found.device.family, publishers, subscriptions, least)
    answers = [_software(load, found.port, ends, least)]
    if inside:
        answers.insert(0, _hardware(load, stream, area))
    else:
        own = area_of_gateway(found.device.family, stream.width_bits)
        both = {name: area[name] + own[name] for name in own}
        answers.append(_gateway(load, stream, found.port, both))
    return tuple(answers)


def chosen(alternatives: tuple[Alternative, ...], mapped: str) -> tuple[Alternative, ...]:
    """Return them with the one that is used marked."""
    return tuple(replace(a, chosen=a.mapped == mapped) for a in alternatives)


def gateway_costs_more(
    alternatives: tuple[Alternative, ...], port: MemoryPort | None
) -> tuple[int, int] | None:
    """Return the costs over memory and through a gateway, if the second is not lower; else None.

    The cost of a way is the cycles of a message and, besides, those for which it keeps the memory
    port from others. Only of small messages is it higher with a gateway: its network's latency then
    weighs more than the transfers that it saves.
    """
    ways = {a.mapped: a for a in alternatives}
    over_memory, through = _cost(ways.get("software"), port), _cost(ways.get("gateway"), port)
    if over_memory is None or through is None or through < over_memory:
        return None
    return over_memory, through


def _cost(way: Alternative | None, port: MemoryPort | None) -> int | None:
    if way is None or way.cycles is None or way.memory_bytes is None or port is None:
        return None
    return way.cycles + port.busy_cycles(way.memory_bytes)


def _software(
    load: Load | None, port: MemoryPort | None, area: Mapping[str, float], width_bits: int
) -> Alternative:
    if load is None or port is None:
        return Alternative("software", False, _unknown(load), area=area)
    text = (
        f"{counted(load.hardware_subscriptions, 'read')}"
        f"{' and 1 write' if load.hardware_publishers else ''} of {load.size_bytes} bytes at "
        f"{port.bytes_per_cycle:g} bytes per cycle, each after {port.latency_cycles} cycles of "
        "latency"
    )
    return _alternative("software", text, software(load, port, width_bits), area)


def _hardware(load: Load | None, stream: Stream, area: Mapping[str, float]) -> Alternative:
    if load is None:
        return Alternative("hardware", False, _unknown(load), memory_bytes=0, area=area)
    text = f"one frame of {load.size_bytes} bytes, {stream.width_bits} bits wide, to all at once"
    return _alternative("hardware", text, hardware(load, stream.width_bits), area)


def _gateway(
    load: Load | None, stream: Stream, port: MemoryPort | None, area: Mapping[str, float]
) -> Alternative:
    if load is None or port is None:
        return Alternative("gateway", False, _unknown(load), area=area)
    text = (
        f"at most one transfer of {load.size_bytes} bytes per direction, and one frame, "
        f"{stream.width_bits} bits wide, to all in hardware"
    )
    return _alternative("gateway", text, gateway(load, stream.width_bits, port), area)


def _alternative(
    mapped: str, text: str, predicted: Predicted, area: Mapping[str, float]
) -> Alternative:
    return Alternative(mapped, False, text, predicted.cycles, predicted.memory_bytes, area)


def _unknown(load: Load | None) -> str:
    if load is None:
        return "no bound_bytes is declared, so nothing is predicted"
    return "the platform declares no clock or no link to the pool, so nothing is predicted"
