# SPDX-License-Identifier: Apache-2.0
"""FPGA nodes: per node type a top level around its core, and a C++ component that drives it.

The core is between `lig_unpack` and `lig_pack` of its messages. The project compiles the top level
with Verilator into the component's library; its list of sources (`TYPE.f`) is what a vendor's tool
takes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ligament
from ligament import resources
from ligament.cores.manifest import Core, read_core
from ligament.errors import InputError, Location, Problem
from ligament.generate.files import Component, GeneratedFile, Output, cpp_text, render, source_of
from ligament.graph.model import Graph, NodeType, Parameter
from ligament.mapping.model import GraphMapping
from ligament.messages.cpp_names import header_path, qualified
from ligament.messages.hdl import Bounds, read_bounds, render_all
from ligament.messages.hdl.render import module_name
from ligament.messages.store import TypeStore, load_store

#: Of the stream IP, what a node needs around its core; packages first.
SHARED = ("lig_stream_pkg.sv", "lig_fields_pkg.sv", "lig_unpack.sv", "lig_pack.sv")


#: What a simulation obeys, of what mapping.json says about the device.
FIGURES = ("clock_hz", "latency_ns", "bandwidth_bytes_per_s")


@dataclass(frozen=True)
class _Place:
    """Where the files of one platform go, and what its device gives; figures are compiled in."""

    project: str
    work: str
    libraries: str
    figures: Mapping[str, Any]


class FpgaBackend:
    """Generates for devices of kind `fpga`."""

    def generate(self, graph: Graph, mapping: GraphMapping) -> Output:
        """Return tops, components, their project, and the libraries the variant needs."""
        used = sorted({n.type for n in mapping.nodes.values() if n.kind == "fpga"})
        place = _place_of(mapping)
        packages = [Path(p) for p in graph.message_packages.values()]
        cores = {name: _core(graph.types[name]) for name in used}
        store = load_store(graph.distro, packages)
        bounds = read_bounds(
            Path(graph.types[name].folder) / file for name in used for file in cores[name].bounds
        )
        files = _message_files(place, cores.values(), store, bounds)
        for name, core in cores.items():
            files += _node_files(place, graph.types[name], core)
        files.append(_project_file(place, graph, cores))
        libraries = {
            name: {
                "target": target_of(name),
                "library": library_of(place.libraries, name),
                "folder": graph.types[name].folder,
            }
            for name in used
        }
        components = {
            name: Component(
                library_of(place.libraries, name), f"ligament::generated::{class_of(name)}"
            )
            for name in used
        }
        entry = {"project": place.project, "work": place.work, "libraries": libraries}
        return Output(files, components, entry)


def target_of(node_type: str) -> str:
    """Return the CMake target of a node type's core."""
    return node_type.replace("/", "-") + "-fpga"


def library_of(folder: str, node_type: str) -> str:
    """Return where the library lies, relative to the variant's folder."""
    return f"{folder}/lib{target_of(node_type)}.so"


def class_of(node_type: str) -> str:
    """Return the generated class: `image/resize` becomes ImageResizeCore."""
    return "".join(p.capitalize() for p in node_type.replace("/", "_").split("_")) + "Core"


def top_of(node_type: str) -> str:
    """Return the generated top module."""
    return "lig_node_" + node_type.replace("/", "_")


def _place_of(mapping: GraphMapping) -> _Place:
    devices = {n.device for n in mapping.nodes.values() if n.kind == "fpga"}
    figures = mapping.hardware.get(min(devices, default=""), {})
    missing = [k for k in FIGURES if k not in figures]
    if missing:
        raise InputError(
            Problem(
                "device-figures",
                f"the platform '{mapping.platform}' does not say {', '.join(missing)} of "
                f"{min(devices, default='its FPGA')}",
                expected="a clock of kind cycles for the device, and a link from it to the memory "
                "that holds the pool: an ideal memory is never assumed",
            )
        )
    suffix = f"fpga-{mapping.platform}"
    return _Place(f"../gen/{suffix}", f"../work/{suffix}", f"../lib/{suffix}", figures)


def _core(node_type: NodeType) -> Core:
    core, mistakes = read_core(
        node_type.type, node_type.implementations["fpga"], node_type.ports, node_type.parameters
    )
    if core is None:  # a graph that was written by hand, after `check`
        where = Location(str(Path(node_type.folder) / "node.yaml"))
        raise InputError([Problem("core-manifest", m.text, where, hint=m.hint) for m in mistakes])
    return core


def _message_files(
    place: _Place, cores: Iterable[Core], store: TypeStore, bounds: Bounds
) -> list[GeneratedFile]:
    names = sorted({port.message for core in cores for port in (core.input, core.output)})
    texts = render_all(store, [store.message(name) for name in names], bounds)
    return [
        GeneratedFile(f"{place.project}/{name}", text, ", ".join(names), "messages")
        for name, text in texts.items()
    ]


def _node_files(place: _Place, node_type: NodeType, core: Core) -> list[GeneratedFile]:
    source = str(Path(node_type.folder) / "node.yaml")
    values: dict[str, Any] = {
        "type": node_type.type,
        "node_name": node_type.type.rpartition("/")[2],
        "top": top_of(node_type.type),
        "core": core.top,
        "class_name": class_of(node_type.type),
        "unpack": module_name(core.input.message) + "_unpack",
        "pack": module_name(core.output.message) + "_pack",
        "input": core.input.name,
        "output": core.output.name,
        "cpp_input": qualified(core.input.message),
        "cpp_output": qualified(core.output.message),
        "includes": sorted({header_path(p.message) for p in (core.input, core.output)}),
        "figures": {name: repr(float(place.figures[name])) for name in FIGURES},
        "parameters": [
            {
                "name": p.name,
                "port": "parameter_" + p.name.replace(".", "_") + "_i",
                "description": p.description,
                "default": float(p.default or 0) if p.type == "double" else int(p.default or 0),
                "type": p.type,
                "range": list(p.range) if p.range else None,
            }
            for p in core.parameters
        ],
        "others": [_other(p) for p in node_type.parameters.values() if p not in core.parameters],
    }
    target = target_of(node_type.type)
    sources = "\n".join(_sources(place, node_type, core)) + "\n"
    return [
        _rendered(f"{place.project}/{top_of(node_type.type)}.sv", "top.sv.j2", source, values),
        _rendered(f"{place.project}/{target}.cpp", "node.cpp.j2", source, values),
        GeneratedFile(f"{place.project}/{target}.f", sources, source),
    ]


def _other(parameter: Parameter) -> dict[str, str]:
    """A parameter that only other implementations use: the node has it, as they do."""
    value = parameter.default
    kind, literal = {
        "bool": ("bool", "true" if value else "false"),
        "integer": ("std::int64_t", f"std::int64_t{{{int(value or 0)}}}"),
        "double": ("double", repr(float(value or 0))),
    }.get(parameter.type, ("std::string", f"std::string({cpp_text(str(value or ''))})"))
    return {"name": parameter.name, "type": kind, "default": literal}


def _rendered(path: str, template: str, source: str, values: Mapping[str, Any]) -> GeneratedFile:
    text = render("fpga", template, source, values)
    return GeneratedFile(path, text, source, f"fpga/{template}")


def _sources(place: _Place, node_type: NodeType, core: Core) -> list[str]:
    """All SystemVerilog of a top, in an order that any tool takes; ours by name."""
    messages = sorted({port.message for port in (core.input, core.output)})
    names = [module_name(message) for message in messages]
    shared = [str(resources.hdl_dir() / name) for name in SHARED]
    packages = [f"{name}_pkg.sv" for name in names]
    modules = [f"{module_name(core.input.message)}_unpack.sv"]
    modules += [f"{module_name(core.output.message)}_pack.sv"]
    own = [str(Path(node_type.folder) / source) for source in core.sources]
    return [*shared, *packages, *modules, *own, f"{top_of(node_type.type)}.sv"]


def _project_file(place: _Place, graph: Graph, cores: Mapping[str, Core]) -> GeneratedFile:
    source = source_of(graph)
    values = {
        "project": graph.name,
        "version": ligament.__version__,
        "distro": graph.distro,
        "message_packages": [graph.message_packages[p] for p in sorted(graph.message_packages)],
        "libraries": [
            {
                "type": name,
                "target": target_of(name),
                "top": top_of(name),
                "class_name": f"ligament::generated::{class_of(name)}",
                "sources": _sources(place, graph.types[name], core),
            }
            for name, core in cores.items()
        ],
    }
    return _rendered(f"{place.project}/CMakeLists.txt", "CMakeLists.txt.j2", source, values)
