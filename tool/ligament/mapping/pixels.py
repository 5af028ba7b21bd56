# SPDX-License-Identifier: Apache-2.0
"""How many pixels per cycle the cores of a variant are built for (spec/device/fpga.md).

A variant asks for a number, and each core takes the most that it can of it.
"""

from __future__ import annotations

from collections.abc import Mapping

from ligament.cores.manifest import CORE_BITS, port_bits
from ligament.graph.model import Graph, NodeType, Topic, Variant
from ligament.mapping.model import Pixels
from ligament.mapping.platform import Device


def pixels_of(graph: Graph, devices: Mapping[str, Device], variant: Variant) -> dict[str, Pixels]:
    """Return the nodes whose cores are built for several pixels per cycle."""
    asked = variant.fpga.get("pixels", 1)
    found = {}
    for node, device in sorted(devices.items()):
        if device.implementation != "fpga":
            continue
        most = most_of(graph.types[graph.nodes[node].type], int(asked))
        if most > 1:
            found[node] = Pixels(most, f"the variant asks for {asked}")
    return found


def choices_of(node_type: NodeType) -> list[int]:
    """Return what a core may be built for, 1 first."""
    declared = node_type.implementations.get("fpga", {}).get("pixels", {})
    return [1, *(choice["pixels"] for choice in declared.get("choices", ()))]


def most_of(node_type: NodeType, limit: int) -> int:
    """Return the most that a core can of at most so many pixels per cycle."""
    return max(n for n in choices_of(node_type) if n <= limit)


def per_cycle(pixels: Mapping[str, Pixels], node: str) -> int:
    """Return how many pixels per cycle a node's core is built for."""
    return pixels[node].per_cycle if node in pixels else 1


def width_of(topic: Topic, graph: Graph, pixels: Mapping[str, Pixels]) -> int:
    """Return the width of the widest stream that a core has on a topic. Unit: bits."""
    widths = (
        port_bits(graph.types[graph.nodes[end.node].type], end.port, per_cycle(pixels, end.node))
        for end in topic.ends
    )
    return max(widths, default=CORE_BITS)
