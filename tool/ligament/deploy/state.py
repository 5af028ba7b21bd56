# SPDX-License-Identifier: Apache-2.0
"""What is asked of a deploy, what is known of its hosts, and what it comes to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ligament.deploy.connection import Ping
from ligament.deploy.hosts import Host
from ligament.deploy.parts import Part
from ligament.run.outcome import Verdict


@dataclass(frozen=True)
class DeployOptions:
    """What the user may say about all parts. `words`: for each part's `ligament run`."""

    words: tuple[str, ...] = ()
    until: tuple[str, ...] = ()
    duration_s: float | None = None
    keep_going: bool = False
    again: str = "ligament deploy GRAPH --hosts FILE"
    """The words of this deploy, for sentences that say how to go on."""

    @property
    def clean(self) -> str:
        """The words that end and remove what is left of it."""
        return f"{self.again} --clean"


@dataclass
class HostState:
    """What is known of one host's part while it runs."""

    host: Host
    part: Part
    said_of_itself: dict[str, Any] = field(default_factory=dict)
    is_started: bool = False
    """Whether its part was asked to run."""
    run: str = ""
    """Name of its run's folder."""
    code: int | None = None
    """How it ended; None: it did not yet."""
    lost: str = ""
    missing: list[str] = field(default_factory=list)
    """Digests of what it lacked."""
    sent_bytes: int = 0


@dataclass(frozen=True)
class Outcome:
    """How it ended, and what is left of each host in `folder`/hosts/."""

    verdict: Verdict
    states: Mapping[str, HostState]
    pings: Mapping[str, Sequence[Ping]]
