# SPDX-License-Identifier: Apache-2.0
"""What back-ends make: files rendered from templates, and how a container loads a node type."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import ligament
from ligament.graph.model import Graph, NodeType, Parameter

if TYPE_CHECKING:
    import jinja2


@dataclass(frozen=True)
class GeneratedFile:
    """One file: where it goes (relative to the variant's folder), its text, and where from."""

    path: str
    text: str
    source: str
    template: str = "-"

    @property
    def sha256(self) -> str:
        """Hash of its bytes."""
        return hashlib.sha256(self.text.encode()).hexdigest()


@dataclass(frozen=True)
class Component:
    """How a container loads a node type; the library is relative to the variant's folder."""

    library: str
    class_name: str
    parameter_types: Mapping[str, str] = field(default_factory=dict)
    """Where the container cannot learn them from the class: in Python, from the manifest."""
    parameter_rules: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What the manifest says about values, by parameter; see spec/run/container.schema.json."""


@dataclass(frozen=True)
class Output:
    """What a back-end made: files, components by node type, its entry in the manifest."""

    files: list[GeneratedFile]
    components: dict[str, Component]
    entry: dict[str, Any]
    nodes: dict[str, Component] = field(default_factory=dict)
    """Components by node, where nodes of one type differ."""


def parameter_rules(node_type: NodeType) -> dict[str, dict[str, Any]]:
    """The rules of a manifest's parameters, as a container's configuration has them."""
    rules = {name: _rule(parameter) for name, parameter in sorted(node_type.parameters.items())}
    return {name: rule for name, rule in rules.items() if rule}


def _rule(parameter: Parameter) -> dict[str, Any]:
    rule: dict[str, Any] = {}
    if parameter.range:
        rule["range"] = list(parameter.range)
    if parameter.choices:
        rule["choices"] = list(parameter.choices)
    if parameter.read_only:
        rule["read_only"] = True
    return rule


def source_of(graph: Graph) -> str:
    """The graph's file, the same from whichever folder the tool is called."""
    return os.path.abspath(graph.source) if graph.source else graph.name


def project_values(graph: Graph) -> dict[str, Any]:
    """What the CMake project of every back-end says of the graph."""
    return {
        "project": graph.name,
        "version": ligament.__version__,
        "distro": graph.distro,
        "message_packages": [graph.message_packages[p] for p in sorted(graph.message_packages)],
    }


def render(backend: str, template: str, source: str, values: Mapping[str, Any]) -> str:
    """Render a back-end's template; `header` in it gives source, template and tool version."""
    header = (
        f"Generated from {source} by template {backend}/{template}, "
        f"ligament {ligament.__version__}. Do not edit."
    )
    return _environment(backend).get_template(template).render(header=header, **values)


@cache
def _environment(backend: str) -> jinja2.Environment:
    import jinja2  # noqa: PLC0415 - slow to import

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(f"ligament.generate.{backend}"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters["cmake"] = cmake_quote
    environment.filters["cpp_text"] = cpp_text
    return environment


def cmake_quote(value: str) -> str:
    """A CMake quoted argument that means exactly `value`."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$")
    return '"' + escaped.replace(";", "\\;") + '"'


def cpp_text(value: str) -> str:
    """Return a C++ string literal that means exactly `value`, whatever its bytes are."""
    plain = {9: "\\t", 10: "\\n", 13: "\\r", 34: '\\"', 92: "\\\\"}
    # Octal escapes end after three digits, so that no following digit joins them.
    parts = [
        plain.get(b) or (chr(b) if 32 <= b < 127 and b != 63 else f"\\{b:03o}")
        for b in value.encode()
    ]
    return '"' + "".join(parts) + '"'
