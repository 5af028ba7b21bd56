# SPDX-License-Identifier: Apache-2.0
"""The first line is the board's name, for scripts; then what is known of it."""

from __future__ import annotations

import argparse

from ligament.acceleration.output import print_json
from ligament.acceleration.workspace import Workspace

HELP = "Say which board the selected platform is."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """It has none of its own."""


def main(arguments: argparse.Namespace, workspace: Workspace) -> int:
    """Print the board."""
    platform = workspace.selected()
    board = dict(platform.document.get("board", {}))
    shell = platform.document.get("shell")
    if arguments.json:
        told = {"platform": platform.name, "board": board or None, "lacks": list(platform.lacks)}
        print_json(told | ({"shell": shell} if shell else {}))
        return 0
    print(board.pop("name", f"{platform.name} (no board: any computer)"))
    for key, value in board.items():
        print(f"  {key}: {value or 'not said'}")
    if shell:
        print(f"  shell: {', '.join(f'{key} {value}' for key, value in shell.items())}")
    if platform.lacks:
        print(f"  lacks: {', '.join(platform.lacks)}")
    return 0
