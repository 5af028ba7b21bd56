# SPDX-License-Identifier: Apache-2.0
"""`ligament doctor`: what is installed, what is missing, and what that costs."""

from __future__ import annotations

import typer
from rich.console import Console
from rich.table import Table

from ligament.cli.common import JsonOption, print_json
from ligament.doctor.checks import Finding, run_checks

_MARKS = {"ok": "[green]ok[/]", "missing": "[bold red]missing[/]", "absent": "[yellow]absent[/]"}


def doctor(json: JsonOption = False) -> None:
    """Say what is installed, what is missing, what each missing part costs, and how to get it.

    Exit code 1 if something is missing without which no graph runs; 0 otherwise.
    """
    findings = run_checks()
    missing = [f.check.name for f in findings if f.state == "missing"]
    if json:
        rows = [finding.to_json() for finding in findings]
        print_json({"schema": "ligament/doctor/1", "ok": not missing, "checks": rows})
    else:
        _print(findings, missing)
    raise typer.Exit(1 if missing else 0)


def _print(findings: list[Finding], missing: list[str]) -> None:
    table = Table(box=None, pad_edge=False)
    for title in ("part", "", "found, or what is lost without it and how to get it"):
        table.add_column(title, overflow="fold")
    group = ""
    for finding in findings:
        if finding.check.group != group:
            group = finding.check.group
            table.add_row(f"[bold]{group}[/]")
        text = finding.found or f"{finding.check.cost}\n[dim]get it: {finding.check.fix}[/]"
        table.add_row(f"  {finding.check.name}", _MARKS[finding.state], text)
    Console().print(table)
    if missing:
        print(f"required, but missing: {', '.join(missing)}")
