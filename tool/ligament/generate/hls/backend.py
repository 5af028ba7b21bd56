# SPDX-License-Identifier: Apache-2.0
"""FPGA nodes in software emulation: their cores' C++ compiled natively, a node around each.

A core has its memory in static variables, so each node gets a library of its own: two nodes of one
type are two cores. Topics between them lie in the pool: there are no streams between nodes.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import ligament
from ligament import resources
from ligament.cores.manifest import Core, core_of
from ligament.generate.files import Component, GeneratedFile, Output, render, source_of
from ligament.generate.registers import declaration_of, hls_type, others_of, reading_of
from ligament.graph.model import Graph, NodeType, Port
from ligament.mapping.credit import IN_EMULATION
from ligament.mapping.model import GraphMapping
from ligament.messages.cpp_names import header_path, qualified
from ligament.messages.hdl import Bounds, read_bounds
from ligament.messages.hls import header_of, qualified_of, render_hls
from ligament.messages.store import load_store

#: Seconds of processor time after which a core that has not returned is given up.
PATIENCE_S = 30


class HlsBackend:
    """Generates for nodes whose implementation is C++ for high-level synthesis."""

    def generate(self, graph: Graph, mapping: GraphMapping) -> Output:
        """Return components, their project, the messages' headers, and a library per node."""
        nodes = {n: node.type for n, node in mapping.nodes.items() if node.implementation == "hls"}
        types = {name: core_of(graph.types[name], "hls") for name in sorted(set(nodes.values()))}
        suffix = f"hls-{mapping.platform}"
        folder, libraries = f"../gen/{suffix}", f"../lib/{suffix}"
        targets = {node: "node-" + node.strip("/").replace("/", "-") for node in sorted(nodes)}
        patience = _patience(mapping)
        files = _message_files(folder, graph, types)
        files += [
            _component(folder, graph.types[name], core, patience) for name, core in types.items()
        ]
        files.append(_project(folder, graph, types, {n: (targets[n], nodes[n]) for n in targets}))
        entry = {
            "project": folder,
            "work": f"../work/{suffix}",
            "libraries": {
                targets[node]: {
                    "target": targets[node],
                    "library": f"{libraries}/lib{targets[node]}.so",
                    "folder": graph.types[nodes[node]].folder,
                }
                for node in targets
            },
        }
        components = {
            node: Component(
                f"{libraries}/lib{targets[node]}.so", f"ligament::generated::{_class(nodes[node])}"
            )
            for node in targets
        }
        return Output(files, {}, entry, components)


def _patience(mapping: GraphMapping) -> float:
    devices = {n.device for n in mapping.nodes.values() if n.implementation == "hls"}
    told = [mapping.hardware.get(device, {}).get("patience_s") for device in sorted(devices)]
    return float(next((value for value in told if value), PATIENCE_S))


def _target(node_type: str) -> str:
    return node_type.replace("/", "-")


def _class(node_type: str) -> str:
    """Return the generated class: `image/resize` becomes ImageResizeEmulated."""
    words = node_type.replace("/", "_").split("_")
    return "".join(word.capitalize() for word in words) + "Emulated"


def _component(folder: str, node_type: NodeType, core: Core, patience: float) -> GeneratedFile:
    ports = [*core.inputs, *core.outputs]
    streams = ", ".join(f"::lig_hls::Fields& {_stream(port)}" for port in ports)
    registers = [f"{hls_type(p)} {_register(p.name)}" for p in core.parameters]
    scope, _, function = core.top.rpartition("::")
    declaration = f"void {function}({', '.join([streams, *registers])});"
    if scope:
        declaration = f"namespace {scope} {{\n{declaration}\n}}"
    values: dict[str, Any] = {
        "type": node_type.type,
        "node_name": node_type.type.rpartition("/")[2],
        "class_name": _class(node_type.type),
        "function": core.top,
        "declaration": declaration,
        "arguments": ", ".join(
            [*map(_stream, ports), *(f"registers.{_register(p.name)}" for p in core.parameters)]
        ),
        "messages": [
            {"header": header_path(m), "hls_header": header_of(m)}
            for m in sorted({port.message for port in ports})
        ],
        "inputs": [_port(port) for port in core.inputs],
        "outputs": [_port(port) for port in core.outputs],
        "parameters": [
            {"name": _register(p.name), "type": hls_type(p), "declare": declaration_of(p)}
            for p in core.parameters
        ],
        "changing": [
            {"name": _register(p.name), "read": reading_of(p)}
            for p in core.parameters
            if not p.read_only
        ],
        "others": others_of(node_type, core),
        "patience_s": patience,
        "held": IN_EMULATION,
    }
    source = str(Path(node_type.folder) / "node.yaml")
    text = render("hls", "node.cpp.j2", source, values)
    return GeneratedFile(f"{folder}/{_target(node_type.type)}.cpp", text, source, "hls/node.cpp.j2")


def _port(port: Port) -> dict[str, str]:
    return {
        "name": port.name,
        "stream": _stream(port),
        "cpp": qualified(port.message),
        "hls": qualified_of(port.message),
    }


def _stream(port: Port) -> str:
    return f"{port.direction}_" + port.name.strip("/~").replace("/", "_")


def _register(name: str) -> str:
    return "parameter_" + name.replace(".", "_")


def _message_files(folder: str, graph: Graph, types: Mapping[str, Core]) -> list[GeneratedFile]:
    bounds: Bounds = read_bounds(
        Path(graph.types[name].folder) / file
        for name, core in types.items()
        for file in core.bounds
    )
    store = load_store(graph.distro, [Path(p) for p in graph.message_packages.values()])
    names = sorted({p.message for core in types.values() for p in (*core.inputs, *core.outputs)})
    texts = render_hls(store, [store.message(name) for name in names], bounds)
    return [
        GeneratedFile(f"{folder}/messages/{name}", text, ", ".join(names), "messages")
        for name, text in texts.items()
    ]


def _project(
    folder: str, graph: Graph, types: Mapping[str, Core], nodes: Mapping[str, tuple[str, str]]
) -> GeneratedFile:
    hls = resources.hls_dir()
    values = {
        "project": graph.name,
        "version": ligament.__version__,
        "distro": graph.distro,
        "hls": str(hls),
        "native": str(hls / "native"),
        "message_packages": [graph.message_packages[p] for p in sorted(graph.message_packages)],
        "types": [
            {
                "type": name,
                "target": _target(name),
                "class_name": f"ligament::generated::{_class(name)}",
                "sources": [str(Path(graph.types[name].folder) / s) for s in core.sources],
                "nodes": [target for target, of in nodes.values() if of == name],
            }
            for name, core in types.items()
        ],
    }
    text = render("hls", "CMakeLists.txt.j2", source_of(graph), values)
    template = "hls/CMakeLists.txt.j2"
    return GeneratedFile(f"{folder}/CMakeLists.txt", text, source_of(graph), template)
