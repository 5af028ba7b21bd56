# SPDX-License-Identifier: Apache-2.0
"""The second stage: one variant of a graph onto a platform.

    mapping = map_graph(graph, platform, "processes")

What runs where, and what stands in its way, is decided in its own module (decisions); here each
topic and node gets the rest. Pure and deterministic: the same input gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace
from typing import Any

from ligament.cores.manifest import CORE_BITS
from ligament.errors import InputError, no_such
from ligament.graph.model import Graph, Topic, Variant
from ligament.mapping.alternatives import alternatives_of, chosen, hardware_of
from ligament.mapping.backends import Backends, installed
from ligament.mapping.budgets import budget_problems, budget_warnings, needs_of
from ligament.mapping.clocks import clock_warnings, clocked, clocks_of
from ligament.mapping.credit import (
    AT_EXIT,
    IN_CORE,
    IN_DESIGN,
    IN_EMULATION,
    IN_PYTHON,
    LEAST_IN_PLACE,
    PATIENCE_MS,
    SIMULATED_PATIENCE_MS,
    credit_of,
    driven_ends,
    gateway_ends,
)
from ligament.mapping.decisions import Decisions, decide, members_of, problems_of
from ligament.mapping.device_topics import device_problems
from ligament.mapping.formal import communication
from ligament.mapping.gateways import gateway_of
from ligament.mapping.model import (
    Credit,
    Gateway,
    GraphMapping,
    MappedNode,
    MappedTopic,
)
from ligament.mapping.pixels import pixel_warnings, width_of
from ligament.mapping.platform import Device, Platform
from ligament.mapping.streams import stream_of
from ligament.mapping.threads import threads_of
from ligament.mapping.transports import Choice
from ligament.mapping.waiting import break_cycles, waiting_cycles


def find_variant(graph: Graph, name: str | None) -> Variant:
    """Return a variant by name, or the default one; raise InputError if there is none."""
    chosen = name or graph.default_variant
    if chosen not in graph.variants:
        raise InputError(
            no_such(
                "variant-unknown",
                f"the graph '{graph.name}' has no variant '{chosen}'",
                chosen,
                graph.variants,
                before="one of ",
            )
        )
    return graph.variants[chosen]


def map_graph(
    graph: Graph, platform: Platform, variant: str | None = None, backends: Backends | None = None
) -> GraphMapping:
    """Return the mapping of a variant; raise InputError with everything that stands in its way."""
    backends = backends or installed()
    chosen_variant = find_variant(graph, variant)
    platform = clocked(platform, chosen_variant)
    decided = decide(graph, platform, chosen_variant, backends)
    lacking = list(device_problems(decided.topics, decided.devices, decided.choices))
    if problems := problems_of(decided, platform, backends, lacking):
        raise InputError(problems)
    topics = break_cycles(_mapped_topics(decided, platform), decided.hardware)
    if over := list(budget_problems(decided.graph, decided.devices, topics, decided.pixels)):
        raise InputError(over)
    warnings = (
        *graph.warnings,
        *(p.text for p in lacking),
        *waiting_cycles(topics, decided.hardware),
        *pixel_warnings(decided.graph, decided.devices, decided.variant, decided.pixels),
        *budget_warnings(decided.graph, decided.devices, topics, decided.pixels),
        *clock_warnings(decided.graph, decided.devices, platform),
    )
    return GraphMapping(
        graph=graph.name,
        variant=decided.variant.name,
        platform=platform.name,
        description=decided.variant.description,
        nodes={n: _node(decided, n) for n in sorted(decided.nodes)},
        topics=topics,
        containers=members_of(decided.containers),
        executables=graph.executables,
        wait=decided.variant.wait,
        threads=threads_of(decided.containers, decided.variant),
        edge=decided.variant.edge,
        distro=graph.distro,
        communication=communication(
            decided.topics,
            decided.hardware,
            decided.nodes,
            {t: choice.mapped for t, choice in decided.choices.items()},
        ),
        warnings=warnings,
        hardware=_hardware(decided, platform, topics),
    )


def _mapped_topics(decided: Decisions, platform: Platform) -> dict[str, MappedTopic]:
    """Return each topic with its transports, its network on an FPGA, its gateway and its credit."""
    held = {n: _held(decided.devices[n], decided.in_flight) for n in decided.hardware}
    lends = {n for n in decided.hardware if decided.devices[n].emulation != "sw_emu"}
    loans = dict.fromkeys(lends, decided.in_flight + AT_EXIT)
    held |= {n: IN_CORE for n, d in decided.devices.items() if d.kind == "mcu"}
    held |= {n: IN_PYTHON for n, d in decided.devices.items() if d.implementation == "python"}
    made = {}
    for name, topic in sorted(decided.topics.items()):
        credit = _credit(topic, decided.choices[name], decided.containers, held, loans)
        mapped = _topic(topic, decided.choices[name], credit)
        mapped = _in_hardware(mapped, topic, decided, platform)
        made[name] = _with_gateway(mapped, topic, decided)
    return made


def _with_gateway(mapped: MappedTopic, topic: Topic, decided: Decisions) -> MappedTopic:
    if mapped.mapped != "gateway":
        return mapped
    gateway = gateway_of(topic, decided.hardware, decided.in_flight)
    credit = _gateway_credit(
        mapped, gateway, decided.hardware, decided.containers, decided.in_flight
    )
    return replace(mapped, gateway=gateway, credit=credit)


def _hardware(
    decided: Decisions, platform: Platform, topics: Mapping[str, MappedTopic]
) -> dict[str, dict[str, Any]]:
    """Return what the later stages must know of each FPGA, with what the variant asks of it."""
    apart = ("pixels", "clocks")
    asked = {k: int(v) for k, v in decided.variant.fpga.items() if k not in apart}
    return {
        d.name: _figures(platform, d)
        | _needs(d, decided, topics)
        | (asked if d.kind == "fpga" else {})
        for d in decided.devices.values()
        if d.kind in ("fpga", "mcu")
    }


def _needs(device: Device, decided: Decisions, topics: Mapping[str, MappedTopic]) -> dict[str, Any]:
    """What a design takes of the device's budgets, by declared and predicted cells."""
    if not device.budgets or not device.streams:
        return {}
    found = needs_of(decided.graph, device, decided.devices, topics, decided.pixels)
    return {"needs": found} if found else {}


def _figures(platform: Platform, device: Device) -> dict[str, Any]:
    """What the later stages must know of a device: clock, link to the pool's memory, cells."""
    figures = _declared(device)
    clock = platform.clocks.get(device.clock or "", {})
    if "frequency_hz" in clock:
        figures["clock_hz"] = clock["frequency_hz"]
    if clocks := clocks_of(platform, device):
        figures["clocks"] = clocks
    link = platform.link(device.name, platform.pool_memory) if platform.pool_memory else None
    if link:
        figures["latency_ns"] = link.latency_ns
        figures["bandwidth_bytes_per_s"] = link.bandwidth_bytes_per_s
        if link.duplex:
            figures["duplex"] = True
        if link.contention:
            figures["contention"] = link.contention
        if link.pages:
            figures |= {"pages": link.pages, "page_bytes": link.page_bytes}
        if link.contention or link.pages:
            figures["seed"] = link.seed
    return figures


def _declared(device: Device) -> dict[str, Any]:
    """What the device itself declares."""
    figures: dict[str, Any] = {}
    if device.emulation:
        figures["emulation"] = device.emulation
    if device.backend:
        figures["backend"] = device.backend
    if device.uio:
        figures["uio"] = dict(device.uio)
    if device.board:
        figures |= {"board": device.board, "os": device.os}
    if device.memory_map:
        figures["memory_map"] = device.memory_map.to_json()
    if device.slot_of:
        figures["slots"] = list(device.slots)
        bits = [slot.stream_bits for slot in device.slots.values()]
        if set(bits) != {CORE_BITS}:
            figures["slot_bits"] = bits
    if device.family:
        figures["family"] = device.family
    if device.budgets:
        figures["budgets"] = dict(device.budgets)
    if device.budgets_at:
        figures["budgets_at"] = device.budgets_at.to_json()
    return figures


def _node(decided: Decisions, name: str) -> MappedNode:
    node = decided.nodes[name]
    device, reason = decided.places[name]
    return MappedNode(
        type=node.type,
        name=node.name,
        namespace=node.namespace,
        device=device.name,
        kind=device.kind,
        implementation=device.implementation,
        container=decided.containers[name],
        reason=reason,
        host=node.host,
        on_failure=node.on_failure,
        lifecycle=decided.graph.types[node.type].lifecycle,
        ports=node.ports,
        services=node.services,
        clients=node.clients,
        actions=node.actions,
        parameters=node.parameters,
        replaces=decided.replaces.get(node.id, ()),
        device_model=decided.models.get(name),
        pixels=decided.pixels.get(name),
    )


def _held(device: Device, in_flight: int) -> int:
    """Return how many samples the driver of a node on an FPGA holds of each of its inputs."""
    return IN_EMULATION if device.emulation == "sw_emu" else in_flight + IN_DESIGN


def _credit(
    topic: Topic,
    choice: Choice,
    containers: Mapping[str, str],
    held: Mapping[str, int],
    loans: Mapping[str, int],
) -> Credit | None:
    """Return what may be in flight on a topic in the pool.

    `held`: samples that nodes hold of each input; `loans`: for which they lend memory at an output.
    """
    if not {"shm", "queue"} & set(choice.transports):
        return None
    ends = driven_ends(topic.ends, held)
    in_place = (topic.bound_bytes or 0) >= LEAST_IN_PLACE
    lent = {e: loans[e.node] for e in ends if e.direction == "out" and e.node in loans}
    return credit_of(ends, containers, topic.bound_bytes, lent if in_place else {})


def _topic(topic: Topic, choice: Choice, credit: Credit | None) -> MappedTopic:
    return MappedTopic(
        id=topic.id,
        hash=topic.hash,
        message=topic.message,
        mapped=choice.mapped,
        transports=choice.transports,
        ends=topic.ends,
        qos=topic.qos,
        reason=choice.reason,
        qos_declared=topic.qos_declared,
        mode=topic.mode,
        bound_bytes=topic.bound_bytes,
        bounds=topic.bounds,
        credit=credit,
    )


def _gateway_credit(
    topic: MappedTopic,
    gateway: Gateway,
    hardware: Set[str],
    containers: Mapping[str, str],
    in_flight: int,
) -> Credit | None:
    ends, loans = gateway_ends(topic, gateway, hardware, in_flight)
    patience = SIMULATED_PATIENCE_MS if gateway.subscription else PATIENCE_MS
    return credit_of(ends, containers, topic.bound_bytes, loans, patience)


def _in_hardware(
    mapped: MappedTopic, topic: Topic, decided: Decisions, platform: Platform
) -> MappedTopic:
    """Return the topic with what it could have been, and the network that it gets on an FPGA."""
    found = hardware_of({e.node: decided.devices[e.node] for e in topic.ends}, platform)
    if found is None:
        return mapped
    streams = mapped.mapped in ("hardware", "gateway")
    least = width_of(topic, decided.graph, decided.pixels)
    return replace(
        mapped,
        alternatives=chosen(alternatives_of(topic, found, least), mapped.mapped),
        stream=stream_of(topic, found.nodes, found.port, least) if streams else None,
    )
