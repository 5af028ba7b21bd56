# SPDX-License-Identifier: Apache-2.0
"""Rows of `ligament bench gateway`, and which of them miss a goal."""

from __future__ import annotations

from typing import Any

from ligament.bench.framework import Row, make_row
from ligament.bench.gateway.options import Experiment, Shape
from ligament.report.statistics import summarise

#: The slowest of this many cores, by publisher: the least speed-up at 10 kB, and from 1 MB on.
GOAL_SUBSCRIBERS = 8
GOALS = {"hw": (4.0, 8.0), "sw": (1.0, 7.0)}
LARGE = 1_000_000
SMALL = 10_000
#: To software, everywhere, as sure as the median is: copies meet other programs at other moments.
SOFTWARE_GOAL = 0.99
EFFICIENCY_GOAL = 0.9

NOTES = (
    "speedup: cycles over a software-mapped topic / cycles through a gateway, message by message;"
    " both of the same width, engines, bursts and memory",
    "path hw: from the publisher's first beat, or software's publish, to the last beat at the"
    " slowest core; path sw: to the end of the copy that the subscriber in software makes",
    "software true: durations of software are injected into the simulated time (composed timeline);"
    " false: they take no time, which leaves the hardware alone",
    "port_efficiency: beats moved / cycles in which the port was wanted, all messages",
    "cycles are deterministic: a spread is one between messages, not between runs",
)


def rows_of(
    shape: Shape, experiment: Experiment, smt: dict[str, Any], gateway: dict[str, Any]
) -> list[Row]:
    """Transfers, their ratios and the port's efficiency."""
    peer = peer_of(shape)
    common = {
        "publisher": experiment.publisher,
        "subscribers": shape.subscribers,
        "bytes": experiment.bytes,
        "width": shape.width,
        "read_latency": experiment.read_latency if shape.burst else 0,
        "software": experiment.software,
    }
    rows = []
    for path in ("hw", "sw"):
        params = {**common, "path": path}
        ratios = speedups(smt[path], gateway[path], published=shape.burst == 0)
        rows.append(make_row("gateway", params, "speedup", "1", summarise(ratios), peer))
        for transport, said in (("smt", smt), ("gateway", gateway)):
            of = {**params, "transport": transport}
            rows.append(make_row("gateway", of, "transfer", "cycles", summarise(said[path]), peer))
    for transport, said in (("smt", smt), ("gateway", gateway)):
        if said["busy"]:
            share = (said["reads"] + said["writes"]) / said["busy"]
            of = {**common, "transport": transport}
            rows.append(make_row("gateway", of, "port_efficiency", "1", summarise([share]), peer))
    return rows


def peer_of(shape: Shape) -> str:
    """Whose figures these are: ours, or those of a reading of the published design."""
    if shape.burst:
        return "ligament"
    return "published-sources" if shape.word_wise else "published-text"


def speedups(smt: list[int], gateway: list[int], published: bool) -> list[float]:
    """Message by message; of the published design, whose polls are chance, that of the means."""
    if published:
        return [(sum(smt) / len(smt)) / (sum(gateway) / len(gateway))]
    return [s / g for s, g in zip(smt, gateway, strict=True)]


def missed_goals(rows: list[Row]) -> list[str]:
    """What is not reached; the published parameters have no goals."""
    return [text for row in rows if row["peer"] == "ligament" and (text := _missed(row))]


def goal_of(params: dict[str, Any]) -> float | None:
    """The least speed-up of that experiment and path."""
    if params["path"] == "sw":
        # Without the time that software takes, a copy's chance is all there is.
        return SOFTWARE_GOAL if params["software"] else None
    small, large = GOALS[params["publisher"]]
    if params["subscribers"] != GOAL_SUBSCRIBERS:
        return None
    if params["bytes"] >= LARGE:
        return large
    return small if params["bytes"] == SMALL else None


def _missed(row: Row) -> str:
    params = row["params"]
    where = ", ".join(f"{key} {value}" for key, value in params.items())
    if row["metric"] == "speedup":
        goal = goal_of(params)
        if goal is not None and row["p50"] < goal:
            return f"speed-up of {row['p50']:.3f}, goal {goal} ({where})"
    # Filling the pipeline is a part of a small message.
    judged = params.get("transport") == "smt" and params["bytes"] >= LARGE
    if row["metric"] == "port_efficiency" and judged and row["p50"] < EFFICIENCY_GOAL:
        return f"port efficiency of {row['p50']:.3f}, goal {EFFICIENCY_GOAL} ({where})"
    return ""
