# SPDX-License-Identifier: Apache-2.0
"""`ligament build`: the fourth stage."""

from __future__ import annotations

import json as json_module
import time
from pathlib import Path
from typing import Annotated

import typer

from ligament.artefacts import read_json
from ligament.build.progress import progress_bar
from ligament.build.stage import Built
from ligament.build.stage import build as build_manifest
from ligament.build.synthesis import over_budget, synthesise
from ligament.build.target import Target as BuildTarget
from ligament.build.target import read_target, target_of
from ligament.cli.common import ChosenMapping, JsonOption, print_json, with_chosen
from ligament.errors import InputError, Problem
from ligament.pipeline import built

Target = Annotated[
    str,
    typer.Argument(metavar="GRAPH", help="A graph, as everywhere, or a generated manifest.json."),
]
Jobs = Annotated[
    int | None,
    typer.Option("--jobs", "-j", min=1, help="Parallel compile jobs; default: one per core."),
]
Synth = Annotated[
    bool,
    typer.Option("--synth", help="Synthesise the FPGA designs too: cells, budget, timing."),
]
TargetPrefix = Annotated[
    Path | None,
    typer.Option(
        "--target",
        metavar="PREFIX",
        help="Build for another architecture: where a Ligament runtime for it is installed, as "
        "`dev/arm64` makes one. Artefacts lie in DIR/<architecture>/.",
    ),
]


@with_chosen
def build(
    chosen: ChosenMapping,
    graph: Target = ".",
    jobs: Jobs = None,
    synth: Synth = False,
    target: TargetPrefix = None,
    json: JsonOption = False,
) -> None:
    """Build what a variant needs: one library per node type, shared by all variants of the graph.

    Checks, maps and generates first. Compile errors are shown with your own files first; the full
    log's path follows. With nothing changed it is done in less than a second.

    With --synth the generated FPGA designs are synthesised for the platform's family, placed and
    routed by open tools, and held against its budget: exit 2 where they need more than there is.

    With --target everything is compiled for a board, and `start.sh` beside build.json starts it
    there without Python. `ligament run` of that build.json runs it here, where an emulator is.

    Examples:

    `ligament build examples/perception`

    `ligament build build/perception/fused/manifest.json`

    `ligament build examples/threshold --variant hardware --platform fpga_sim --synth`

    `ligament build examples/perception --target build/arm64/install`
    """
    started = time.monotonic()
    other = _target_for(Path(graph), None if target is None else read_target(target))
    with progress_bar() as progress:
        if Path(graph).name == "manifest.json":
            result = build_manifest(Path(graph), jobs, progress, other)
        else:
            result = built(chosen.request(graph), jobs, progress, other)
    if synth:
        _synthesise(result, json, other)
    if json:
        print_json(json_module.loads(result.build.read_text(encoding="utf-8")))
    elif result.compiled:
        print(f"{result.build}: built in {time.monotonic() - started:.1f} s")
    else:
        print(f"{result.build}: nothing changed")


def _target_for(graph: Path, given: BuildTarget | None) -> BuildTarget | None:
    """Return what to build for: of a manifest, that of its folder, whose libraries all share."""
    if graph.name != "manifest.json":
        return given
    if given is None:
        record = graph.with_name("build.json")
        return target_of(read_json(record, "build the graph anew")) if record.is_file() else None
    if graph.resolve().parent.parent.parent.name == given.architecture:
        return given
    raise InputError(
        Problem(
            "manifest-foreign",
            f"{graph} was generated for another machine than {given.architecture}",
            expected="a graph with --target, which is generated into a folder of the architecture",
        )
    )


def _synthesise(result: Built, json: bool, other: BuildTarget | None) -> None:
    """Synthesise what was generated, put it into build.json, and refuse what is too large."""
    found = synthesise(result.build.parent)
    build_manifest(result.build.with_name("manifest.json"), target=other)
    if not json:
        from rich.console import Console  # noqa: PLC0415 - only here something is drawn

        from ligament.build.synthesis.terminal import print_synthesis  # noqa: PLC0415

        print_synthesis(Console(), found)
    if problems := over_budget(found, result.build.parent):
        raise InputError(problems)
