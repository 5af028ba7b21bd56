# SPDX-License-Identifier: Apache-2.0
"""`ligament import`: what a launch file starts, as a graph.yaml."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from ligament.cli.live import (
    DomainIdOption,
    LookOptions,
    QuietOption,
    drafted,
    finish_draft,
    seen_now,
)
from ligament.graph.model import Edge
from ligament.run.discovery import choose_network

Command = Annotated[
    list[str],
    typer.Argument(
        metavar="LAUNCH_FILE|COMMAND...",
        help="A launch file with its arguments, or any command that starts nodes.",
    ),
]
Written = Annotated[
    Path, typer.Option("--out", "-o", metavar="FILE", help="The graph.yaml to write.")
]
Most = Annotated[
    float,
    typer.Option("--timeout", min=1.0, metavar="S", help="All nodes have been seen by then."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print what was written as JSON on stdout.")]


def import_(
    command: Command,
    out: Written = Path("imported/graph.yaml"),
    domain_id: DomainIdOption = None,
    quiet: QuietOption = 2.0,
    timeout: Most = 60.0,
    json: AsJson = False,
) -> None:
    """Start a launch file, look at what it starts, stop it, and write a graph.yaml of that.

    Each process becomes an executable of the graph, with the command line that it had; topics have
    the types and QoS that were seen. Other nodes in the domain are left out.

    Options stand in front of the command.

    Examples:

    `ligament import bringup.launch.py use_lidar:=true`

    `ligament import --out robot/graph.yaml ros2 launch my_robot bringup.launch.py`
    """
    from ligament.live import ThisHost  # noqa: PLC0415 - slow to import
    from ligament.live.recording import command_words, running, see_all  # noqa: PLC0415
    from ligament.live.write import require_new  # noqa: PLC0415

    require_new(out)
    words = command_words(command)
    options = LookOptions(choose_network(Edge(), domain_id).domain_id, quiet)
    with running(words, options.domain_id or 0) as process:
        seen, pids = see_all(process, lambda: seen_now(options), ThisHost(), timeout)
        draft = drafted(out, seen, pids)
    draft.description = f"What this starts: {shlex.join(words)}."
    finish_draft(draft, out, as_json=json)


command = typer.Typer(add_completion=False, rich_markup_mode="rich")
# Options after the command's first word are the command's.
_AS_IT_IS = {"ignore_unknown_options": True, "allow_interspersed_args": False}
command.command(context_settings=_AS_IT_IS)(import_)
