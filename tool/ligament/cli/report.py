# SPDX-License-Identifier: Apache-2.0
"""`ligament report`: the seventh stage."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ligament.artefacts import write_json
from ligament.cli.common import JsonOption, open_page, print_json, warn
from ligament.errors import InputError, Problem
from ligament.report.kept import report_of
from ligament.report.options import WARM_UP_FRAMES, ReportOptions
from ligament.report.recorded import recorded
from ligament.report.terminal import print_report, report_console

Runs = Annotated[
    list[Path],
    typer.Argument(
        metavar="RUN_DIR...",
        help="Folders of traced runs of one graph; with --compare BASE and NEW. Of several, those "
        "without trace are left out.",
    ),
]
Reference = Annotated[
    str | None,
    typer.Option("--reference", metavar="VARIANT", help="What the others are compared with."),
]
Expected = Annotated[
    Path | None,
    typer.Option(
        "--expected",
        metavar="FILE",
        help="What the sink should have recorded (jsonl of another run).",
    ),
]
WarmUp = Annotated[
    int, typer.Option("--warm-up", min=0, metavar="N", help="First frames to leave out.")
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", metavar="FILE", help="Default: report.json in the first run's folder."
    ),
]
Html = Annotated[
    Path | None, typer.Option("--html", metavar="FILE", help="Write the page as well.")
]
Open = Annotated[
    bool,
    typer.Option("--open", help="Write the page (report.html beside report.json) and open it."),
]
Compare = Annotated[
    bool,
    typer.Option(
        "--compare",
        help="Compare BASE and NEW, each a report.json or a run's folder. Exit 1: regression.",
    ),
]
Threshold = Annotated[
    float,
    typer.Option("--threshold", min=0.0, metavar="PERCENT", help="What --compare lets pass."),
]


def report(
    runs: Runs,
    reference: Reference = None,
    expected: Expected = None,
    warm_up: WarmUp = WARM_UP_FRAMES,
    out: Out = None,
    html: Html = None,
    open_: Open = False,
    compare: Compare = False,
    threshold: Threshold = 5.0,
    json: JsonOption = False,
) -> None:
    """Say where the time went, and whether the variants' outputs are equal.

    Exit code 1 if outputs differ: a time is worth nothing beside a wrong result.

    Examples:

    ligament report build/perception/*/runs/* --html report.html

    ligament report build/perception/processes/runs/* --out new.json

    ligament report --compare main.json new.json --threshold 5
    """
    if compare:
        _compare(runs, ReportOptions(reference, expected, warm_up), threshold / 100, json)
    runs, left_out = recorded(runs)
    warn(tuple(f"{path}: run without --trace; left out" for path in left_out))
    made = report_of(runs, ReportOptions(reference, expected, warm_up))
    folder = runs[0].parent if runs[0].name == "run.json" else runs[0]
    path = out or folder / "report.json"
    write_json(path, made)
    page = _page(made, path, html, open_)
    if json:
        print_json(made)
    else:
        print_report(made, report_console())
        print(f"report: {path}")
        if page is not None:
            print(f"page: {page}")
    if open_ and page is not None:
        open_page(page)
    raise typer.Exit(0 if all(variant["equal"] is not False for variant in made["variants"]) else 1)


def _page(made: dict[str, Any], report_path: Path, html: Path | None, wanted: bool) -> Path | None:
    """Write the page where it was asked for."""
    if html is None and not wanted:
        return None
    from ligament.report.page.make import make_page  # noqa: PLC0415 - only a page needs it

    return make_page(made, html or report_path.with_suffix(".html"))


def _compare(paths: list[Path], options: ReportOptions, threshold: float, json: bool) -> None:
    """The regression gate."""
    from ligament.report.compare import compare, read_report  # noqa: PLC0415 - only the gate needs it
    from ligament.report.compare_terminal import print_comparison  # noqa: PLC0415

    if len(paths) != 2:
        problem = Problem(
            "compare-two",
            f"--compare takes two reports, and {len(paths)} were named",
            expected="ligament report --compare BASE NEW",
        )
        raise InputError(problem)
    base, new = (
        report_of([path], options) if (path / "run.json").is_file() else read_report(path)
        for path in paths
    )
    made = compare(base, new, threshold)
    if json:
        print_json(made)
    else:
        print_comparison(made, report_console())
    raise typer.Exit(1 if made["regressions"] else 0)
