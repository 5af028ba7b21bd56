# SPDX-License-Identifier: Apache-2.0
"""`ligament advise`: what to change, and what that would do."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ligament.artefacts import DEFAULT_OUT, variant_folder, write_json
from ligament.cli.common import GraphArgument, JsonOption, OutOption, graph_path, print_json
from ligament.errors import InputError, Problem

if TYPE_CHECKING:
    from ligament.advise.stage import Advice, Asked

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

Passes = Annotated[
    int, typer.Option("--passes", min=1, metavar="N", help="How often --check runs each change.")
]

Only = Annotated[
    list[str] | None,
    typer.Option("--only", metavar="CHANGE", help="Only this change; may be repeated."),
]


def advise(
    graph: GraphArgument = ".",
    runs: Runs = None,
    check: Check = False,
    passes: Passes = 3,
    only: Only = None,
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
    asked = Asked(graph_path(graph), graph, runs, out, tuple(only or ()))
    found = advice_of(asked, _say)
    data = found.data
    if not json:
        print(advice_text(data), flush=True)
    if check:
        data["checks"] = _checked(asked, found, passes, json)
    folder = variant_folder(data["graph"], data["variant"], out)
    write_json(folder / "advise" / "advice.json", data)
    if json:
        print_json(data)


def _say(text: str) -> None:
    print(f"advise: {text}", file=sys.stderr, flush=True)


def _checked(asked: Asked, found: Advice, passes: int, quiet: bool) -> list[dict[str, Any]]:
    """Run the changes; each is told as soon as it is known."""
    from ligament.advise.check import check, plan_of  # noqa: PLC0415 - rarely wanted
    from ligament.advise.terminal import checked_text  # noqa: PLC0415

    if not quiet:
        print("\nPredicted and measured:", flush=True)
    checks = []
    for one in check(asked, found, plan_of(found, passes), _say):
        checks.append(one.to_json())
        if not quiet:
            print(checked_text(one), flush=True)
    return checks
