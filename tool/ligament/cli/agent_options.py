# SPDX-License-Identifier: Apache-2.0
"""What all verbs of `ligament agent` ask."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ligament.run.discovery import MAX_DOMAIN_ID

Ros = Annotated[
    int | None,
    typer.Option(
        "--ros",
        min=0,
        max=MAX_DOMAIN_ID,
        metavar="N",
        help="ROS 2 domain of clients that name none; default: ROS_DOMAIN_ID, or 0. Clients that "
        "name one are in that.",
    ),
]
Types = Annotated[
    list[Path] | None,
    typer.Option(
        "--types",
        metavar="DIR",
        help="A package folder with .msg or .srv files that clients use; may be repeated. Those of "
        "ROS 2 are known.",
    ),
]
Distro = Annotated[str, typer.Option("--distro", help="The distribution of ROS 2's own types.")]
Profiles = Annotated[
    Path | None,
    typer.Option(
        "--profiles",
        metavar="FILE",
        help="XML profiles (in Fast DDS's form) that clients refer to by name.",
    ),
]
Silence = Annotated[
    float,
    typer.Option(
        "--silence",
        min=0.1,
        metavar="S",
        help="A client that says nothing for so long is removed with all that it has.",
    ),
]
NoEdge = Annotated[
    bool,
    typer.Option("--no-edge", help="Do not start the domain's edge: only this computer's nodes."),
]
