# SPDX-License-Identifier: Apache-2.0
"""Width and queues of a hardware topic's network.

The width is the smallest that carries the declared rate: wider streams cost cells in every queue. A
queue is of the subscription's QoS where block RAM can hold what that asks for, and says so where it
cannot (hdl/rtl/lig_topic.sv has the kinds).
"""

from __future__ import annotations

from ligament.graph.model import End, Topic
from ligament.mapping.cost_model import WIDTHS, MemoryPort, frame_beats
from ligament.mapping.model import Queue, Stream

#: Of a queue that only evens out: what a block RAM of 18 kbit holds. Unit: beats.
EVEN_OUT_BEATS = 512
#: The deepest queue of hdl/rtl (lig_fifo, lig_fifo_last, lig_fifo_drop). Unit: beats.
MOST_BEATS = 65536
#: The most frames that lig_fifo_last tells apart.
MOST_HISTORY = 64
#: Body bytes in front of a message at most (spec/wire/stream.md, section 1).
MOST_PAD = 48


def stream_of(
    topic: Topic, hardware_nodes: frozenset[str], port: MemoryPort | None, least: int = WIDTHS[0]
) -> Stream:
    """Return the network of a topic's ends in hardware.

    `least`: width of the widest stream that a core has on the topic. Unit: bits.
    """
    width, text = _width(topic, port)
    if width < least:
        width, text = least, "as wide as the streams of its cores"
    queues = tuple(
        _queue(end, topic.bound_bytes, width)
        for end in topic.subscriptions
        if end.node in hardware_nodes
    )
    return Stream(width, text, queues)


def longest_frame(bound_bytes: int, width_bits: int) -> int:
    """Return the beats of the longest frame of a topic, front padding included."""
    return frame_beats(bound_bytes + MOST_PAD, width_bits)


def _width(topic: Topic, port: MemoryPort | None) -> tuple[int, str]:
    if topic.bound_bytes is None or topic.rate_hz is None or port is None:
        return WIDTHS[0], "the narrowest: no bound, rate and clock are declared to ask for more"
    for width in WIDTHS:
        share = topic.rate_hz * longest_frame(topic.bound_bytes, width) / port.clock_hz
        if share <= 1:
            return width, f"the narrowest that carries {topic.rate_hz:g} Hz: {share:.1%} busy"
    return WIDTHS[-1], (
        f"the widest, which carries {1 / share:.1%} of what {topic.rate_hz:g} Hz need"
    )


def _queue(end: End, bound_bytes: int | None, width: int) -> Queue:
    """Return a subscription's queue; what hardware cannot keep makes publishers wait instead."""
    if end.qos.reliability == "best_effort":
        kind, frames = "best-effort", 1
    elif end.qos.history == "keep_last":
        # One being taken, one coming in, and the history (hdl/rtl/lig_fifo_last.sv).
        kind, frames = "keep-last", min(end.qos.depth, MOST_HISTORY) + 2
    else:
        return Queue(end.node, end.port, "keep-all", EVEN_OUT_BEATS, "evens out; publishers wait")
    if bound_bytes is None:
        return _waits(end, "no bound is declared, so no number of whole messages fits for certain")
    beats = frames * longest_frame(bound_bytes, width)
    if beats > MOST_BEATS:
        return _waits(end, f"{kind} needs {beats} beats, and a queue has {MOST_BEATS} at most")
    whole = f"holds {frames} whole message{'s' * (frames != 1)}"
    return Queue(end.node, end.port, kind, queue_depth(beats), whole)


def queue_depth(beats: int) -> int:
    """Return the depth of a queue that is to hold so many beats: a power of two."""
    return max(EVEN_OUT_BEATS, 1 << (beats - 1).bit_length())


def _waits(end: End, why: str) -> Queue:
    text = f"publishers wait: {why}"
    return Queue(end.node, end.port, "keep-all", EVEN_OUT_BEATS, text)
