# SPDX-License-Identifier: Apache-2.0
"""Chains from message identity: found, followed, and never completed by guessing."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_up_traces import (
    CAMERA,
    PUB_DONE,
    PUB_RAW,
    PUB_RECT,
    RAW,
    RECTIFY,
    REMAP,
    SUB_DONE,
    SUB_RAW,
    SUB_RECT,
    Trace,
)  # fmt: skip

from ligament.report.chains import Instances, find_chains, instances
from ligament.report.database import open_events

MAIN = "/camera -> /rectify -> /sink [/image_raw, /image_rect]"


def follow(trace: Trace, tmp_path: Path) -> dict[str, Instances]:
    database = open_events(trace.write(tmp_path / "events.parquet"))
    return {chain.id: instances(database, chain) for chain in find_chains(database)}


def test_a_chain_is_found_and_every_frame_followed(trace: Trace, tmp_path: Path) -> None:
    for seq in range(1, 4):
        trace.frame(seq * 10_000, seq)
    found = follow(trace, tmp_path)
    assert list(found) == [MAIN]
    assert list(found[MAIN].columns["seq"]) == [1, 2, 3]
    assert (found[MAIN].started, found[MAIN].incomplete) == (3, 0)


def test_an_incomplete_chain_is_counted_where_it_ended(trace: Trace, tmp_path: Path) -> None:
    trace.frame(10_000, 1).frame(20_000, 2, sink=False)
    trace.publish(30_000, 30_010, 1, PUB_RAW, 3)
    trace.publish(40_000, 40_010, 1, PUB_RAW, 4).take(40_100, 2, SUB_RAW, PUB_RAW, 4)
    found = follow(trace, tmp_path)[MAIN]
    assert list(found.columns["seq"]) == [1]
    # 3 was never taken, 4 taken and not passed on, 2 passed on and not taken by the sink.
    assert (found.started, found.lost_after) == (4, (2, 1))


def test_feedback_ends_a_chain(trace: Trace, tmp_path: Path) -> None:
    trace.frame(10_000, 1)
    for seq in (1, 2):
        start = 10_000 + (seq - 1) * 5_000
        # The sink answers, and the camera sends the next frame because of it.
        if seq > 1:
            trace.add(start + 2_000, "take", 3, subscription=SUB_RECT, publisher=PUB_RECT, seq=seq)
        trace.add(start + 2_050, "callback_start", 3, handle=SUB_RECT, publisher=PUB_RECT, seq=seq)
        trace.publish(start + 2_100, start + 2_110, 3, PUB_DONE, seq).end(
            start + 2_200, 3, SUB_RECT
        )
        trace.take(start + 2_300, 1, SUB_DONE, PUB_DONE, seq)
        trace.publish(start + 2_400, start + 2_410, 1, PUB_RAW, seq + 1)
        trace.end(start + 2_500, 1, SUB_DONE)
        trace.take(start + 2_600, 2, SUB_RAW, PUB_RAW, seq + 1)
        trace.publish(start + 2_700, start + 2_710, 2, PUB_RECT, seq + 1)
        trace.end(start + 2_800, 2, SUB_RAW)
    found = follow(trace, tmp_path)
    assert list(found) == [MAIN]
    assert found[MAIN].started == 3


@pytest.mark.parametrize("topic", ["rr/addReply", "rr/otherReply", "/sums"])
def test_a_chain_runs_through_a_call_of_a_service(trace: Trace, tmp_path: Path, topic: str) -> None:
    adder, asks, answers = 4, (13, 104, 204), (14, 105, 205)
    trace.add(0, "node_init", node=adder, name="/adder")
    names = ("rq/addRequest", topic)
    ways = ((RECTIFY, adder), (adder, RECTIFY))
    for (number, publisher, subscription), name, way in zip(
        (asks, answers), names, ways, strict=True
    ):
        trace.add(0, "topic_init", topic=number, name=name, message="m")
        trace.add(0, "publisher_init", publisher=publisher, topic=number, node=way[0])
        trace.add(0, "subscription_init", subscription=subscription, topic=number, node=way[1])
    trace.publish(100, 110, 1, PUB_RAW, 1).take(200, 2, SUB_RAW, PUB_RAW, 1)
    trace.publish(250, 260, 2, asks[1], 1).end(300, 2, SUB_RAW)
    trace.take(400, 4, asks[2], asks[1], 1)
    trace.publish(450, 460, 4, answers[1], 1).end(500, 4, asks[2])
    trace.take(600, 2, answers[2], answers[1], 1)
    trace.publish(650, 660, 2, PUB_RECT, 1).end(700, 2, answers[2])
    trace.take(800, 3, SUB_RECT, PUB_RECT, 1).end(900, 3, SUB_RECT)
    found = follow(trace, tmp_path)
    called = "/camera -> /rectify -> /adder"
    if topic == "rr/addReply":
        whole = f"{called} -> /rectify -> /sink"
        (name,) = found
        assert name == f"{whole} [/image_raw, rq/addRequest, rr/addReply, /image_rect]"
        assert (found[name].complete, found[name].incomplete) == (1, 0)
    else:  # it is another service's, or none: feedback, which ends the chain
        assert f"{called} [/image_raw, rq/addRequest]" in found


def test_a_publish_after_the_callback_has_no_cause(trace: Trace, tmp_path: Path) -> None:
    trace.publish(10, 20, 1, PUB_RAW, 1)
    trace.take(100, 2, SUB_RAW, PUB_RAW, 1).end(200, 2, SUB_RAW)
    trace.publish(300, 310, 2, PUB_RECT, 1).take(400, 3, SUB_RECT, PUB_RECT, 1).end(
        500, 3, SUB_RECT
    )
    assert set(follow(trace, tmp_path)) == {
        "/camera -> /rectify [/image_raw]",
        "/rectify -> /sink [/image_rect]",
    }


def test_a_lost_callback_end_gives_no_cause(trace: Trace, tmp_path: Path) -> None:
    trace.publish(10, 20, 1, PUB_RAW, 1).take(100, 2, SUB_RAW, PUB_RAW, 1)
    trace.publish(200, 210, 2, PUB_RECT, 1)  # its callback_end was discarded
    trace.take(300, 2, SUB_RAW, PUB_RAW, 2).end(400, 2, SUB_RAW)
    assert MAIN not in follow(trace, tmp_path)


def test_a_span_with_an_identity_names_the_cause(trace: Trace, tmp_path: Path) -> None:
    """A node that pairs image and calibration publishes in whichever callback came last."""
    pub_info, sub_info, info = 110, 210, 15
    trace.add(0, "topic_init", topic=info, name="/camera_info", message="m")
    trace.add(0, "publisher_init", publisher=pub_info, topic=info, node=CAMERA)
    trace.add(0, "subscription_init", subscription=sub_info, topic=info, node=RECTIFY)
    trace.publish(10, 20, 1, PUB_RAW, 5).publish(30, 40, 1, pub_info, 8)
    trace.take(100, 2, SUB_RAW, PUB_RAW, 5).end(150, 2, SUB_RAW)
    trace.take(200, 2, sub_info, pub_info, 8)
    trace.span(300, 400, 2, REMAP, publisher=PUB_RAW, seq=5)
    trace.publish(500, 510, 2, PUB_RECT, 1).end(600, 2, sub_info)
    trace.take(700, 3, SUB_RECT, PUB_RECT, 1).end(800, 3, SUB_RECT)
    found = follow(trace, tmp_path)
    assert list(found[MAIN].columns["seq"]) == [5]
    assert found[MAIN].columns["pub_begin_0"][0] == 10


def test_two_subscribers_make_two_chains(trace: Trace, tmp_path: Path) -> None:
    trace.add(0, "node_init", node=9, name="/viewer")
    trace.add(0, "subscription_init", subscription=209, topic=RAW, node=9)
    trace.frame(10_000, 1)
    trace.take(10_300, 4, 209, PUB_RAW, 1).end(10_400, 4, 209)
    assert set(follow(trace, tmp_path)) == {MAIN, "/camera -> /viewer [/image_raw]"}


@pytest.mark.parametrize("rows", [0, 1])
def test_a_trace_without_messages_has_no_chain(trace: Trace, tmp_path: Path, rows: int) -> None:
    for seq in range(rows):
        trace.publish(10, 20, 1, PUB_RAW, seq + 1)
    assert follow(trace, tmp_path) == {}


def test_a_chain_is_followed_through_edges(trace: Trace, tmp_path: Path) -> None:
    """Each pool's edge gives messages a name of its own; their source timestamp is the link."""
    edge = 900
    for seq in range(1, 4):
        start, stamp = seq * 10_000, 77_000 + seq
        trace.add(start - 5, "callback_start", 1, handle=301, publisher=0, seq=0)
        trace.add(start + 20, "publish", 1, publisher=PUB_RAW, seq=seq, bytes=9, source_ns=stamp,
                  begin_ns=start)  # fmt: skip
        trace.end(start + 30, 1, 301)
        # The edge met the camera late: its numbers are others.
        trace.add(start + 99, "relayed", 2, subscription=SUB_RAW, publisher=edge, seq=seq + 40,
                  source_ns=stamp)  # fmt: skip
        trace.take(start + 100, 2, SUB_RAW, edge, seq + 40)
        trace.span(start + 150, start + 750, 2, publisher=edge, seq=seq + 40)
        trace.publish(start + 800, start + 820, 2, PUB_RECT, seq).end(start + 850, 2, SUB_RAW)
        trace.take(start + 1000, 3, SUB_RECT, PUB_RECT, seq).end(start + 1100, 3, SUB_RECT)
    found = follow(trace, tmp_path)
    assert list(found) == [MAIN]
    assert list(found[MAIN].columns["seq"]) == [1, 2, 3]
    assert found[MAIN].incomplete == 0


def test_a_message_whose_publication_is_not_known_is_linked_to_none(
    trace: Trace, tmp_path: Path
) -> None:
    trace.frame(10_000, 1)
    # From outside: nobody here published with that time. And one time that two publications have.
    for seq, stamp in ((1, 5), (2, 9)):
        trace.add(30_000 + seq, "relayed", 2, subscription=SUB_RAW, publisher=900, seq=seq,
                  source_ns=stamp)  # fmt: skip
        trace.take(30_010 + seq, 2, SUB_RAW, 900, seq).end(30_020 + seq, 2, SUB_RAW)
    for seq in (2, 3):
        trace.add(29_000 + seq, "publish", 1, publisher=PUB_RAW, seq=seq, bytes=9, source_ns=9,
                  begin_ns=29_000 + seq)  # fmt: skip
    found = follow(trace, tmp_path)
    assert list(found[MAIN].columns["seq"]) == [1]
    assert found[MAIN].incomplete == 2
