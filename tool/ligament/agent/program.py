# SPDX-License-Identifier: Apache-2.0
"""Becomes `ligament-agent`, with the hashes of the message types that the tool knows."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from ligament import resources
from ligament.errors import FailureError, InputError, Problem
from ligament.graph.model import Edge
from ligament.messages import load_store, type_hash
from ligament.run.discovery import choose_network

NAME = "ligament-agent"


@dataclass(frozen=True)
class AgentOptions:
    """What all links have in common."""

    ros: int | None = None
    """ROS domain of clients that name none; None: ROS_DOMAIN_ID, else 0."""
    types: tuple[Path, ...] = ()
    distro: str = "jazzy"
    profiles: Path | None = None
    silence_s: float = 30.0
    edge: bool = True


def agent_program() -> Path:
    """Where the program is installed."""
    path = resources.prefix() / "lib" / "ligament" / NAME
    if not path.is_file():
        raise FailureError(
            f"the program that serves microcontrollers is missing: {path}",
            hint="it comes with the runtime: make setup",
        )
    return path


def types_text(distro: str, packages: Iterable[Path]) -> str:
    """What the agent reads: each type's hash (`ligament/types/1`, of which it needs this much)."""
    store = load_store(distro, [*packages])
    hashes = {m.name: {"type_hash": f"RIHS01_{type_hash(store, m.name).hex()}"} for m in store}
    return json.dumps({"messages": hashes})


def exec_agent(link: Sequence[str], options: AgentOptions) -> NoReturn:
    """Replace this process: signals and the exit code are then the agent's own.

    The table of types goes in memory that ends with the process: no file stays behind.
    """
    profiles = options.profiles
    if profiles is not None and not profiles.is_file():
        raise InputError(
            Problem(
                "profiles-missing",
                f"there is no file of profiles '{profiles}'",
                hint="it has the form of Fast DDS: <dds><profiles><topic profile_name=...>",
            )
        )
    program = agent_program()
    table = os.memfd_create("ligament-types")
    os.set_inheritable(table, True)
    os.write(table, types_text(options.distro, options.types).encode())
    words = [*link, "--types", f"/proc/self/fd/{table}", "--silence", str(options.silence_s)]
    network = choose_network(Edge(), options.ros)
    os.environ.update(network.environment(f"ligament-agent-{os.getpid()}"))  # of the edge
    words += ["--ros", str(network.domain_id)]
    words += ["--profiles", str(profiles)] if profiles is not None else []
    words += [] if options.edge and network.discovery_range != "off" else ["--no-edge"]
    os.execv(program, [NAME, *words])
