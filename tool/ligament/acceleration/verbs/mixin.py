# SPDX-License-Identifier: Apache-2.0
"""The mixin has folders of its own for the platform (build-NAME, install-NAME), the cross compiler
that the platform names, and LIGAMENT_PLATFORM. Without an option it is printed. --write writes it
into acceleration/firmware/NAME/mixin/; nothing is registered for you. With colcon-mixin:

  colcon acceleration mixin --write
  COLCON_MIXIN_PATH=acceleration/firmware/kv260/mixin colcon build --mixin kv260

Without it, --arguments prints the same as arguments of `colcon build`. Write it again after moving
the workspace: CMake needs absolute paths.
"""

from __future__ import annotations

import argparse
import json
import shlex

from ligament.acceleration.mixins import command_words, mixin_document, mixin_path
from ligament.acceleration.output import print_json
from ligament.acceleration.workspace import Workspace
from ligament.artefacts import json_text, write_text

HELP = "Write colcon's mixin of the selected platform."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where to."""
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--write", action="store_true", help="write it into the workspace")
    how.add_argument(
        "--arguments", action="store_true", help="print it as arguments of colcon build"
    )


def main(arguments: argparse.Namespace, workspace: Workspace) -> int:
    """Print or write the mixin."""
    platform = workspace.selected()
    document, path = mixin_document(platform), mixin_path(platform)
    changed = False
    if arguments.write and not arguments.dry_run:
        changed = write_text(path, json_text(document))
    if arguments.json:
        told = {"platform": platform.name, "path": str(path), "changed": changed}
        print_json({**told, "mixin": document, "arguments": command_words(platform)})
    elif arguments.write:
        print(
            f"{'would write' if arguments.dry_run else 'wrote' if changed else 'unchanged'} {path}"
        )
        print(
            f"use it: COLCON_MIXIN_PATH={shlex.quote(str(path.parent))} "
            f"colcon build --mixin {platform.name}"
        )
    elif arguments.arguments:
        print(shlex.join(command_words(platform)))
    else:
        print(json.dumps(document, indent=2, ensure_ascii=False))
    return 0
