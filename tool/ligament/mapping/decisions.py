# SPDX-License-Identifier: Apache-2.0
"""What a mapping decides before its topics get their details, and what stands in its way.

Four steps, each in its module: the variant's graph (fuse), node -> device (devices), containers,
topic -> transport (transports).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from ligament.errors import Problem, listing
from ligament.graph.model import Graph, Node, Topic, Variant
from ligament.mapping.backends import Backends, installed
from ligament.mapping.containers import assign_containers, language_problems
from ligament.mapping.designs import designs_of, gather
from ligament.mapping.device_models import device_model, topic_model_problems
from ligament.mapping.device_topics import firmware_problems
from ligament.mapping.devices import assign_devices
from ligament.mapping.edges import edge_problems
from ligament.mapping.fuse import variant_graph
from ligament.mapping.gateways import gateway_problems
from ligament.mapping.model import DeviceModel, Pixels, Reason
from ligament.mapping.modes import Mapped, mode_problems
from ligament.mapping.pixels import pixels_of
from ligament.mapping.platform import Device, Platform
from ligament.mapping.served import served_graph, unserved_problems
from ligament.mapping.slots import placed_problems, slot_problems
from ligament.mapping.threads import thread_problems
from ligament.mapping.transports import Choice, Wishes, assign_transports


@dataclass(frozen=True)
class Decisions:
    """Where each node runs, in which container, and how each topic goes."""

    variant: Variant
    graph: Graph  # the variant's: fused, and with the ports that its implementations serve
    replaces: Mapping[str, tuple[str, ...]]
    places: Mapping[str, tuple[Device, Reason]]
    containers: Mapping[str, str]
    choices: Mapping[str, Choice]
    models: Mapping[str, DeviceModel]
    problems: tuple[Problem, ...] = ()  # met on the way, of a design in several containers
    pixels: Mapping[str, Pixels] = field(default_factory=dict)
    unserved: tuple[Problem, ...] = ()  # ports that an implementation does not serve

    @property
    def nodes(self) -> Mapping[str, Node]:
        """The nodes of the variant."""
        return self.graph.nodes

    @property
    def topics(self) -> Mapping[str, Topic]:
        """The topics of the variant."""
        return self.graph.topics

    @cached_property
    def devices(self) -> dict[str, Device]:
        """Each node's device."""
        return {n: device for n, (device, _) in self.places.items()}

    @cached_property
    def hardware(self) -> frozenset[str]:
        """The nodes on FPGAs."""
        return frozenset(n for n, device in self.devices.items() if device.kind == "fpga")

    @property
    def in_flight(self) -> int:
        """How many messages of a node may be in a design at once."""
        return int(self.variant.fpga.get("in_flight", 1))


def decide(graph: Graph, platform: Platform, variant: Variant, backends: Backends) -> Decisions:
    """Return where everything goes, whether or not it may go there."""
    fused, replaces = variant_graph(graph, variant)
    places = assign_devices(fused.nodes, graph.types, platform, variant, backends)
    devices = {n: device for n, (device, _) in places.items()}
    served = served_graph(fused, devices)
    containers = assign_containers(served.nodes, variant, _in_python(devices))
    wishes = Wishes(variant, containers)
    choices = assign_transports(served.topics, served.nodes, devices, platform, wishes, backends)
    whole = {
        n: d.slot_of or d.name for n, d in devices.items() if d.implementation == "fpga" or d.board
    }
    designs = designs_of(whole, {n: node.host or "" for n, node in served.nodes.items()})
    containers, parted = gather(designs, served.nodes, containers, variant)
    return Decisions(
        variant=variant,
        graph=served,
        replaces=replaces,
        places=places,
        containers=containers,
        choices=choices,
        models=_device_models(served, devices, variant),
        problems=tuple(parted),
        pixels=pixels_of(served, devices, variant, platform),
        unserved=tuple(unserved_problems(fused, devices)),
    )


def problems_of(
    decided: Decisions, platform: Platform, backends: Backends, lacking: list[Problem]
) -> list[Problem]:
    """Return what stands in the way; `lacking`: of devices, which a mapping on paper may lack."""
    topics, devices, variant = decided.topics, decided.devices, decided.variant
    containers = decided.containers
    problems = [
        *decided.problems,
        *_shared_hosts(decided.nodes, containers, variant),
        *language_problems(members_of(containers), variant, _in_python(devices)),
        *_without_host(decided.nodes),
        *edge_problems(decided.nodes, containers, variant, _in_python(devices)),
        *thread_problems(containers, devices, variant),
        *slot_problems(decided.graph.types, platform),
        *placed_problems(decided.graph, devices, platform),
        *mode_problems(_mapped(decided), variant),
        *topic_model_problems(variant, topics, devices),
        *firmware_problems(topics, devices),
    ]
    on_paper = backends.on_paper or not {d.kind for d in devices.values()} <= installed().kinds
    if not on_paper:
        gateways = gateway_problems(topics, decided.nodes, devices, decided.choices)
        problems += [*lacking, *decided.unserved, *gateways]
    return problems


def _mapped(decided: Decisions) -> Mapped:
    python = _in_python(decided.devices)
    return Mapped(decided.topics, decided.choices, decided.containers, decided.models, python)


def _in_python(devices: Mapping[str, Device]) -> frozenset[str]:
    return frozenset(n for n, d in devices.items() if d.implementation == "python")


def _device_models(
    graph: Graph, devices: Mapping[str, Device], variant: Variant
) -> dict[str, DeviceModel]:
    """Return the models of the nodes with kernels."""
    found = {
        name: device_model(node, graph.types[node.type], devices[name], variant)
        for name, node in graph.nodes.items()
    }
    return {name: model for name, model in found.items() if model}


def members_of(containers: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Return the nodes of each container, sorted."""
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
    for container, members in members_of(containers).items():
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
