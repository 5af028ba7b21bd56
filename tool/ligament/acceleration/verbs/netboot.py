# SPDX-License-Identifier: Apache-2.0
"""Writes a folder for a TFTP server from which boards start without a disk: kernel, device tree and
an initramfs with the root file system and the install tree, and a pxelinux.cfg per board, found by
its MAC address. Boards that start the same share its files. Boards of earlier calls stay.

  colcon acceleration netboot tftp --board robot1=52:54:00:12:34:56 --board robot2=52:54:00:12:34:57
"""

from __future__ import annotations

import argparse
from pathlib import Path

from ligament.acceleration.images import request
from ligament.acceleration.images.bootfiles import INITRAMFS, filled, kernel_files
from ligament.acceleration.images.cpio import initramfs
from ligament.acceleration.images.modules import module_tree
from ligament.acceleration.images.network import boards_of, root_tree, write_folder
from ligament.acceleration.output import print_json
from ligament.acceleration.workspace import Workspace
from ligament.errors import InputError, Problem

HELP = "Write what boards need to start from a network (TFTP, PXE)."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The folder, and the boards."""
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="what the TFTP server serves")
    parser.add_argument("--board", action="append", default=[], metavar="NAME=MAC",
                        help="a board and its port's MAC address; may be repeated")  # fmt: skip
    parser.add_argument(
        "--kernel", metavar="KERNEL", help="one of the platform's kernels; default: its first"
    )
    parser.add_argument("--server", default="", metavar="ADDRESS",
                        help="fills in {server} of the kernel's arguments")  # fmt: skip
    request.add_platform(parser)
    request.add_sources(parser)


def main(arguments: argparse.Namespace, workspace: Workspace) -> int:
    """Write."""
    boards = boards_of(arguments.board)
    if not boards:
        raise InputError(Problem("netboot-board", "no board is named", expected="--board NAME=MAC"))
    layout = request.layout_in(arguments, workspace)
    _, kernel = layout.kernel(arguments.kernel)
    network = layout.boot.get("network")
    if network is None:
        text = f"the platform '{layout.platform.name}' does not say how it starts from a network"
        raise InputError(
            Problem("netboot-missing", text, layout.platform.at("boot"), "boot.network")
        )
    text = f"{network.get('arguments', 'ip=dhcp')} {kernel.get('arguments', '')}".strip()
    lines = {
        b.name: filled(text, "boot.network.arguments", server=arguments.server, board=b.name)
        for b in boards
    }  # fmt: skip
    sources = request.sources_of(arguments, workspace, layout.platform)
    files = kernel_files(kernel, None, sources)
    tree = root_tree(layout, sources)
    if "modules" in kernel:
        wanted = kernel["modules"]
        tree.add_tree(module_tree(sources.tree(wanted["from"]), wanted["names"]))
    files[INITRAMFS] = initramfs(tree)
    written: list[str] = []
    if not arguments.dry_run:
        with request.written(arguments.folder):
            architecture = layout.boot.get("architecture", "arm64")
            written = write_folder(arguments.folder, boards, files, lines, architecture)
    sizes = {name: len(data) for name, data in files.items()}
    if arguments.json:
        told = {"folder": str(arguments.folder), "files": sizes, "written": written}
        print_json({**told, "boards": [b.configuration for b in boards], "changed": bool(written)})
        return 0
    print(f"{'would write' if arguments.dry_run else 'wrote'} {arguments.folder}")
    for name, size in sizes.items():
        print(f"  {name:18} {size / (1 << 20):8.1f} MiB")
    for board in boards:
        print(f"  {board.name:18} pxelinux.cfg/{board.configuration}")
    return 0
