# SPDX-License-Identifier: Apache-2.0
"""Exchanges parts of a disk image that `linux` has made, and copies the rest of it: another kernel,
another install tree, a partition that is larger. The new image is written beside the old one and
renamed, so that a failure leaves the old one as it was.

  colcon acceleration package --swap-kernel preempt_rt
  colcon acceleration package --swap-install install-arm64
  colcon acceleration package --grow root=2G
"""

from __future__ import annotations

import argparse
from pathlib import Path

from ligament.acceleration.images import request, tools
from ligament.acceleration.images.build import planned
from ligament.acceleration.images.record import read_image
from ligament.acceleration.workspace import Workspace
from ligament.errors import InputError, Problem

HELP = "Exchange parts of a disk image: kernel, install tree, a partition's size."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What is exchanged."""
    parser.add_argument(
        "--swap-kernel", metavar="KERNEL", help="put in this one of the platform's kernels"
    )
    parser.add_argument(
        "--swap-install", type=Path, metavar="FOLDER", help="put in this install tree"
    )
    parser.add_argument(
        "--grow", action="append", default=[], metavar="NAME=SIZE",
        help="enlarge a partition, as root=2G; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--update", action="store_true", help="choose packages anew, by fresh lists"
    )
    request.add_platform(parser)
    parser.add_argument("--from", dest="source", type=Path, metavar="FILE",
                        help="where the rest comes from; default: the image itself")  # fmt: skip
    request.add_image(parser, "the image to change")


def main(arguments: argparse.Namespace, workspace: Workspace) -> int:
    """Exchange."""
    grow = dict(_growth(word) for word in arguments.grow)
    if not (arguments.swap_kernel or arguments.swap_install or grow):
        expected = "--swap-kernel KERNEL, --swap-install FOLDER or --grow NAME=SIZE"
        raise InputError(
            Problem("package-nothing", "nothing is to be exchanged", expected=expected)
        )
    layout = request.layout_in(arguments, workspace)
    layout.kernel(arguments.swap_kernel)
    output = request.image_path(arguments, workspace, layout.platform)
    request.require_tools()
    if grow:
        tools.require("resize2fs")
    sources = request.sources_of(arguments, workspace, layout.platform, arguments.swap_install)
    plan = planned(
        layout, sources, kernel=arguments.swap_kernel, old=read_image(arguments.source or output),
        swap_kernel=arguments.swap_kernel is not None,
        swap_install=arguments.swap_install is not None, grow=grow,
    )  # fmt: skip
    return request.carry_out(plan, output, arguments)


def _growth(word: str) -> tuple[str, int]:
    name, equals, size = word.partition("=")
    if not equals:
        raise InputError(Problem("image-size", f"--grow {word}", expected="NAME=SIZE, as root=2G"))
    return name, request.size_of(size)
