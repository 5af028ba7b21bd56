# SPDX-License-Identifier: Apache-2.0
"""`ligament check`: the first stage."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ligament.artefacts import graph_folder, write_json
from ligament.cli.common import GraphArgument, JsonOption, graph_path, print_json, warn
from ligament.graph import Graph, load_graph

Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", metavar="DIR", help="Also write DIR/<graph>/graph.json."),
]


def check(graph: GraphArgument = ".", out: Out = None, json: JsonOption = False) -> None:
    """Check a graph and everything that it refers to.

    Every problem is shown with its file, line and column, what was expected and the nearest name.
    Exit code 2 if there is any.

    Examples:

    `ligament check examples/perception`

    `ligament check graph.yaml --json > graph.json` writes the normalised graph, which any later
    verb takes in place of graph.yaml.
    """
    checked = load_graph(graph_path(graph))
    if out is not None:
        write_json(graph_folder(checked.name, out) / "graph.json", checked.to_json())
    warn(checked.warnings)
    if json:
        print_json(checked.to_json())
    else:
        print(summary(checked))


def summary(graph: Graph) -> str:
    """Return the graph in one line."""
    parts = [
        (len(graph.nodes), "node"),
        (len(graph.topics), "topic"),
        (len(graph.variants), "variant"),
    ]
    counted = ", ".join(f"{n} {what}{'s' * (n != 1)}" for n, what in parts)
    return f"{graph.name}: {counted}; no problem found"
