# SPDX-License-Identifier: Apache-2.0
"""The mapping: node -> device, topic -> transport, container -> nodes, each with its reason.

This is the artefact of the second stage (mapping.json). It names everything that the stages after
it need about *where*; *what* a node or topic is stays in the normalised graph, except for nodes
that exist only in this variant (fused ones), which is why a mapped node carries its type, ports
and parameters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ligament.graph.executable import Executable, executables_from_json
from ligament.graph.model import (
    Edge,
    End,
    NodePort,
    Wait,
    edge_from_json,
    plain,
    ports_from_json,
)
from ligament.graph.qos import QoS, merge

SCHEMA = "ligament/mapping/1"


@dataclass(frozen=True)
class Cost:
    """One quantity that a decision was based on; `basis` says where the number comes from."""

    name: str
    value: float
    unit: str
    basis: str


@dataclass(frozen=True)
class Reason:
    """Why a decision is as it is: the rule that made it, a sentence, the costs it looked at."""

    rule: str
    text: str
    costs: tuple[Cost, ...] = ()


@dataclass(frozen=True)
class DeviceModel:
    """How payloads reach a node with kernels; `automatic`: the runtime asks the device."""

    model: str
    reason: Reason
    topics: Mapping[str, DeviceModel] = field(default_factory=dict, metadata={"left_out": {}})
    """The same of the payloads of topics that have a model of their own."""


@dataclass(frozen=True)
class Pixels:
    """How many pixels a core in an FPGA handles per cycle, where it is built for several."""

    per_cycle: int
    text: str


@dataclass(frozen=True)
class MappedNode:
    """A node with its place."""

    type: str
    name: str
    namespace: str
    device: str
    kind: str
    implementation: str
    container: str
    reason: Reason
    host: str | None = None
    on_failure: str = "stop"
    lifecycle: bool = field(default=False, metadata={"left_out": False})
    ports: Mapping[str, NodePort] = field(default_factory=dict)
    services: Mapping[str, str] = field(default_factory=dict, metadata={"left_out": {}})
    clients: Mapping[str, str] = field(default_factory=dict, metadata={"left_out": {}})
    actions: Mapping[str, str] = field(default_factory=dict, metadata={"left_out": {}})
    parameters: Mapping[str, Any] = field(default_factory=dict)
    replaces: tuple[str, ...] = ()
    device_model: DeviceModel | None = field(default=None, metadata={"left_out": None})
    pixels: Pixels | None = field(default=None, metadata={"left_out": None})


@dataclass(frozen=True)
class Ring:
    """What one publisher keeps: samples in its ring, blocks in all, their memory where bounded."""

    node: str
    port: str
    samples: int
    blocks: int
    memory_bytes: int | None = None


@dataclass(frozen=True)
class Hop:
    """From one publisher to one subscription: samples in flight and held, and what comes then."""

    publisher: str
    subscription: str
    port: str
    under_way: int
    held: int
    rule: str
    text: str


@dataclass(frozen=True)
class Credit:
    """How much a topic in the pool may hold."""

    rings: tuple[Ring, ...]
    hops: tuple[Hop, ...]


@dataclass(frozen=True)
class Alternative:
    """One class that a topic with ends on an FPGA could have, and what it would cost.

    `cycles` and `memory_bytes` are of one message of the declared bound; `area` is that of the
    topic's network, in cells of the device's family. None, empty: cannot be told.
    """

    mapped: str
    chosen: bool
    text: str
    cycles: int | None = None
    memory_bytes: int | None = None
    area: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Queue:
    """Of one subscription on an FPGA: its kind (lig_topic's QOS), depth in beats, and why."""

    node: str
    port: str
    kind: str
    depth_beats: int
    text: str


@dataclass(frozen=True)
class Stream:
    """The network of a hardware-mapped topic, or of a gateway's hardware side."""

    width_bits: int
    text: str
    queues: tuple[Queue, ...] = ()


@dataclass(frozen=True)
class Gateway:
    """The ends in the pool of a topic with a gateway, and the memory lent for what comes out.

    `node` has them for all nodes in hardware; a side with nobody in hardware is None.
    """

    node: str
    publisher: QoS | None
    subscription: QoS | None
    rooms: int
    room_bytes: int
    text: str


@dataclass(frozen=True)
class MappedTopic:
    """A topic with its transports. `mapped` is the paper's class: software, hardware, gateway."""

    id: str
    hash: str
    message: str
    mapped: str
    transports: tuple[str, ...]
    ends: tuple[End, ...]
    qos: QoS
    reason: Reason
    qos_declared: Mapping[str, Any] = field(default_factory=dict)
    mode: str = field(default="shared", metadata={"left_out": "shared"})
    bound_bytes: int | None = None
    bounds: Mapping[str, int] = field(default_factory=dict)
    credit: Credit | None = None
    alternatives: tuple[Alternative, ...] = ()
    stream: Stream | None = None
    gateway: Gateway | None = field(default=None, metadata={"left_out": None})


@dataclass(frozen=True)
class Edges:
    """Edges between software and hardware, by what the hardware's side does."""

    publish: int = 0
    subscribe: int = 0

    @property
    def total(self) -> int:
        """Return all of them."""
        return self.publish + self.subscribe


@dataclass(frozen=True)
class Communication:
    """The communication mapping in the papers' terms: sets, and boundary edges in three steps."""

    nodes_software: tuple[str, ...] = ()
    nodes_hardware: tuple[str, ...] = ()
    topics_software: tuple[str, ...] = ()
    topics_hardware: tuple[str, ...] = ()
    topics_gateway: tuple[str, ...] = ()
    boundary_all_software: Edges = Edges()
    boundary_with_hardware_topics: Edges = Edges()
    boundary_with_gateways: Edges = Edges()


@dataclass(frozen=True)
class Figures:
    """What a node mapping is worth: lower is better, in this order; what it takes of budgets."""

    chain_ns: int
    total_ns: int
    area: Mapping[str, int]
    bytes_per_s: int
    fits: bool


@dataclass(frozen=True)
class Optimised:
    """The mapping by the rules and the proposed one, side by side; what moved from where."""

    before: Figures
    after: Figures
    moved: Mapping[str, str]
    budgets: Mapping[str, int]
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class GraphMapping:
    """One variant of one graph on one platform."""

    graph: str
    variant: str
    platform: str
    nodes: Mapping[str, MappedNode]
    topics: Mapping[str, MappedTopic]
    containers: Mapping[str, tuple[str, ...]]
    executables: Mapping[str, Executable] = field(default_factory=dict, metadata={"left_out": {}})
    wait: Wait = field(default_factory=Wait)
    #: Of the containers whose callbacks run in more than one.
    threads: Mapping[str, int] = field(default_factory=dict, metadata={"left_out": {}})
    edge: Edge = field(default_factory=Edge)
    #: ROS 2's, whose forms on the network the edges speak.
    distro: str = field(default="jazzy", metadata={"left_out": "jazzy"})
    description: str = ""
    communication: Communication = Communication()
    warnings: tuple[str, ...] = ()
    #: Of each FPGA that nodes are on, where declared: clock_hz, latency_ns, bandwidth_bytes_per_s,
    #: family, budgets.
    hardware: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, compare=False)
    #: Where an optimiser chose the devices: what that is worth.
    optimised: Optimised | None = field(default=None, compare=False)

    @property
    def hosts(self) -> tuple[str, ...]:
        """Return the hosts that nodes name."""
        hosts = [node.host for node in self.nodes.values()]
        hosts += [one.host for one in self.executables.values()]
        return tuple(sorted({host for host in hosts if host}))

    def to_json(self) -> dict[str, Any]:
        """Return the artefact's plain form."""
        data = {"schema": SCHEMA, **plain(self)}
        if self.hardware:
            data["hardware"] = plain(self.hardware)
        if self.optimised:
            data["optimised"] = plain(self.optimised)
        for step in ("all_software", "with_hardware_topics", "with_gateways"):
            edges = getattr(self.communication, f"boundary_{step}")
            data["communication"][f"boundary_{step}"]["total"] = edges.total
        return data


def from_json(data: Mapping[str, Any]) -> GraphMapping:
    """Return the mapping of a (schema-valid) mapping.json's plain form."""
    return GraphMapping(
        graph=data["graph"],
        variant=data["variant"],
        platform=data["platform"],
        nodes={k: _node(v) for k, v in data["nodes"].items()},
        topics={k: _topic(v) for k, v in data["topics"].items()},
        containers={k: tuple(v) for k, v in data["containers"].items()},
        executables=executables_from_json(data.get("executables", {})),
        wait=Wait(**data.get("wait", {})),
        threads=data.get("threads", {}),
        edge=edge_from_json(data.get("edge", {})),
        distro=data.get("distro", "jazzy"),
        description=data.get("description", ""),
        communication=_communication(data.get("communication", {})),
        warnings=tuple(data.get("warnings", ())),
        hardware=data.get("hardware", {}),
        optimised=_optimised(data["optimised"]) if "optimised" in data else None,
    )


def _optimised(data: Mapping[str, Any]) -> Optimised:
    sides = {side: Figures(**data[side]) for side in ("before", "after")}
    return Optimised(
        **sides, moved=data["moved"], budgets=data["budgets"], remarks=tuple(data["remarks"])
    )


def _reason(data: Mapping[str, Any]) -> Reason:
    return Reason(data["rule"], data["text"], tuple(Cost(**c) for c in data.get("costs", ())))


def _device_model(data: Mapping[str, Any]) -> DeviceModel:
    topics = {topic: _device_model(own) for topic, own in data.get("topics", {}).items()}
    return DeviceModel(data["model"], _reason(data["reason"]), topics)


def _node(data: Mapping[str, Any]) -> MappedNode:
    fresh = dict(data)
    fresh["reason"] = _reason(data["reason"])
    fresh["replaces"] = tuple(data.get("replaces", ()))
    if found := data.get("device_model"):
        fresh["device_model"] = _device_model(found)
    if pixels := data.get("pixels"):
        fresh["pixels"] = Pixels(**pixels)
    fresh["ports"] = ports_from_json(data.get("ports", {}))
    return MappedNode(**fresh)


_SIDES = ("publisher", "subscription")


def _topic(data: Mapping[str, Any]) -> MappedTopic:
    fresh = dict(data)
    fresh["reason"] = _reason(data["reason"])
    fresh["transports"] = tuple(data["transports"])
    fresh["qos"] = merge(data.get("qos", {}))
    fresh["ends"] = tuple(
        End(e["node"], e["port"], e["direction"], merge(e.get("qos", {}))) for e in data["ends"]
    )
    if credit := data.get("credit"):
        fresh["credit"] = Credit(
            tuple(Ring(**ring) for ring in credit["rings"]),
            tuple(Hop(**hop) for hop in credit["hops"]),
        )
    fresh["alternatives"] = tuple(Alternative(**a) for a in data.get("alternatives", ()))
    if stream := data.get("stream"):
        queues = tuple(Queue(**queue) for queue in stream["queues"])
        fresh["stream"] = Stream(stream["width_bits"], stream["text"], queues)
    if gateway := data.get("gateway"):
        ends = {side: merge(gateway[side]) if gateway[side] else None for side in _SIDES}
        fresh["gateway"] = Gateway(**{**gateway, **ends})
    return MappedTopic(**fresh)


def _communication(data: Mapping[str, Any]) -> Communication:
    fresh: dict[str, Any] = {}
    for key, value in data.items():
        fresh[key] = (
            Edges(value["publish"], value["subscribe"])
            if key.startswith("boundary_")
            else tuple(value)
        )
    return Communication(**fresh)
