# SPDX-License-Identifier: Apache-2.0
"""Parameters: are values what a node type declares, and what do ROS 2 parameter files say?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ligament.errors import Location, Problem, lacks, nearest
from ligament.graph.model import NodeType, Parameter
from ligament.graph.source import Document, Path

# Every ROS 2 node has these without declaring them.
BUILT_IN = {"use_sim_time": Parameter("use_sim_time", "bool", "Take time from /clock.", False)}

_SCALARS: dict[str, tuple[tuple[type, ...], str]] = {
    "bool": ((bool,), "true or false"),
    "integer": ((int,), "a whole number"),
    "double": ((int, float), "a number"),
    "string": ((str,), "a string"),
    "byte": ((int,), "a whole number from 0 to 255"),
}


# What the types can hold: ROS 2's integers have 64 bits.
_WIDEST = {"integer": (-(2**63), 2**63 - 1), "byte": (0, 255)}


def value_problem(parameter: Parameter, value: Any, at: Location) -> Problem | None:
    """Return what is wrong with a value of a parameter, or None."""
    name = parameter.name
    base, is_array = parameter.type.removesuffix("_array"), parameter.type.endswith("_array")
    kinds, words = _SCALARS[base]
    if is_array != isinstance(value, list) or not all(_is(v, kinds) for v in _items(value)):
        wanted = f"a list, each entry {words}" if is_array else words
        return Problem(
            "param-type",
            f"parameter '{name}' is {_shown(value)}",
            at,
            expected=f"{wanted} ({parameter.type})",
        )
    widest = _WIDEST.get(base)
    if widest and any(not widest[0] <= v <= widest[1] for v in _items(value)):
        return Problem(
            "param-range",
            f"parameter '{name}' is {_shown(value)}",
            at,
            expected=f"{widest[0]} to {widest[1]} ({parameter.type})",
        )
    low_high = parameter.range
    if low_high and any(not low_high[0] <= v <= low_high[1] for v in _items(value)):
        unit = f" {parameter.unit}" if parameter.unit else ""
        return Problem(
            "param-range",
            f"parameter '{name}' is {_shown(value)}",
            at,
            expected=f"{low_high[0]:g} to {low_high[1]:g}{unit}",
        )
    if parameter.choices and any(v not in parameter.choices for v in _items(value)):
        choices = [str(c) for c in parameter.choices]
        return Problem(
            "param-choice",
            f"parameter '{name}' is {_shown(value)}",
            at,
            expected="one of " + ", ".join(choices),
            hint=nearest(str(value), choices),
        )
    return None


def converted(parameter: Parameter, value: Any) -> Any:
    """Return a checked value in its declared type: a double written as 1 becomes 1.0."""
    if parameter.type == "double":
        return float(value)
    if parameter.type == "double_array":
        return [float(v) for v in value]
    return value


def apply_values(
    node_type: NodeType,
    into: dict[str, Any],
    document: Document,
    path: Path,
    problems: list[Problem],
) -> None:
    """Check the map of parameters at `path` of a document and add it to a node's values."""
    values: Any = document.data
    for part in path:
        values = values[part]
    for name, value in values.items():
        parameter = node_type.parameters.get(name) or BUILT_IN.get(name)
        if parameter is None:
            problems.append(
                lacks(
                    "parameter",
                    node_type.type,
                    name,
                    node_type.parameters,
                    document.key_at(*path, name),
                )
            )
            continue
        fault = value_problem(parameter, value, document.at(*path, name))
        if fault:
            problems.append(fault)
        else:
            into[name] = converted(parameter, value)


def apply_file(
    node_type: NodeType,
    node_id: str,
    into: dict[str, Any],
    document: Document,
    problems: list[Problem],
) -> None:
    """Add what a ROS 2 parameter file says about a node to the node's values.

    Names with wildcards speak to many nodes: a parameter that this one lacks is passed over.
    """
    for pattern, path in file_entries(document, problems):
        if not matches(pattern, node_id):
            continue
        for name, value, location in _flattened(document, path):
            parameter = node_type.parameters.get(name) or BUILT_IN.get(name)
            if parameter is None:
                if "*" not in pattern:
                    problems.append(
                        lacks("parameter", node_type.type, name, node_type.parameters, location)
                    )
                continue
            fault = value_problem(parameter, value, location)
            if fault:
                problems.append(fault)
            else:
                into[name] = converted(parameter, value)


def file_entries(document: Document, problems: list[Problem]) -> Iterator[tuple[str, Path]]:
    """Yield (node name pattern, path of its values) for each entry of a ROS 2 parameter file."""
    if not isinstance(document.data, dict):
        problems.append(_form_problem(document, ()))
        return
    yield from _entries(document, document.data, (), problems)


def _entries(
    document: Document, data: Mapping[str, Any], path: Path, problems: list[Problem]
) -> Iterator[tuple[str, Path]]:
    for key, value in data.items():
        here = (*path, key)
        if key == "ros__parameters" and path and isinstance(value, dict):
            yield "/" + "/".join(str(p).strip("/") for p in path if str(p).strip("/")), here
        elif isinstance(value, dict):
            yield from _entries(document, value, here, problems)
        else:
            problem = _form_problem(document, here)
            if problem not in problems:
                problems.append(problem)


def _form_problem(document: Document, path: Path) -> Problem:
    return Problem(
        "param-file",
        "this is not the form of a ROS 2 parameter file",
        document.key_at(*path),
        expected="node_name: {ros__parameters: {name: value}}",
    )


def matches(pattern: str, node_id: str) -> bool:
    """Return whether a parameter file's node name means this node (`*`: one part, `**`: any)."""
    return _match(pattern.strip("/").split("/"), node_id.strip("/").split("/"))


def _match(pattern: list[str], parts: list[str]) -> bool:
    if not pattern:
        return not parts
    if pattern[0] == "**":
        return any(_match(pattern[1:], parts[i:]) for i in range(len(parts) + 1))
    return bool(parts) and pattern[0] in ("*", parts[0]) and _match(pattern[1:], parts[1:])


def _flattened(document: Document, path: Path) -> Iterator[tuple[str, Any, Location]]:
    data: Any = document.data
    for part in path:
        data = data[part]
    for key, value in data.items():
        if isinstance(value, dict):
            for name, inner, location in _flattened(document, (*path, key)):
                yield f"{key}.{name}", inner, location
        else:
            yield str(key), value, document.at(*path, key)


def _is(value: Any, kinds: tuple[type, ...]) -> bool:
    return isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool))


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"'{value}'" if isinstance(value, str) else str(value)
