# SPDX-License-Identifier: Apache-2.0
"""A made-up trace with latencies that differ."""

from __future__ import annotations

from made_up_traces import COPY_IN, Trace


def many_frames(count: int = 40) -> Trace:
    """The perception graph's frames with latencies that differ."""
    trace = Trace().names()
    for seq in range(1, count + 1):
        start = seq * 10_000
        trace.publish(start, start + 20, 1, 101, seq)
        trace.take(start + 100, 2, 202, 101, seq)
        trace.span(start + 150, start + 700 + 7 * (seq % 9), 2)
        trace.publish(start + 800, start + 820, 2, 102, seq).end(start + 850, 2, 202)
        trace.take(start + 1000 + 13 * (seq % 11), 3, 203, 102, seq).end(start + 1200, 3, 203)
    return trace


def device_frames(base: str, count: int = 40) -> Trace:
    """The same with a device of /rectify; `base`: whose clock its times are by."""
    trace = Trace().names().device(base)
    for seq in range(1, count + 1):
        start = seq * 10_000
        trace.device_frame(start, seq)
        trace.work(start + 150, start + 200, start + 745, seq, COPY_IN)
        trace.work(start + 200, start + 500 + 7 * (seq % 9), start + 746, seq)
    return trace
