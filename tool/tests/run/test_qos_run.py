# SPDX-License-Identifier: Apache-2.0
"""Quality of service in a running graph: what a person is told, and what run.json keeps."""

from __future__ import annotations

from run_chat import Chat

KEEP_ALL = {"history": "keep_all", "depth": 4}


def slow(chat: Chat, work_ms: int, messages: int = 50) -> Chat:
    chat.set("/talker", period_ms=1)
    return chat.set("/listener", work_ms=work_ms, messages=messages)


def test_keep_all_loses_nothing_behind_a_slow_subscription(chat: Chat) -> None:
    result = slow(chat, 5).set_qos(**KEEP_ALL).run()
    assert result.returncode == 0, result.stderr
    assert chat.record()["losses"] == []
    assert chat.last_status("/talker")["publishers"][0]["waits"] > 0
    assert chat.last_status("/listener")["subscriptions"][0]["lost"] == 0


def test_what_keep_last_loses_is_told_at_the_end_and_kept(chat: Chat) -> None:
    result = slow(chat, 20).set_qos(depth=1).run()
    assert result.returncode == 0, result.stderr
    (loss,) = chat.record()["losses"]
    assert (loss["node"], loss["topic"], loss["what"]) == ("/listener", "/chatter", "lost")
    assert loss["text"] == (
        f"/listener missed {loss['count']} of /chatter: overwritten before they were taken"
    )
    assert loss["text"] in result.stderr


def test_a_stalled_subscription_is_named_with_its_topic_and_fails_the_run(chat: Chat) -> None:
    result = slow(chat, 600, messages=6).set_qos(**KEEP_ALL).run()
    assert result.returncode == 1, result.stderr
    record = chat.record()
    assert record["state"] == "finished"
    (error,) = record["errors"]
    assert error["node"] == "/talker"
    assert "the publisher on '/chatter' of node '/talker' has 1 stalled" in error["text"]
    assert "(/listener in process " in error["text"]
    assert error["text"] in result.stderr
    assert {loss["what"] for loss in record["losses"]} >= {"lost", "overrun"}


def test_messages_beyond_their_lifespan_and_late_ones_are_told(chat: Chat) -> None:
    qos = {"lifespan_ms": 3, "deadline_ms": 10, "depth": 100}
    result = slow(chat, 30, messages=10).set_qos(**qos).run()
    assert result.returncode == 0, result.stderr
    told = {(loss["node"], loss["what"]) for loss in chat.record()["losses"]}
    assert ("/listener", "expired") in told
    assert "/listener was not given" in result.stderr
