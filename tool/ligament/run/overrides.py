# SPDX-License-Identifier: Apache-2.0
"""Parameters given for one run: `--set camera.frames=600`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ligament.errors import InputError, Problem, listing, nearest
from ligament.graph.source import parse_yaml

# Node id -> parameter -> value.
Overrides = Mapping[str, Mapping[str, Any]]


def parse_overrides(words: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Read NODE.PARAMETER=VALUE words; values are YAML, as in graph.yaml."""
    found: dict[str, dict[str, Any]] = {}
    for word in words:
        target, equals, text = word.partition("=")
        node, dot, parameter = target.partition(".")
        if not (equals and dot and node and parameter):
            problem = Problem(
                "set-syntax", f"--set {word}", expected="NODE.PARAMETER=VALUE: camera.frames=600"
            )
            raise InputError(problem)
        value = parse_yaml(text, f"--set {target}").data
        found.setdefault(node if node.startswith("/") else f"/{node}", {})[parameter] = value
    return found


def check_nodes(overrides: Overrides, nodes: Iterable[str]) -> None:
    """Raise if an override is for a node that this variant does not have."""
    known = list(nodes)
    problems = [
        Problem(
            "node-unknown",
            f"--set: there is no node '{node}' in this variant",
            expected=f"one of {listing(known)}",
            hint=nearest(node, known),
        )
        for node in overrides
        if node not in known
    ]
    if problems:
        raise InputError(problems)


def apply_overrides(overrides: Overrides, node: dict[str, Any]) -> None:
    """Set the values in a node of a container's configuration; unknown parameters are refused.

    A generated configuration holds every parameter that has a default or a value, so only one
    that the graph left open is not in it; the node itself judges types and ranges.
    """
    values = overrides.get(node["id"], {})
    unknown = [name for name in values if name not in node["parameters"]]
    if unknown:
        raise InputError(
            Problem(
                "param-unknown",
                f"--set: node '{node['id']}' ({node['type']}) has no parameter '{unknown[0]}'",
                expected=f"one of {listing(node['parameters'])}",
                hint=nearest(unknown[0], node["parameters"]),
            )
        )
    node["parameters"].update(values)
