# SPDX-License-Identifier: Apache-2.0
"""The question that `ligament map --optimise` answers: which node on which device.

`question_of` makes it of a graph, a platform and measured costs; `judge` says what an answer is
worth. Both are exact and know nothing of a solver: `solve` searches with the same tables, and the
tests try every answer of small questions with `judge`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from ligament.cores.manifest import CORE_BITS
from ligament.errors import InputError, Problem, listing
from ligament.graph.model import Graph, Topic
from ligament.mapping.alternatives import port_of
from ligament.mapping.at_memory import AtMemory, areas_at_memory
from ligament.mapping.backends import Backends
from ligament.mapping.budgets import own_clocks, own_ends, uncounted
from ligament.mapping.cost_model import (
    Load,
    MemoryPort,
    Predicted,
    gateway,
    hardware,
    software,
)
from ligament.mapping.costs import Costs
from ligament.mapping.model import Figures
from ligament.mapping.network_area import (
    Masters,
    area_of_counters,
    area_of_gateway,
    area_of_network,
)
from ligament.mapping.platform import Device, Platform
from ligament.mapping.streams import stream_of
from ligament.mapping.topology import closing_hops

NS = 1e9
NO_MASTERS = Masters()


@dataclass(frozen=True)
class Option:
    """A device that a node may be on, and what it costs there."""

    device: str
    in_hardware: bool
    time_ns: int
    area: Mapping[str, int] = field(default_factory=dict)
    masters: Masters = NO_MASTERS


@dataclass(frozen=True)
class TopicCost:
    """A topic with so many ends in hardware: time of a message, load of the port, cells.

    The cells are those of its network; what is at the memory port all topics share.
    """

    time_ns: int
    bytes_per_s: int = 0
    area: Mapping[str, int] = field(default_factory=dict)
    masters: Masters = NO_MASTERS
    #: Of its gateway. Unit: bits.
    width_bits: int = 0


@dataclass(frozen=True)
class TopicTable:
    """Costs of a topic by (publishers, subscriptions) in hardware."""

    publishers: tuple[str, ...]
    subscriptions: tuple[str, ...]
    costs: Mapping[tuple[int, int], TopicCost]


@dataclass(frozen=True)
class Question:
    """All of it. `hops` are (publisher, topic, subscription), those that close cycles left out."""

    options: Mapping[str, tuple[Option, ...]]
    topics: Mapping[str, TopicTable]
    hops: tuple[tuple[str, str, str], ...]
    budgets: Mapping[str, int]
    bytes_per_s: int | None
    family: str = ""
    #: Which of `memory` and `registers` have a clock that is not the cores'.
    own_clocks: frozenset[str] = frozenset()
    remarks: tuple[str, ...] = ()


Answer = Mapping[str, int]
"""The place of each node's option."""


def question_of(graph: Graph, platform: Platform, costs: Costs, backends: Backends) -> Question:
    """Return the question; raise InputError for nodes whose costs are not known."""
    device = _fpga(platform)
    port = port_of(device, platform) if device else None
    remarks: list[str] = []
    options = {n: _options(graph, n, platform, costs, backends, remarks) for n in graph.nodes}
    lacking = [
        Problem(
            "cost-missing",
            f"no cost of '{name}' is known on any device that it could be on",
            graph.nodes[name].at,
            expected="its time in the costs: run, trace and report a variant with it, or write it",
        )
        for name, found in options.items()
        if not found
    ]
    if lacking:
        raise InputError(lacking)
    tables = {
        name: _table(topic, device, port, costs, remarks) for name, topic in graph.topics.items()
    }
    closing = closing_hops(graph)
    hops = tuple(
        (p.node, name, s.node)
        for name, topic in sorted(graph.topics.items())
        for p in topic.publishers
        for s in topic.subscriptions
        if (p.node, s.node) not in closing
    )
    bandwidth = int(port.bandwidth_bytes_per_s) if port else None
    budgets = {k: int(v) for k, v in (device.budgets if device else {}).items()}
    family = device.family if device else ""
    clocks = own_clocks(device) if device else frozenset()
    told = tuple(dict.fromkeys(remarks))
    return Question(options, tables, hops, budgets, bandwidth, family, clocks, told)


def _fpga(platform: Platform) -> Device | None:
    found = platform.of_kind("fpga")
    if len(found) > 1:
        raise InputError(
            Problem(
                "optimise-devices",
                f"'{platform.name}' has several FPGAs: {listing(d.name for d in found)}",
                expected="at most one, whose memory port and cells are shared out",
            )
        )
    return found[0] if found else None


def _options(
    graph: Graph,
    name: str,
    platform: Platform,
    costs: Costs,
    backends: Backends,
    remarks: list[str],
) -> tuple[Option, ...]:
    """Return a node's options, by device name; a wish of the graph leaves only its device."""
    node, node_type = graph.nodes[name], graph.types[graph.nodes[name].type]
    able = [
        running
        for d in sorted(platform.devices.values(), key=lambda d: d.name)
        if d.kind in backends.kinds and (running := d.running(node_type, node.implementation))
    ]
    if node.device:
        able = [d for d in able if node.device in (d.name, d.kind)]
    known = costs.nodes.get(name, {})
    options = []
    for device in able:
        cost = known.get(device.implementation)
        if cost is None and len(able) > 1:
            remarks.append(f"{name} on {device.name} is not considered: no cost is known")
            continue
        area = cost.area if cost and cost.area else device.area(node_type)
        if cost is None:
            remarks.append(f"{name} counts as 0 ns: no cost is known, and it has no choice")
        in_hardware = device.kind == "fpga"
        is_core = device.implementation == "fpga"
        reads, writes = own_ends(node_type) if is_core else (0, 0)
        cells = _added(area) if in_hardware else {}
        time_ns = round(cost.time_ns) if cost else 0
        masters = Masters(entries=reads, exits=writes)
        options.append(Option(device.name, in_hardware, time_ns, cells, masters))
    return tuple(options)


def _table(
    topic: Topic, device: Device | None, port: MemoryPort | None, costs: Costs, remarks: list[str]
) -> TopicTable:
    publishers = tuple(e.node for e in topic.publishers)
    subscriptions = tuple(e.node for e in topic.subscriptions)
    if topic.rate_hz is None or topic.bound_bytes is None:
        remarks.append(f"{topic.id} counts no traffic: it declares no rate_hz or no bound_bytes")
    if device is not None and (sentence := uncounted(device)):
        remarks.append(sentence)
    found = {
        (p, s): _cost(topic, (p, s), device, port, costs)
        for p in range(len(publishers) + 1)
        for s in range(len(subscriptions) + 1)
    }
    return TopicTable(publishers, subscriptions, found)


def _cost(
    topic: Topic,
    ends: tuple[int, int],
    device: Device | None,
    port: MemoryPort | None,
    costs: Costs,
) -> TopicCost:
    """Return what a topic costs with so many publishers and subscriptions in hardware."""
    in_hardware = sum(ends)
    hop_ns = round(costs.hop_ns)
    if not in_hardware or device is None or port is None or topic.bound_bytes is None:
        return TopicCost(hop_ns)
    publishers, subscriptions = len(topic.publishers), len(topic.subscriptions)
    load = Load(
        topic.bound_bytes,
        ends[0],
        ends[1],
        publishers - ends[0] + ("publisher" in topic.outside),
        subscriptions - ends[1] + ("subscription" in topic.outside),
    )
    width = stream_of(topic, frozenset(), port).width_bits
    inside = not load.software_publishers and not load.software_subscriptions
    over_memory, through = software(load, port), gateway(load, width, port)
    if inside:
        predicted = hardware(load, width)
    elif ends[1] > 1 and _cost_of(through, port) < _cost_of(over_memory, port):
        predicted = through
    else:
        predicted = over_memory
    network = _added(
        area_of_network(device.family, width, max(ends[0], 1), ends[1]),
        area_of_counters(device.family, ends[1]),
    )
    area: Mapping[str, int] = {}
    masters = NO_MASTERS
    if predicted is through:
        area, masters = _added(network, area_of_gateway(device.family, width)), Masters(gateways=1)
    elif predicted is over_memory:
        masters = Masters(exits=ends[0], entries=ends[1])
    else:
        area = network
    time_ns = round(predicted.cycles / port.clock_hz * NS) + (0 if inside else hop_ns)
    rate = topic.rate_hz or 0
    moved = math.ceil(predicted.memory_bytes * rate)
    return TopicCost(time_ns, moved, area, masters, width if predicted is through else 0)


def _added(*parts: Mapping[str, float]) -> dict[str, int]:
    names = {name for part in parts for name in part}
    return {n: sum(math.ceil(part.get(n, 0)) for part in parts) for n in sorted(names)}


def _cost_of(predicted: Predicted, port: MemoryPort) -> int:
    """Return what the mapping's rules compare (spec/mapping/cost-model.md)."""
    return predicted.cycles + port.busy_cycles(predicted.memory_bytes)


def topic_cost(question: Question, topic: str, answer: Answer) -> TopicCost:
    """Return what a topic costs under an answer."""
    table = question.topics[topic]

    def in_hardware(nodes: tuple[str, ...]) -> int:
        return sum(question.options[n][answer[n]].in_hardware for n in nodes)

    return table.costs[in_hardware(table.publishers), in_hardware(table.subscriptions)]


def judge(question: Question, answer: Answer) -> Figures:
    """Return what an answer is worth."""
    options = {n: question.options[n][i] for n, i in answer.items()}
    costs = {t: topic_cost(question, t, answer) for t in question.topics}
    parts: list[Option | TopicCost] = [*options.values(), *costs.values()]
    masters = sum((part.masters for part in parts), NO_MASTERS)
    streams = AtMemory(
        [CORE_BITS] * masters.entries,
        [CORE_BITS] * masters.exits,
        [cost.width_bits for cost in costs.values() if cost.width_bits],
    )
    at_memory = areas_at_memory(question.family, streams, question.own_clocks)
    area = _added(*(part.area for part in parts), *at_memory)
    moved = sum(c.bytes_per_s for c in costs.values())
    fits = all(area.get(r, 0) <= budget for r, budget in question.budgets.items())
    return Figures(
        chain_ns=_longest(question, options, costs),
        total_ns=sum(o.time_ns for o in options.values()) + sum(c.time_ns for c in costs.values()),
        area=area,
        bytes_per_s=moved,
        fits=fits and (question.bytes_per_s is None or moved <= question.bytes_per_s),
    )


def _longest(
    question: Question, options: Mapping[str, Option], costs: Mapping[str, TopicCost]
) -> int:
    """Return the time of the longest way through the graph."""
    import networkx  # noqa: PLC0415 - slow to import

    ways: networkx.DiGraph[str] = networkx.DiGraph()
    ways.add_nodes_from(options)
    for publisher, topic, subscription in question.hops:
        before = ways.get_edge_data(publisher, subscription, {"ns": 0})["ns"]
        ways.add_edge(publisher, subscription, ns=max(before, costs[topic].time_ns))
    ends: dict[str, int] = {}
    for node in networkx.topological_sort(ways):
        begins = [ends[p] + ways[p][node]["ns"] for p in ways.predecessors(node)]
        ends[node] = max(begins, default=0) + options[node].time_ns
    return max(ends.values(), default=0)
