# SPDX-License-Identifier: Apache-2.0
"""Rows of `ligament bench hmt`, and which of them miss a goal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ligament.bench.framework import Row, make_row
from ligament.bench.hmt import chain, network
from ligament.bench.hmt.network import Shape
from ligament.bench.hmt.options import Plan
from ligament.report.statistics import summarise

#: Cycles above body and framing that a transfer may take.
SLACK_CYCLES = 8
FRAMING_BEATS = 2
RATE_GOAL = 0.999
#: The network and message of the simulation's own speed, and its goal.
SPEED_SHAPE = Shape(64, 2, 9)
SPEED_BYTES = 3145728
SPEED_GOAL_MS = 60.0
SPEED_PASSES = 5

NOTES = (
    "transfer: from the cycle in which the network takes a message's first beat to the cycle in"
    " which the last subscriber takes its last beat, both included; publishers send back to back",
    "rate: beats per cycle at a subscriber, from its first beat to its last; all publishers send",
    "cycles are deterministic: a spread is one between messages, not between runs",
)


def beats_of(size: int, width: int) -> int:
    """Beats of a body."""
    return -(-size * 8 // width)


def transfers(shape: Shape, size: int, plan: Plan, program: Path) -> list[Row]:
    """A network and a size: transfer in cycles, and beats per cycle."""
    header = plan.header_beats(shape.width)
    # Short messages are repeated until the pipeline's filling does not show.
    said = network.run(program, size, plan.messages, header)
    params = {"bytes": size, **shape.params(), "header_beats": header}
    rate = said["beats"] / said["span"]
    return [
        make_row("hmt", params, "transfer", "cycles", summarise(said["transfers"]), plan.peer),
        make_row("hmt", params, "rate", "beats/cycle", summarise([rate]), plan.peer),
    ]


def simulation_speed(plan: Plan) -> list[Row]:
    """Time of one message through the 2:9 network; each publisher sends one."""
    program = network.build(SPEED_SHAPE)
    header = plan.header_beats(SPEED_SHAPE.width)
    runs = [network.run(program, SPEED_BYTES, 1, header) for _ in range(SPEED_PASSES)]
    params = {"bytes": SPEED_BYTES, **SPEED_SHAPE.params()}
    share = SPEED_SHAPE.publishers
    return [
        make_row("hmt", params, metric, "ms", summarise([r[key] / share for r in runs]))
        for metric, key in (("simulation_cpu", "cpu_ms"), ("simulation_wall", "wall_ms"))
    ]


def missed_goals(rows: list[Row]) -> list[str]:
    """What a cycle count or a count of cells says is not reached; times are only shown."""
    return [text for row in rows if (text := _missed(row))]


def _missed(row: dict[str, Any]) -> str:
    params = row["params"]
    if row["peer"] != "ligament":
        return ""
    where = ", ".join(f"{key} {value}" for key, value in params.items())
    if row["metric"] == "transfer" and "way" not in params:
        limit = beats_of(params["bytes"], params["width"]) + FRAMING_BEATS + SLACK_CYCLES
        if row["p99"] > limit:
            return f"transfer of {row['p99']:.0f} cycles, goal {limit} ({where})"
    if row["metric"] == "rate" and row["p50"] < RATE_GOAL:
        return f"{row['p50']:.4f} beats per cycle, goal {RATE_GOAL} ({where})"
    if fault := chain.missed(row):
        return fault
    goal = params.get("goal")
    # A clock may be higher than its goal, cells may be fewer.
    sign = -1 if row["metric"] == "fmax" else 1
    if goal is not None and sign * row["p50"] > sign * goal:
        return f"{row['p50']:.0f} {row['metric']}, goal {goal} ({where})"
    return ""
