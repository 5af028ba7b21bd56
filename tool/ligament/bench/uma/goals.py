# SPDX-License-Identifier: Apache-2.0
"""What ROS may cost over the same work without it, and the paper's figures beside."""

from __future__ import annotations

from ligament.bench.goals import Figures, Goal, Row
from ligament.bench.uma.cells import COPIED, SHARED
from ligament.bench.uma.paper import DEVICES, LEAST_COPIED, OVERHEAD, UM_WITHIN_PERCENT

#: Percent, by number of nodes: the upper 95 % bound of the mean.
OVERHEAD_GOALS = {2: 1.0, 3: 2.0, 5: 5.0}
#: Our code's part of a launch, on the host.
LAUNCH_GOAL_US = 5.0
_IN_PLACE = {"ros_mode": SHARED, "device_mode": "ZC"}
#: What uma/method.md and the page say of the processors and of single runs.
_WAKES = {
    "uma_zc": "nodes wake each other more often than threads do, and the system sometimes wakes "
    "two on one processor ([method](uma/method.md))",
    "uma_pinned": "nodes wake each other more often than threads do, and single runs vary by more "
    "than this goal ([page](uma/README.md#results))",
}
_LINE = "{workload}, {nodes} nodes, {ros_mode} by {ros_type} + {device_mode}"


def _goal(row: Row) -> float:
    return OVERHEAD_GOALS[row["params"]["nodes"]]


def _published(row: Row) -> str:
    """The paper's figures of the same line."""
    params = row["params"]
    key = (params["nodes"], params["ros_mode"], params["ros_type"], params["device_mode"])
    found = [(d, OVERHEAD[d, params["workload"]].get(key)) for d in DEVICES]
    return ", ".join(f"{percent:+d} % ({device})" for device, percent in found if percent)


FIGURES = Figures(
    goals=(
        Goal(_LINE, "overhead", _goal, _IN_PLACE, value="upper95", told="mean",
             published=_published, why=_WAKES),
        Goal(_LINE + ": an exchange costs more by", "overhead_per_step", None, _IN_PLACE),
        Goal(_LINE, "overhead", LEAST_COPIED, {"ros_mode": COPIED}, at_least=True, value="mean",
             published=_published),
        Goal("{workload}, {nodes} nodes: unified memory over copies", "unified_over_copy",
             UM_WITHIN_PERCENT, value="upper95", told="mean"),
        Goal("our part of a launch, kernels in place", "launch_own", LAUNCH_GOAL_US, _IN_PLACE),
    ),
    results={
        "uma_zc": "in place, workers where the system puts them",
        "uma_pinned": "in place, each worker on a processor of its own",
        "uma_sc": "copied through Cyclone DDS: the steps are short enough where it costs enough",
    },
    apart=("uma_pinned",),
    words={
        "`cache`": "CPU and GPU work on one matrix alternately",
        "`concurrent`": "they work on tiles of it at once",
        "`ROS-SHM-ZC by topic + ZC`": "the GPU works on the bytes of messages in the pool",
        "`TX2`, `Xavier`": "boards of the [GPU paper](../docs/reference/terms.md#papers), with its "
        "figures",
    },
)  # fmt: skip
