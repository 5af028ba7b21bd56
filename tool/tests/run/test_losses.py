# SPDX-License-Identifier: Apache-2.0
"""What was not delivered is added up over the lives of containers, and told in sentences."""

from __future__ import annotations

from typing import Any

from ligament.run.losses import Losses


def status(lost: int, **of_publisher: int) -> dict[str, Any]:
    node = {
        "id": "/sink",
        "subscriptions": [{"topic": "/image", "taken": 5, "lost": lost, "expired": 0}],
        "publishers": [{"topic": "/done", "published": 5, **of_publisher}],
    }
    return {"event": "status", "nodes": [node]}


def test_nothing_lost_is_nothing_told() -> None:
    losses = Losses()
    losses.take_status("main", status(0, overrun=0))
    assert losses.records() == []


def test_counts_of_one_life_replace_each_other_and_those_of_several_add_up() -> None:
    losses = Losses()
    losses.started("main")
    losses.take_status("main", status(2))
    losses.take_status("main", status(3))
    losses.started("main")
    losses.take_status("main", status(4, overrun=1))
    told = [(r.node, r.topic, r.what, r.count) for r in losses.records()]
    assert told == [("/sink", "/done", "overrun", 1), ("/sink", "/image", "lost", 7)]
    assert losses.records()[1].text == (
        "/sink missed 7 of /image: overwritten before they were taken"
    )


def test_who_stalled_is_named_once_in_the_order_told() -> None:
    def by(*names: str) -> list[dict[str, Any]]:
        return [{"node": name, "pid": 7, "now": True, "times": 1} for name in names]

    losses = Losses()
    for names in (("/slow",), ("/slow", "/slower")):
        line = status(0, overrun=3)
        line["nodes"][0]["publishers"][0]["stalled_by"] = by(*names)
        losses.take_status("main", line)
    assert [r.text for r in losses.records()] == [
        "/sink sent 3 on /done over what a keep_all subscription had not taken, stalled or in the "
        "same container: /slow (process 7), /slower (process 7)"
    ]


def test_a_life_that_told_nothing_loses_nothing_of_the_one_before() -> None:
    losses = Losses()
    losses.take_status("main", status(2))
    losses.started("main")
    assert [r.count for r in losses.records()] == [2]


def test_services_and_clients_are_told_by_the_services_name() -> None:
    node = {
        "id": "/arm",
        "services": [{"service": "/grip", "requests": 4, "lost": 2, "dropped": 1}],
        "clients": [{"service": "/map", "requests": 9, "timeouts": 3, "strayed": 1}],
    }
    losses = Losses()
    losses.take_status("main", {"event": "status", "nodes": [node]})
    assert [(r.topic, r.what, r.text) for r in losses.records()] == [
        (
            "/grip",
            "lost",
            "/arm missed 2 requests of /grip: overwritten before they were taken, so their clients "
            "wait in vain",
        ),
        ("/grip", "dropped", "/arm never answered 1 requests of /grip"),
        ("/map", "timeouts", "/arm gave up 3 requests to /map: not answered in time"),
    ]


def test_what_kernels_refused_is_told() -> None:
    losses = Losses()
    line = status(0)
    line["nodes"][0]["kernels"] = {"launches": 7, "refused": 2, "copies": 0}
    losses.take_status("main", line)
    assert [r.text for r in losses.records()] == [
        "/sink gave no output for 2 messages, which its kernels refused"
    ]


def test_what_hardware_refused_or_dropped_is_told() -> None:
    losses = Losses()
    line = status(0)
    network = {"topic": "/rect", "frames": 9, "beats": 90, "drops": 3}
    gateway = {"topic": "/rect", "sent": 5, "stored": 4, "filtered": 5, "failed": 2}
    hardware = {"messages": 7, "refused": 1, "left": 2}
    line["nodes"][0]["hardware"] = {**hardware, "networks": [network], "gateways": [gateway]}
    losses.take_status("main", line)
    assert [r.text for r in losses.records()] == [
        "/sink gave no output for 1 messages: its errors say why",
        "/sink was stopped with 2 messages in hardware that had no answer",
        "3 of /rect were dropped in hardware, where queues were full",
        "2 of /rect broke on their way through the gateway of /sink",
    ]


def test_what_an_edge_lost_is_told_beside_what_its_container_did() -> None:
    carried = {"topic": "/image", "sent": 5, "lost": 1, "unconfirmed": 2, "missing": 3}
    losses = Losses()
    losses.take_status("main", status(2))
    losses.take_edge("main", {"event": "edge", "topics": [carried]})
    losses.started("main")
    losses.take_edge("main", {"event": "edge", "topics": [{**carried, "missing": 1}]})
    told = [(r.node, r.topic, r.what, r.count) for r in losses.records()]
    assert told == [
        ("/_edge", "/image", "lost", 2),
        ("/_edge", "/image", "unconfirmed", 4),
        ("/_edge", "/image", "missing", 4),
        ("/sink", "/image", "lost", 2),
    ]
    assert losses.records()[2].text == "4 of /image were sent outside and did not arrive"
