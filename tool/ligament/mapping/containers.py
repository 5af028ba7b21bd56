# SPDX-License-Identifier: Apache-2.0
"""Which nodes share a process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

from ligament.errors import Problem
from ligament.graph.model import Node, Variant


def assign_containers(
    nodes: Mapping[str, Node], variant: Variant, python: Set[str] = frozenset()
) -> dict[str, str]:
    """Return the container of each node: by the variant's groups, one for all, or one each.

    Nodes on different hosts never share a process, nor do those in Python (`python`) with others:
    `one` means one of each.
    """
    if variant.containers == "one":
        return {n: _main(node, n in python) for n, node in nodes.items()}
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


def _main(node: Node, in_python: bool) -> str:
    words = ["main", "python" if in_python else "", node.host or ""]
    return "_".join(word for word in words if word)


def language_problems(
    members: Mapping[str, tuple[str, ...]], variant: Variant, python: Set[str]
) -> Iterator[Problem]:
    """Yield each container that holds nodes in Python and others."""
    for container, nodes in members.items():
        inside = [n for n in nodes if n in python]
        if inside and len(inside) < len(nodes):
            others = [n for n in nodes if n not in python]
            yield Problem(
                "container-languages",
                f"the container '{container}' holds nodes in Python and others",
                variant.at,
                expected="a container for the nodes in Python: their process is Python's own",
                hint=f"in Python: {', '.join(inside)}; others: {', '.join(others)}",
            )


def _own_container(node_id: str, taken: set[str]) -> str:
    """Return a container name made of the node's id, which is unique but for its slashes."""
    base = node_id.strip("/").replace("/", "-")
    name, number = base, 2
    while name in taken:
        name, number = f"{base}-{number}", number + 1
    return name
