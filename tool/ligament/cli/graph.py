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
    print_json,
)
from ligament.graph import load_graph
from ligament.mapping import GraphMapping, load_mapping, load_platform, map_graph, planned

Svg = Annotated[
    Path | None,
    typer.Option("--svg", "-s", metavar="FILE", help="Write the picture as SVG to FILE."),
]
Mapped = Annotated[
    Path | None, typer.Option("--mapping", metavar="FILE", help="Draw this mapping.json instead.")
]


def graph(
    graph: GraphArgument = ".",
    variant: VariantOption = None,
    platform: PlatformOption = "host",
    mapping: Mapped = None,
    svg: Svg = None,
    json: JsonOption = False,
) -> None:
    """Draw a graph, coloured by device and transport.

    On the terminal, or as a self-contained SVG. The graph is mapped on paper for this: back-ends
    that are not installed are drawn too.

    Examples:

    ligament graph examples/perception

    ligament graph examples/perception --variant fused --svg graph.svg
    """
    drawn = load_mapping(mapping) if mapping else _mapped(graph, variant, platform)
    if svg is not None:
        from ligament.draw.svg import svg_picture  # noqa: PLC0415

        write_text(svg, svg_picture(drawn))
    if json:
        print_json(drawn.to_json())
    elif svg is not None:
        print(f"{svg}: {drawn.graph}, {len(drawn.nodes)} nodes, {len(drawn.topics)} topics")
    else:
        from rich.console import Console  # noqa: PLC0415

        from ligament.draw.terminal import terminal_picture  # noqa: PLC0415

        Console().print(terminal_picture(drawn))


def _mapped(graph: str, variant: str | None, platform: str) -> GraphMapping:
    return map_graph(load_graph(graph_path(graph)), load_platform(platform), variant, planned())
