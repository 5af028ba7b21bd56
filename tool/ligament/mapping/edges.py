# SPDX-License-Identifier: Apache-2.0
"""Whether the containers that are to hold edges can be told."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ligament.errors import Problem, listing, nearest
from ligament.graph.model import Node, Variant


def edge_problems(
    nodes: Mapping[str, Node],
    containers: Mapping[str, str],
    variant: Variant,
    python: Collection[str] = (),
) -> list[Problem]:
    """What stands against the variant's `edge.inside`; `containers` by node."""
    inside = variant.edge.inside
    names = sorted(set(containers.values()))
    unable = sorted(
        {containers[n] for n in python} & ({inside} if inside is not True else {*names})
    )
    if unable:
        text = f"the container {listing(unable)} holds nodes in Python, and no edge"
        return [Problem("edge-inside", text, variant.at, expected="the edge as a process")]
    if variant.edge.per == "container":
        if isinstance(inside, bool):
            return []
        text = f"edge.inside names the container '{inside}', and each container has an edge"
        return [Problem("edge-inside", text, variant.at, expected="true, or `per: host`")]
    if isinstance(inside, str):
        if inside in names:
            return []
        text = f"edge.inside names the container '{inside}', which there is not"
        hint = nearest(inside, names)
        return [
            Problem("edge-inside", text, variant.at, expected=f"one of {listing(names)}", hint=hint)
        ]
    return _ambiguous(nodes, containers, variant) if inside else []


def _ambiguous(
    nodes: Mapping[str, Node], containers: Mapping[str, str], variant: Variant
) -> list[Problem]:
    """Each host has one edge: `true` is enough where it has one container."""
    of_host: dict[str | None, set[str]] = {}
    for node, container in containers.items():
        of_host.setdefault(nodes[node].host, set()).add(container)
    return [
        Problem(
            "edge-inside",
            f"edge.inside is true, and {f'the host {host}' if host else 'the host'} has "
            f"{len(names)} containers for one edge",
            variant.at,
            expected=f"the name of one of them ({listing(sorted(names))}), or `per: container`",
        )
        for host, names in of_host.items()
        if len(names) > 1
    ]
