# SPDX-License-Identifier: Apache-2.0
"""C99 nodes (spec/device/mcu.md): per device a firmware image and the nodes beside it; per node
type that runs on a processor a component of the same code.

All of it belongs to one variant: an image has the names, QoS and parameters of its nodes.
"""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

from ligament import resources
from ligament.artefacts import json_text
from ligament.errors import InputError, Problem
from ligament.generate.files import (
    Component,
    GeneratedFile,
    Output,
    project_values,
    render,
    source_of,
)
from ligament.generate.mcu.plan import (
    class_of,
    ends_of,
    instance_values,
    messages_of,
    sources_of,
    type_values,
)
from ligament.graph.c_code import ident_of
from ligament.graph.model import Graph, NodeType
from ligament.mapping.designs import Group, designs_of
from ligament.mapping.files import board_memory
from ligament.mapping.memory_map import ENDS, memory_map_of
from ligament.mapping.model import GraphMapping
from ligament.messages.c99 import render_c99, struct_of
from ligament.messages.hdl import read_bounds
from ligament.messages.store import load_store

PROJECT = "gen/mcu"
WORK = "work/mcu"
LIBRARIES = "lib/mcu"

_IMAGE = ("ends.c", "image.c", "services.c")


class McuBackend:
    """Generates for implementations in C99, on cores and on processors."""

    def generate(self, graph: Graph, mapping: GraphMapping) -> Output:
        """Return images, components, their projects, and what the variant needs of them."""
        nodes = {n: node for n, node in mapping.nodes.items() if node.implementation == "mcu"}
        types = {t: graph.types[t] for t in sorted({node.type for node in nodes.values()})}
        files = [*_message_files(graph, types), *(f for t in types.values() for f in _code(t))]
        on_cores = {n: node.device for n, node in nodes.items() if node.kind == "mcu"}
        hosts = {n: nodes[n].host or "" for n in on_cores}
        images = [_Image(group, graph, mapping) for group in designs_of(on_cores, hosts)]
        native = sorted({node.type for n, node in nodes.items() if n not in on_cores})
        libraries = [_native_library(types[t]) for t in native]
        libraries += [image.library for image in images]
        files += [_component(types[t]) for t in native]
        for image in images:
            files += image.files()
        files.append(_project(graph, libraries))
        entry = {
            "project": PROJECT,
            "work": WORK,
            "libraries": {
                library["name"]: {
                    "target": library["target"],
                    "library": f"{LIBRARIES}/lib{library['target']}.so",
                    "folder": library["folder"],
                }
                for library in libraries
            },
            "images": {image.device: image.entry() for image in images},
        }
        components = {
            t: Component(f"{LIBRARIES}/lib{_native_target(t)}.so", _qualified(class_of(t, "Code")))
            for t in native
        }
        members = {n: image.component(n) for image in images for n in image.nodes}
        return Output(files, components, entry, members)


class _Image:
    """The firmware of one device."""

    def __init__(self, group: Group, graph: Graph, mapping: GraphMapping) -> None:
        self.device, self.nodes = group.device, group.nodes
        self._graph = graph
        self._figures = mapping.hardware[self.device]
        own = self._figures.get("memory_map")
        self._memory = memory_map_of(own) if own else board_memory(self._figures["board"])
        self._types = {n: graph.types[mapping.nodes[n].type] for n in self.nodes}
        self._values = [instance_values(n, mapping.nodes[n], self._types[n]) for n in self.nodes]
        self._check_ends()
        # One client of any agent: two graphs on one agent do not meet under one key.
        self._key = zlib.crc32(f"{graph.name} {mapping.variant} {self.device}".encode()) or 1
        self.library = {
            "name": self.device,
            "what": f"the nodes in the firmware of {self.device}",
            "target": f"{self.device}-members",
            "folder": next(iter(self._types.values())).folder,
            "sources": [f"{self.device}-members.cpp"],
            "classes": [_qualified(v["class_name"]) for v in self._values],
            "include": "",
        }

    def _check_ends(self) -> None:
        """Refuse more ends than the core has counts for."""
        ends = sum(ends_of(values) for values in self._values)
        if ends > ENDS:
            raise InputError(
                Problem(
                    "mcu-ends",
                    f"the nodes of '{self.device}' have {ends} ends: inputs, outputs, two of each "
                    "service, and one of each node whose parameters can change",
                    expected=f"at most {ENDS}: put some of its nodes elsewhere",
                )
            )

    def component(self, node: str) -> Component:
        """How a container loads one of the nodes."""
        library = f"{LIBRARIES}/lib{self.library['target']}.so"
        return Component(library, _qualified(class_of(node, "Member")))

    def entry(self) -> dict[str, Any]:
        """What the build stage makes the image of."""
        return {
            "project": f"{PROJECT}/{self.device}",
            "work": f"{WORK}-{self.device}",
            "target": self.device,
            "image": f"{LIBRARIES}/{self.device}.elf",
            "folders": sorted({t.folder for t in self._types.values()}),
        }

    def files(self) -> list[GeneratedFile]:
        """The image's own source, its project, and the members."""
        source = source_of(self._graph)
        types = {t.type: t for t in self._types.values()}
        messages = sorted({m for t in types.values() for m in messages_of(t)})
        values = {
            "device": self.device,
            "board": self._figures["board"],
            "os": self._figures["os"],
            "memory": self._memory,
            "image": f"{self.device}.elf",
            "target": self.device,
            "key": f"UINT32_C(0x{self._key:08X})",
            "firmware": str(resources.firmware_dir()),
            "nodes": self._values,
            "includes": [f"{ident_of(t)}.h" for t in sorted(types)],
            "cpp_includes": sorted({i for t in types.values() for i in _cpp_includes(t)}),
            "longest": [struct_of(m).upper() for m in messages],
            "sources": [
                *(f"../{_glue(t)}" for t in sorted(types)),
                *(s for t in sorted(types) for s in sources_of(types[t])),
                *(str(resources.firmware_dir() / "node" / "src" / name) for name in _IMAGE),
            ],
            "folders": [
                str(resources.firmware_dir() / "node" / "include"),
                *sorted({t.folder for t in types.values()}),
            ],
        }
        folder = f"{PROJECT}/{self.device}"
        made = {
            f"{folder}/image.c": "image.c.j2",
            f"{folder}/CMakeLists.txt": "image.cmake.j2",
            f"{PROJECT}/{self.device}-members.cpp": "members.cpp.j2",
        }
        table = json_text(self._memory.to_json())
        return [
            GeneratedFile(f"{folder}/memory.json", table, source, "the memory map"),
            *(
                GeneratedFile(path, render("mcu", name, source, values), source, f"mcu/{name}")
                for path, name in made.items()
            ),
        ]


def _qualified(name: str) -> str:
    return f"ligament::generated::{name}"


def _glue(node_type: str) -> str:
    return f"{ident_of(node_type)}_glue.c"


def _cpp_includes(node_type: NodeType) -> list[str]:
    includes: list[str] = type_values(node_type)["cpp_includes"]
    return includes


def _message_files(graph: Graph, types: dict[str, NodeType]) -> list[GeneratedFile]:
    bounds = read_bounds(
        Path(t.folder) / file
        for t in types.values()
        for file in t.implementations["mcu"].get("bounds", ())
    )
    store = load_store(graph.distro, [Path(p) for p in graph.message_packages.values()])
    names = sorted({m for t in types.values() for m in messages_of(t)})
    texts = render_c99(store, [store.message(name) for name in names], bounds)
    return [
        GeneratedFile(f"{PROJECT}/include/{path}", text, ", ".join(names), "messages")
        for path, text in texts.items()
    ]


def _code(node_type: NodeType) -> list[GeneratedFile]:
    """The header that the author includes, and what is between it and bytes."""
    values = type_values(node_type)
    source = str(Path(node_type.folder) / "node.yaml")
    made = {
        f"{PROJECT}/include/{values['ident']}.h": "node.h.j2",
        f"{PROJECT}/{_glue(node_type.type)}": "node.c.j2",
    }
    return [
        GeneratedFile(path, render("mcu", template, source, values), source, f"mcu/{template}")
        for path, template in made.items()
    ]


def _component(node_type: NodeType) -> GeneratedFile:
    source = str(Path(node_type.folder) / "node.yaml")
    text = render("mcu", "code_node.cpp.j2", source, type_values(node_type))
    path = f"{PROJECT}/{_native_target(node_type.type)}.cpp"
    return GeneratedFile(path, text, source, "mcu/code_node.cpp.j2")


def _native_target(node_type: str) -> str:
    return node_type.replace("/", "-") + "-mcu"


def _native_library(node_type: NodeType) -> dict[str, Any]:
    target = _native_target(node_type.type)
    cdr = resources.firmware_dir() / "core" / "src" / "cdr.c"
    return {
        "name": node_type.type,
        "what": f"{node_type.type}, on a processor",
        "target": target,
        "folder": node_type.folder,
        "sources": [
            f"{target}.cpp",
            _glue(node_type.type),
            *sources_of(node_type),
            str(cdr),
        ],
        "classes": [_qualified(class_of(node_type.type, "Code"))],
        "include": node_type.folder,
    }


def _project(graph: Graph, libraries: list[dict[str, Any]]) -> GeneratedFile:
    values = {
        **project_values(graph),
        "firmware": str(resources.firmware_dir()),
        "libraries": libraries,
    }
    text = render("mcu", "CMakeLists.txt.j2", source_of(graph), values)
    path = f"{PROJECT}/CMakeLists.txt"
    return GeneratedFile(path, text, source_of(graph), "mcu/CMakeLists.txt.j2")
