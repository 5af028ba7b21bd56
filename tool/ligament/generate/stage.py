# SPDX-License-Identifier: Apache-2.0
"""The generate stage: graph and mapping in, a tree of generated files and its manifest out."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ligament
from ligament.artefacts import write_json, write_text
from ligament.errors import InputError, Problem, listing
from ligament.generate.backends import BACKENDS
from ligament.generate.containers import container_file, failure_policy, in_python
from ligament.generate.files import Component, GeneratedFile, Output, source_of
from ligament.generate.lifecycle import lifecycle_order
from ligament.graph.model import Graph, plain
from ligament.mapping.model import GraphMapping, MappedTopic
from ligament.package.index import packages
from ligament.package.records import KINDS, built_library, figures_of, made_from

MANIFEST = "manifest.json"
COMPILE = "LIGAMENT_COMPILE"
"""1: what comes built with a package is compiled all the same."""


@dataclass(frozen=True)
class Generated:
    """What the stage did: the manifest, and the files that changed (written or removed)."""

    manifest: Path
    changed: list[str]


def generate(graph: Graph, mapping: GraphMapping, folder: Path) -> Generated:
    """Write everything that the variant needs below `folder`, its own folder.

    The same input gives the same bytes; a file that is already right is not touched, and a file
    that an earlier run generated for this variant and that is not needed any more is removed.
    """
    files, entries = _from_backends(graph, mapping)
    containers = {}
    for name in sorted(mapping.containers):
        file = container_file(mapping, name, entries.components, entries.nodes)
        files.append(file)
        containers[name] = {
            "config": file.path,
            "nodes": list(mapping.containers[name]),
            "on_failure": failure_policy(mapping, name),
        }
        if in_python(mapping, name):
            containers[name]["language"] = "python"
    manifest = {
        "schema": "ligament/manifest/1",
        "graph": mapping.graph,
        "source": source_of(graph),
        "variant": mapping.variant,
        "tool_version": ligament.__version__,
        "files": [_entry(f) for f in sorted(files, key=lambda f: f.path)],
        "containers": containers,
        "topics": {t: _ends(topic) for t, topic in sorted(mapping.topics.items())},
        "check": plain(graph.check),
        "backends": entries.backends,
    }
    if mapping.executables:
        manifest["executables"] = plain(mapping.executables)
    if servers := _servers(mapping):
        manifest["servers"] = servers
    if managed := lifecycle_order(mapping):
        manifest["lifecycle"] = managed
    return _write(folder, files, manifest)


@dataclass
class _Entries:
    backends: dict[str, Any]
    components: dict[tuple[str, str], Component]
    """By kind of implementation and node type."""
    nodes: dict[str, Component]
    """By node, where nodes of one type differ."""


def _from_backends(graph: Graph, mapping: GraphMapping) -> tuple[list[GeneratedFile], _Entries]:
    files: list[GeneratedFile] = []
    entries = _Entries({}, {}, {})
    if problems := _on_paper(graph, mapping):
        raise InputError(problems)
    for kind in sorted({node.implementation for node in mapping.nodes.values()}):
        backend = BACKENDS.get(kind)
        if backend is None:
            raise InputError(_no_backend(mapping, kind))
        output = backend().generate(graph, mapping)
        files += output.files
        _take_built(kind, output, graph, mapping)
        entries.backends[kind] = output.entry
        entries.components |= {(kind, t): c for t, c in output.components.items()}
        entries.nodes |= output.nodes
    return files, entries


def _take_built(kind: str, output: Output, graph: Graph, mapping: GraphMapping) -> None:
    """Name the installed library of each that is made from just the same (spec/build/cmake.md)."""
    if os.environ.get(COMPILE) == "1" or not packages():
        return
    for name, library in output.entry["libraries"].items() if kind in KINDS else ():
        node_type = next((t for t in graph.types.values() if t.folder == library["folder"]), None)
        if node_type is None or len(library.get("folders", ())) > 1:
            continue
        figures = figures_of(mapping, library["library"], output.nodes)
        found = built_library(kind, library["target"], figures, made_from(graph, node_type))
        if found:
            output.entry["libraries"][name]["built"] = str(found)


def _on_paper(graph: Graph, mapping: GraphMapping) -> list[Problem]:
    """Name the nodes that a mapping on paper has placed where nothing runs them yet."""
    return [
        Problem(
            "implementation-missing",
            f"'{name}' is mapped to {node.device}, and '{node.type}' has no implementation for "
            f"{node.implementation}",
            expected=f"one for {listing(graph.types[node.type].implementations)}",
            hint="write it, or map without --plan, to a device that the node has something for",
        )
        for name, node in mapping.nodes.items()
        if node.implementation in BACKENDS
        and node.type in graph.types
        and node.implementation not in graph.types[node.type].implementations
    ]


def _no_backend(mapping: GraphMapping, kind: str) -> Problem:
    nodes = [name for name, node in mapping.nodes.items() if node.implementation == kind]
    return Problem(
        "backend-missing",
        f"{listing(nodes)} mapped to a device of kind '{kind}', for which this version of ligament "
        "generates nothing",
        expected=f"a device of kind {listing(BACKENDS)}",
        hint="map the node to another device (`device:` in the graph or `devices:` in the variant)",
    )


def _entry(file: GeneratedFile) -> dict[str, str]:
    return {
        "path": file.path,
        "source": file.source,
        "template": file.template,
        "sha256": file.sha256,
    }


def _ends(topic: MappedTopic) -> dict[str, list[str]]:
    def of(direction: str) -> list[str]:
        return sorted({end.node for end in topic.ends if end.direction == direction})

    return {"publishers": of("out"), "subscriptions": of("in")}


def _servers(mapping: GraphMapping) -> list[str]:
    """Return the nodes that offer services or actions and have no topics."""
    on_topics = {end.node for topic in mapping.topics.values() for end in topic.ends}
    offering = (n for n, node in mapping.nodes.items() if node.services or node.actions)
    return sorted(n for n in offering if n not in on_topics)


def _write(folder: Path, files: list[GeneratedFile], manifest: dict[str, Any]) -> Generated:
    target = folder / MANIFEST
    old = _own_files(target)
    changed = [f.path for f in files if write_text(_inside(folder, f.path), f.text)]
    for path in sorted(old - {f.path for f in files}):
        (folder / path).unlink(missing_ok=True)
        changed.append(path)
    write_json(target, manifest)
    return Generated(target, changed)


def _inside(folder: Path, path: str) -> Path:
    """Without `..`: what variants share is reached also before the variant's own folder exists."""
    return Path(os.path.normpath(folder / path))


def _own_files(manifest: Path) -> set[str]:
    """What the last manifest lists in the variant's own folder; what variants share stays."""
    try:
        listed = json.loads(manifest.read_text(encoding="utf-8"))["files"]
        return {f["path"] for f in listed if not f["path"].startswith("..")}
    except (OSError, ValueError, KeyError, TypeError):
        return set()
