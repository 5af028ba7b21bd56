# SPDX-License-Identifier: Apache-2.0
"""The chain by the ROS clock, where nodes of the recording follow simulated time.

ROS time goes on in steps, with each message of /clock. So it is read at both ends of an interval:
what lies within one step took no simulated time, however long the host needed for it.
"""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np

from ligament.report.chains import Instances
from ligament.report.database import Column, columns
from ligament.report.statistics import summarise

MOST_VALUES = 4
"""Different times that are told one by one; of more, the summary tells enough."""


def ros_time_of(
    database: duckdb.DuckDBPyConnection, main: Instances | None, skipped: int
) -> dict[str, Any]:
    """`ros_time` of a variant's entry, without the first `skipped` messages of its chain.

    Empty where no node follows /clock, or no message came to the end of the chain.
    """
    ticks = columns(database, "SELECT time_ns, ros_ns FROM ros_times ORDER BY time_ns, ros_ns")
    if main is None or main.complete == 0 or len(ticks["time_ns"]) == 0:
        return {}
    last = len(main.chain.hops) - 1
    begin = main.columns["pub_begin_0"][skipped:]
    end = main.columns[f"take_{last}"][skipped:]
    steps = np.diff(ticks["ros_ns"])
    steps = steps[steps > 0]
    found = {
        "ticks": len(ticks["time_ns"]),
        "step_ns": float(np.median(steps)) if len(steps) else None,
        **_passed(ticks, begin, end),
        "answers": _answers(database, main, begin, skipped, ticks),
    }
    return {"ros_time": found}


def _passed(ticks: dict[str, Column], begin: Column, end: Column) -> dict[str, Any]:
    """How long it took by the ROS clock; what began before its first step does not count."""
    places = [np.searchsorted(ticks["time_ns"], times, side="right") - 1 for times in (begin, end)]
    known = places[0] >= 0
    since, until = (ticks["ros_ns"][place[known]] for place in places)
    # Where the clock was set back in between, nobody knows how long it took.
    passed = (until - since)[until >= since]
    values, counts = np.unique(passed, return_counts=True)
    told = zip(values.tolist(), counts.tolist(), strict=True) if len(values) <= MOST_VALUES else ()
    return {
        "latency_ns": summarise(passed),
        "values": [{"ns": value, "count": count} for value, count in told],
    }


def _answers(
    database: duckdb.DuckDBPyConnection,
    main: Instances,
    begin: Column,
    skipped: int,
    ticks: dict[str, Column],
) -> list[dict[str, Any]]:
    """What the last node publishes because of the chain's messages: how old they are then."""
    hop = main.chain.hops[-1]
    published = columns(
        database,
        "SELECT b.topic_name::VARCHAR AS topic, p.cause_seq::BIGINT AS seq, "
        "  min(p.begin_ns) AS time_ns "
        "FROM publications p JOIN publishers b ON b.publisher = p.publisher "
        f"WHERE p.cause_publisher = {hop.publisher} AND b.node_name = '{hop.target}' "
        "GROUP BY ALL ORDER BY topic, seq",
    )
    sequence = main.columns[f"seq_{len(main.chain.hops) - 1}"][skipped:]
    began = dict(zip(sequence.tolist(), begin.tolist(), strict=True))
    answers = []
    for topic in sorted(set(published["topic"].tolist())):
        rows = [
            (began[seq], time)
            for name, seq, time in zip(*published.values(), strict=True)
            if name == topic and seq in began
        ]
        if rows:
            since, until = (np.array(times) for times in zip(*rows, strict=True))
            answers.append(
                {
                    "topic": topic,
                    "host_ns": summarise(until - since),
                    **_passed(ticks, since, until),
                }
            )
    return answers
