# SPDX-License-Identifier: Apache-2.0
"""`ligament_add_graph`: builds variants of a graph, and keeps the libraries of their node types.

What was read goes into a file of dependencies, so that CMake asks again when it changes.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ligament.artefacts import read_json, write_json, write_text
from ligament.build.stage import build
from ligament.disk import replacing
from ligament.graph import Graph, load_graph
from ligament.package.index import share_of
from ligament.package.records import made_from, record_of
from ligament.pipeline import Request, generated

#: Folders in that of a node type that no build reads: Python writes into one of them.
_UNREAD = frozenset({"__pycache__", "tests"})
#: Designs of a graph are of that graph, so their libraries are not for others.
KEPT = ("cpu", "gpu")


@dataclass(frozen=True)
class GraphRequest:
    """What CMake asks for; `prefix` is the build's own, laid out as an installation is."""

    file: Path
    name: str
    package: str
    out: Path
    prefix: Path
    platform: str = "host"
    variants: tuple[str, ...] = ()


def build_graph(request: GraphRequest, jobs: int | None = None) -> None:
    """Build the variants, each as `ligament build` does, and write record and dependencies."""
    graph = load_graph(request.file)
    entries: dict[str, dict[str, Any]] = {}
    for variant in request.variants or tuple(graph.variants):
        manifest = generated(Request(request.file, variant, request.platform, request.out)).manifest
        build(manifest, jobs)
        data = read_json(manifest, "build again")
        for kind in KEPT:
            libraries = data["backends"].get(kind, {}).get("libraries", {})
            for node_type, library in libraries.items():
                if "built" in library and not _is_ours(request, library["built"]):
                    continue  # it has a record already
                entries[library["target"]] = _kept(request, graph, kind, node_type, library) | {
                    "library": _copied(request, manifest.parent / library["library"])
                }
    share = share_of(request.prefix, request.package)
    write_json(share / f"{request.name}.built.json", record_of(entries.values()))
    lines = " \\\n  ".join(_escaped(path) for path in sorted(set(_read(graph))))
    stamp = request.out.with_name(request.out.name + ".stamp")
    write_text(request.out.with_name(request.out.name + ".d"), f"{_escaped(stamp)}: {lines}\n")


def check_graph(request: GraphRequest) -> list[Path]:
    """Check the graph and its variants, for a machine that configures; return what was read."""
    graph = load_graph(request.file)
    from ligament.mapping import load_platform  # noqa: PLC0415 - after the graph's own mistakes
    from ligament.mapping.elsewhere import map_or_tell  # noqa: PLC0415

    for variant in request.variants or tuple(graph.variants):
        map_or_tell(graph, load_platform(request.platform), variant)
    return sorted(set(_manifests(graph)))


def _is_ours(request: GraphRequest, built: str) -> bool:
    """Whether an earlier installation of the same graph has it: then it belongs here, too."""
    return f"/lib/{request.package}/{request.name}/" in built


def _kept(
    request: GraphRequest, graph: Graph, kind: str, node_type: str, library: Mapping[str, Any]
) -> dict[str, Any]:
    made = made_from(graph, graph.types[node_type])
    return made | {"kind": kind, "target": library["target"], "figures": None}


def _copied(request: GraphRequest, library: Path) -> str:
    """Put a library where it is installed from; return its path from the record."""
    target = request.prefix / "lib" / request.package / request.name / library.name
    if not target.is_file() or target.read_bytes() != library.read_bytes():
        target.parent.mkdir(parents=True, exist_ok=True)
        with replacing(target) as partial:
            shutil.copy2(library, partial)
    return os.path.relpath(target, share_of(request.prefix, request.package))


def _manifests(graph: Graph) -> Iterator[Path]:
    for name in graph.inputs:
        yield Path(os.path.abspath(name))


def _read(graph: Graph) -> Iterable[Path]:
    """All that a build of the graph depends on: headers are listed nowhere, so whole folders."""
    yield from _manifests(graph)
    folders = [Path(node_type.folder) for node_type in graph.types.values()]
    folders += [Path(folder) for folder in graph.message_packages.values()]
    for folder in folders:
        for path in folder.rglob("*"):
            if path.is_file() and _UNREAD.isdisjoint(path.relative_to(folder).parts):
                yield path


def _escaped(path: Path) -> str:
    """A path in a file of dependencies, as compilers write it."""
    return (
        str(path).replace("\\", "\\\\").replace(" ", "\\ ").replace("#", "\\#").replace("$", "$$")
    )
