# SPDX-License-Identifier: Apache-2.0
"""What packages of the prefixes in `AMENT_PREFIX_PATH` bring: their index files, read and checked.

The tool's own prefix comes last: what was installed with it (a wheel brings examples, built).

Another build wrote these files, so each line is looked at: a path leads to something that is there,
below the package's own folder. A line of a kind that this version does not know is passed over.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ligament import resources
from ligament.errors import InputError, Location, Problem, listing, nearest

VARIABLE = "AMENT_PREFIX_PATH"
INDEX = Path("share") / "ament_index" / "resource_index" / "ligament"
#: Words of a line of each kind; the last is a path.
WORDS = {"node": 3, "messages": 2, "graph": 3, "built": 2}


@dataclass(frozen=True)
class Package:
    """An installed package: paths of its node.yaml by type, of its graphs by name, and the rest."""

    name: str
    prefix: Path
    nodes: dict[str, Path]
    graphs: dict[str, Path]
    messages: tuple[Path, ...]
    built: tuple[Path, ...]


def index_file(prefix: Path, package: str) -> Path:
    """Return where a package's index lies in a prefix."""
    return prefix / INDEX / package


def share_of(prefix: Path, package: str) -> Path:
    """Return the folder that the paths of an index are relative to."""
    return prefix / "share" / package / "ligament"


def packages() -> dict[str, Package]:
    """Return the packages by name; of two of one name, that of the first prefix counts."""
    found: dict[str, Package] = {}
    for word in (*os.environ.get(VARIABLE, "").split(os.pathsep), str(resources.prefix())):
        folder = Path(word) / INDEX
        if not word or not folder.is_dir():
            continue
        for file in sorted(folder.iterdir()):
            if file.name not in found and not file.name.startswith("."):
                found[file.name] = read_index(Path(word).resolve(), file.name)
    return found


def read_index(prefix: Path, name: str) -> Package:
    """Return what an index says; raise InputError with the line that is wrong."""
    file = index_file(prefix, name)
    package = Package(name, prefix, {}, {}, (), ())
    messages: list[Path] = []
    built: list[Path] = []
    for kind, word, path in _lines(file, share_of(prefix, name)):
        if kind == "node":
            package.nodes[word] = path
        elif kind == "graph":
            package.graphs[word] = path
        else:
            (messages if kind == "messages" else built).append(path)
    return Package(name, prefix, package.nodes, package.graphs, tuple(messages), tuple(built))


def _lines(file: Path, share: Path) -> Iterator[tuple[str, str, Path]]:
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(_wrong(file, 1, f"cannot be read: {error}")) from error
    for number, line in enumerate(text.splitlines(), 1):
        kind, _, rest = line.partition(" ")
        if kind not in WORDS:
            continue
        words = rest.split(" ", WORDS[kind] - 2)  # a path may have spaces
        path = PurePosixPath(words[-1])
        if len(words) != WORDS[kind] - 1 or path.is_absolute() or ".." in path.parts:
            raise InputError(_wrong(file, number, f"has no path below its package: '{line}'"))
        if not (share / path).exists():
            raise InputError(_wrong(file, number, f"names '{path}', which is not in {share}"))
        yield kind, words[0], share / path


def _wrong(file: Path, line: int, what: str) -> Problem:
    return Problem(
        "index-broken",
        f"the index of the installed package '{file.name}' {what}",
        Location(str(file), line),
        hint=f"build and install it again, or take its prefix out of {VARIABLE}",
    )


def graph_of(word: str) -> Path | None:
    """Return the graph that `PACKAGE/NAME` names, if a package of that name is installed."""
    name, slash, graph = word.partition("/")
    if not slash or "/" in graph or name not in (known := packages()):
        return None
    graphs = known[name].graphs
    if graph not in graphs:
        raise InputError(
            Problem(
                "graph-unknown",
                f"the package '{name}' has no graph '{graph}'",
                expected=f"one of {listing(graphs)}" if graphs else "a package with graphs",
                hint=nearest(graph, graphs),
            )
        )
    return graphs[graph]
