# SPDX-License-Identifier: Apache-2.0
"""What `ligament graph --live` and `ligament import` have in common: no verb of its own."""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ligament.cli.common import print_json, warn
from ligament.errors import FailureError, counted
from ligament.graph.model import Edge
from ligament.run.discovery import MAX_DOMAIN_ID, choose_network

if TYPE_CHECKING:
    from ligament.live import Draft, Seen

_MOST_S = 30.0

DomainIdOption = Annotated[
    int | None,
    typer.Option(
        "--domain-id",
        min=0,
        max=MAX_DOMAIN_ID,
        metavar="N",
        help="ROS 2 domain to look at; default: ROS_DOMAIN_ID, or 0.",
    ),
]
QuietOption = Annotated[
    float,
    typer.Option(
        "--quiet-time",
        min=0.1,
        metavar="S",
        help="Enough was seen when nothing new came for S seconds.",
    ),
]


@dataclass(frozen=True)
class LookOptions:
    """Where to look, and how long."""

    domain_id: int | None = None
    quiet_s: float = 2.0


def seen_now(options: LookOptions) -> Seen:
    """Return what runs in the domain."""
    from ligament.live import look  # noqa: PLC0415 - slow to import

    network = choose_network(Edge(), options.domain_id)
    return look(network, options.quiet_s, max(_MOST_S, 2 * options.quiet_s))


def drafted(path: Path, seen: Seen, only: Set[int] | None = None) -> Draft:
    """Return the graph of what was seen, named after the folder that it goes into."""
    from ligament.live import ThisHost, draft_graph  # noqa: PLC0415 - slow to import

    folder = path.absolute().parent.name
    name = re.sub(r"[^A-Za-z0-9_-]", "_", folder).lstrip("_-0123456789")[:64] or "live"
    draft = draft_graph(name, seen, ThisHost(), only)
    if not draft.programs:
        left_out = "".join(f"\n  {gap}" for gap in draft.gaps)
        where = f"in ROS domain {seen.domain_id}"
        raise FailureError(
            f"no process that a graph could start was seen {where}{left_out}",
            hint="ROS_DOMAIN_ID and ROS_AUTOMATIC_DISCOVERY_RANGE say where is looked; "
            "`ligament doctor` tells more",
        )
    return draft


def finish_draft(draft: Draft, path: Path, *, as_json: bool) -> None:
    """Write it, and say what was written and what is left to a person."""
    from ligament.live import write_draft  # noqa: PLC0415 - slow to import

    picture = write_draft(draft, path)
    if as_json:
        programs = {p.name: {"executable": p.started.executable, "nodes": p.nodes}
                    for p in draft.programs}  # fmt: skip
        told = {"graph": str(path), "picture": str(picture), "executables": programs}
        print_json({**told, "gaps": draft.gaps})
        return
    warn(tuple(draft.gaps))
    print(f"{path}: {counted(len(draft.programs), 'executable')}; picture: {picture}")
    print(f"start it: ligament run {path}")
