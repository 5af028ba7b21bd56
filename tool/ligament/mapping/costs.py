# SPDX-License-Identifier: Apache-2.0
"""What nodes cost on each kind of device (spec/mapping/costs.schema.json): measured, or by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

SCHEMA = "ligament/costs/1"
#: Categories of spans that are a node's own work.
WORK = ("compute", "copy", "serialise")


@dataclass(frozen=True)
class NodeCost:
    """One node on one kind of device."""

    time_ns: float
    basis: str
    area: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Costs:
    """Costs of a graph's nodes: id -> kind -> cost."""

    graph: str
    nodes: Mapping[str, Mapping[str, NodeCost]]
    hop_ns: float = 0
    hop_basis: str = "not measured"

    def to_json(self) -> dict[str, Any]:
        """Return the artefact's plain form."""
        return {
            "schema": SCHEMA,
            "graph": self.graph,
            "hop_ns": self.hop_ns,
            "hop_basis": self.hop_basis,
            "nodes": {
                name: {
                    kind: {"time_ns": c.time_ns, "basis": c.basis, "area": dict(c.area)}
                    for kind, c in sorted(self.nodes[name].items())
                }
                for name in sorted(self.nodes)
            },
        }


def from_json(data: Mapping[str, Any]) -> Costs:
    """Return the costs of a (schema-valid) costs.json."""
    nodes = {
        name: {kind: NodeCost(**cost) for kind, cost in kinds.items()}
        for name, kinds in data["nodes"].items()
    }
    hop = {key: data[key] for key in ("hop_ns", "hop_basis") if key in data}
    return Costs(data["graph"], nodes, **hop)


def from_variant(graph: str, variant: Mapping[str, Any], kinds: Mapping[str, str]) -> Costs:
    """Return what one variant of a report.json tells; `kinds` says where its nodes ran.

    A node's time is that of its longest span of work, since spans lie within each other. Where a
    span tells cycles and a clock, the hardware's time is those, and not the simulator's. A node
    without spans has its time on the chain.
    """
    run = f"run {variant['run_id']} of variant {variant['name']}"
    found: dict[str, dict[str, NodeCost]] = {}
    for node, kind in kinds.items():
        ways = (_cycles, _longest, _on_chain)
        cost = next((c for way in ways if (c := way(variant, node, run))), None)
        if cost is not None:
            found[node] = {kind: cost}
    hops = [sum(hop["between_ns"].values()) for hop in variant.get("hops") or ()]
    if not hops:
        return Costs(graph, found)
    return Costs(graph, found, sum(hops) / len(hops), f"measured: mean of {len(hops)} hops, {run}")


def merged(parts: Iterable[Costs]) -> Costs:
    """Return all of them in one; what comes later goes before, node by node and kind by kind."""
    nodes: dict[str, dict[str, NodeCost]] = {}
    graph, hop_ns, hop_basis = "", 0.0, "not measured"
    for part in parts:
        graph = part.graph
        for name, kinds in part.nodes.items():
            nodes.setdefault(name, {}).update(kinds)
        if part.hop_ns:
            hop_ns, hop_basis = part.hop_ns, part.hop_basis
    return Costs(graph, nodes, hop_ns, hop_basis)


def _cycles(variant: Mapping[str, Any], node: str, run: str) -> NodeCost | None:
    told = {v["value"]: v for v in variant.get("span_values") or () if v["node"] == node}
    if "cycles" not in told or "clock_hz" not in told:
        return None
    cycles, clock = told["cycles"]["p50"], told["clock_hz"]["p50"]
    count = told["cycles"]["n"]
    return NodeCost(
        cycles / clock * 1e9, f"measured: {cycles:g} cycles at {clock:g} Hz, n {count}, {run}"
    )


def _longest(variant: Mapping[str, Any], node: str, run: str) -> NodeCost | None:
    spans = [s for s in variant["spans"] if s["node"] == node and s["category"] in WORK]
    if not spans:
        return None
    span = max(spans, key=lambda s: s["time_ns"]["p50"])
    count = span["time_ns"]["n"]
    text = f"measured: median of the span '{span['span']}', n {count}, {run}"
    return NodeCost(span["time_ns"]["p50"], text)


def _on_chain(variant: Mapping[str, Any], node: str, run: str) -> NodeCost | None:
    """Return the time from the take to the node's own publish, for a node without spans."""
    for hop in variant.get("hops") or ():
        if hop["to"] == node and hop["node_ns"]:
            text = f"measured: mean from take to publish, n {hop['total_ns']['n']}, {run}"
            return NodeCost(sum(hop["node_ns"].values()), text)
    return None
