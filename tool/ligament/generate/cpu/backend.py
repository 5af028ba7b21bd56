# SPDX-License-Identifier: Apache-2.0
"""CPU nodes: a CMake project that makes one shared library per node type.

The project belongs to the graph, not to a variant: it lists every node type of the graph that has
a CPU implementation, and a variant picks targets. So a node type is compiled once per graph.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import ligament
from ligament.generate.files import (
    Component,
    GeneratedFile,
    Output,
    parameter_rules,
    render,
    source_of,
)
from ligament.graph.model import Graph, NodeType
from ligament.mapping.model import GraphMapping

# Relative to the variant's folder, so beside it in the graph's folder.
PROJECT = "../gen/cpu"
WORK = "../work/cpu"
LIBRARIES = "../lib"
TEMPLATE = "CMakeLists.txt.j2"


@dataclass(frozen=True)
class _Library:
    """A node type as the template shows it; paths are absolute."""

    type: str
    target: str
    class_name: str
    sources: list[str]
    include: list[str]
    definitions: list[str]
    libraries: list[str]
    message_packages: list[str]


class CpuBackend:
    """Generates for devices of kind `cpu`."""

    def generate(self, graph: Graph, mapping: GraphMapping) -> Output:
        """Return the project's CMakeLists.txt and the libraries that this variant needs."""
        types = {k: t for k, t in sorted(graph.types.items()) if "cpu" in t.implementations}
        packages = {p for t in types.values() for p in t.implementations["cpu"].get("packages", [])}
        values = {
            "project": graph.name,
            "version": ligament.__version__,
            "distro": graph.distro,
            "packages": sorted(packages),
            "libraries": [_library(t, graph.message_packages) for t in types.values()],
        }
        source = source_of(graph)
        text = render("cpu", TEMPLATE, source, values)
        project = GeneratedFile(f"{PROJECT}/CMakeLists.txt", text, source, f"cpu/{TEMPLATE}")
        used = sorted({n.type for n in mapping.nodes.values() if n.implementation == "cpu"})
        libraries = {
            t: {"target": target_of(t), "library": library_of(t), "folder": types[t].folder}
            for t in used
        }
        components = {
            t: Component(
                library_of(t),
                types[t].implementations["cpu"]["class"],
                parameter_rules=parameter_rules(types[t]),
            )
            for t in used
        }
        entry = {"project": PROJECT, "work": WORK, "libraries": libraries}
        return Output([project], components, entry)


def target_of(node_type: str) -> str:
    """The CMake target of a node type. No type's name contains '-', so none share a target."""
    return node_type.replace("/", "-")


def library_of(node_type: str) -> str:
    """Where the library of a node type lies, relative to the variant's folder."""
    return f"{LIBRARIES}/lib{target_of(node_type)}.so"


def _library(node_type: NodeType, message_packages: Mapping[str, str]) -> _Library:
    implementation = node_type.implementations["cpu"]
    folder = Path(node_type.folder)
    used = {port.message.split("/")[0] for port in node_type.ports.values()}
    uses_own = not used.isdisjoint(message_packages)
    return _Library(
        type=node_type.type,
        target=target_of(node_type.type),
        class_name=implementation["class"],
        sources=[str(folder / s) for s in implementation["sources"]],
        include=[
            str(folder),
            *(str((folder / i).resolve()) for i in implementation.get("include", [])),
        ],
        definitions=list(implementation.get("definitions", [])),
        libraries=list(implementation.get("libraries", [])),
        # All own packages, as one message may hold another's; none where the node uses none.
        message_packages=[message_packages[p] for p in sorted(message_packages) if uses_own],
    )
