# SPDX-License-Identifier: Apache-2.0
"""Rows of `ligament bench hmt`."""

from __future__ import annotations

from pathlib import Path

from ligament.bench.hmt import network
from ligament.bench.hmt.network import Shape
from ligament.bench.hmt.options import Plan
from ligament.bench.measuring import Row, make_row

#: The network and message of the simulation's own speed, and its goal.
SPEED_SHAPE = Shape(64, 2, 9)
SPEED_BYTES = 3145728
SPEED_PASSES = 5

NOTES = (
    "transfer: from the cycle in which the network takes a message's first beat to the cycle in"
    " which the last subscriber takes its last beat, both included; publishers send back to back",
    "rate: beats per cycle at a subscriber, from its first beat to its last; all publishers send",
    "cycles are deterministic: a spread is one between messages, not between runs",
)


def transfers(shape: Shape, size: int, plan: Plan, program: Path) -> list[Row]:
    """A network and a size: transfer in cycles, and beats per cycle."""
    header = plan.header_beats(shape.width)
    # Short messages are repeated until the pipeline's filling does not show.
    said = network.run(program, size, plan.messages, header)
    params = {"bytes": size, **shape.params(), "header_beats": header}
    rate = said["beats"] / said["span"]
    return [
        make_row("hmt", params, "transfer", "cycles", said["transfers"], plan.peer),
        make_row("hmt", params, "rate", "beats/cycle", rate, plan.peer),
    ]


def simulation_speed(plan: Plan) -> list[Row]:
    """Time of one message through the 2:9 network; each publisher sends one."""
    program = network.build(SPEED_SHAPE)
    header = plan.header_beats(SPEED_SHAPE.width)
    runs = [network.run(program, SPEED_BYTES, 1, header) for _ in range(SPEED_PASSES)]
    params = {"bytes": SPEED_BYTES, **SPEED_SHAPE.params()}
    share = SPEED_SHAPE.publishers
    return [
        make_row("hmt", params, metric, "ms", [r[key] / share for r in runs])
        for metric, key in (("simulation_cpu", "cpu_ms"), ("simulation_wall", "wall_ms"))
    ]
