# SPDX-License-Identifier: Apache-2.0
"""`ligament move`: a node of a running graph to another device."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ligament.artefacts import DEFAULT_OUT
from ligament.build.progress import progress_bar
from ligament.cli.common import JsonOption, OutOption, print_json
from ligament.cli.top import runs_folder
from ligament.errors import FailureError
from ligament.moving import Running, Target, target_of
from ligament.run.moving import ask
from ligament.top.find import find_run

Node = Annotated[str, typer.Argument(metavar="NODE", help="The node that shall move.")]
Device = Annotated[
    str,
    typer.Argument(
        metavar="DEVICE", help="A device of the platform, a kind (cpu, gpu) or a slot: fpga0.slot0."
    ),
]
Graph = Annotated[
    str | None,
    typer.Argument(metavar="[GRAPH|RUN_DIR]", help="Default: the graph that runs below --out."),
]
Platform = Annotated[
    str | None,
    typer.Option("--platform", "-p", metavar="NAME", help="Default: that of the running graph."),
]
Timeout = Annotated[
    float,
    typer.Option("--timeout", min=1.0, metavar="S", help="After that the run is asked no more."),
]


def move(
    node: Node,
    device: Device,
    target: Graph = None,
    platform: Platform = None,
    timeout: Timeout = 150.0,
    out: OutOption = DEFAULT_OUT,
    json: JsonOption = False,
) -> None:
    """Move a node of a running graph to another device, while messages flow.

    The node goes on in a new container: none of its messages is lost or doubled, and their order
    stays. What is missing for the device is built first. If the node cannot move, it goes on where
    it is, and the error says why.

    Examples:

    `ligament move rectify gpu`

    `ligament move resize cpu examples/perception`, back again

    `ligament move blur fpga0.slot0 --platform slots_sim`, into a slot of an FPGA
    """
    run = find_run(runs_folder(target, out))
    with progress_bar() as progress:
        wanted = target_of(Running.of_run(run), node, device, platform, progress)
    answer = _asked(run, wanted, timeout)
    if json:
        print_json({"node": wanted.node, "device": wanted.device, **answer})
    else:
        print(
            f"{wanted.node} moved from {answer['source']} to {answer['container']} on "
            f"{wanted.device}; it ran nowhere for {answer['gap_ns'] / 1e6:.2f} ms"
        )


def _asked(run: Path, wanted: Target, timeout_s: float) -> dict[str, Any]:
    request = {
        "request": "move",
        "node": wanted.node,
        "device": wanted.device,
        "config": wanted.config,
        "state": wanted.state,
        "shell": wanted.shell,
    }
    try:
        answer = ask(run, request, timeout_s)
    except (OSError, ValueError) as error:
        raise FailureError(
            f"the run in {run} does not answer: {error}",
            hint="`ligament top` shows whether it still runs",
        ) from error
    if "gap_ns" not in answer:
        raise FailureError(str(answer.get("error", "the run gave no answer")))
    return answer
