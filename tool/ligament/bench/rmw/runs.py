# SPDX-License-Identifier: Apache-2.0
"""One run: a sender and its receivers, processes that share a middleware and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ligament.bench.children import Child, Children
from ligament.bench.rmw.cells import COPIES, HANDOVER_NS, ROUND_TRIP, Cell
from ligament.bench.rmw.contestants import IDENTIFIERS, SHIPPED, Ros
from ligament.errors import FailureError


@dataclass
class Figures:
    """What one run measured; `lost` over all subscribers."""

    latency_ns: list[int] = field(default_factory=list)
    publish_ns: list[int] = field(default_factory=list)
    publish_cpu_ns: list[int] = field(default_factory=list)
    lost: int = 0


def run_once(ros: Ros, contestant: str, cell: Cell) -> Figures:
    """One run; all its processes are gone afterwards."""
    if contestant == COPIES:
        return copy_twice(ros, cell)
    words = ros.command(contestant)
    there, here = ("serve", "call") if cell.metric == ROUND_TRIP else ("subscribe", "publish")
    with Children(cell.timeout_s) as children:
        receivers = [
            children.start(f"{there} {k}", [*words, there, *cell.words, "--index", str(k)])
            for k in range(cell.subscribers)
        ]
        children.await_ready(receivers)
        sender = children.start(here, [*words, here, *cell.words])
        # A server ends when it is told to.
        children.await_end([sender] if there == "serve" else [sender, *receivers])
        return figures_of(told_by_all([*receivers, sender]), contestant)


def copy_twice(ros: Ros, cell: Cell) -> Figures:
    """The floor: with what a hand-over may cost, so that ratios are to both."""
    with Children(cell.timeout_s) as children:
        # The program is linked with a middleware that it does not touch.
        child = children.start("copies", [*ros.command(SHIPPED), "copies", *cell.words])
        children.await_end([child])
        (told,) = told_by_all([child])
    return Figures([time + HANDOVER_NS for time in told["latency_ns"]])


def told_by_all(children: Iterable[Child]) -> list[dict[str, Any]]:
    """Their lines of JSON, in order."""
    lines = [line for child in children for line in child.lines if line.startswith("{")]
    return [json.loads(line) for line in lines]


def check_identity(told: Iterable[dict[str, Any]], contestant: str) -> None:
    """Another middleware than the one that was asked for would be measured under its name."""
    wanted = IDENTIFIERS[contestant]
    if other := next((t["rmw"] for t in told if t["rmw"] != wanted), None):
        raise FailureError(f"{contestant} ran on {other}, not on {wanted}")


def figures_of(told: list[dict[str, Any]], contestant: str) -> Figures:
    """Of what the ends of a run said."""
    check_identity(told, contestant)
    figures = Figures()
    for line in told:
        figures.publish_ns += line.get("publish_ns", [])
        figures.publish_cpu_ns += line.get("publish_cpu_ns", [])
        figures.lost += line.get("lost", 0)
        if "latency_ns" in line and not line["latency_ns"]:
            raise FailureError(f"{contestant}: nothing was heard")
        figures.latency_ns += line.get("latency_ns", [])
    if not figures.latency_ns:
        raise FailureError(f"{contestant}: nothing was heard")
    return figures
