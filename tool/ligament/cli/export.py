# SPDX-License-Identifier: Apache-2.0
"""`ligament export`: a folder from which a board's tools build a design."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ligament.cli.common import (
    ChosenMapping,
    GraphArgument,
    JsonOption,
    print_json,
    with_chosen,
)
from ligament.errors import counted

To = Annotated[
    str | None,
    typer.Option(
        "--to",
        metavar="TARGET",
        help="Required. Whose tools read it: fusesoc, ecp5 (open tools), vivado, litex.",
    ),
]
Device = Annotated[
    str | None,
    typer.Option("--device", metavar="NAME", help="Which FPGA, where a variant has several."),
]
Folder = Annotated[
    Path | None,
    typer.Option(
        "--folder",
        metavar="DIR",
        help="Where it goes; default: export/TARGET in the variant's folder.",
    ),
]


@with_chosen
def export(
    chosen: ChosenMapping,
    graph: GraphArgument = ".",
    to: To = None,
    device: Device = None,
    folder: Folder = None,
    json: JsonOption = False,
) -> None:
    """Write a folder from which the tools of a board build the FPGA design of a variant.

    Checks, maps and generates first. The folder has all sources, a top with AXI ports, the address
    map, a test bench, what the target's tools read, and a README with five steps. It needs nothing
    outside of it. The design's identity is in its registers: software refuses another bitstream.

    Examples:

    `ligament export examples/threshold --variant hardware --platform fpga_sim --to fusesoc`

    `ligament export graph.yaml --platform fpga_sim --to ecp5 --folder ~/board/design`
    """
    from ligament.export import Asked  # noqa: PLC0415 - `--help` needs none of it
    from ligament.export import export as write  # noqa: PLC0415

    result = write(chosen.request(graph), Asked(to, device, folder))
    if json:
        print_json(dict(result.data))
        return
    count = len(result.changed)
    what = f"{counted(count, 'file')} changed" if count else "nothing changed"
    print(f"{result.folder}: {what}; identity {result.data['identity']}; begin with README.md")
