# SPDX-License-Identifier: Apache-2.0
"""Makes a raw disk image of the selected platform: partition table, boot partition with kernel,
initramfs and boot loader's configuration, root file system, and the workspace's install tree.

It needs neither root nor a loop device. The same input gives the same bytes; an image that exists
is replaced when the new one is whole. Packages come through this machine's apt, and stay in
acceleration/cache of the workspace.

  colcon acceleration linux
  colcon acceleration linux preempt_rt --install-dir install-arm64 --output sd_card.img
"""

from __future__ import annotations

import argparse
import sys

from ligament.acceleration.images import request
from ligament.acceleration.images.build import planned
from ligament.acceleration.workspace import Workspace

HELP = "Make a disk image of the selected platform, with this workspace in it."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The kernel, and what is put in."""
    parser.add_argument(
        "kernel", nargs="?", metavar="KERNEL",
        help="one of the platform's kernels, as vanilla or preempt_rt; default: its first",
    )  # fmt: skip
    request.add_platform(parser)
    request.add_image(parser, "where to write it")
    request.add_sources(parser)


def main(arguments: argparse.Namespace, workspace: Workspace) -> int:
    """Make it."""
    layout = request.layout_in(arguments, workspace)
    layout.kernel(arguments.kernel)
    output = request.image_path(arguments, workspace, layout.platform)
    request.require_tools()
    sources = request.sources_of(arguments, workspace, layout.platform)
    plan = planned(layout, sources, kernel=arguments.kernel)
    if sources.install is None:
        print(
            "warning: no install tree: the image has no graph of yours "
            "(install/ of the workspace, or --install-dir)",
            file=sys.stderr,
        )
    return request.carry_out(plan, output, arguments)
