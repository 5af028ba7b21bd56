# SPDX-License-Identifier: Apache-2.0
"""The normalised graph: ids resolved, defaults filled, types known.

This is the artefact of the first stage (`ligament check --json`, schema normalised-graph) as frozen
dataclasses. Every later stage reads this and nothing before it. `to_json` gives the plain form;
`from_json` takes it back, so that a graph written by hand can enter here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

from ligament.errors import Location, Problem
from ligament.graph.executable import Executable, executables_from_json
from ligament.graph.qos import QoS, merge

SCHEMA = "ligament/normalised-graph/1"

Value = bool | int | float | str | list[Any]


@dataclass(frozen=True)
class Port:
    """One input or output of a node type."""

    name: str
    direction: str
    message: str
    description: str = ""
    qos: Mapping[str, Any] = field(default_factory=dict)
    optional: bool = False


@dataclass(frozen=True)
class Parameter:
    """One parameter of a node type; `default` None means that the graph must set it."""

    name: str
    type: str
    description: str
    default: Any = None
    unit: str = ""
    range: tuple[float, float] | None = None
    choices: tuple[Any, ...] = ()
    read_only: bool = False


@dataclass(frozen=True)
class Service:
    """A service that nodes of a type offer: its requests come in, its responses go out."""

    name: str
    type: str
    description: str = ""

    @property
    def request(self) -> Port:
        """The stream of its requests."""
        return Port(f"{self.name}_request", "in", f"{self.type}_Request", self.description)

    @property
    def response(self) -> Port:
        """The stream of its responses."""
        return Port(f"{self.name}_response", "out", f"{self.type}_Response", self.description)


@dataclass(frozen=True)
class Client:
    """A service that nodes of a type call: requests go out, responses come in."""

    name: str
    type: str
    description: str = ""
    #: Of a core: requests that may be open at once.
    in_flight: int = 1
    #: Of a core: how long one may go without a response. Unit: milliseconds.
    time_limit_ms: int = 1000

    @property
    def request(self) -> Port:
        """The stream of its requests."""
        return Port(f"{self.name}_request", "out", f"{self.type}_Request", self.description)

    @property
    def response(self) -> Port:
        """The stream of its responses."""
        return Port(f"{self.name}_response", "in", f"{self.type}_Response", self.description)


@dataclass(frozen=True)
class Action:
    """An action that nodes of a type offer."""

    name: str
    type: str
    description: str = ""


@dataclass(frozen=True)
class Fuses:
    """The sub-graph that a hand-fused node type replaces; references are `local_node.port`."""

    nodes: Mapping[str, str]
    inside: tuple[tuple[str, str], ...] = ()
    ports: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class NodeType:
    """A node type as its node.yaml declares it; `folder` is where its sources are."""

    type: str
    folder: str
    description: str = ""
    ports: Mapping[str, Port] = field(default_factory=dict)
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    services: Mapping[str, Service] = field(default_factory=dict, metadata={"left_out": {}})
    clients: Mapping[str, Client] = field(default_factory=dict, metadata={"left_out": {}})
    actions: Mapping[str, Action] = field(default_factory=dict, metadata={"left_out": {}})
    implementations: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    lifecycle: bool = field(default=False, metadata={"left_out": False})
    state: Any = "none"
    fuses: Fuses | None = None


@dataclass(frozen=True)
class NodePort:
    """A port of a node of the graph, connected."""

    topic: str
    direction: str
    message: str
    qos: QoS


@dataclass(frozen=True)
class Node:
    """A node of the graph. `parameters` is complete, `parameters_set` names those that are set."""

    id: str
    name: str
    namespace: str
    type: str
    ports: Mapping[str, NodePort] = field(default_factory=dict)
    services: Mapping[str, str] = field(default_factory=dict, metadata={"left_out": {}})
    """Full names of the services that its type offers, by the name that its code uses."""
    clients: Mapping[str, str] = field(default_factory=dict, metadata={"left_out": {}})
    """The same of those that it calls."""
    actions: Mapping[str, str] = field(default_factory=dict, metadata={"left_out": {}})
    """The same of the actions."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    parameters_set: tuple[str, ...] = ()
    parameter_files: tuple[str, ...] = ()
    description: str = ""
    device: str | None = None
    implementation: str | None = field(default=None, metadata={"left_out": None})
    host: str | None = None
    on_failure: str = "stop"
    at: Location | None = None
    device_at: Location | None = field(default=None, compare=False)

    @property
    def remap(self) -> dict[str, str]:
        """Return what the node's own code must be told: port name to topic, where they differ."""
        return {name: port.topic for name, port in self.ports.items()}


@dataclass(frozen=True)
class End:
    """One end of a topic."""

    node: str
    port: str
    direction: str
    qos: QoS


@dataclass(frozen=True)
class Topic:
    """A topic with all its ends. `qos_declared` is what the graph says about the topic itself."""

    id: str
    hash: str
    message: str
    qos: QoS
    qos_declared: Mapping[str, Any] = field(default_factory=dict)
    ends: tuple[End, ...] = ()
    bound_bytes: int | None = None
    bounds: Mapping[str, int] = field(default_factory=dict)
    rate_hz: float | None = None
    transports: tuple[str, ...] | None = None
    mode: str = field(default="shared", metadata={"left_out": "shared"})
    external: tuple[str, ...] = ()
    beside: tuple[str, ...] = field(default=(), metadata={"left_out": ()})
    """What executables of the graph do with it, as `external` has it: they are on the pool."""
    description: str = ""
    at: Location | None = None
    transports_at: Location | None = field(default=None, compare=False)

    @property
    def outside(self) -> frozenset[str]:
        """Return what others than nodes of the graph do with it."""
        return frozenset((*self.external, *self.beside))

    @property
    def publishers(self) -> tuple[End, ...]:
        """Return the ends that publish."""
        return tuple(e for e in self.ends if e.direction == "out")

    @property
    def subscriptions(self) -> tuple[End, ...]:
        """Return the ends that subscribe."""
        return tuple(e for e in self.ends if e.direction == "in")


@dataclass(frozen=True)
class Fusion:
    """A wish of a variant: these nodes are replaced by one node of a hand-fused type."""

    nodes: tuple[str, ...]
    type: str
    id: str
    members: Mapping[str, str] = field(default_factory=dict)
    """Local name in the type's `fuses` to the id of the node that plays it."""
    at: Location | None = None


@dataclass(frozen=True)
class Wait:
    """How executors wait for messages."""

    strategy: str = "sleep"
    spin_us: int = 50


@dataclass(frozen=True)
class Edge:
    """The graph's part in ROS 2's network. None: what ROS 2's environment variables say.

    `inside`: the edge is within a container, which is named where a host has several.
    """

    wanted: bool = False
    per: str = "host"
    inside: bool | str = False
    domain_id: int | None = None
    discovery_range: str | None = None
    static_peers: tuple[str, ...] | None = None
    ros_tools: bool = True


def edge_from_json(data: Mapping[str, Any]) -> Edge:
    """Return the edge of an artefact's plain form."""
    peers = data.get("static_peers")
    return Edge(**{**data, "static_peers": None if peers is None else tuple(peers)})


@dataclass(frozen=True)
class Variant:
    """One named way to map the graph; all names are ids."""

    name: str
    description: str = ""
    containers: str | Mapping[str, tuple[str, ...]] = "separate"
    fuse: tuple[Fusion, ...] = ()
    devices: Mapping[str, str] = field(default_factory=dict)
    implementations: Mapping[str, str] = field(default_factory=dict, metadata={"left_out": {}})
    device_models: Mapping[str, str] = field(default_factory=dict, metadata={"left_out": {}})
    topic_models: Mapping[str, str] = field(default_factory=dict, metadata={"left_out": {}})
    hosts: Mapping[str, str] = field(default_factory=dict)
    transports: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    modes: Mapping[str, str] = field(default_factory=dict, metadata={"left_out": {}})
    bound_bytes: Mapping[str, int] = field(default_factory=dict)
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    wait: Wait = Wait()
    threads: int | Mapping[str, int] = field(default=1, metadata={"left_out": 1})
    """Of every container, or by container name."""
    edge: Edge = Edge()
    fpga: Mapping[str, Any] = field(default_factory=dict, metadata={"left_out": {}})
    """How designs are built and run, where it is said: in_flight, pixels, patience_s, clocks."""
    at: Location | None = None
    places: Mapping[tuple[str, str], Location] = field(default_factory=dict, compare=False)
    """Where a wish stands, by ("devices", node) or ("transports", topic); not in artefacts."""


@dataclass(frozen=True)
class Check:
    """Where the result is recorded and how two variants' results are compared."""

    sink: str
    compare: str = "exact"
    tolerance: float | None = None
    reason: str = ""


@dataclass(frozen=True)
class Graph:
    """The normalised graph."""

    name: str
    distro: str = "jazzy"
    description: str = ""
    source: str = ""
    inputs: tuple[str, ...] = ()
    message_packages: Mapping[str, str] = field(default_factory=dict)
    hosts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    types: Mapping[str, NodeType] = field(default_factory=dict)
    nodes: Mapping[str, Node] = field(default_factory=dict)
    topics: Mapping[str, Topic] = field(default_factory=dict)
    executables: Mapping[str, Executable] = field(default_factory=dict, metadata={"left_out": {}})
    variants: Mapping[str, Variant] = field(default_factory=dict)
    default_variant: str = "default"
    check: Check | None = None
    warnings: tuple[str, ...] = ()
    places: Mapping[str, Problem] = field(default_factory=dict, compare=False)
    """Warnings whose place in a file is known, by their text; not in artefacts."""

    def to_json(self) -> dict[str, Any]:
        """Return the artefact's plain form."""
        return {"schema": SCHEMA, **plain(self)}


def plain(value: Any) -> Any:
    """Return dataclasses, tuples and mappings as plain JSON data; mappings sorted by key.

    A field that has the value of its `left_out` says nothing new, and is left out.
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {
            f.name: plain(getattr(value, f.name))
            for f in fields(value)
            if f.compare
            and not ("left_out" in f.metadata and f.metadata["left_out"] == getattr(value, f.name))
        }
    if isinstance(value, Mapping):
        return {str(k): plain(value[k]) for k in sorted(value)}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    return value


def from_json(data: Mapping[str, Any]) -> Graph:
    """Return the graph of a (schema-valid) normalised graph's plain form."""
    return Graph(
        **{
            k: data[k]
            for k in ("name", "distro", "description", "source", "hosts", "default_variant")
            if k in data
        },
        inputs=tuple(data.get("inputs", ())),
        message_packages=data.get("message_packages", {}),
        types={k: _node_type(v) for k, v in data.get("types", {}).items()},
        nodes={k: _node(v) for k, v in data["nodes"].items()},
        topics={k: _topic(v) for k, v in data["topics"].items()},
        executables=executables_from_json(data.get("executables", {})),
        variants={k: _variant(v) for k, v in data["variants"].items()},
        check=Check(**data["check"]) if data.get("check") else None,
        warnings=tuple(data.get("warnings", ())),
    )


def _located(data: Mapping[str, Any]) -> dict[str, Any]:
    fresh = dict(data)
    if fresh.get("at"):
        fresh["at"] = Location(**fresh["at"])
    return fresh


def _node_type(data: Mapping[str, Any]) -> NodeType:
    fresh = dict(data)
    fresh["ports"] = {k: Port(**v) for k, v in data.get("ports", {}).items()}
    fresh["parameters"] = {k: _parameter(v) for k, v in data.get("parameters", {}).items()}
    fresh["services"] = {k: Service(**v) for k, v in data.get("services", {}).items()}
    fresh["clients"] = {k: Client(**v) for k, v in data.get("clients", {}).items()}
    fresh["actions"] = {k: Action(**v) for k, v in data.get("actions", {}).items()}
    if data.get("fuses"):
        fuses = data["fuses"]
        inside = tuple((a, b) for a, b in fuses.get("inside", ()))
        fresh["fuses"] = Fuses(
            fuses["nodes"], inside, fuses.get("ports", {}), fuses.get("parameters", {})
        )
    return NodeType(**fresh)


def _parameter(data: Mapping[str, Any]) -> Parameter:
    fresh = dict(data)
    if fresh.get("range"):
        fresh["range"] = tuple(fresh["range"])
    fresh["choices"] = tuple(fresh.get("choices") or ())
    return Parameter(**fresh)


def ports_from_json(data: Mapping[str, Any]) -> dict[str, NodePort]:
    """Return the ports of a node from their plain form."""
    return {
        k: NodePort(v["topic"], v["direction"], v["message"], merge(v.get("qos", {})))
        for k, v in data.items()
    }


def _node(data: Mapping[str, Any]) -> Node:
    fresh = _located(data)
    fresh["ports"] = ports_from_json(data.get("ports", {}))
    for name in ("parameter_files", "parameters_set"):
        fresh[name] = tuple(data.get(name, ()))
    return Node(**fresh)


def _topic(data: Mapping[str, Any]) -> Topic:
    fresh = _located(data)
    fresh["qos"] = merge(data.get("qos", {}))
    fresh["ends"] = tuple(
        End(e["node"], e["port"], e["direction"], merge(e.get("qos", {})))
        for e in data.get("ends", ())
    )
    if data.get("transports") is not None:
        fresh["transports"] = tuple(data["transports"])
    for name in ("external", "beside"):
        fresh[name] = tuple(data.get(name, ()))
    return Topic(**fresh)


def _variant(data: Mapping[str, Any]) -> Variant:
    fresh = _located(data)
    containers = data.get("containers", "separate")
    if not isinstance(containers, str):
        containers = {k: tuple(v) for k, v in containers.items()}
    fresh["containers"] = containers
    fresh["fuse"] = tuple(
        Fusion(**{**_located(f), "nodes": tuple(f["nodes"])}) for f in data.get("fuse", ())
    )
    fresh["transports"] = {k: tuple(v) for k, v in data.get("transports", {}).items()}
    fresh["wait"] = Wait(**data.get("wait", {}))
    fresh["edge"] = edge_from_json(data.get("edge", {}))
    return Variant(**fresh)
