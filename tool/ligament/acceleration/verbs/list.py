# SPDX-License-Identifier: Apache-2.0
"""A star marks the selected one. Platforms of the workspace lie in acceleration/firmware/NAME;
those that ship with Ligament are `built-in`; `convention` are folders of the published layout
(BOARD, SOC, ...), which say less. A broken one is listed with what is wrong: exit code 2.
"""

from __future__ import annotations

import argparse
from typing import Any

from ligament.acceleration.output import print_json
from ligament.acceleration.workspace import Workspace
from ligament.errors import InputError

HELP = "List the platforms that can be selected."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """It has none of its own."""


def main(arguments: argparse.Namespace, workspace: Workspace) -> int:
    """List; 2 if one is broken."""
    selected = workspace.selected_name()
    rows = [_row(workspace, name, selected) for name in workspace.names()]
    if arguments.json:
        print_json({"selected": selected, "platforms": rows})
    else:
        for row in rows:
            star = "*" if row["selected"] else " "
            print(f"{star} {row['name']:{_width(rows)}}  {row['origin']:10}  {row['text']}")
        if selected is not None and selected not in workspace.names():
            print(f"selected, and not there: {selected}")
    return 2 if any("problems" in row for row in rows) else 0


def _width(rows: list[dict[str, Any]]) -> int:
    return max(len(row["name"]) for row in rows)


def _row(workspace: Workspace, name: str, selected: str | None) -> dict[str, Any]:
    row: dict[str, Any] = {"name": name, "selected": name == selected}
    try:
        platform = workspace.platform(name)
    except InputError as error:
        problems = [problem.to_json() for problem in error.problems]
        text = str(error).partition("\n")[0]
        return {**row, "origin": "broken", "text": text, "problems": problems}
    board = platform.document.get("board", {})
    text = platform.document.get("description") or board.get("name", "")
    if platform.lacks:
        text = f"{text} (lacks {', '.join(platform.lacks)})"
    return {**row, "origin": platform.origin, "folder": str(platform.folder), "text": text}
