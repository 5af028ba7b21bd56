# SPDX-License-Identifier: Apache-2.0
"""One platform of a workspace is selected at any time; the verbs that make something make it for
this one. The whole manifest is checked first: a wrong name or a broken manifest changes nothing.
The selection moves with the workspace.

  colcon acceleration select kv260
"""

from __future__ import annotations

import argparse

from ligament.acceleration.output import missing_files, print_json
from ligament.acceleration.workspace import Workspace

HELP = "Select the platform that this workspace is built for."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The platform."""
    parser.add_argument("platform", metavar="PLATFORM", help="a name that `list` shows")


def main(arguments: argparse.Namespace, workspace: Workspace) -> int:
    """Select."""
    chosen = workspace.check if arguments.dry_run else workspace.select
    platform = chosen(arguments.platform)
    missing = missing_files(platform)
    if arguments.json:
        told = {"platform": platform.name, "origin": platform.origin, "missing_files": missing}
        print_json({**told, "changed": not arguments.dry_run})
        return 0
    print(
        f"{'would select' if arguments.dry_run else 'selected'} {platform.name} ({platform.origin})"
    )
    for entry in missing:
        print(f"  not there: {entry['file']}, for {entry['for']}; from: {entry['from']}")
    return 0
