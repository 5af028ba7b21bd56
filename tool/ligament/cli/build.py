# SPDX-License-Identifier: Apache-2.0
"""`ligament build`: the fourth stage."""

from __future__ import annotations

import json as json_module
import time
from pathlib import Path
from typing import Annotated

import typer

from ligament.artefacts import DEFAULT_OUT
from ligament.build.progress import progress_bar
from ligament.build.stage import build as build_manifest
from ligament.cli.common import (
    JsonOption,
    MappingOption,
    OutOption,
    PlatformOption,
    VariantOption,
    graph_path,
    print_json,
)
from ligament.pipeline import Request, built

Target = Annotated[
    str,
    typer.Argument(metavar="GRAPH", help="A graph, as everywhere, or a generated manifest.json."),
]
Jobs = Annotated[
    int | None,
    typer.Option("--jobs", "-j", min=1, help="Parallel compile jobs; default: one per core."),
]


def build(
    graph: Target = ".",
    variant: VariantOption = None,
    platform: PlatformOption = "host",
    mapping: MappingOption = None,
    jobs: Jobs = None,
    out: OutOption = DEFAULT_OUT,
    json: JsonOption = False,
) -> None:
    """Build what a variant needs: one library per node type, shared by all variants of the graph.

    Checks, maps and generates first. Compile errors are shown with your own files first; the full
    log's path follows. With nothing changed it is done in less than a second.

    Examples:

    `ligament build examples/perception`

    `ligament build build/perception/fused/manifest.json`
    """
    started = time.monotonic()
    with progress_bar() as progress:
        if Path(graph).name == "manifest.json":
            result = build_manifest(Path(graph), jobs, progress)
        else:
            request = Request(graph_path(graph), variant, platform, out, mapping)
            result = built(request, jobs, progress)
    if json:
        print_json(json_module.loads(result.build.read_text(encoding="utf-8")))
    elif result.compiled:
        print(f"{result.build}: built in {time.monotonic() - started:.1f} s")
    else:
        print(f"{result.build}: nothing changed")
