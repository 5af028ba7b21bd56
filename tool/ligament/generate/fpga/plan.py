# SPDX-License-Identifier: Apache-2.0
"""What a design is made of: the nodes of an FPGA, where their ports lead, and networks.

Numbers are given here once; the top level and the component that drives it are rendered from them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from ligament.cores.manifest import CORE_BITS, TIME, Core, Timer, port_bits
from ligament.errors import InputError, Problem
from ligament.graph.model import NodeType, Port
from ligament.mapping.designs import STREAMED
from ligament.mapping.model import Gateway, GraphMapping, MappedNode, MappedTopic, Stream
from ligament.mapping.network_area import MOST_MASTERS
from ligament.messages.hdl.render import module_name

#: Kinds of a queue (mapping.json) as lig_topic's QOS knows them.
QUEUES = {"keep-all": 0, "keep-last": 1, "best-effort": 2}
#: What a device's simulation obeys.
FIGURES = ("clock_hz", "latency_ns", "bandwidth_bytes_per_s")
#: The header of a frame has 8 bits for each (spec/wire/stream.md).
MOST_TOPICS = 256
PROBES_PER_WORD = 64
MOST_HISTORY = 64
EVEN_OUT_BEATS = 512


@dataclass(frozen=True)
class Hardware:
    """A device, and what mapping.json says of it; both are compiled in."""

    name: str
    figures: Mapping[str, Any]

    @property
    def in_flight(self) -> int:
        """Messages per entry that go in together."""
        return int(self.figures.get("in_flight", 1))

    @property
    def duplex(self) -> bool:
        """Its port reads and writes at once, each at the whole bandwidth."""
        return bool(self.figures.get("duplex", False))

    @property
    def pages(self) -> int:
        """Entries of the table that its port goes through; 0: there is none."""
        return int(self.figures.get("pages", 0))

    @property
    def page_bytes(self) -> int:
        """Size of these pages."""
        return int(self.figures.get("page_bytes", 4096))

    @property
    def domains(self) -> Mapping[str, float]:
        """Frequencies of the sides (memory, registers) that have a clock beside the cores'."""
        clocks = self.figures.get("clocks", {})
        own = {side for side in clocks if clocks[side]["name"] != clocks["cores"]["name"]}
        return {side: float(clocks[side]["hz"]) for side in sorted(own)}

    @property
    def clock_words(self) -> list[str]:
        """What a name says of clocks, where somebody named some."""
        clocks = self.figures.get("clocks", {})
        return [slug(f"{side} {clocks[side]['name']}") for side in sorted(clocks)]

    @property
    def slots(self) -> tuple[str, ...]:
        """Of a slot: the names of all slots of its FPGA."""
        return tuple(self.figures.get("slots", ()))

    @property
    def slot_bits(self) -> tuple[int, ...]:
        """Of a slot: the widths of the streams of all slots of its FPGA."""
        return tuple(self.figures.get("slot_bits", (CORE_BITS,) * len(self.slots)))

    @property
    def is_board(self) -> bool:
        """Whether its design is on a board, or in a stand-in of one (spec/device/uio.md)."""
        return self.figures.get("backend") == "uio"

    @property
    def is_emulated(self) -> bool:
        """Of a board: whether a stand-in is meant."""
        return self.is_board and "emulation" in self.figures

    @property
    def waveforms(self) -> bool:
        """Whether the model can write its signals (`ligament run --wave`)."""
        return bool(self.figures.get("waveforms", 0))


@dataclass(frozen=True)
class Link:
    """Where a port of a node in hardware leads: an entry or exit, or a network's end."""

    port: str
    name: str  # in HDL and C++: node and port
    message: str
    probe: int
    outside: int | None = None  # number of the entry or exit
    network: int = 0
    end: int = 0  # number among the network's publishers or subscriptions
    problem: int = 0
    service: str = ""  # whose requests or responses these are
    client: str = field(default="", repr=False)  # the same of a service that the core calls
    timer: Timer | None = field(default=None, repr=False)  # whose ticks
    width: int = field(default=CORE_BITS, repr=False)  # of the core's stream

    @property
    def suffix(self) -> str:
        """The port in the names of the node's wrapper."""
        return slug(self.port)

    @property
    def kind(self) -> str:
        """What the frames of an output are, in lig_stream_pkg's words."""
        return "KindResponse" if self.service else "KindRequest" if self.client else "KindMessage"

    @property
    def module(self) -> str:
        """What the generated modules of its message are called."""
        return module_name(self.message)


@dataclass(frozen=True)
class Member:
    """A node of a design."""

    place: int
    id: str  # empty in a design that holds one node alone: variants share it
    slug: str
    type: NodeType
    core: Core
    # Behind those of topics: timers, responses to its own requests, then requests of services.
    inputs: tuple[Link, ...]
    outputs: tuple[Link, ...]  # behind topics: its requests, and responses, in the same order
    pixels: int = 1  # per cycle, of a core that is built for several


@dataclass
class Network:
    """A topic's streams. Its gateway is behind its other publishers and subscriptions."""

    number: int
    topic: str
    width: int
    gateway: int | None = None  # its number
    publishers: list[Link] = field(default_factory=list)
    subscriptions: list[Link] = field(default_factory=list)
    queues: list[tuple[int, int, int]] = field(default_factory=list)  # kind, depth, history

    @property
    def sources(self) -> int:
        """All publishers of the network."""
        return len(self.publishers) + (self.gateway is not None)

    @property
    def sinks(self) -> int:
        """All subscriptions of the network."""
        return len(self.subscriptions) + (self.gateway is not None)


@dataclass(frozen=True)
class PoolEnds:
    """A gateway's ends in the pool."""

    network: Network
    message: str
    place: int  # of the node that has them
    sources: tuple[int, ...]  # places of the nodes that publish, by number
    mapped: Gateway


@dataclass(frozen=True)
class MemoryEnd:
    """A master of the memory port, with its registers: a gateway's, or an entry's and an exit's.

    An entry only reads and an exit only writes, so that two of them share one.
    """

    number: int
    gateway: PoolEnds | None = None
    entry: Link | None = None
    exit: Link | None = None

    @property
    def what(self) -> str:
        """What it is for, in the generated top."""
        if self.gateway:
            return self.gateway.network.topic
        links = [("entry", self.entry), ("exit", self.exit)]
        return ", ".join(f"{what} {link.name}" for what, link in links if link)


@dataclass(frozen=True)
class Design:
    """One top level."""

    device: Hardware
    name: str  # of target and library
    top: str  # the same in all variants in which the hardware is
    members: tuple[Member, ...]
    networks: tuple[Network, ...]
    entries: tuple[Link, ...]
    exits: tuple[Link, ...]
    probes: tuple[Link, ...]
    gateways: tuple[PoolEnds, ...] = ()

    @property
    def port_bits(self) -> int:
        """Width of the port on memory: of the widest gateway, entry or exit."""
        gateways = [ends.network.width for ends in self.gateways]
        ends = [link.width for link in (*self.entries, *self.exits)]
        return max([*gateways, *ends], default=CORE_BITS)

    @property
    def ends(self) -> list[MemoryEnd]:
        """All ends in memory: gateways first, then entries and exits in pairs."""
        pairs = zip_longest(self.entries, self.exits)
        return [
            *(MemoryEnd(number, gateway) for number, gateway in enumerate(self.gateways)),
            *(MemoryEnd(len(self.gateways) + k, None, *pair) for k, pair in enumerate(pairs)),
        ]

    @property
    def parts(self) -> dict[str, int]:
        """The part of each link: of the nodes that topics on the chip join. Each has a reset."""
        joined = [[link.name for link in (*m.inputs, *m.outputs)] for m in self.members]
        joined += [[link.name for link in (*n.publishers, *n.subscriptions)] for n in self.networks]
        found: list[set[str]] = []  # in the order of members
        for names in joined:
            touched = [part for part in found if not part.isdisjoint(names)]
            if touched:
                touched[0].update(names, *touched[1:])
                found = [part for part in found if part not in touched[1:]]
            elif names:
                found.append(set(names))
        return {name: number for number, names in enumerate(found) for name in names}

    @property
    def messages(self) -> list[str]:
        """All message types, sorted."""
        return sorted({link.message for link in self.probes})

    @property
    def types(self) -> list[Member]:
        """One member of each node type, sorted."""
        found = {member.type.type: member for member in reversed(self.members)}
        return [found[name] for name in sorted(found)]

    @property
    def problems(self) -> list[Link]:
        """Outputs by the number of their problem wire."""
        return [link for member in self.members for link in member.outputs]


def hardware_of(mapping: GraphMapping, name: str) -> Hardware:
    """Return a device as designs need it; raise InputError where the platform says too little."""
    figures = mapping.hardware.get(name, {})
    missing = [k for k in FIGURES if k not in figures]
    if missing:
        raise InputError(
            Problem(
                "device-figures",
                f"the platform '{mapping.platform}' does not say {', '.join(missing)} of {name}",
                expected="a clock of kind cycles for the device, and a link from it to the memory "
                "that holds the pool: an ideal memory is never assumed",
            )
        )
    return Hardware(name, dict(figures))


def slug(text: str) -> str:
    """Return a part of a name in HDL and C++, without their own double underscores."""
    return re.sub(r"_+", "_", re.sub(r"[^A-Za-z0-9]", "_", text)).strip("_")


def streamed_topics(mapping: GraphMapping, nodes: Iterable[str]) -> dict[str, MappedTopic]:
    """Return the topics of some nodes that are streams on the chip, sorted."""
    names = {port.topic for node in nodes for port in mapping.nodes[node].ports.values()}
    topics = {name: mapping.topics[name] for name in sorted(names)}
    return {name: topic for name, topic in topics.items() if STREAMED & set(topic.transports)}


def single_design(node_type: NodeType, core: Core, device: Hardware, pixels: int = 1) -> Design:
    """Return the design of a device with one node, without topics on the chip.

    It says nothing of the node, so it is made once for all nodes and variants.
    """
    words = [node_type.type.replace("/", "-"), slug(device.name)]
    words += [f"{pixels}-pixels"] if pixels > 1 else []
    words += [f"x{device.in_flight}"] if device.in_flight > 1 else []
    words += device.clock_words
    words += ["waves"] if device.waveforms else []
    top = "lig_design_" + slug(node_type.type) + (f"_{pixels}_pixels" if pixels > 1 else "")
    nodes = [_Placed("", node_type, core, pixels)]
    return _Planner({}, {}).plan(device, "-".join(words), nodes, top)


def member_of(node_type: NodeType, core: Core, pixels: int = 1) -> Member:
    """Return a node of this type that nothing joins with others."""
    return _Planner({}, {}).members([_Placed("", node_type, core, pixels)])[0]


def joined_design(
    mapping: GraphMapping,
    nodes: tuple[str, ...],
    types: Mapping[str, tuple[NodeType, Core]],
    device: Hardware,
    name: str,
) -> Design:
    """Return the design of a device, whether topics on the chip join its nodes or not."""
    topics = streamed_topics(mapping, nodes)
    if len(topics) > MOST_TOPICS:
        text = f"the design '{name}' has {len(topics)} hardware topics"
        raise InputError(Problem("design-size", text, expected=f"at most {MOST_TOPICS}"))
    ports = {node: {n: p.topic for n, p in mapping.nodes[node].ports.items()} for node in nodes}
    members = [
        _Placed(node, *types[mapping.nodes[node].type], pixels_of(mapping.nodes[node]))
        for node in nodes
    ]
    return _Planner(topics, ports).plan(device, name, members)


def pixels_of(node: MappedNode) -> int:
    """Return how many pixels per cycle a node's core is built for."""
    return node.pixels.per_cycle if node.pixels else 1


@dataclass(frozen=True)
class _Placed:
    """A node that is to become a member; its id is empty where it is alone."""

    id: str
    type: NodeType
    core: Core
    pixels: int = 1


class _Planner:
    def __init__(
        self, topics: Mapping[str, MappedTopic], ports: Mapping[str, Mapping[str, str]]
    ) -> None:
        self.ports = ports
        self.topics = topics
        gateways = [name for name, topic in topics.items() if topic.gateway]
        self.networks = {
            name: Network(
                number,
                name,
                _stream(topic).width_bits,
                gateways.index(name) if name in gateways else None,
            )
            for number, (name, topic) in enumerate(topics.items())
        }
        self.probes: list[Link] = []
        self.entries: list[Link] = []
        self.exits: list[Link] = []
        self.problems = 0
        self.width: dict[str, int] = {}  # of the ports of the member that is being made

    def members(self, nodes: list[_Placed]) -> tuple[Member, ...]:
        return tuple(self._member(place, node) for place, node in enumerate(nodes))

    def plan(
        self,
        device: Hardware,
        name: str,
        nodes: list[_Placed],
        top: str | None = None,
    ) -> Design:
        members = self.members(nodes)
        networks = tuple(self.networks.values())
        for network in networks:
            if network.gateway is not None:
                network.queues.append((QUEUES["keep-all"], EVEN_OUT_BEATS, 1))
        design = Design(
            device,
            name,
            (top or _top_of(members, networks)) + _pages_of(device) + _clocks_of(device),
            members,
            networks,
            tuple(self.entries),
            tuple(self.exits),
            tuple(self.probes),
            tuple(self._pool_ends(members)),
        )
        if len(design.ends) > MOST_MASTERS:
            text = f"the design '{name}' has {len(design.ends)} ends in memory"
            raise InputError(Problem("design-size", text, expected=f"at most {MOST_MASTERS}"))
        return design

    def _pool_ends(self, members: tuple[Member, ...]) -> Iterator[PoolEnds]:
        places = {member.id: member.place for member in members}
        owners = {link.name: member.place for member in members for link in member.outputs}
        for name, network in self.networks.items():
            mapped = self.topics[name].gateway
            if mapped is not None:
                sources = tuple(owners[link.name] for link in network.publishers)
                message = self.topics[name].message
                yield PoolEnds(network, message, places[mapped.node], sources, mapped)

    def _member(self, place: int, node: _Placed) -> Member:
        core = node.core
        # The number keeps names apart that differ in slashes only.
        name = f"n{place}_{slug(node.id)}" if node.id else slug(node.type.type)
        self.width = {p.name: port_bits(node.type, p.name, node.pixels) for p in node.core.ports}
        inputs = [self._input(node.id, name, port) for port in core.inputs]
        inputs += [self._timer(name, timer) for timer in core.timers]
        inputs += [self._entry(name, c.response, client=c.name) for c in core.clients]
        inputs += [self._entry(name, s.request, service=s.name) for s in core.services]
        outputs = [self._output(node.id, name, port) for port in core.outputs]
        outputs += [self._exit(name, c.request, client=c.name) for c in core.clients]
        outputs += [self._exit(name, s.response, service=s.name) for s in core.services]
        ends = tuple(inputs), tuple(outputs)
        return Member(place, node.id, name, node.type, core, *ends, node.pixels)

    def _link(self, name: str, port: Port, **leads: Any) -> Link:
        names = (port.name, f"{name}_{slug(port.name)}", port.message)
        width = self.width.get(port.name, CORE_BITS)  # else of a service or a client
        link = Link(*names, len(self.probes), width=width, **leads)
        self.probes.append(link)
        return link

    def _entry(self, name: str, port: Port, **call: str) -> Link:
        link = self._link(name, port, outside=len(self.entries), **call)
        self.entries.append(link)
        return link

    def _timer(self, name: str, timer: Timer) -> Link:
        names = (timer.name, f"{name}_{slug(timer.name)}", TIME)
        link = Link(*names, len(self.probes), outside=len(self.entries), timer=timer)
        self.probes.append(link)
        self.entries.append(link)
        return link

    def _exit(self, name: str, port: Port, **call: str) -> Link:
        problem, self.problems = self.problems, self.problems + 1
        link = self._link(name, port, outside=len(self.exits), problem=problem, **call)
        self.exits.append(link)
        return link

    def _input(self, node: str, name: str, port: Port) -> Link:
        topic = self.ports.get(node, {}).get(port.name, "")
        network = self.networks.get(topic)
        if network is None:
            return self._entry(name, port)
        end = len(network.subscriptions)
        link = self._link(name, port, network=network.number, end=end)
        network.subscriptions.append(link)
        network.queues.append(_queue(self.topics[topic], node, port.name))
        return link

    def _output(self, node: str, name: str, port: Port) -> Link:
        network = self.networks.get(self.ports.get(node, {}).get(port.name, ""))
        if network is None:
            return self._exit(name, port)
        problem, self.problems = self.problems, self.problems + 1
        end = len(network.publishers)
        link = self._link(name, port, network=network.number, end=end, problem=problem)
        network.publishers.append(link)
        return link


def _top_of(members: tuple[Member, ...], networks: tuple[Network, ...]) -> str:
    """Return the top's name: of what the hardware is, so that variants share what it becomes."""
    hardware: Any = [(m.id, m.type.type, m.inputs, m.outputs) for m in members], networks
    if any(m.pixels > 1 for m in members):
        hardware = [m.pixels for m in members], hardware
    return "lig_design_" + hashlib.sha256(repr(hardware).encode()).hexdigest()[:12]


def _pages_of(device: Hardware) -> str:
    """Return what a top's name says of its device's table of pages: it is part of the hardware."""
    return f"_pages_{device.pages}_{device.page_bytes}" if device.pages else ""


def _clocks_of(device: Hardware) -> str:
    """Return what a top's name says of its clock domains; their frequencies are no hardware."""
    return "".join(f"_{side}_clock" for side in device.domains)


def _stream(topic: MappedTopic) -> Stream:
    """What the mapping says; one that was written by hand may leave it out."""
    return topic.stream or Stream(CORE_BITS, "")


def _queue(topic: MappedTopic, node: str, port: str) -> tuple[int, int, int]:
    for queue in _stream(topic).queues:
        if (queue.node, queue.port) == (node, port):
            qos = next(e.qos for e in topic.ends if (e.node, e.port) == (node, port))
            return QUEUES[queue.kind], queue.depth_beats, min(qos.depth, MOST_HISTORY) or 1
    return QUEUES["keep-all"], EVEN_OUT_BEATS, 1
