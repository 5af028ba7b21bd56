# SPDX-License-Identifier: Apache-2.0
"""A running graph with its edge, and a foreign DDS participant in another process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from dds_domain import LOOPBACK, take_dds_domain
from run_chat import Chat

from ligament.graph.model import Edge
from ligament.run.edge import EdgePlan, needs_edge

pytest.importorskip("cyclonedds", reason="the Python binding of Cyclone DDS is not installed")

PEER = Path(__file__).with_name("dds_peer.py")
GRAPH_HASH = "RIHS01_91a0593bacdcc50ea9bdcf849a938b128412cc1ea821245c663bcd26f83c295e"
#: The cause, in the engine's own words too; a domain that is full is told otherwise.
NO_INTERFACE = "cannot be joined: no network interface fits (nowhere0: does not match an available"
WATCHDOG_S = 180.0
STRING_HASH = "RIHS01_df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18"


@pytest.fixture(autouse=True)
def _over_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """The edge and its peers inherit this."""
    monkeypatch.setenv("CYCLONEDDS_URI", LOOPBACK)


@pytest.fixture
def domain_id() -> int:
    """A DDS domain that no other test of this machine uses at the same time."""
    return take_dds_domain()


def _peer(domain_id: int, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(PEER), str(domain_id), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=WATCHDOG_S, check=True)


def _graph(domain_id: int, nodes: dict[str, list[int]] | None = None) -> dict[str, Any]:
    """What a tool of ROS 2 sees, once these nodes have so many readers and writers."""
    told = _peer(domain_id, "graph", "60", json.dumps(nodes or {})).stdout
    found: dict[str, Any] = json.loads(told)
    return found


def _set_edge(chat: Chat, **settings: object) -> None:
    """As a graph or variant would say it."""
    path = chat.folder / "processes" / "mapping.json"
    mapping = json.loads(path.read_text())
    mapping["edge"].update(settings)
    path.write_text(json.dumps(mapping))


def _await_log(chat: Chat) -> Path:
    """The edge's log, once it says that it is on its domain."""
    end = time.monotonic() + WATCHDOG_S
    while time.monotonic() < end:
        logs = list((chat.folder / "processes" / "runs").glob("*/log/edge.log"))
        if logs and "is on DDS domain" in logs[0].read_text():
            return logs[0]
        time.sleep(0.05)
    raise AssertionError("the edge did not say that it is there")


def _told(chat: Chat) -> str:
    """All status lines so far."""
    logs = (chat.folder / "processes" / "runs").glob("*/status.jsonl")
    return "".join(log.read_text() for log in logs)


def _await_told(chat: Chat, words: str, times: int = 1) -> None:
    """Wait until they stand in status lines, so often."""
    end = time.monotonic() + WATCHDOG_S
    while _told(chat).count(words) < times:
        assert time.monotonic() < end, _told(chat)
        time.sleep(0.1)


def _last(chat: Chat, edge: str, topic: str) -> dict[str, int]:
    """What an edge said last of a topic: once the topic's nodes have left, it says nothing more."""
    log = sorted((chat.folder / "processes" / "runs").glob("*/status.jsonl"))[-1]
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    told = [e["topics"] for e in lines if e["event"] == "edge" and e["container"] == edge]
    found: list[dict[str, int]] = [t for topics in told for t in topics if t["topic"] == topic]
    return found[-1]


def test_publisher_of_the_graph_is_heard_outside(chat: Chat, domain_id: int) -> None:
    # None is lost before it is heard, however long the edge or the peer waits for a processor.
    chat.set("/listener", messages=0).set_qos(depth=1000)
    run = chat.start("--edge", "--domain-id", str(domain_id), "--quiet")
    heard = json.loads(_peer(domain_id, "listen", "20").stdout)
    run.send_signal(signal.SIGINT)
    assert run.wait(WATCHDOG_S) == 0, run.stderr.read() if run.stderr else ""
    numbers = [int(text.split()[-1]) for text in heard]
    assert numbers == list(range(numbers[0], numbers[0] + 20))
    assert _last(chat, "edge", "/chatter")["sent"] > 0


def test_subscription_of_the_graph_hears_outside(chat: Chat, domain_id: int) -> None:
    chat.set("/talker", messages=1).set("/listener", messages=30)
    run = chat.start("--edge", "--domain-id", str(domain_id), "--quiet")
    # It goes on until enough was heard: the first may come before the edge knows the writer.
    peer = subprocess.Popen([sys.executable, str(PEER), str(domain_id), "talk"])
    try:
        out, err = run.communicate(timeout=WATCHDOG_S)
    finally:
        peer.kill()
        peer.wait()
    assert run.returncode == 0, err
    assert "the work is done" in out


def test_nodes_and_types_are_seen_as_ros_2_shows_them(chat: Chat, domain_id: int) -> None:
    chat.set("/listener", messages=0)
    run = chat.start("--edge", "--domain-id", str(domain_id), "--quiet")
    # Readers, writers: its own, six parameter services, the one of types, /parameter_events and
    # /rosout. Of containers: to load, unload and list nodes.
    containers = {"/talker_container": [3, 3], "/listener_container": [3, 3]}
    seen = _graph(domain_id, {"/talker": [7, 10], "/listener": [8, 9], **containers})
    run.send_signal(signal.SIGINT)
    assert run.wait(WATCHDOG_S) == 0
    text = f"typehash={STRING_HASH};"
    assert ["rt/chatter", "std_msgs::msg::dds_::String_", text] in seen["writers"]
    graph = f"typehash={GRAPH_HASH};"
    kind = "rmw_dds_common::msg::dds_::ParticipantEntitiesInfo_"
    assert ["ros_discovery_info", kind, graph] in seen["writers"]
    assert "enclave=/;" in seen["participants"]
    assert seen["qos"] == {
        "rt/chatter": [],
        "rt/parameter_events": [],
        "rt/rosout": ["Policy.Durability.TransientLocal", "Policy.Lifespan(lifespan=10000000000)"],
        "ros_discovery_info": ["Policy.Durability.TransientLocal"],
    }


def test_nodes_of_a_humble_graph_are_seen_by_humble_nodes(chat: Chat, domain_id: int) -> None:
    chat.set("/listener", messages=0)
    path = chat.folder / "processes" / "mapping.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "distro": "humble"}))
    run = chat.start("--edge", "--domain-id", str(domain_id), "--quiet")
    seen = json.loads(_peer(domain_id, "humble").stdout)
    run.send_signal(signal.SIGINT)
    assert run.wait(WATCHDOG_S) == 0
    assert [n for n in seen if not n.endswith("_container")] == ["listener", "talker"]


@pytest.mark.parametrize("inside", [False, "talker"])
def test_parameters_of_a_node_are_told_outside(
    chat: Chat, domain_id: int, inside: bool | str
) -> None:
    chat.set("/listener", messages=0)
    _set_edge(chat, wanted=True, inside=inside, domain_id=domain_id)
    run = chat.start("--quiet")
    names = json.loads(_peer(domain_id, "parameters", "/talker").stdout)
    run.send_signal(signal.SIGINT)
    assert run.wait(WATCHDOG_S) == 0
    assert {"messages", "period_ms", "fault"} <= set(names)


def test_parameter_is_set_and_described_from_outside(chat: Chat, domain_id: int) -> None:
    chat.set("/listener", messages=0)
    _set_edge(chat, wanted=True, domain_id=domain_id)
    run = chat.start("--quiet")
    told = json.loads(_peer(domain_id, "set", "/listener", "messages", "77").stdout)
    unknown = json.loads(_peer(domain_id, "set", "/listener", "nothing", "1").stdout)
    run.send_signal(signal.SIGINT)
    assert run.wait(WATCHDOG_S) == 0
    assert told == {
        "before": [0], "set": [True, ""], "after": [77], "description": [["messages", 2]]
    }  # fmt: skip
    accepted, reason = unknown["set"]
    assert not accepted
    assert "nothing" in reason


def test_parameters_are_set_together_or_not_at_all_from_outside(chat: Chat, domain_id: int) -> None:
    chat.set("/listener", messages=0)
    _set_edge(chat, wanted=True, domain_id=domain_id)
    run = chat.start("--quiet")
    words = ("atomically", "/listener", "messages", "77", "work_ms", "1")
    both = json.loads(_peer(domain_id, *words).stdout)
    # The first value is fine; the node has no parameter of the second name.
    neither = json.loads(_peer(domain_id, *words[:3], "78", "nothing", "1").stdout)
    run.send_signal(signal.SIGINT)
    assert run.wait(WATCHDOG_S) == 0
    assert both == {"types": [2, 2], "set": [True, ""], "after": [[77], [1]]}
    accepted, reason = neither["set"]
    assert not accepted
    assert "nothing" in reason
    assert (neither["types"], neither["after"]) == ([], [[77], []])


def test_graph_asks_for_its_edge_with_domain_and_tools(chat: Chat, domain_id: int) -> None:
    chat.set("/listener", messages=0)
    _set_edge(chat, wanted=True, domain_id=domain_id, ros_tools=False)
    run = chat.start("--quiet", env={"ROS_DOMAIN_ID": str(domain_id + 1)})
    seen = _graph(domain_id, {"/talker": [0, 1], "/listener": [1, 0]})
    run.send_signal(signal.SIGINT)
    assert run.wait(WATCHDOG_S) == 0
    assert {topic for topic, _, _ in seen["writers"]} == {"rt/chatter", "ros_discovery_info"}


def test_edge_that_looks_nowhere_is_not_found(chat: Chat, domain_id: int) -> None:
    chat.set("/listener", messages=0)
    _set_edge(chat, wanted=True, domain_id=domain_id, discovery_range="off")
    # The engine's configuration of this test comes after the range's, and would overrule it.
    run = chat.start("--quiet", env={"CYCLONEDDS_URI": ""})
    log = _await_log(chat)
    with pytest.raises(subprocess.CalledProcessError, match="non-zero"):
        _peer(domain_id, "graph", "2")
    run.send_signal(signal.SIGINT)
    assert run.wait(WATCHDOG_S) == 0
    assert f"is on DDS domain {domain_id}" in log.read_text()


def test_container_with_an_edge_of_its_own_meets_the_others_on_dds(
    chat: Chat, domain_id: int
) -> None:
    chat.set("/listener", messages=400)  # two seconds of them
    _set_edge(chat, wanted=True, per="container", domain_id=domain_id)
    result = chat.run("--quiet")
    assert result.returncode == 0, result.stderr
    assert "the work is done" in result.stdout
    record = chat.record()
    assert {p["container"] for p in record["processes"]} == {
        "talker", "listener", "edge.talker", "edge.listener"
    }  # fmt: skip
    # The listener heard all of them on DDS; an edge tells its figures once a second.
    assert _last(chat, "edge.talker", "/chatter")["sent"] > 0
    assert _last(chat, "edge.listener", "/chatter")["received"] > 0


def test_edge_within_each_container_meets_the_others_on_dds(chat: Chat, domain_id: int) -> None:
    chat.set("/listener", messages=400)
    _set_edge(chat, wanted=True, per="container", inside=True, domain_id=domain_id)
    result = chat.run("--quiet")
    assert result.returncode == 0, result.stderr
    assert "the work is done" in result.stdout
    assert {p["container"] for p in chat.record()["processes"]} == {"talker", "listener"}
    assert _last(chat, "talker", "/chatter")["sent"] >= 400
    assert _last(chat, "listener", "/chatter")["received"] >= 400


def test_edge_within_one_container_serves_them_all(chat: Chat, domain_id: int) -> None:
    chat.set("/listener", messages=0)
    _set_edge(chat, wanted=True, inside="listener", domain_id=domain_id)
    run = chat.start("--quiet")
    heard = json.loads(_peer(domain_id, "listen", "20").stdout)
    seen = _graph(domain_id)
    run.send_signal(signal.SIGINT)
    assert run.wait(WATCHDOG_S) == 0
    assert len(heard) == 20
    assert {n for n in seen["nodes"] if not n.endswith("_container")} == {"/talker", "/listener"}
    assert {p["container"] for p in chat.record()["processes"]} == {"talker", "listener"}


def _goes_on_without_an_edge(chat: Chat, run: subprocess.Popen[str]) -> None:
    """It tells that its edge cannot start, and its nodes go on telling of themselves."""
    _await_told(chat, NO_INTERFACE)
    status = '"id": "/listener"'
    _await_told(chat, status, times=_told(chat).count(status) + 2)
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=WATCHDOG_S)
    assert run.returncode == 0, err
    assert NO_INTERFACE in " ".join((err + out).split())


def test_edge_within_a_container_that_cannot_start_is_told_and_the_nodes_go_on(
    chat: Chat,
) -> None:
    chat.set("/listener", messages=0)
    _set_edge(chat, wanted=True, inside="listener")
    nowhere = '<General><Interfaces><NetworkInterface name="nowhere0"/></Interfaces></General>'
    _goes_on_without_an_edge(chat, chat.start(env={"CYCLONEDDS_URI": nowhere}))


def test_killed_edge_is_started_again_and_the_graph_goes_on(chat: Chat, domain_id: int) -> None:
    chat.set("/listener", messages=0)
    run = chat.start("--edge", "--domain-id", str(domain_id), "--quiet")
    assert len(json.loads(_peer(domain_id, "listen", "5").stdout)) == 5
    edges = subprocess.run(
        ["pgrep", "-f", f"ligament-edge --graph {chat.domain} "], capture_output=True, text=True
    ).stdout.split()
    assert len(edges) == 1
    os.kill(int(edges[0]), signal.SIGKILL)
    assert len(json.loads(_peer(domain_id, "listen", "5").stdout)) == 5
    run.send_signal(signal.SIGINT)
    assert run.wait(WATCHDOG_S) == 0
    record = chat.record()
    assert record["restarts"] == {"edge": 1}


def test_peer_that_knows_another_form_alone_is_told(chat: Chat, domain_id: int) -> None:
    chat.set("/listener", messages=0)
    run = chat.start("--edge", "--domain-id", str(domain_id), "--quiet")
    peer = subprocess.Popen([sys.executable, str(PEER), str(domain_id), "xcdr2"])
    try:
        _await_told(chat, "XCDR2 alone")
    finally:
        peer.kill()
        peer.wait()
        run.send_signal(signal.SIGINT)
    assert run.wait(WATCHDOG_S) == 0


def test_each_container_s_pool_has_a_name_of_its_own_that_is_no_longer_than_names_may_be() -> None:
    plan = EdgePlan(exists=True, per_container=True)
    pools = {plan.pool("d" * 40, f"a_long_container_{one}") for one in ("left", "right")}
    assert len(pools) == 2 and all(len(name) <= 48 for name in pools)
    assert plan.pool("graph", "left") == "graph.left"


def test_a_host_whose_nodes_have_no_topic_on_dds_needs_no_edge() -> None:
    topic = SimpleNamespace(transports=("dds",), ends=[SimpleNamespace(node="/far")])
    mapping: Any = SimpleNamespace(edge=Edge(), topics={"/t": topic})
    assert needs_edge(mapping, ["/far"])
    assert not needs_edge(mapping, ["/here"])


def test_wrong_domain_id_is_refused(chat: Chat) -> None:
    result = chat.run("--edge", env={"ROS_DOMAIN_ID": "seven"})
    assert result.returncode == 2
    assert "ROS_DOMAIN_ID is 'seven'" in result.stderr


def test_edge_that_cannot_start_is_told_and_the_graph_goes_on(chat: Chat, tmp_path: Path) -> None:
    nowhere = tmp_path / "cyclone.xml"
    nowhere.write_text(
        "<CycloneDDS><Domain><General><Interfaces>"
        '<NetworkInterface name="nowhere0"/></Interfaces></General></Domain></CycloneDDS>'
    )
    chat.set("/listener", messages=0)
    _goes_on_without_an_edge(
        chat, chat.start("--edge", env={"CYCLONEDDS_URI": f"file://{nowhere}"})
    )
