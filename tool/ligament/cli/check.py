# SPDX-License-Identifier: Apache-2.0
"""`ligament check`: the first stage."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ligament import cache
from ligament.artefacts import graph_folder, json_text, write_json
from ligament.cli.common import GraphArgument, JsonOption, graph_path, print_json, warn_of
from ligament.errors import counted, render_problem
from ligament.graph import Graph, load_graph
from ligament.resources import firmware_dir, platforms_dir

Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", metavar="DIR", help="Also write DIR/<graph>/graph.json."),
]


Platform = Annotated[
    str | None,
    typer.Option(
        "--platform",
        "-p",
        metavar="PLATFORM",
        help="Warn of variants that do not fit this one. Default: those that fit no known one.",
    ),
]


def check(
    graph: GraphArgument = ".",
    platform: Platform = None,
    out: Out = None,
    json: JsonOption = False,
) -> None:
    """Check a graph and everything that it refers to.

    Every problem is shown with its file, line and column, what was expected and the nearest name.
    Exit code 2 if there is any. A variant that `map` would refuse is a warning.

    Examples:

    `ligament check examples/perception`

    `ligament check graph.yaml --json > graph.json` writes the normalised graph, which any later
    verb takes in place of graph.yaml.
    """
    checked = load_graph(graph_path(graph))
    if out is not None:
        write_json(graph_folder(checked.name, out) / "graph.json", checked.to_json())
    warn_of(checked)
    refused = [*_misspelt(checked), *_refused(checked, platform)]
    for warning in refused:
        print(warning, file=sys.stderr)
    if json:
        print_json(checked.to_json())
    else:
        print(summary(checked, len(checked.warnings) + len(refused)))


def _misspelt(graph: Graph) -> list[str]:
    """Executables that their packages have not, as it is shown; where this shell knows them."""
    if not graph.executables:
        return []
    from ligament.run.executables import misspelt_programs  # noqa: PLC0415 - slow to import

    found = misspelt_programs(graph.executables)
    return [render_problem(problem, severity="warning") for problem in found]


def _refused(graph: Graph, platform: str | None) -> list[str]:
    """Why variants cannot be mapped, as it is shown; from the cache where nothing has changed."""
    files = [*platforms_dir().rglob("*.yaml"), *Path(__file__).parent.parent.rglob("*.py")]
    files += (firmware_dir() / "board").glob("*/memory.json")
    if platform and Path(platform).is_file():
        files.append(Path(platform))
    for folder in graph.message_packages.values():
        files += (file for file in Path(folder).rglob("*") if file.is_file())
    entry = cache.key(cache.fingerprint(sorted(files)), json_text(graph.to_json()), str(platform))
    kept = cache.get("refused", entry)
    if isinstance(kept, list):
        return kept
    from ligament.mapping.elsewhere import told_where  # noqa: PLC0415 - slow to import
    from ligament.mapping.files import load_platform, platform_names  # noqa: PLC0415 - slow
    from ligament.mapping.refused import refused_variants  # noqa: PLC0415 - slow to import

    found = refused_variants(graph, platform_names(platform), load_platform)
    texts = [render_problem(problem, severity="warning") for problem in told_where(found)]
    cache.put("refused", entry, texts)
    return texts


def summary(graph: Graph, warnings: int = 0) -> str:
    """Return the graph in one line."""
    beside = {topic for one in graph.executables.values() for _, topic, _ in one.ends()}
    parts = [
        (len(graph.nodes), "node"),
        (len({*graph.topics, *beside}), "topic"),
        (len(graph.variants), "variant"),
    ]
    if graph.executables:
        parts.insert(1, (len(graph.executables), "executable"))
    warned = f"no error, {counted(warnings, 'warning')}"
    found = warned if warnings else "no problem found"
    has = ", ".join(counted(number, noun) for number, noun in parts)
    return f"{graph.name}: {has}; {found}"
