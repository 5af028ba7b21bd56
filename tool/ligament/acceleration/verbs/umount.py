# SPDX-License-Identifier: Apache-2.0
"""Writes what was changed in a folder that `mount` has written back into the image, then removes
the folder. Files that were not changed keep owner and mode; changed ones belong to root. The image
is replaced when the new one is whole.

  colcon acceleration umount rootfs
  colcon acceleration umount rootfs --discard
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from ligament.acceleration.images import request
from ligament.acceleration.images.checkout import changes, load_state, state_of, write_back
from ligament.acceleration.output import print_json
from ligament.acceleration.workspace import Workspace

HELP = "Write what was changed in a mounted folder back into the image."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The folder."""
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="the folder given to `mount`")
    parser.add_argument("--discard", action="store_true", help="drop the changes")


def main(arguments: argparse.Namespace, workspace: Workspace) -> int:
    """Write back."""
    del workspace
    folder: Path = arguments.folder
    state = load_state(folder)
    found = changes(folder, state)
    wanted = bool(found) and not arguments.discard
    if not arguments.dry_run:
        if wanted:
            request.require_tools()
            with request.written(Path(state["image"])):
                write_back(folder, state, found)
        state_of(folder).unlink()
        shutil.rmtree(folder)
    removed = [p for p, _ in found.removed if p not in {e.path for e in found.added}]
    told = {"image": state["image"], "partition": state["partition"], "removed": removed,
            "written": [e.path for e in found.added]}  # fmt: skip
    if arguments.json:
        print_json({**told, "changed": wanted and not arguments.dry_run})
        return 0
    verb = "dropped" if arguments.discard else "would write" if arguments.dry_run else "wrote"
    print(
        f"{verb} {len(found.added)} new or changed files, {len(removed)} removed: {state['image']}"
    )
    return 0
