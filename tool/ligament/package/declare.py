# SPDX-License-Identifier: Apache-2.0
"""`ligament_add_node`: a node type as a graph of this one node, and what CMake is told of it.

For each implementation the graph has a variant, which the stages check, map and generate as they do
any other; CMake adds the projects that they wrote.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ligament.artefacts import read_json, write_json, write_text
from ligament.build.images import require_compiler
from ligament.build.verilate import verilator_root
from ligament.cores.manifest import is_vhdl
from ligament.cores.vhdl import require_ghdl
from ligament.errors import FailureError, InputError, Location, Problem, listing
from ligament.generate.files import cmake_quote
from ligament.graph.loader import read_document
from ligament.graph.model import Graph, NodeType
from ligament.graph.resolve import load_graph
from ligament.package.index import share_of
from ligament.package.records import KINDS, compiled_in, listed_files, made_from, record_of
from ligament.pipeline import Request, generated

FIRMWARE = "firmware"
#: Memory of a topic, where a device asks for it; no library depends on it. Unit: bytes.
BOUND_BYTES = 1_000_000


@dataclass(frozen=True)
class _Way:
    """Where a kind of implementation is built for."""

    platform: str
    device: str
    implementation: str


WAYS = {
    "cpu": _Way("host", "cpu0", "cpu"),
    "gpu": _Way("host", "gpu0", "gpu"),
    "fpga": _Way("fpga_sim", "fpga0", "fpga"),
    "hls": _Way("fpga_sw_emu", "fpga0", "hls"),
    "mcu": _Way("host", "cpu0", "mcu"),
    FIRMWARE: _Way("mcu_sim", "mcu0", "mcu"),
}


@dataclass(frozen=True)
class NodeRequest:
    """What CMake asks for; `prefix` is the build's own, laid out as an installation is."""

    manifest: Path
    name: str
    package: str
    out: Path
    prefix: Path
    kinds: tuple[str, ...] = ()
    messages: tuple[Path, ...] = ()


def declare_node(request: NodeRequest) -> None:
    """Write the node's graph, what is generated for it, its build record and declaration.cmake."""
    document = read_document(request.manifest, "node")
    kinds = _kinds(request, document.data["implementations"], document.at("implementations"))
    _require_tools(kinds)
    if "fpga" in kinds and is_vhdl(document.data["implementations"]["fpga"]["sources"]):
        require_ghdl(request.manifest)
    graph_file = request.out / "graph.yaml"
    write_text(graph_file, _graph_text(request, document.data, kinds))
    made = {kind: _generate(graph_file, kind, request.out) for kind in kinds}
    graph = load_graph(graph_file)
    node_type = graph.types[document.data["type"]]
    _write_record(request, graph, node_type, made)
    text = _declaration(request, node_type, made)
    write_text(request.out / "declaration.cmake", text)


def _kinds(request: NodeRequest, has: Mapping[str, Any], at: Location) -> list[str]:
    unknown = [kind for kind in request.kinds if kind not in has]
    if unknown:
        text = f"'{request.manifest.name}' has no implementation for {listing(unknown)}"
        raise InputError(Problem("implementation-missing", text, at, expected=listing(has)))
    wanted = [k for k in has if k in WAYS and (not request.kinds or k in request.kinds)]
    return [*wanted, FIRMWARE] if "mcu" in wanted else wanted


def _require_tools(kinds: Sequence[str]) -> None:
    """Say what is missing before anything is written."""
    needs: dict[str, Callable[[], object]] = {
        "fpga": verilator_root,
        FIRMWARE: lambda: require_compiler("this node"),
    }
    for kind in kinds:
        try:
            needs.get(kind, str)()
        except SystemExit as missing:  # of a module that is a program, too
            raise FailureError(str(missing)) from missing
        except FailureError as error:
            raise FailureError(f"{error.text}. {error.hint}") from error


def _graph_text(request: NodeRequest, node: Mapping[str, Any], kinds: Sequence[str]) -> str:
    """The graph; what JSON writes is YAML, too."""
    name = str(node["type"]).replace("/", "_")
    ports = [
        f"/{name}/{port[2:]}" if port.startswith("~/") else f"/{port}"
        for port in node.get("ports", {})
    ]
    variants = {kind: _variant(name, WAYS[kind]) for kind in kinds}
    values: dict[str, Any] = {
        "schema": "ligament/graph/1",
        "name": name,
        "description": f"{node['type']} alone, in each of its implementations.",
        "packages": [str(request.manifest.parent)],
        "messages": [str(folder) for folder in request.messages],
        "nodes": {name: {"type": node["type"], "parameters": _values(node)}},
        "topics": {port: {"bound_bytes": BOUND_BYTES} for port in ports},
        "variants": variants,
    }
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in values.items()]
    return "\n".join(["# Written by ligament_add_node. Do not edit.", *lines, ""])


def _variant(node: str, way: _Way) -> dict[str, Any]:
    """Of a processor's implementations it says which one."""
    chosen = {"implementations": {node: way.implementation}} if way.device == "cpu0" else {}
    return {"devices": {node: way.device}, **chosen}


def _values(node: Mapping[str, Any]) -> dict[str, Any]:
    """Any value for each parameter that a graph has to set."""
    plain = {"bool": False, "integer": 0, "double": 0.0, "string": ""}
    return {
        name: entry.get("choices", entry.get("range", [plain.get(entry["type"], [])]))[0]
        if entry["type"] in plain
        else []
        for name, entry in node.get("parameters", {}).items()
        if "default" not in entry
    }


def _request(graph: Path, kind: str, out: Path) -> Request:
    return Request(graph, kind, WAYS[kind].platform, out)


def _generate(graph: Path, kind: str, out: Path) -> Path:
    return generated(_request(graph, kind, out)).manifest


def _backend(manifest: Path, kind: str) -> tuple[dict[str, Any], dict[str, Any]]:
    data = read_json(manifest, "configure again")
    entry: dict[str, Any] = data["backends"][WAYS[kind].implementation]
    return data, entry


def _write_record(
    request: NodeRequest, graph: Graph, node_type: NodeType, made: Mapping[str, Path]
) -> None:
    share = share_of(request.prefix, request.package)
    made_of = made_from(graph, node_type)
    entries = []
    for kind in KINDS:
        if kind not in made:
            continue
        _, entry = _backend(made[kind], kind)
        mapping = read_json(made[kind].with_name("mapping.json"), "configure again")
        figures = compiled_in(mapping["hardware"][WAYS[kind].device]) if kind == "fpga" else None
        for library in entry["libraries"].values():
            file = request.prefix / "lib" / request.package / Path(library["library"]).name
            entries.append(
                made_of
                | {"kind": kind, "target": library["target"], "figures": figures}
                | {"library": os.path.relpath(file, share)}
            )
    write_json(share / f"{request.name}.built.json", record_of(entries))


def _declaration(request: NodeRequest, node_type: NodeType, made: Mapping[str, Path]) -> str:
    folder = Path(node_type.folder)
    inputs = [str(Path(os.path.normpath(folder / name))) for name in listed_files(node_type)]
    includes = [
        os.path.normpath(folder / name)
        for kind in node_type.implementations.values()
        for name in kind.get("include", ())
    ]
    projects: list[tuple[Path, Path]] = []
    targets: list[str] = []
    files: list[str] = []
    firmware: list[str] = []
    for kind, manifest in made.items():
        data, entry = _backend(manifest, kind)
        at = manifest.parent
        files += [os.path.normpath(at / file["path"]) for file in data["files"]]
        if kind == FIRMWARE:
            image = entry["images"][WAYS[kind].device]["image"]
            firmware = [str(manifest), os.path.normpath(at / image)]
            continue
        projects.append((at / entry["project"], at / entry["work"]))
        targets += [library["target"] for library in entry["libraries"].values()]
    # CMake reads the projects itself: as outputs of a command they would wait for it.
    outputs = [file for file in files if not file.endswith(("CMakeLists.txt", "image.c"))]
    sets = {
        "type": [node_type.type],
        "folder": [str(folder)],
        "inputs": inputs,
        "includes": sorted(set(includes)),
        "outputs": sorted(set(outputs)),
        "projects": [os.path.normpath(project) for project, _ in projects],
        "targets": targets,
        "firmware": firmware,
    }
    lines = ["# Written by `python -m ligament.package node`. Do not edit."]
    lines += [
        f"set(node_{key} {' '.join(cmake_quote(value) for value in values)})"
        for key, values in sets.items()
    ]
    lines += [
        f"add_subdirectory({' '.join(cmake_quote(os.path.normpath(p)) for p in pair)})"
        for pair in projects
    ]
    return "\n".join([*lines, ""])
