# SPDX-License-Identifier: Apache-2.0
"""Asks `ligament-look` what runs in a ROS domain."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ligament import resources
from ligament.errors import FailureError, InputError
from ligament.graph import names
from ligament.graph.documents import parse_document
from ligament.graph.schema import validate
from ligament.run.discovery import Network

_MESSAGE = re.compile(r"[a-z][a-z0-9_]*/msg/[A-Z][A-Za-z0-9]*")
HOUSEKEEPING = frozenset({"/rosout", "/parameter_events"})
"""Topics that every node has."""
_EDGE_NODE = "/_edge"


@dataclass(frozen=True)
class End:
    """One end of a topic, of a node in a process. `pid` None: its process is not told."""

    node: str
    topic: str
    message: str
    role: str
    pid: int | None
    host: str
    in_pool: bool
    qos: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Seen:
    """What runs in a domain. Ends without a message type only tell which nodes there are."""

    domain_id: int
    ends: tuple[End, ...]


def look_program() -> Path:
    """Return where the program is installed."""
    path = resources.prefix() / "lib" / "ligament" / "ligament-look"
    if not path.is_file():
        raise FailureError(
            f"the program that looks at a ROS domain is missing: {path}",
            hint="it is built where Cyclone DDS is (Debian: cyclonedds-dev), then: make setup",
        )
    return path


def look(network: Network, quiet_s: float, most_s: float) -> Seen:
    """Return what runs in a domain: seen when nothing new came for so long, or after `most_s`."""
    command = [str(look_program()), "--domain-id", str(network.domain_id)]
    command += ["--quiet", str(quiet_s), "--most", str(most_s)]
    environment = {**os.environ, **network.environment("look")}
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=most_s + 60,
            env=environment,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise FailureError(f"{command[0]} did not end within {most_s + 60:g} s") from error
    if done.returncode != 0:
        raise FailureError(done.stderr.strip().removeprefix("ligament-look: "))
    return seen_from(done.stdout)


def seen_from(text: str) -> Seen:
    """Return what its answer says; names that are none in ROS 2 are left out."""
    document = parse_document(text, "ligament-look.json")
    if problems := validate(document, "look"):
        raise InputError(problems)
    data: dict[str, Any] = document.data
    participants = {p["id"]: p for p in data["participants"]}
    found = (_end(e, participants.get(e.get("participant", ""), {})) for e in data["endpoints"])
    return Seen(data["domain_id"], tuple(end for end in found if end is not None))


def _end(data: Mapping[str, Any], participant: Mapping[str, Any]) -> End | None:
    node = data["node"] or ""
    if node == _EDGE_NODE or names.name_fault(node or "/x"):
        return None
    in_pool = data["where"] == "pool"
    is_topic = data["topic"].startswith("/") and not names.name_fault(data["topic"])
    is_topic = is_topic and data["topic"] not in HOUSEKEEPING
    known = is_topic and _MESSAGE.fullmatch(data["type"])
    return End(
        node=node,
        topic=data["topic"],
        message=data["type"] if known else "",
        role=data["kind"],
        pid=data.get("pid") if in_pool else participant.get("pid"),
        # Fast DDS adds a number of its own behind a colon.
        host="" if in_pool else str(participant.get("host", "")).partition(":")[0],
        in_pool=in_pool,
        qos=data["qos"],
    )
