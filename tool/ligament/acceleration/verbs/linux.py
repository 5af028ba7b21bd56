# SPDX-License-Identifier: Apache-2.0
"""Makes a raw disk image of the selected platform: partition table, boot partition with kernel,
initramfs and boot loader's configuration, root file system, and the workspace's install tree.

It needs neither root nor a loop device. The same input gives the same bytes; an image that exists
is replaced when the new one is whole. Packages come through this machine's apt, and stay in
acceleration/cache of the workspace. With --domains the image holds several systems that Xen runs
side by side (`hypervisor` has the file).

  colcon acceleration linux
  colcon acceleration linux --domains domains.yaml
  colcon acceleration linux preempt_rt --install-dir install-arm64 --output sd_card.img
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ligament.acceleration.images import request, tools, xen
from ligament.acceleration.images.build import planned
from ligament.acceleration.images.domains import DomainImage
from ligament.acceleration.workspace import Workspace
from ligament.errors import InputError, Problem
from ligament.graph.loader import read_document

HELP = "Make a disk image of the selected platform, with this workspace in it."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The kernel, and what is put in."""
    parser.add_argument(
        "kernel", nargs="?", metavar="KERNEL",
        help="one of the platform's kernels, as vanilla or preempt_rt; default: its first",
    )  # fmt: skip
    parser.add_argument(
        "--domains", type=Path, metavar="FILE", help="domains that share the board, in YAML"
    )
    request.add_platform(parser)
    request.add_image(parser, "where to write it")
    request.add_sources(parser)


def main(arguments: argparse.Namespace, workspace: Workspace) -> int:
    """Make it."""
    layout = request.layout_in(arguments, workspace)
    layout.kernel(arguments.kernel)
    if arguments.domains and arguments.kernel:
        text = f"with --domains each domain names its kernel: '{arguments.kernel}' is of none"
        raise InputError(Problem("domain-kernel", text, expected="kernel: of the domain"))
    output = request.image_path(arguments, workspace, layout.platform)
    request.require_tools()
    sources = request.sources_of(arguments, workspace, layout.platform)
    shared = None
    if arguments.domains:
        tools.require("dtc")
        described = read_document(arguments.domains, "domains")
        shared = DomainImage(layout, xen.domains_of(layout, described), sources)
    plan = planned(layout, sources, kernel=arguments.kernel, domains=shared)
    if sources.install is None:
        print(
            "warning: no install tree: the image has no graph of yours "
            "(install/ of the workspace, or --install-dir)",
            file=sys.stderr,
        )
    return request.carry_out(plan, output, arguments)
