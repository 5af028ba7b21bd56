# SPDX-License-Identifier: Apache-2.0
"""`ligament report`: the seventh stage."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ligament.artefacts import write_json
from ligament.cli.common import JsonOption, print_json
from ligament.report.stage import ReportOptions, make_report
from ligament.report.terminal import print_report, report_console
from ligament.report.variant import WARM_UP_FRAMES

Runs = Annotated[
    list[Path], typer.Argument(metavar="RUN_DIR...", help="Folders of traced runs of one graph.")
]
Reference = Annotated[
    str | None,
    typer.Option("--reference", metavar="VARIANT", help="What the others are compared with."),
]
Expected = Annotated[
    Path | None,
    typer.Option("--expected", metavar="FILE", help="Frames that something else computed (jsonl)."),
]
WarmUp = Annotated[
    int, typer.Option("--warm-up", min=0, metavar="N", help="First frames to leave out.")
]
Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", metavar="FILE", help="Default: report.json beside the first run."),
]


def report(
    runs: Runs,
    reference: Reference = None,
    expected: Expected = None,
    warm_up: WarmUp = WARM_UP_FRAMES,
    out: Out = None,
    json: JsonOption = False,
) -> None:
    """Say where the time went, and whether the variants' outputs are equal.

    Exit code 1 if outputs differ: a time is worth nothing beside a wrong result.

    Example: `ligament report build/perception/*/runs/*`
    """
    made = make_report(runs, ReportOptions(reference, expected, warm_up))
    folder = runs[0].parent if runs[0].name == "run.json" else runs[0]
    path = out or folder / "report.json"
    write_json(path, made)
    if json:
        print_json(made)
    else:
        print_report(made, report_console())
        print(f"report: {path}")
    raise typer.Exit(0 if all(variant["equal"] is not False for variant in made["variants"]) else 1)
