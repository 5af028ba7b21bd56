# SPDX-License-Identifier: Apache-2.0
"""Every nanosecond between publish and take has exactly one name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from made_up_traces import PACK, PUB_RAW, PUB_RECT, SUB_RAW, SUB_RECT, TIMER, Trace

from ligament.report.breakdown import Breakdown, Timeline
from ligament.report.chains import find_chains, instances
from ligament.report.database import open_events
from ligament.report.names import SHARES


def broken_down(trace: Trace, tmp_path: Path) -> Breakdown:
    database = open_events(trace.write(tmp_path / "events.parquet"))
    parts = Timeline(database).break_down(instances(database, find_chains(database)[0]))
    assert (np.sum([parts.total(name) for name in SHARES], axis=0) == parts.latency).all()
    return parts


def totals(parts: Breakdown, row: int = 0) -> dict[str, int]:
    return {name: int(parts.total(name)[row]) for name in SHARES}


def test_a_plain_frame(trace: Trace, tmp_path: Path) -> None:
    parts = broken_down(trace.frame(10_000, 1).frame(20_000, 2), tmp_path)
    assert list(parts.latency) == [1000, 1000]
    assert totals(parts) == {
        "compute": 600, "copy": 0, "serialise": 0, "transport": 400, "queue_wait": 0,
        "executor_wait": 0,
    }  # fmt: skip
    first, second = parts.hops
    assert (first.between["transport"][0], first.node["transport"][0]) == (100, 100)
    assert (second.between["transport"][0], second.node) == (200, {})
    # On the way: publish, callback_end | take, callback_start, span x 2, publish, callback_end,
    # take, callback_start.
    assert list(parts.events) == [10, 10]


def test_waiting_for_a_busy_executor(trace: Trace, tmp_path: Path) -> None:
    trace.frame(10_000, 1)
    # From 9,000 to 10,070 the thread of /rectify was in another callback.
    trace.add(9_000, "callback_start", 2, handle=999, publisher=0, seq=0).end(10_070, 2, 999)
    parts = broken_down(trace, tmp_path)
    # The message was visible from 10,020 on.
    assert totals(parts)["executor_wait"] == 50
    assert totals(parts)["transport"] == 350


def test_waiting_behind_an_earlier_message(trace: Trace, tmp_path: Path) -> None:
    """The thread was in a callback of the same subscription: that is a queue, not the executor."""
    trace.frame(10_000, 1)
    trace.add(9_000, "callback_start", 2, handle=SUB_RAW, publisher=0, seq=0)
    trace.end(10_070, 2, SUB_RAW)
    parts = totals(broken_down(trace, tmp_path))
    assert (parts["queue_wait"], parts["executor_wait"], parts["transport"]) == (50, 0, 350)


def test_a_table_of_an_earlier_version_is_read(trace: Trace, tmp_path: Path) -> None:
    """Columns that were added later are null in it."""
    added = ["depth", "intra", "ready_ns", "execute_ns", "rcl_ns"]
    path = trace.frame(10_000, 1).write(tmp_path / "events.parquet", without=added)
    database = open_events(path)
    parts = Timeline(database).break_down(instances(database, find_chains(database)[0]))
    assert list(parts.latency) == [1000]


def test_one_thread_waits_for_its_own_publisher(trace: Trace, tmp_path: Path) -> None:
    trace.add(0, "callback_start", 1, handle=TIMER, publisher=0, seq=0)
    trace.publish(100, 120, 1, PUB_RAW, 1).end(150, 1, TIMER)
    trace.take(170, 1, SUB_RAW, PUB_RAW, 1)
    trace.publish(300, 310, 1, PUB_RECT, 1).end(340, 1, SUB_RAW)
    trace.take(350, 1, SUB_RECT, PUB_RECT, 1).end(400, 1, SUB_RECT)
    parts = broken_down(trace, tmp_path)
    assert totals(parts)["executor_wait"] == (150 - 120) + (340 - 310)


def test_nested_spans_count_once(trace: Trace, tmp_path: Path) -> None:
    trace.frame(10_000, 1).span(10_200, 10_300, 2, PACK)
    assert totals(broken_down(trace, tmp_path))["compute"] == 600
    assert totals(broken_down(trace, tmp_path))["serialise"] == 0


def test_serialising_inside_a_publish_is_not_transport(trace: Trace, tmp_path: Path) -> None:
    trace.frame(10_000, 1).span(10_802, 10_812, 2, PACK)
    parts = totals(broken_down(trace, tmp_path))
    assert (parts["serialise"], parts["transport"]) == (10, 390)


def test_a_span_that_ends_after_the_publish_counts_up_to_it(trace: Trace, tmp_path: Path) -> None:
    trace.publish(100, 110, 1, PUB_RAW, 1).take(200, 2, SUB_RAW, PUB_RAW, 1)
    trace.span(250, 500, 2).publish(300, 310, 2, PUB_RECT, 1).end(600, 2, SUB_RAW)
    trace.take(320, 3, SUB_RECT, PUB_RECT, 1).end(700, 3, SUB_RECT)
    parts = totals(broken_down(trace, tmp_path))
    assert parts["compute"] == (300 - 250) + (310 - 300)  # beside it the publish call itself
    assert sum(parts.values()) == 220


def test_a_take_before_the_publish_event_is_not_negative(trace: Trace, tmp_path: Path) -> None:
    trace.publish(0, 120, 1, PUB_RAW, 1).take(100, 2, SUB_RAW, PUB_RAW, 1)
    trace.publish(200, 210, 2, PUB_RECT, 1).end(220, 2, SUB_RAW)
    trace.take(230, 3, SUB_RECT, PUB_RECT, 1).end(240, 3, SUB_RECT)
    parts = broken_down(trace, tmp_path)
    assert list(parts.latency) == [130]
    assert all(value >= 0 for value in totals(parts).values())
