# SPDX-License-Identifier: Apache-2.0
"""Programs of other packages that ran with the graph: each is named, with how it ended."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

MIDDLEWARE = "rmw_ligament_cpp"
"""It tells figures and events of nodes."""


def executables_of(run: Mapping[str, Any]) -> dict[str, Any]:
    """From run.json: `executables` of an entry of report.json; nothing of a run without any."""
    named = run.get("executables") or {}
    ends: dict[str, list[str]] = {}
    for process in run.get("processes", ()):
        if process["container"] in named:
            ends.setdefault(process["container"], []).append(process.get("exit") or "running")
    entries = [
        {"name": name, **entry, "exits": ends.get(name, [])} for name, entry in named.items()
    ]
    return {"executables": entries} if entries else {}


def executable_remarks(variant: Mapping[str, Any]) -> Iterator[str]:
    """A sentence for each: what ran, and how it ended."""
    for one in variant.get("executables", ()):
        middleware = one["middleware"] or "its own middleware"
        ends = ", then ".join(one["exits"]) or "not started"
        program = shlex.join(one["command"]).partition(" --ros-args")[0]
        said = (
            f"{one['name']} is an executable of another package ({program}; {middleware}; {ends})"
        )
        yield said if one["middleware"] == MIDDLEWARE else f"{said}: its nodes are not recorded"
