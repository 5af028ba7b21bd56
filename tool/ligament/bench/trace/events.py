# SPDX-License-Identifier: Apache-2.0
"""What events cost in the processes that emit them: `ligament-bench-trace`, off and on."""

from __future__ import annotations

import tempfile
import uuid
from dataclasses import dataclass
from pathlib import Path

from ligament.bench.measuring import program, told_by
from ligament.errors import FailureError
from ligament.trace.session import PROVIDER, ROS2, TraceSession, provider_path

KINDS = ("off", PROVIDER, ROS2)
"""Without a recording; with our events; with those of ros2_tracing beside them."""

Costs = dict[str, list[float]]


@dataclass(frozen=True)
class Measured:
    """Nanoseconds per burst by figure, and events that the session lost."""

    costs: Costs
    discarded: int


def measure(kind: str, bursts: int) -> Measured:
    """One run of the program."""
    if kind == "off":
        return Measured(_run([], {}, bursts), 0)
    words = ["--ligament", str(provider_path())]
    if kind == ROS2:
        words += ["--ros2", str(provider_path(ROS2))]
    with tempfile.TemporaryDirectory() as folder:
        session = TraceSession(Path(folder) / "trace", provider=kind)
        with session:
            costs = _run(words, session.environment(), bursts)
        summary = session.stop()
    return Measured(costs, summary.events_discarded if summary else 0)


def _run(words: list[str], environment: dict[str, str], bursts: int) -> Costs:
    domain = f"bench-trace-{uuid.uuid4().hex[:8]}"
    command = [
        str(program("ligament-bench-trace")), "--domain", domain, "--bursts", str(bursts), *words
    ]  # fmt: skip
    costs: Costs = told_by(command, "measuring events failed", environment=environment)
    if lost := costs.pop("lost", 0):
        raise FailureError(f"{lost} messages of the bench were not taken", command=command)
    return costs
