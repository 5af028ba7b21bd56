# SPDX-License-Identifier: Apache-2.0
"""The edge as a process of a run: when there is one, and how it is started.

It is watched like a container, holds no node, and is started again when it dies: topics within the
host do not need it, and remote peers match again.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from ligament import resources
from ligament.errors import FailureError, InputError, Problem
from ligament.mapping import load_mapping
from ligament.run.process import ContainerSpec

NAME = "edge"
MAX_DOMAIN_ID = 232


@dataclass(frozen=True)
class EdgeOptions:
    """What the user says about the edge. `wanted`: also where no topic is mapped to dds."""

    wanted: bool = False
    domain_id: int | None = None
    humble: bool = False


def has_dds(build: Path) -> bool:
    """Whether the mapping beside a build.json carries some topic by dds."""
    path = build.with_name("mapping.json")
    return path.is_file() and any("dds" in t.transports for t in load_mapping(path).topics.values())


def domain_id(options: EdgeOptions) -> int:
    """The DDS domain: as said, else ROS_DOMAIN_ID, else 0."""
    if options.domain_id is not None:
        return options.domain_id
    text = os.environ.get("ROS_DOMAIN_ID", "") or "0"
    if not text.isdecimal() or int(text) > MAX_DOMAIN_ID:
        raise InputError(
            Problem(
                "domain-id",
                f"ROS_DOMAIN_ID is '{text}'",
                expected=f"a number from 0 to {MAX_DOMAIN_ID}",
            )
        )
    return int(text)


def edge_spec(graph: str, run_id: str, log: Path, options: EdgeOptions) -> ContainerSpec:
    """How the edge of a pool domain is started."""
    program = resources.prefix() / "lib" / "ligament" / "ligament-edge"
    if not program.is_file():
        raise FailureError(
            f"the edge is missing: {program}",
            hint="it is built where Cyclone DDS is (Debian: cyclonedds-dev), then: make setup",
        )
    command = [str(program), "--graph", graph, "--run-id", run_id]
    command += ["--domain-id", str(domain_id(options))]
    command += ["--humble"] if options.humble else []
    return ContainerSpec(NAME, command, log, nodes=[], on_failure="restart", auxiliary=True)
