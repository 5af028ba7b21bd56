# SPDX-License-Identifier: Apache-2.0
"""Which ports of a node its implementation on the chosen device serves.

A kernel names the ports that it works on. One that it leaves out may only be left out where nobody
misses it: an optional input, or an output without a subscription.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ligament.errors import Problem, listing
from ligament.graph.model import Graph, Node, NodeType
from ligament.mapping.fuse import topics_of
from ligament.mapping.platform import Device


def served_ports(node: Node, node_type: NodeType, device: Device) -> set[str]:
    """Return the ports that the implementation for a device works on."""
    implementation = node_type.implementations.get(device.implementation, {})
    if device.kind == "fpga":
        return _streams(implementation, node)
    if device.kind != "gpu" or "inputs" not in implementation:
        return set(node.ports)
    return {*implementation["inputs"].values(), *implementation.get("outputs", {}).values()}


def _streams(core: Mapping[str, Any], node: Node) -> set[str]:
    """Return the ports that a core has streams for: those it names, else all of that direction."""
    served: set[str] = set()
    for side, direction in (("input", "in"), ("output", "out")):
        named = {core[side]} if side in core else set(core.get(f"{side}s", ()))
        of_side = {n for n, p in node.ports.items() if p.direction == direction}
        served |= named or of_side
    return served


def unserved_problems(graph: Graph, devices: Mapping[str, Device]) -> Iterator[Problem]:
    """Yield a problem per port that somebody would miss."""
    for name, node in sorted(graph.nodes.items()):
        served = served_ports(node, graph.types[node.type], devices[name])
        for port in sorted(set(node.ports) - served):
            if _is_missed(graph, node, port):
                yield Problem(
                    "port-unserved",
                    f"'{name}' on {devices[name].name} does not serve its port '{port}'",
                    node.device_at or node.at,
                    expected=f"ports that the kernels work on: {listing(sorted(served))}",
                    hint="map the node to the CPU, or leave the port without another end",
                )


def served_graph(graph: Graph, devices: Mapping[str, Device]) -> Graph:
    """Return the graph without the ports that nothing serves."""
    nodes = {}
    for name, node in graph.nodes.items():
        served = served_ports(node, graph.types[node.type], devices[name])
        nodes[name] = replace(node, ports={n: p for n, p in node.ports.items() if n in served})
    return replace(graph, nodes=nodes, topics=topics_of(graph, nodes))


def _is_missed(graph: Graph, node: Node, port: str) -> bool:
    declared = graph.types[node.type].ports[port]
    if declared.direction == "in":
        return not declared.optional
    topic = graph.topics.get(node.ports[port].topic)
    return topic is not None and bool(topic.subscriptions or topic.outside)
