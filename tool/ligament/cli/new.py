# SPDX-License-Identifier: Apache-2.0
"""`ligament new`: a folder to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ligament.cli.common import print_json

Kind = Annotated[
    str, typer.Argument(metavar="KIND", help="What: graph, node, package, platform, mcu-node.")
]
Folder = Annotated[
    Path,
    typer.Argument(metavar="FOLDER", help="A new folder. Its name becomes that of what is in it."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print what was written as JSON on stdout.")]


def new(kind: Kind, folder: Folder, json: AsJson = False) -> None:
    """Write a small folder to begin with; it runs as it is.

    Nothing that is there is overwritten.

    `mcu-node`: a node in C99 for a microcontroller, and a node in C++ that talks with it
    (docs/how-to/mcu-node.md).

    `package`: a package for colcon or CMake, with a node in C++, OpenCL and SystemVerilog, a graph
    that uses it, and a test (docs/how-to/own-node-package.md).

    `node`: a node in C++, a graph that uses it, and a test.

    `graph`: a graph of nodes that ship with Ligament, with variants, and a test (docs/tour.md).

    `platform`: a platform with processors and an FPGA, a graph that it takes, and a test
    (docs/how-to/own-platform.md).

    Examples:

    `ligament new platform acceleration/firmware/my_board`

    `ligament new mcu-node wheel_speed`

    `ligament new package src/grey_level`
    """
    from ligament.new import write_new  # noqa: PLC0415 - --help needs none of it

    template, files = write_new(kind, folder)
    if json:
        print_json({"kind": kind, "folder": str(folder), "files": [str(file) for file in files]})
        return
    for file in files:
        print(f"wrote {file}")
    print(f"run it: {template.command.format(folder=folder)}")
