# SPDX-License-Identifier: Apache-2.0
"""GPU nodes: a generated C++ component per node type, and a CMake project that compiles them.

As on the CPU, the project belongs to the graph and a variant picks targets. The component's text
comes from the manifest that `ligament check` has judged already.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ligament.errors import InputError, Location, Problem
from ligament.generate.files import (
    Component,
    GeneratedFile,
    Output,
    cpp_text,
    project_values,
    render,
    source_of,
)
from ligament.graph.message_names import MessageCatalog, load_messages
from ligament.graph.model import Graph, NodeType, Parameter
from ligament.kernels.expressions import FLAG, FRACTION, INTEGER, TEXT
from ligament.kernels.manifest import (
    PARAMETER_TYPES,
    Argument,
    End,
    Fill,
    Kernel,
    Manifest,
    read_manifest,
)
from ligament.mapping.model import GraphMapping
from ligament.messages.cpp_names import CPP_PRIMITIVES, accessor_name, header_path, qualified

PROJECT = "../gen/gpu"
WORK = "../work/gpu"
LIBRARIES = "../lib"
_CPP_TYPES = {FLAG: "bool", INTEGER: "std::int64_t", FRACTION: "double", TEXT: "std::string"}
_KINDS = {"number": "n", "input": "i", "output": "o", "values": "v", "buffer": "b"}


@dataclass(frozen=True)
class _Field:
    """One field of an output that is set from a value."""

    variable: str
    cpp: str
    setter: str


class GpuBackend:
    """Generates for devices of kind `gpu`."""

    def generate(self, graph: Graph, mapping: GraphMapping) -> Output:
        """Return the components' sources, their project, and the libraries the variant needs."""
        types = {k: t for k, t in sorted(graph.types.items()) if "gpu" in t.implementations}
        packages = {folder: Location(folder) for folder in graph.message_packages.values()}
        catalog = load_messages(graph.distro, packages, [])
        manifests = {k: _manifest(t, catalog) for k, t in types.items()}
        files = [_node_file(t, manifests[k]) for k, t in types.items()]
        files.append(_project_file(graph, types, manifests))
        used = sorted({n.type for n in mapping.nodes.values() if n.kind == "gpu"})
        libraries = {
            t: {"target": target_of(t), "library": library_of(t), "folder": types[t].folder}
            for t in used
        }
        components = {
            t: Component(library_of(t), f"ligament::generated::{class_of(t)}") for t in used
        }
        entry = {"project": PROJECT, "work": WORK, "libraries": libraries}
        return Output(files, components, entry)


def target_of(node_type: str) -> str:
    """Return the CMake target of a node type's kernels."""
    return node_type.replace("/", "-") + "-gpu"


def library_of(node_type: str) -> str:
    """Return where the library lies, relative to the variant's folder."""
    return f"{LIBRARIES}/lib{target_of(node_type)}.so"


def class_of(node_type: str) -> str:
    """Return the generated class: `image/resize` becomes ImageResize."""
    return "".join(part.capitalize() for part in node_type.replace("/", "_").split("_"))


def kernel_signatures(node_type: NodeType, distro: str) -> list[str]:
    """Return what `ligament-kernel-check --kernel` is told of each kernel: NAME:KINDS."""
    return _signatures(_manifest(node_type, load_messages(distro, {}, [])))


def _manifest(node_type: NodeType, catalog: MessageCatalog) -> Manifest:
    implementation = node_type.implementations["gpu"]
    manifest, mistakes = read_manifest(
        implementation, node_type.ports, node_type.parameters, catalog
    )
    if mistakes:  # a graph that was written by hand, after `check`
        where = Location(str(Path(node_type.folder) / "node.yaml"))
        raise InputError([Problem("kernel-manifest", m.text, where, m.hint) for m in mistakes])
    return manifest


def _node_file(node_type: NodeType, manifest: Manifest) -> GeneratedFile:
    folder = Path(node_type.folder)
    messages = {end.message for end in (*manifest.inputs, *manifest.outputs)}
    inputs = [_end(e, ()) | {"payload_is_read": _reads(manifest, e)} for e in manifest.inputs]
    values = {
        "type": node_type.type,
        "class_name": class_of(node_type.type),
        "node_name": node_type.type.rpartition("/")[2],
        "includes": sorted(header_path(m) for m in messages),
        "sources": [_source(folder / s) for s in node_type.implementations["gpu"]["sources"]],
        "access": node_type.implementations["gpu"].get("access", "cached"),
        "parameters": [_parameter(p) for p in _used(node_type)],
        "inputs": inputs,
        "lead": inputs[0],
        "others": inputs[1:],
        "pair": {"rule": manifest.pair.rule.cpp, "queue": manifest.pair.queue.cpp}
        if manifest.pair
        else None,
        "buffers": [(name, typed.cpp) for name, typed in manifest.buffers],
        "outputs": [_end(e, manifest.fills) for e in manifest.outputs],
        "requirements": [(typed.cpp, why) for typed, why in manifest.requirements],
        "values": [(name, typed.cpp) for name, typed in manifest.values],
        "kernels": [_kernel(k, manifest) for k in manifest.kernels],
        "span": next((k.name for k in manifest.kernels if not k.when_changed), "kernels"),
    }
    source = str(folder / "node.yaml")
    text = render("gpu", "node.cpp.j2", source, values)
    path = f"{PROJECT}/{target_of(node_type.type)}.cpp"
    return GeneratedFile(path, text, source, "gpu/node.cpp.j2")


def _used(node_type: NodeType) -> list[Parameter]:
    return [p for p in node_type.parameters.values() if p.type in PARAMETER_TYPES]


def _source(path: Path) -> dict[str, Any]:
    # C++ compilers bound the length of a literal; a line each is well within.
    return {"path": str(path), "lines": path.read_text(encoding="utf-8").splitlines(keepends=True)}


def _parameter(parameter: Parameter) -> dict[str, Any]:
    kind = PARAMETER_TYPES[parameter.type]
    limits = parameter.range if kind in (INTEGER, FRACTION) else None
    return {
        "name": parameter.name,
        "cpp_name": parameter.name.replace(".", "_"),
        "cpp_type": _CPP_TYPES[kind],
        "description": parameter.description,
        "default": _default(parameter, kind),
        "range": [_number(v, kind) for v in limits] if limits else None,
        "range_field": "integer_range" if kind == INTEGER else "floating_point_range",
        "step": "1" if kind == INTEGER else "0.0",
        "choices": list(parameter.choices) if kind == TEXT else [],
    }


def _default(parameter: Parameter, kind: str) -> str:
    value = parameter.default
    if kind == TEXT:
        return f"std::string({cpp_text(value or '')})"
    if kind == FLAG:
        return "true" if value else "false"
    return _number(value or 0, kind)


def _number(value: float, kind: str) -> str:
    return f"std::int64_t{{{int(value)}}}" if kind == INTEGER else repr(float(value))


def _end(end: End, fills: Iterable[Fill]) -> dict[str, Any]:
    own = [f for f in fills if f.alias == end.alias]
    lengths = [(f.path, _length(f)) for f in own if f.info.kind != "plain"]
    return {
        "alias": end.alias,
        "port": end.port,
        "cpp_message": qualified(end.message),
        "lengths": lengths,
        "fields": [_field(f) for f in own if "[" not in f.info.spelling],
        "payload": _payload(end) if _has_payload(end, own) else "",
    }


def _has_payload(end: End, fills: Iterable[Fill]) -> bool:
    """Return whether the end's chosen array has a length, so that there is a payload."""
    return any(f.path == end.chosen and "[" in f.info.spelling for f in fills)


def _payload(end: End) -> str:
    accessors = ".".join(f"{accessor_name(p)}()" for p in end.chosen.split("."))
    return f"std::as_writable_bytes(out_{end.alias}.{accessors})"


def _reads(manifest: Manifest, end: End) -> bool:
    """Return whether some expression looks at an element of an input's payload, not at its size."""
    accessors = ".".join(f"{accessor_name(p)}()" for p in end.chosen.split(".") if p)
    payload = re.compile(re.escape(f"in_{end.alias}.{accessors}") + r"(?!\.size\(\))")
    looked_at = [
        *(typed.cpp for typed, _ in manifest.requirements),
        *(typed.cpp for _, typed in manifest.values),
        *(typed.cpp for _, typed in manifest.buffers),
        *(fill.value.cpp for fill in manifest.fills),
    ]
    for kernel in manifest.kernels:
        looked_at += [size.cpp for size in (*kernel.sizes, *kernel.local)]
        looked_at += [a.value.cpp for a in kernel.arguments if a.kind in ("number", "values")]
        looked_at += [kernel.when.cpp] if kernel.when else []
    return bool(end.chosen) and any(payload.search(cpp) for cpp in looked_at)


def _length(fill: Fill) -> str:
    if fill.value.type == TEXT:
        return f"{fill.value.cpp}.size()"
    return f"gpu::as_length({fill.value.cpp}, failed)"


def _field(fill: Fill) -> _Field:
    *outer, name = fill.path.split(".")
    setter = "".join(f"{accessor_name(p)}()." for p in outer) + f"set_{name}"
    variable = f"field_{fill.alias}_{fill.path.replace('.', '_')}"
    if fill.value.type == TEXT:
        return _Field(variable, f"std::string_view({fill.value.cpp})", setter)
    c_type = CPP_PRIMITIVES[fill.info.spelling]
    return _Field(variable, f"gpu::as_field<{c_type}>({fill.value.cpp}, failed)", setter)


def _kernel(kernel: Kernel, manifest: Manifest) -> dict[str, Any]:
    missing = 3 - len(kernel.sizes)
    local = [s.cpp for s in kernel.local]
    return {
        "name": kernel.name,
        "global": [s.cpp for s in kernel.sizes] + ["std::int64_t{1}"] * missing,
        "local": local + ["std::int64_t{1}"] * missing if local else ["0", "0", "0"],
        "arguments": [{"kind": a.kind, "cpp": _argument(a, manifest)} for a in kernel.arguments],
        "when": kernel.when.cpp if kernel.when else "",
        "when_changed": kernel.when_changed,
    }


def _argument(argument: Argument, manifest: Manifest) -> str:
    if argument.kind == "number":
        return argument.value.cpp
    if argument.kind == "input":
        return f"in_{argument.alias}.chosen_bytes()"
    if argument.kind == "values":
        return f"gpu::Values{{gpu::bytes_of({argument.value.cpp})}}"
    if argument.kind == "buffer":
        return f"buffer_{argument.alias}"
    return _payload(next(e for e in manifest.outputs if e.alias == argument.alias))


def _project_file(
    graph: Graph, types: Mapping[str, NodeType], manifests: Mapping[str, Manifest]
) -> GeneratedFile:
    values = {
        **project_values(graph),
        "libraries": [
            {
                "type": t.type,
                "target": target_of(t.type),
                "class_name": f"ligament::generated::{class_of(t.type)}",
                "sources": [str(Path(t.folder) / s) for s in t.implementations["gpu"]["sources"]],
                "kernels": _signatures(manifests[name]),
            }
            for name, t in types.items()
        ],
    }
    source = source_of(graph)
    text = render("gpu", "CMakeLists.txt.j2", source, values)
    return GeneratedFile(f"{PROJECT}/CMakeLists.txt", text, source, "gpu/CMakeLists.txt.j2")


def _signatures(manifest: Manifest) -> list[str]:
    return [f"{k.name}:{''.join(_KINDS[a.kind] for a in k.arguments)}" for k in manifest.kernels]
