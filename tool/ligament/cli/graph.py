# SPDX-License-Identifier: Apache-2.0
"""`ligament graph`: draw a mapped graph."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ligament.artefacts import write_text
from ligament.cli.common import (
    GraphArgument,
    JsonOption,
    PlatformOption,
    VariantOption,
    graph_path,
    platform_here,
    print_json,
)
from ligament.cli.live import (
    DomainIdOption,
    LookOptions,
    QuietOption,
    drafted,
    finish_draft,
    seen_now,
)
from ligament.errors import counted
from ligament.graph import load_graph
from ligament.mapping import GraphMapping, load_mapping, load_platform, planned
from ligament.mapping.elsewhere import map_or_tell

Svg = Annotated[
    Path | None,
    typer.Option("--svg", "-s", metavar="FILE", help="Write the picture as SVG to FILE."),
]
Mapped = Annotated[
    Path | None, typer.Option("--mapping", metavar="FILE", help="Draw this mapping.json instead.")
]


Live = Annotated[
    bool,
    typer.Option(
        "--live",
        help="Of what runs in the ROS 2 domain now, on whatever middleware: write a graph.yaml "
        "that starts it, and its picture.",
    ),
]
Written = Annotated[
    Path,
    typer.Option("--out", "-o", metavar="FILE", help="With --live: the graph.yaml to write."),
]


def graph(
    graph: GraphArgument = ".",
    variant: VariantOption = None,
    platform: PlatformOption = None,
    mapping: Mapped = None,
    svg: Svg = None,
    live: Live = False,
    out: Written = Path("live/graph.yaml"),
    domain_id: DomainIdOption = None,
    quiet: QuietOption = 2.0,
    json: JsonOption = False,
) -> None:
    """Draw a graph, coloured by device and transport.

    On the terminal, or as a self-contained SVG. The graph is mapped on paper for this: back-ends
    that are not installed are drawn too. With --live a graph.yaml of a running ROS 2 system is
    written instead: its processes, with their command lines, become executables of the graph.

    Examples:

    ligament graph examples/perception

    ligament graph examples/perception --variant fused --svg graph.svg

    ligament graph --live --out robot/graph.yaml
    """
    if live:
        _write_live(out, LookOptions(domain_id, quiet), as_json=json)
        return
    drawn = load_mapping(mapping) if mapping else _mapped(graph, variant, platform)
    if svg is not None:
        from ligament.draw.svg import svg_picture  # noqa: PLC0415

        write_text(svg, svg_picture(drawn))
    if json:
        print_json(drawn.to_json())
    elif svg is not None:
        nodes, topics = counted(len(drawn.nodes), "node"), counted(len(drawn.topics), "topic")
        print(f"{svg}: {drawn.graph}, {nodes}, {topics}")
    else:
        from rich.console import Console  # noqa: PLC0415

        from ligament.draw.terminal import terminal_picture  # noqa: PLC0415

        Console().print(terminal_picture(drawn))


def _write_live(path: Path, options: LookOptions, *, as_json: bool) -> None:
    from ligament.live.write import require_new  # noqa: PLC0415 - slow to import

    require_new(path)
    draft = drafted(path, seen_now(options))
    draft.description = "A running system, as it was seen."
    finish_draft(draft, path, as_json=as_json)


def _mapped(graph: str, variant: str | None, platform: str | None) -> GraphMapping:
    path = graph_path(graph)
    target = load_platform(platform or platform_here(path))
    return map_or_tell(load_graph(path), target, variant, planned())
