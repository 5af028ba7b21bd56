# SPDX-License-Identifier: Apache-2.0
"""Nodes in Python: which files the build copies, and which class a container makes a node of.

Nothing is generated from a template: the node is its author's class, and a container's
configuration says the rest. The files are copied, so that a build runs what it was built from.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ligament.generate.cpu.backend import target_of
from ligament.generate.files import Component, Output, parameter_rules
from ligament.graph.model import Graph, NodeType
from ligament.mapping.model import GraphMapping

# Relative to the variant's folder, so beside it in the graph's folder.
SOURCES = "../lib/python"


class PythonBackend:
    """Generates for implementations in Python."""

    def generate(self, graph: Graph, mapping: GraphMapping) -> Output:
        """Return what the build copies for this variant, and the class of each node type."""
        used = {n.type for n in mapping.nodes.values() if n.implementation == "python"}
        types = {t: graph.types[t] for t in sorted(used)}
        components = {t: _component(node_type) for t, node_type in types.items()}
        copied = {t: _copied(types[t]) for t in types if components[t].library}
        return Output([], components, {"libraries": copied})


def _component(node_type: NodeType) -> Component:
    """A file and its class, or, of an installed package, `module:Class`."""
    found = node_type.implementations["python"]
    types = {name: parameter.type for name, parameter in node_type.parameters.items()}
    rules = parameter_rules(node_type)
    if "module" in found:
        return Component("", f"{found['module']}:{found['class']}", types, rules)
    return Component(f"{_folder(node_type)}/{found['sources'][0]}", found["class"], types, rules)


def _copied(node_type: NodeType) -> Mapping[str, Any]:
    sources = list(node_type.implementations["python"]["sources"])
    return {
        "library": f"{_folder(node_type)}/{sources[0]}",
        "target": _folder(node_type),
        "folder": node_type.folder,
        "sources": sources,
    }


def _folder(node_type: NodeType) -> str:
    return f"{SOURCES}/{target_of(node_type.type)}"
