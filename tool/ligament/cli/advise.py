# SPDX-License-Identifier: Apache-2.0
"""`ligament advise`: what to change, and what that would do."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ligament.artefacts import DEFAULT_OUT, variant_folder, write_json
from ligament.cli.common import GraphArgument, JsonOption, OutOption, graph_path, print_json
from ligament.errors import InputError, Problem

Runs = Annotated[
    list[Path] | None,
    typer.Option(
        "--runs",
        metavar="RUN_DIR",
        help="A traced run's folder; may be repeated. Advice is for the first one; the others "
        "tell what messages and nodes cost elsewhere.",
    ),
]
Check = Annotated[
    bool,
    typer.Option(
        "--check", help="Run every change that can run here, and show predicted beside measured."
    ),
]


def advise(
    graph: GraphArgument = ".",
    runs: Runs = None,
    check: Check = False,
    out: OutOption = DEFAULT_OUT,
    json: JsonOption = False,
) -> None:
    """Say what holds a chain back, and predict what each change would do.

    From a traced run. Each change has its predicted chain with an interval of 95 %, what it costs,
    what the prediction is based on, and the command that tries it.

    Examples:

    ligament advise examples/perception --runs build/perception/processes/runs/20260101-120000

    ligament advise graph.yaml --runs RUN_DIR --runs OTHER_RUN_DIR --json
    """
    from ligament.advise.stage import Asked  # noqa: PLC0415 - slow to import
    from ligament.advise.stage import advise as advice_of  # noqa: PLC0415
    from ligament.advise.terminal import advice_text  # noqa: PLC0415

    if not runs:
        raise InputError(
            Problem(
                "advise-runs",
                "advice needs a traced run",
                expected="--runs RUN_DIR",
                hint="record one: ligament run GRAPH --trace; it prints its folder",
            )
        )
    found = advice_of(Asked(graph_path(graph), graph, runs, out))
    data = found.data
    folder = variant_folder(data["graph"], data["variant"], out)
    write_json(folder / "advise" / "advice.json", data)
    if json:
        print_json(data)
    else:
        print(advice_text(data))
