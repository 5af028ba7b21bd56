# SPDX-License-Identifier: Apache-2.0
"""What the paper says of its figures, checked on ours."""

from __future__ import annotations

import math
from typing import Any

from ligament.bench.measuring import Row, make_row
from ligament.bench.uma.bounds import student_quantile
from ligament.bench.uma.paper import LEAST_COPIED, UM_WITHIN_PERCENT

METRIC = "unified_over_copy"


def unified_memory(rows: list[Row]) -> list[Row]:
    """How much longer the same nodes take with UM than with SC, by their mean times."""
    times = {_key(r): r for r in rows if r["metric"] == "run_time" and r["peer"] == "ligament"}
    found = []
    for key, row in times.items():
        beside = times.get((*key[:-1], "SC"))
        if key[-1] == "UM" and beside is not None:
            percent = 100.0 * (row["mean"] / beside["mean"] - 1.0)
            told = make_row("uma", row["params"], METRIC, "percent", percent)
            told["upper95"] = abs(percent) + _half_width(row, beside)
            found.append(told)
    return found


def _half_width(row: Row, beside: Row) -> float:
    """Of the 95 % interval of the ratio of two means, in percent: they were not measured in pairs,
    but one after the other."""
    freedom = row["n"] + beside["n"] - 2
    if freedom < 1:
        return math.inf
    spread = math.sqrt(sum((r["sd"] / r["mean"]) ** 2 / r["n"] for r in (row, beside)))
    ratio = float(row["mean"] / beside["mean"])
    return 100.0 * ratio * spread * student_quantile(0.975, freedom)


def unified_memory_note(rows: list[Row]) -> list[str]:
    """Whether the paper's claim holds in each place where it can be checked."""
    told = [r for r in rows if r["metric"] == METRIC]
    if not told:
        return []
    found = [r["mean"] for r in told]
    inside = sum(abs(percent) <= UM_WITHIN_PERCENT for percent in found)
    surely = sum(r["upper95"] <= UM_WITHIN_PERCENT for r in told)
    worst = max(found, key=abs)
    return [
        f"UM within {UM_WITHIN_PERCENT} % of SC, as the paper says of its devices: holds in "
        f"{inside} of {len(found)} places by the means, in {surely} by the whole 95 % interval; "
        f"the farthest is {worst:+.1f} %"
    ]


def calibration(rows: list[Row]) -> str:
    """Whether the steps are short enough for communication to show."""
    found = [
        row for row in rows if row["metric"] == "overhead" and row["params"]["ros_mode"] == "ROS-SC"
    ]
    if not found:
        return (
            f"ROS-SC at least: not measured in this run ({LEAST_COPIED} % asked), so by it the "
            "steps are not shown to be short enough"
        )
    least = min(found, key=lambda row: float(row["mean"]))
    params = least["params"]
    reached = least["mean"] >= LEAST_COPIED
    return (
        f"ROS-SC at least: {least['mean']:.0f} % ({LEAST_COPIED} asked), {params['workload']}, "
        f"{params['nodes']} nodes, by {params['ros_type']}: "
        + ("reached" if reached else "not reached: shorten the steps (--step-us)")
    )


def _key(row: Row) -> tuple[Any, ...]:
    names = ("workload", "nodes", "ros_mode", "ros_type", "device_mode")
    return tuple(row["params"][name] for name in names)
