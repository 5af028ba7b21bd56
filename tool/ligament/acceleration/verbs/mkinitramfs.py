# SPDX-License-Identifier: Apache-2.0
"""Writes an initramfs: a cpio archive (newc, gzip) of the platform's root file system with the
install tree, of the platform's own initramfs, or of a folder. Files belong to root, whoever writes
it; the same input gives the same bytes.

  colcon acceleration mkinitramfs root.cpio.gz
  colcon acceleration mkinitramfs early.cpio.gz --early
  colcon acceleration mkinitramfs guest.cpio.gz --folder guest
"""

from __future__ import annotations

import argparse
from pathlib import Path

from ligament.acceleration.images import request
from ligament.acceleration.images.bootfiles import initramfs_tree
from ligament.acceleration.images.cpio import initramfs
from ligament.acceleration.images.disk_file import synced
from ligament.acceleration.images.network import root_tree
from ligament.acceleration.images.tree import Tree
from ligament.acceleration.output import print_json
from ligament.acceleration.workspace import Workspace
from ligament.disk import replacing
from ligament.errors import InputError, Problem

HELP = "Write an initramfs (cpio.gz) of the root file system or of a folder."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where to, and of what."""
    parser.add_argument("output", type=Path, metavar="FILE", help="the archive to write")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--folder", type=Path, metavar="FOLDER", help="of this folder")
    what.add_argument("--early", action="store_true", help="of what mounts the root partition")
    parser.add_argument(
        "--kernel", metavar="KERNEL", help="with --early: whose modules; default: the first"
    )
    request.add_platform(parser)
    request.add_sources(parser)


def main(arguments: argparse.Namespace, workspace: Workspace) -> int:
    """Write."""
    if arguments.output.is_dir() or not arguments.output.absolute().parent.is_dir():
        text = f"'{arguments.output}' is a folder, or lies in none"
        raise InputError(Problem("initramfs-path", text, expected="the path of a file"))
    tree = _tree(arguments, workspace)
    data = initramfs(tree)
    if not arguments.dry_run:
        with request.written(arguments.output), replacing(arguments.output, len(data)) as partial:
            partial.write_bytes(data)
            partial.chmod(0o644)
            synced(partial)
    if arguments.json:
        told = {"file": str(arguments.output), "bytes": len(data), "entries": len(tree.entries)}
        print_json({**told, "changed": not arguments.dry_run})
        return 0
    verb = "would write" if arguments.dry_run else "wrote"
    print(
        f"{verb} {arguments.output} ({len(tree.entries)} entries, {len(data) / (1 << 20):.1f} MiB)"
    )
    return 0


def _tree(arguments: argparse.Namespace, workspace: Workspace) -> Tree:
    if arguments.folder is not None:
        if not arguments.folder.is_dir():
            raise InputError(Problem("initramfs-folder", f"there is no folder {arguments.folder}"))
        tree = Tree()
        tree.add_folder(arguments.folder)
        return tree
    layout = request.layout_in(arguments, workspace)
    sources = request.sources_of(arguments, workspace, layout.platform)
    if not arguments.early:
        return root_tree(layout, sources)
    if "initramfs" not in layout.boot:
        text = f"the platform '{layout.platform.name}' starts without an initramfs"
        raise InputError(Problem("initramfs-missing", text, layout.platform.at("boot")))
    _, kernel = layout.kernel(arguments.kernel)
    return initramfs_tree(kernel, layout.boot["initramfs"], sources)
