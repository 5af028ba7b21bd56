# SPDX-License-Identifier: Apache-2.0
"""The second stage: one variant of a graph onto a platform.

    mapping = map_graph(graph, platform, "processes")

Four steps, each in its module: the variant's graph (fuse), node -> device (devices), containers,
topic -> transport (transports). Pure and deterministic: the same input gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace
from typing import Any

from ligament.errors import InputError, Problem, listing, nearest
from ligament.graph.model import Graph, Node, Topic, Variant
from ligament.mapping.alternatives import alternatives_of, chosen, hardware_of
from ligament.mapping.backends import Backends, installed
from ligament.mapping.budgets import budget_problems, budget_warnings
from ligament.mapping.containers import assign_containers
from ligament.mapping.credit import (
    IN_DESIGN,
    IN_EMULATION,
    PATIENCE_MS,
    SIMULATED_PATIENCE_MS,
    credit_of,
    driven_ends,
    gateway_ends,
)
from ligament.mapping.designs import designs_of, gather
from ligament.mapping.device_models import device_model, topic_model_problems
from ligament.mapping.device_topics import device_problems
from ligament.mapping.devices import assign_devices
from ligament.mapping.edges import edge_problems
from ligament.mapping.formal import communication
from ligament.mapping.fuse import variant_graph
from ligament.mapping.gateways import gateway_of, gateway_problems
from ligament.mapping.model import (
    Credit,
    DeviceModel,
    Gateway,
    GraphMapping,
    MappedNode,
    MappedPort,
    MappedTopic,
    Reason,
)
from ligament.mapping.modes import Mapped, mode_problems
from ligament.mapping.platform import Device, Platform
from ligament.mapping.served import served_graph, unserved_problems
from ligament.mapping.slots import slot_problems
from ligament.mapping.streams import stream_of
from ligament.mapping.transports import Choice, Wishes, assign_transports
from ligament.mapping.waiting import break_cycles, waiting_cycles


def find_variant(graph: Graph, name: str | None) -> Variant:
    """Return a variant by name, or the default one; raise InputError if there is none."""
    chosen = name or graph.default_variant
    if chosen not in graph.variants:
        raise InputError(
            Problem(
                "variant-unknown",
                f"the graph '{graph.name}' has no variant '{chosen}'",
                expected=f"one of {listing(graph.variants)}",
                hint=nearest(chosen, graph.variants),
            )
        )
    return graph.variants[chosen]


def map_graph(
    graph: Graph, platform: Platform, variant: str | None = None, backends: Backends | None = None
) -> GraphMapping:
    """Return the mapping of a variant; raise InputError with everything that stands in its way."""
    backends = backends or installed()
    wanted = find_variant(graph, variant)
    mapped_graph, replaces = variant_graph(graph, wanted)
    places = assign_devices(mapped_graph.nodes, graph.types, platform, wanted, backends)
    devices = {n: device for n, (device, _) in places.items()}
    unserved = list(unserved_problems(mapped_graph, devices))
    mapped_graph = served_graph(mapped_graph, devices)
    nodes, topics = mapped_graph.nodes, mapped_graph.topics
    containers = assign_containers(nodes, wanted)
    wishes = Wishes(wanted, containers)
    choices = assign_transports(topics, nodes, devices, platform, wishes, backends)
    hardware = frozenset(n for n, d in devices.items() if d.kind == "fpga")
    cores = {n: d.name for n, d in devices.items() if d.implementation == "fpga"}
    designs = designs_of(cores, {n: node.host or "" for n, node in nodes.items()})
    containers, parted = gather(designs, nodes, containers, wanted)
    models = _device_models(mapped_graph, devices, wanted)
    lacking = list(device_problems(topics, devices, choices))
    on_paper = backends.on_paper or not {d.kind for d in devices.values()} <= installed().kinds
    problems = [
        *parted,
        *_shared_hosts(nodes, containers, wanted),
        *_without_host(nodes),
        *edge_problems(nodes, containers, wanted),
        *slot_problems(graph.types, platform),
        *mode_problems(Mapped(topics, choices, containers, models), wanted),
        *topic_model_problems(wanted, topics, devices),
    ]
    if not on_paper:
        problems += [*lacking, *unserved, *gateway_problems(topics, devices, choices)]
    if problems:
        raise InputError(problems)
    in_flight = int(wanted.fpga.get("in_flight", 1))
    held = {node: _held(devices[node], in_flight) for node in hardware}
    made = {t: _topic(mapped_graph, t, choices[t], containers, held) for t in sorted(topics)}
    made = {t: _in_hardware(topic, topics[t], devices, platform) for t, topic in made.items()}
    for t, topic in made.items():
        if topic.mapped == "gateway":
            gateway = gateway_of(topics[t], hardware, in_flight)
            made[t] = replace(
                topic,
                gateway=gateway,
                credit=_gateway_credit(topic, gateway, hardware, containers, in_flight),
            )
    made = break_cycles(made, hardware)
    if over := list(budget_problems(mapped_graph, devices, made)):
        raise InputError(over)
    return GraphMapping(
        graph=graph.name,
        variant=wanted.name,
        platform=platform.name,
        description=wanted.description,
        nodes={
            n: replace(
                _node(nodes[n], places[n], containers[n], replaces),
                device_model=models.get(n),
            )
            for n in sorted(nodes)
        },
        topics=made,
        containers=_members(containers),
        wait=wanted.wait,
        edge=wanted.edge,
        distro=graph.distro,
        communication=communication(
            topics, hardware, nodes, {t: c.mapped for t, c in choices.items()}
        ),
        warnings=(
            *graph.warnings,
            *(p.text for p in lacking),
            *waiting_cycles(made, hardware),
            *budget_warnings(devices, made),
        ),
        hardware={
            d.name: _figures(platform, d) | {k: int(v) for k, v in wanted.fpga.items()}
            for d in devices.values()
            if d.kind == "fpga"
        },
    )


def _figures(platform: Platform, device: Device) -> dict[str, Any]:
    """What the later stages must know of a device: clock, link to the pool's memory, cells."""
    figures: dict[str, Any] = {}
    if device.emulation:
        figures["emulation"] = device.emulation
    if device.family:
        figures["family"] = device.family
    if device.budgets:
        figures["budgets"] = dict(device.budgets)
    if device.budgets_at:
        figures["budgets_at"] = device.budgets_at.to_json()
    clock = platform.clocks.get(device.clock or "", {})
    if "frequency_hz" in clock:
        figures["clock_hz"] = clock["frequency_hz"]
    link = platform.link(device.name, platform.pool_memory) if platform.pool_memory else None
    if link:
        figures["latency_ns"] = link.latency_ns
        figures["bandwidth_bytes_per_s"] = link.bandwidth_bytes_per_s
        if link.contention:
            figures["contention"] = link.contention
        if link.pages:
            figures |= {"pages": link.pages, "page_bytes": link.page_bytes}
        if link.contention or link.pages:
            figures["seed"] = link.seed
    return figures


def _node(
    node: Node,
    place: tuple[Device, Reason],
    container: str,
    replaces: Mapping[str, tuple[str, ...]],
) -> MappedNode:
    device, reason = place
    ports = {n: MappedPort(p.topic, p.direction, p.message, p.qos) for n, p in node.ports.items()}
    return MappedNode(
        type=node.type,
        name=node.name,
        namespace=node.namespace,
        device=device.name,
        kind=device.kind,
        implementation=device.implementation,
        container=container,
        reason=reason,
        host=node.host,
        on_failure=node.on_failure,
        ports=ports,
        services=node.services,
        parameters=node.parameters,
        replaces=replaces.get(node.id, ()),
    )


def _device_models(
    graph: Graph, devices: Mapping[str, Device], variant: Variant
) -> dict[str, DeviceModel]:
    """Return the models of the nodes with kernels."""
    found = {
        name: device_model(node, graph.types[node.type], devices[name], variant)
        for name, node in graph.nodes.items()
    }
    return {name: model for name, model in found.items() if model}


def _held(device: Device, in_flight: int) -> int:
    """Return how many samples the driver of a node on an FPGA holds of each of its inputs."""
    return IN_EMULATION if device.emulation == "sw_emu" else in_flight + IN_DESIGN


def _topic(
    graph: Graph,
    name: str,
    choice: Choice,
    containers: Mapping[str, str],
    held: Mapping[str, int],
) -> MappedTopic:
    topic = graph.topics[name]
    in_pool = bool({"shm", "queue"} & set(choice.transports))
    return MappedTopic(
        id=name,
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
        credit=credit_of(driven_ends(topic.ends, held), containers, topic.bound_bytes)
        if in_pool
        else None,
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
    mapped: MappedTopic, topic: Topic, devices: Mapping[str, Device], platform: Platform
) -> MappedTopic:
    """Return the topic with what it could have been, and the network that it gets on an FPGA."""
    found = hardware_of({e.node: devices[e.node] for e in topic.ends}, platform)
    if found is None:
        return mapped
    streams = mapped.mapped in ("hardware", "gateway")
    return replace(
        mapped,
        alternatives=chosen(alternatives_of(topic, found), mapped.mapped),
        stream=stream_of(topic, found.nodes, found.port) if streams else None,
    )


def _members(containers: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for node, container in sorted(containers.items()):
        found.setdefault(container, []).append(node)
    return {c: tuple(found[c]) for c in sorted(found)}


def _without_host(nodes: Mapping[str, Node]) -> list[Problem]:
    """Where some nodes name their host, each must: else it would run on every host, or on none."""
    hosts = sorted({node.host for node in nodes.values() if node.host})
    homeless = [node for node in nodes.values() if not node.host] if hosts else []
    return [
        Problem(
            "host-missing",
            f"'{node.id}' names no host, and other nodes do",
            node.at,
            expected=f"host: one of {listing(hosts)}",
        )
        for node in homeless
    ]


def _shared_hosts(
    nodes: Mapping[str, Node], containers: Mapping[str, str], variant: Variant
) -> list[Problem]:
    problems = []
    for container, members in _members(containers).items():
        hosts = {nodes[m].host for m in members}
        if len(hosts) > 1:
            problems.append(
                Problem(
                    "container-hosts",
                    f"the container '{container}' holds nodes of several hosts",
                    variant.at,
                    expected="nodes of one host",
                    hint=", ".join(f"{m} on {nodes[m].host}" for m in members),
                )
            )
    return problems
