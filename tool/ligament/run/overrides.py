# SPDX-License-Identifier: Apache-2.0
"""Parameters given for one run: `--set camera.frames=600`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from ligament.errors import InputError, Location, Problem, no_such
from ligament.graph.executable import Executable
from ligament.graph.model import Graph, NodeType
from ligament.graph.parameters import BUILT_IN, converted, value_problem
from ligament.graph.yaml_source import parse_yaml

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
        _require_value(target, text, value)
        found.setdefault(node if node.startswith("/") else f"/{node}", {})[parameter] = value
    return found


def _require_value(target: str, text: str, value: Any) -> None:
    """Raise if a value is none that a parameter of any type can have."""
    items = value if isinstance(value, list) else [value]
    if all(isinstance(item, bool | int | float | str) for item in items):
        return
    shown = f"'{text}'" if text else "nothing"
    problem = Problem(
        "set-value",
        f"--set {target}: {shown} is no parameter's value",
        expected="true or false, a number, a text, or a list of these",
        hint="" if text else f"an empty text is written --set {target}=\"''\"",
    )
    raise InputError(problem)


def check_nodes(overrides: Overrides, nodes: Iterable[str]) -> None:
    """Raise if an override is for a node or an executable that this variant does not have."""
    known = list(nodes)
    problems = [
        no_such(
            "node-unknown",
            f"--set: there is no node '{node}' in this variant",
            node,
            known,
            before="one of ",
        )
        for node in overrides
        if node not in known
    ]
    if problems:
        raise InputError(problems)


def check_parameters(overrides: Overrides, graph: Graph) -> None:
    """Raise if a node of the graph has no such parameter: known before anything is built.

    Nodes that a variant puts in place of others are not in the graph; `apply_overrides` has them.
    """
    for id_, values in overrides.items():
        node = graph.nodes.get(id_)
        node_type = graph.types.get(node.type) if node else None
        if node and node_type:
            known = sorted({*node_type.parameters, *BUILT_IN, *node.parameters})
            _require_known(id_, node.type, values, known)


def _require_known(
    id_: str, type_: str, values: Iterable[str], parameters: Collection[str]
) -> None:
    unknown = [name for name in values if name not in parameters]
    if unknown:
        raise InputError(
            no_such(
                "param-unknown",
                f"--set: node '{id_}' ({type_}) has no parameter '{unknown[0]}'",
                unknown[0],
                parameters,
                before="one of ",
            )
        )


def executables_with(
    overrides: Overrides, executables: Mapping[str, Executable]
) -> dict[str, Executable]:
    """Return the executables with these values among their ROS parameters.

    Only the program knows which parameters it has, so none is refused here.
    """
    given = {name: overrides.get(f"/{name}", {}) for name in executables}
    return {
        name: replace(one, parameters={**one.parameters, **given[name]})
        for name, one in executables.items()
    }


def apply_overrides(
    overrides: Overrides, node: dict[str, Any], types: Mapping[str, NodeType] | None = None
) -> None:
    """Set the values in a node of a container's configuration; what cannot be is refused.

    A generated configuration holds every parameter that has a default or a value, so only one
    that the graph left open is not in it. Where its type is not in `types`, the node itself judges.
    """
    values = overrides.get(node["id"], {})
    _require_known(node["id"], node["type"], values, node["parameters"])
    declared = types[node["type"]].parameters if types and node["type"] in types else {}
    problems = []
    for name, value in values.items():
        parameter = declared.get(name) or BUILT_IN.get(name)
        at = Location(f"--set {node['id'].removeprefix('/')}.{name}")
        fault = value_problem(parameter, value, at) if parameter else None
        if fault:
            problems.append(replace(fault, text=f"{at.file}: {fault.text}", location=None))
        else:
            node["parameters"][name] = converted(parameter, value) if parameter else value
    if problems:
        raise InputError(problems)


def check_built_in(
    overrides: Overrides, node: Mapping[str, Any], types: Mapping[str, NodeType]
) -> None:
    """Raise if a value is one that the image of a node's core has fixed (spec/device/mcu.md)."""
    declared = types[node["type"]].parameters if node["type"] in types else {}
    problems = []
    for name, value in overrides.get(node["id"], {}).items():
        parameter = declared.get(name)
        if parameter is None or value == node["parameters"].get(name):
            continue
        if parameter.read_only or parameter.type == "string":
            problems.append(
                Problem(
                    "set-built-in",
                    f"--set {node['id'].removeprefix('/')}.{name}: read-only parameters and texts "
                    "are built into the image of a core",
                    expected=f"{name}: {value} under `parameters` of the node in the graph, "
                    "and another build",
                    hint=""
                    if parameter.type == "string"
                    else "without `read_only` in its node.yaml the parameter can be set for a run",
                )
            )
    if problems:
        raise InputError(problems)
