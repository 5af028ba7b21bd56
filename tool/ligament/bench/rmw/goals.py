# SPDX-License-Identifier: Apache-2.0
"""What our middleware is to reach, beside Fast DDS and beside copies."""

from __future__ import annotations

from ligament.bench.goals import Figures, Goal
from ligament.bench.rmw.cells import (
    COPIES,
    MEGABYTE,
    ONE_READER,
    ONE_WAY,
    PUBLISH,
    PUBLISH_CPU,
    ROUND_TRIP,
)
from ligament.bench.rmw.contestants import SHIPPED, TUNED

_IMAGE = {"bytes": (MEGABYTE, 10 * MEGABYTE), "subscribers": 1}
_SMALL = {"bytes": 64}
_EIGHT = {"bytes": MEGABYTE, "subscribers": 8}
#: The goals are at 100 processes; a smaller graph is shown beside them.
_MANY, _FEW = {"processes": 100}, {"processes": (10, 20)}
_NONE, _LIMITS = (None, None, None), (3.0, 0.5, 6e6)

FIGURES = Figures(
    goals=(
        Goal("image of {size}", ONE_WAY, 1.25, _IMAGE, against=COPIES),
        Goal("image of {size}, to Fast DDS as it ships", ONE_WAY, 0.2, _IMAGE, against=SHIPPED),
        Goal("image of {size}, to Fast DDS tuned", ONE_WAY, 0.5, _IMAGE, against=TUNED),
        Goal("image of {size}, 99th percentile", ONE_WAY, None, _IMAGE, value="p99"),
        Goal("string of {size}", ONE_WAY, 0.6, _SMALL, against=SHIPPED),
        Goal("string of {size}, 99th percentile", ONE_WAY, None, _SMALL, value="p99"),
        # Less than a second copy would cost, and not eight.
        Goal("CPU time of a publish call, {size}, {subscribers} subscribers, to one", PUBLISH_CPU,
             2.0, _EIGHT, against=ONE_READER),
        Goal("publish call, {size}, {subscribers} subscribers, by the clock", PUBLISH,
             None, _EIGHT),
        Goal("image of {size} to {subscribers} subscribers", ONE_WAY, None, _EIGHT),
        Goal("service call, {size} each way", ROUND_TRIP, 0.5, _SMALL, against=SHIPPED),
        Goal("a new node is seen by another process", "node_seen", 20e6),
        *(
            goal
            for limits, where in ((_NONE, _FEW), (_LIMITS, _MANY))
            for goal in (
                Goal("all matched, {processes} processes of 10 endpoints", "start_up",
                     limits[0], where),
                Goal("idle CPU of all {processes} processes, of one core", "idle_cpu",
                     limits[1], where),
                Goal("memory per process over one without endpoints, {processes} processes",
                     "memory_per_process", limits[2], where, less="memory_without_endpoints"),
            )
        ),
    ),
    results={"rmw": "images, strings, calls and the graph"},
    floors=(COPIES,),
    words={
        "`fastrtps`": "rmw_fastrtps_cpp as it ships, `fastrtps_tuned`: with "
        "[tuned.xml](rmw/tuned.xml)",
        f"`{COPIES}`": "two copies of the message in one process, and 60 us for the hand-over",
    },
)  # fmt: skip
