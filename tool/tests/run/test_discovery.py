# SPDX-License-Identifier: Apache-2.0
"""Which network an edge joins: option, graph, ROS 2's environment, in that order."""

from __future__ import annotations

import re

import pytest

from ligament.errors import InputError
from ligament.graph.model import Edge
from ligament.run.discovery import Network, choose_network, engine_config


@pytest.mark.parametrize(
    ("option", "graph", "variable", "domain"),
    [(3, 4, "5", 3), (None, 4, "5", 4), (None, 0, "5", 0), (None, None, "5", 5),
     (None, None, "", 0), (None, None, None, 0)],
)  # fmt: skip
def test_domain_is_the_option_the_graph_the_variable(
    option: int | None, graph: int | None, variable: str | None, domain: int
) -> None:
    environment = {} if variable is None else {"ROS_DOMAIN_ID": variable}
    assert choose_network(Edge(domain_id=graph), option, environment).domain_id == domain


@pytest.mark.parametrize(
    ("environment", "found"),
    [
        ({}, ("subnet", ())),
        ({"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}, ("localhost", ())),
        ({"ROS_AUTOMATIC_DISCOVERY_RANGE": "SYSTEM_DEFAULT"}, ("system_default", ())),
        ({"ROS_STATIC_PEERS": "robot;10.0.0.2;"}, ("subnet", ("robot", "10.0.0.2"))),
        # As rcl has it: the older variable, when it is on, makes the newer two ineffective.
        (
            {"ROS_LOCALHOST_ONLY": "1", "ROS_AUTOMATIC_DISCOVERY_RANGE": "OFF",
             "ROS_STATIC_PEERS": "robot"},
            ("localhost", ()),
        ),
        (
            {"ROS_LOCALHOST_ONLY": "0", "ROS_AUTOMATIC_DISCOVERY_RANGE": "OFF"},
            ("off", ()),
        ),
    ],
)  # fmt: skip
def test_range_and_peers_are_those_of_ros_2(
    environment: dict[str, str], found: tuple[str, tuple[str, ...]]
) -> None:
    network = choose_network(Edge(), None, environment)
    assert (network.discovery_range, network.static_peers) == found


def test_graph_stands_before_the_environment() -> None:
    environment = {"ROS_LOCALHOST_ONLY": "1", "ROS_STATIC_PEERS": "other"}
    edge = Edge(discovery_range="subnet", static_peers=("desk",))
    network = choose_network(edge, None, environment)
    assert (network.discovery_range, network.static_peers) == ("subnet", ("desk",))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ROS_DOMAIN_ID", "seven"),
        ("ROS_DOMAIN_ID", "233"),
        ("ROS_AUTOMATIC_DISCOVERY_RANGE", "EVERYWHERE"),
        ("ROS_AUTOMATIC_DISCOVERY_RANGE", "localhost"),
        ("ROS_STATIC_PEERS", "robot, desk"),
        ("ROS_STATIC_PEERS", "<Peers/>"),
    ],
)
def test_wrong_variable_is_refused_by_name(name: str, text: str) -> None:
    with pytest.raises(InputError, match=re.escape(f"{name} is '")):
        choose_network(Edge(), None, {name: text})


def test_subnet_without_peers_leaves_the_engine_as_it_is() -> None:
    assert engine_config(Network(0, "subnet", ()), "t") == ""
    assert engine_config(Network(0, "system_default", ("robot",)), "t") == ""
    assert Network(0, "subnet", ()).environment("t", {}) == {}


def test_localhost_looks_on_this_computer_without_multicast() -> None:
    text = engine_config(Network(0, "localhost", ("robot",)), "t")
    assert "<AllowMulticast>false</AllowMulticast>" in text
    assert '<Peer Address="127.0.0.1"/><Peer Address="robot"/>' in text
    assert "<MaxAutoParticipantIndex>32</MaxAutoParticipantIndex>" in text


def test_off_parts_the_edge_from_all_others() -> None:
    text = engine_config(Network(0, "off", ("robot",)), "run.edge")
    assert "<Tag>run.edge</Tag>" in text
    assert "robot" not in text


def test_what_the_user_configures_stands_behind_ours() -> None:
    found = Network(0, "localhost", ()).environment("t", {"CYCLONEDDS_URI": "file:///my.xml"})
    assert found["CYCLONEDDS_URI"].endswith("</CycloneDDS>,file:///my.xml")
    assert Network(0, "subnet", ()).environment("t", {"CYCLONEDDS_URI": "x"}) == {
        "CYCLONEDDS_URI": "x"
    }
