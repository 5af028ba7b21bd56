# SPDX-License-Identifier: Apache-2.0
"""Build records (spec/build/built.schema.json): libraries, and what each was made from.

A library is taken in place of compiling only if nothing that it was made from has changed; so no
record can be out of date, it can only be of no use.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import ligament
from ligament.artefacts import read_json_object
from ligament.generate.files import Component
from ligament.graph.loader import read_document
from ligament.graph.model import Graph, NodeType
from ligament.mapping.model import GraphMapping
from ligament.package.index import packages

SCHEMA = "ligament/built/1"
#: Kinds whose libraries are of a node type alone, and not of a graph.
KINDS = ("cpu", "gpu", "fpga")
#: What mapping.json says of a device that is for people and budgets, and not compiled in.
_NOT_COMPILED = frozenset({"budgets", "budgets_at", "family"})


def listed_files(node_type: NodeType) -> list[str]:
    """Return node.yaml and the files that it lists, relative to its folder, sorted."""
    found = {"node.yaml"}
    for implementation in node_type.implementations.values():
        for key in ("sources", "bounds", "refusals"):
            found |= set(implementation.get(key, ()))
        found |= (
            {implementation["state"]} if isinstance(implementation.get("state"), str) else set()
        )
    return sorted(found)


def made_from(graph: Graph, node_type: NodeType) -> dict[str, Any]:
    """Return what all libraries of a node type are made from, as a record has it."""
    return {
        "type": node_type.type,
        "tool_version": ligament.__version__,
        "distro": graph.distro,
        "sources": _digest(Path(node_type.folder), listed_files(node_type)),
        "messages": {name: _definitions(graph, name) for name in _own_messages(graph, node_type)},
    }


def record_of(entries: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return a record of libraries: each of `made_from`, `kind`, `target`, `library`, `figures`."""
    return {"schema": SCHEMA, "libraries": sorted(entries, key=lambda e: str(e["target"]))}


def figures_of(mapping: GraphMapping, library: str, nodes: Mapping[str, Component]) -> Any:
    """Return the figures of the device that a design is compiled for; None for other libraries.

    `nodes`: how each node of a design is loaded.
    """
    for node, component in nodes.items():
        if component.library == library:
            return compiled_in(mapping.hardware.get(mapping.nodes[node].device, {}))
    return None


def compiled_in(figures: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of a device's figures that a design depends on."""
    found = {name: value for name, value in figures.items() if name not in _NOT_COMPILED}
    return {**found, "processor": processor()}


@cache
def processor() -> str:
    """Return what a Verilated library is compiled for: it uses all that this processor can do."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.machine()
    flags = re.search(r"^(?:flags|Features)\s*:(.*)$", text, re.MULTILINE)
    return hashlib.sha256(flags[1].encode() if flags else text.encode()).hexdigest()[:16]


def built_library(kind: str, target: str, figures: Any, made: Mapping[str, Any]) -> Path | None:
    """Return an installed library that is made from just this, if there is one."""
    wanted = {**made, "kind": kind, "target": target, "figures": figures}
    for file, entry in _installed():
        if all(entry.get(key) == value for key, value in wanted.items()):
            path = file.parent / str(entry.get("library", ""))
            if path.is_file():
                return Path(os.path.normpath(path))
    return None


def _installed() -> Iterator[tuple[Path, dict[str, Any]]]:
    for package in packages().values():
        for file in package.built:
            for entry in _entries(file):
                yield file, entry


@cache
def _entries(file: Path) -> list[dict[str, Any]]:
    """Return a record's entries, none of another version's; raise InputError for what is none."""
    if read_json_object(file).get("schema", SCHEMA) != SCHEMA:
        return []
    entries: list[dict[str, Any]] = read_document(file, "built").data["libraries"]
    return entries


def _own_messages(graph: Graph, node_type: NodeType) -> list[str]:
    """All own packages, as one message may hold another's; none where the node uses none."""
    used = {port.message.split("/")[0] for port in node_type.ports.values()}
    return [] if used.isdisjoint(graph.message_packages) else sorted(graph.message_packages)


def _definitions(graph: Graph, package: str) -> str:
    folder = Path(graph.message_packages[package])
    files = [p for kind in ("msg", "srv", "action") for p in folder.glob(f"{kind}/*.{kind}")]
    return _digest(folder, sorted(str(p.relative_to(folder)) for p in files))


def _digest(folder: Path, names: Iterable[str]) -> str:
    """Return a hash of files' names and contents."""
    digest = hashlib.sha256()
    for name in names:
        content = (folder / name).read_bytes()
        digest.update(f"{name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()
