# SPDX-License-Identifier: Apache-2.0
"""Which nodes share a process."""

from __future__ import annotations

from collections.abc import Mapping

from ligament.graph.model import Node, Variant


def assign_containers(nodes: Mapping[str, Node], variant: Variant) -> dict[str, str]:
    """Return the container of each node: by the variant's groups, one for all, or one each.

    Nodes on different hosts never share a process, so `one` means one per host.
    """
    if variant.containers == "one":
        return {n: f"main_{node.host}" if node.host else "main" for n, node in nodes.items()}
    chosen: dict[str, str] = {}
    if not isinstance(variant.containers, str):
        for group, members in variant.containers.items():
            chosen.update({m: group for m in members if m in nodes})
    taken = set(chosen.values())
    for name in sorted(nodes):
        if name not in chosen:
            chosen[name] = _own_container(name, taken)
            taken.add(chosen[name])
    return chosen


def _own_container(node_id: str, taken: set[str]) -> str:
    """Return a container name made of the node's id, which is unique but for its slashes."""
    base = node_id.strip("/").replace("/", "-")
    name, number = base, 2
    while name in taken:
        name, number = f"{base}-{number}", number + 1
    return name
