# SPDX-License-Identifier: Apache-2.0
"""Two nodes over memory: the other column of table I, with the designs of `bench gateway`."""

from __future__ import annotations

# As modules: that benchmark is made of this one's parts.
from ligament.bench.gateway import design, options
from ligament.bench.hmt.options import Plan
from ligament.bench.measuring import Row, make_row

WAY = "memory"
NOTES = (
    "way memory: one core publishes over memory and another one subscribes, with what software"
    " takes; a subscriber in software copies each message as well",
)


def measure(width: int, plan: Plan) -> list[Row]:
    """From the first beat sent to the last one received, through lig_smt_pub and lig_smt_sub."""
    burst = 0 if plan.published else options.burst_of(width)
    program = design.build(options.Shape(width, 1, burst), gateway=False)
    params = {"width": width, "publishers": 1, "subscribers": 1, "way": WAY}
    # The fit is of the latency, too.
    latency = {} if plan.published else {"read_latency": options.LATENCY}
    rows = []
    for size in plan.sizes:
        experiment = options.Experiment("hw", size, plan.messages, options.LATENCY, software=True)
        said = design.run(program, experiment, design.FITTED if plan.published else {})
        found = {"bytes": size, **params, **latency}
        rows.append(make_row("hmt", found, "transfer", "cycles", said["hw"], plan.peer))
    return rows
