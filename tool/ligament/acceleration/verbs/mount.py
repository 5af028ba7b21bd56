# SPDX-License-Identifier: Apache-2.0
"""Writes the files of a partition of the image into a folder, without root or a loop device: they
are copies. `umount` writes what was changed there back into the image.

  colcon acceleration mount root rootfs
  colcon acceleration umount rootfs
"""

from __future__ import annotations

import argparse
from pathlib import Path

from ligament.acceleration.images import request
from ligament.acceleration.images.checkout import check_out
from ligament.acceleration.images.record import read_image
from ligament.acceleration.output import print_json
from ligament.acceleration.workspace import Workspace
from ligament.errors import counted

HELP = "Write a partition's files into a folder, to look at or to change."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The partition, and the folder."""
    parser.add_argument("partition", metavar="PARTITION", help="its name, as boot or root")
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="an empty or a new folder")
    request.add_platform(parser)
    request.add_image(parser, "the image")


def main(arguments: argparse.Namespace, workspace: Workspace) -> int:
    """Write them."""
    path = arguments.image or request.image_path(
        arguments, workspace, request.platform_of(arguments, workspace)
    )
    request.require_tools()
    image = read_image(path)
    image.part(arguments.partition)
    count = 0
    if not arguments.dry_run:
        with request.written(arguments.folder):
            count = check_out(image, arguments.partition, arguments.folder)
    if arguments.json:
        told = {"image": str(path), "partition": arguments.partition, "files": count}
        print_json({**told, "folder": str(arguments.folder), "changed": not arguments.dry_run})
    elif arguments.dry_run:
        print(f"would write partition {arguments.partition} of {path} into {arguments.folder}")
    else:
        part = f"partition {arguments.partition} of {path}"
        print(f"wrote {counted(count, 'file')} of {part} into {arguments.folder}")
    return 0
