# SPDX-License-Identifier: Apache-2.0
"""The stages one after the other, for verbs that need an earlier artefact to be fresh.

Each stage is quick when nothing changed and leaves files alone that are right already, so there is
no second notion of "stale": `run` simply asks for everything before it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from ligament.artefacts import DEFAULT_OUT, graph_folder, variant_folder, write_json
from ligament.build.ninja import Progress
from ligament.build.stage import Built, build
from ligament.build.target import Target
from ligament.generate.stage import Generated, generate
from ligament.graph import Graph, load_graph
from ligament.mapping import GraphMapping, load_mapping, load_platform
from ligament.mapping.elsewhere import map_or_tell
from ligament.run.wave import with_waveforms


@dataclass(frozen=True)
class Request:
    """Which variant of which graph, on which platform, and where the artefacts go."""

    graph: Path
    variant: str | None = None
    platform: str = "host"
    out: Path = DEFAULT_OUT
    mapping: Path | None = None
    """A mapping to use as it is, instead of one made by the map stage."""
    waveforms: bool = False
    """Whether designs can write their signals (`ligament run --wave`)."""


def mapped(request: Request) -> tuple[Graph, GraphMapping]:
    """Check and map; writes graph.json and mapping.json."""
    if request.mapping is not None:
        mapping = load_mapping(request.mapping)
        # It may have fused nodes of which no variant of the graph tells.
        graph = load_graph(request.graph, {node.type for node in mapping.nodes.values()})
    else:
        graph = load_graph(request.graph)
        mapping = map_or_tell(graph, load_platform(request.platform), request.variant)
    if request.waveforms:
        mapping = with_waveforms(mapping)
    write_json(graph_folder(graph.name, request.out) / "graph.json", graph.to_json())
    folder = variant_folder(graph.name, mapping.variant, request.out)
    write_json(folder / "mapping.json", mapping.to_json())
    return graph, mapping


def generated(request: Request) -> Generated:
    """Check, map and generate."""
    graph, mapping = mapped(request)
    folder = variant_folder(graph.name, mapping.variant, request.out)
    made = generate(graph, mapping, folder)
    if any(figures.get("backend") == "uio" for figures in mapping.hardware.values()):
        from ligament.export.boards import export_boards  # noqa: PLC0415 - it needs this module

        export_boards(graph, mapping, folder)
    return made


def built(
    request: Request,
    jobs: int | None = None,
    progress: Progress | None = None,
    target: Target | None = None,
) -> Built:
    """Check, map, generate and build; for another architecture in a folder of its name."""
    if target is not None:
        request = replace(request, out=request.out / target.architecture)
    return build(generated(request).manifest, jobs, progress, target)
