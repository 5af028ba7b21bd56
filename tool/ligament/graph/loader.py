# SPDX-License-Identifier: Apache-2.0
"""Reads everything that a graph is made of. The only module of this room that touches files.

`read_project("graph.yaml")` follows the graph file to the graphs that it is composed of, the
node packages, the message packages and the parameter files, and returns them as documents with
positions. What is wrong with any of them is collected in `Project.problems`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ligament.errors import InputError, Location, Problem, listing, nearest
from ligament.graph.documents import parse_document
from ligament.graph.message_names import MessageCatalog, load_messages
from ligament.graph.schema import validate
from ligament.graph.source import Document
from ligament.package.index import packages
from ligament.resources import node_packages_dir

# Folders that never hold node types, however deep a search path reaches.
_SKIPPED = frozenset({".git", "build", "install", "log", ".venv", "node_modules", "__pycache__"})


@dataclass
class GraphFile:
    """One graph file with the graphs that it is composed of (by key)."""

    document: Document
    parts: dict[str, GraphFile] = field(default_factory=dict)


@dataclass
class Project:
    """Everything that was read for one graph."""

    root: GraphFile
    messages: MessageCatalog
    node_types: dict[str, Document] = field(default_factory=dict)
    broken_types: set[str] = field(default_factory=set)
    """Types whose node.yaml is wrong: said once, there, and not again by each node of the type."""
    parameter_files: dict[str, Document] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)


def read_document(path: Path, kind: str | None = None) -> Document:
    """Read a YAML or JSON file (by its suffix) and, with a kind, validate it; raise InputError."""
    return _read(path, kind, asked_at=None)


def _read(
    path: Path, kind: str | None, asked_at: Location | None, *, ros: bool = False
) -> Document:
    text = read_text(path, asked_at)
    document = parse_document(text, display(path), ros_booleans=ros)
    problems = validate(document, kind) if kind else []
    if problems:
        raise InputError(problems)
    return document


def read_text(path: Path, asked_at: Location | None = None) -> str:
    """Read a text file; what is in the way becomes an InputError."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        text = f"'{display(path)}' is no UTF-8 text (byte {error.start})"
        raise InputError(
            Problem("file-unreadable", text, asked_at or Location(display(path)))
        ) from error
    except IsADirectoryError as error:
        text = f"'{display(path)}' is a folder, not a file"
        raise InputError(Problem("file-unreadable", text, asked_at)) from error
    except FileNotFoundError as error:
        raise InputError(_missing(path, asked_at)) from error
    except OSError as error:
        text = f"'{display(path)}' cannot be read: {error.strerror}"
        raise InputError(Problem("file-unreadable", text, asked_at)) from error


def _missing(path: Path, asked_at: Location | None, what: str = "file") -> Problem:
    beside = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
    return Problem(
        "file-missing",
        f"there is no {what} '{display(path)}'",
        asked_at,
        hint=nearest(path.name, beside),
    )


def display(path: Path) -> str:
    """Return a path as a user would write it: relative where it is below the working folder."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative


def read_project(path: Path) -> Project:
    """Read a graph file and all that it refers to."""
    problems: list[Problem] = []
    root = _graph_file(path, None, (), problems)
    if root is None:
        raise InputError(problems)
    project = Project(root, MessageCatalog({}, {}), problems=problems)
    folders: dict[str, Location] = {}
    message_folders: dict[str, Location] = {}
    for graph in walk(root):
        base = Path(graph.document.file).parent
        project.inputs.append(graph.document.file)
        for key, found in (("packages", folders), ("messages", message_folders)):
            for i, name in enumerate(graph.document.data.get(key, ())):
                folder = os.path.normpath(base / name)
                found.setdefault(folder, graph.document.at(key, i))
        _read_parameter_files(graph, project)
    _read_node_types(folders, project)
    _read_installed(project, message_folders)
    distro = root.document.data.get("distro", "jazzy")
    project.messages = load_messages(distro, message_folders, problems)
    return project


def walk(graph: GraphFile) -> Iterator[GraphFile]:
    """Yield a graph file and all that it is composed of."""
    yield graph
    for part in graph.parts.values():
        yield from walk(part)


def _graph_file(
    path: Path, asked_at: Location | None, above: tuple[Path, ...], problems: list[Problem]
) -> GraphFile | None:
    resolved = path.resolve()
    if resolved in above:
        chain = " -> ".join(display(p) for p in (*above[above.index(resolved) :], resolved))
        problems.append(
            Problem(
                "graph-cycle",
                f"the graph contains itself: {chain}",
                asked_at,
                expected="a composition without a cycle",
            )
        )
        return None
    try:
        document = _read(path, "graph", asked_at)
    except InputError as error:
        problems += error.problems
        return None
    graph = GraphFile(document)
    for key, entry in document.data.get("graphs", {}).items():
        location = document.at("graphs", key, "file")
        part = _graph_file(path.parent / entry["file"], location, (*above, resolved), problems)
        if part:
            graph.parts[key] = part
    return graph


def _read_parameter_files(graph: GraphFile, project: Project) -> None:
    document = graph.document
    for key, node in document.data.get("nodes", {}).items():
        for i, name in enumerate(node.get("parameter_files", ())):
            path = Path(document.file).parent / name
            if str(path) in project.parameter_files:
                continue
            try:
                location = document.at("nodes", key, "parameter_files", i)
                project.parameter_files[str(path)] = _read(path, None, location, ros=True)
                project.inputs.append(display(path))
            except InputError as error:
                project.problems += error.problems


def _read_node_types(folders: dict[str, Location], project: Project) -> None:
    """Read every node.yaml below the search paths; a type that two files define is refused."""
    places: list[tuple[Path, Location | None]] = [(node_packages_dir(), None)]
    places += [(Path(f), location) for f, location in sorted(folders.items())]
    seen: set[Path] = set()
    for folder, asked_at in places:
        if not folder.is_dir():
            project.problems.append(_missing(folder, asked_at, "folder"))
            continue
        for path in _node_files(folder):
            if path.resolve() not in seen:
                seen.add(path.resolve())
                _read_node_type(path, project)


def _read_installed(project: Project, messages: dict[str, Location]) -> None:
    """Read the packages with node types that the graph needs, and that no folder had."""
    known = {*project.node_types, *project.broken_types}
    wanted = [(at, name) for at, name in _wanted_types(project) if name not in known]
    installed = packages().values() if wanted else ()
    for asked_at, name in wanted:
        package = next((p for p in installed if name in p.nodes), None)
        if name in known or package is None:
            continue
        for node_type, path in sorted(package.nodes.items()):
            if node_type not in known:
                known.add(node_type)
                _read_node_type(path, project)
        own = {Path(folder).name for folder in messages}
        for folder in package.messages:
            if folder.name not in own:
                messages[str(folder)] = asked_at


def _wanted_types(project: Project) -> Iterator[tuple[Location, str]]:
    for graph in walk(project.root):
        document = graph.document
        for key, node in document.data.get("nodes", {}).items():
            yield document.at("nodes", key, "type"), node["type"]
        for name, variant in document.data.get("variants", {}).items():
            for i, fusion in enumerate(variant.get("fuse", ())):
                yield document.at("variants", name, "fuse", i), fusion["as"]


def _node_files(folder: Path) -> list[Path]:
    found: list[Path] = []
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(f for f in folders if f not in _SKIPPED)
        if "node.yaml" in files:
            found.append(Path(root) / "node.yaml")
    return found


def _read_node_type(path: Path, project: Project) -> None:
    try:
        document = _read(path, None, None)
    except InputError as error:
        project.problems += error.problems
        return
    problems = validate(document, "node")
    if problems:
        project.problems += problems
        if isinstance(document.data, dict):
            project.broken_types.add(str(document.data.get("type")))
        return
    name = document.data["type"]
    if name in project.node_types:
        other = project.node_types[name].at("type")
        project.problems.append(
            Problem(
                "node-type-duplicate",
                f"the node type '{name}' is defined twice",
                document.at("type"),
                notes=(("it is also defined here", other),),
            )
        )
        return
    _check_sources(document, path.parent, project.problems)
    project.node_types[name] = document


def _check_sources(document: Document, folder: Path, problems: list[Problem]) -> None:
    for kind, implementation in document.data["implementations"].items():
        for i, source in enumerate(implementation.get("sources", ())):
            if not (folder / source).is_file():
                location = document.at("implementations", kind, "sources", i)
                problems.append(_missing(folder / source, location, "source file"))


def platform_names(folder: Path) -> str:
    """Return the names of the platforms below a folder, for messages."""
    return listing(p.parent.name for p in folder.glob("*/platform.yaml"))
