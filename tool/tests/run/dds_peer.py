# SPDX-License-Identifier: Apache-2.0
"""A participant that knows DDS only, as a process of its own: Cyclone DDS's Python binding.

dds_peer.py DOMAIN listen COUNT    prints COUNT texts of rt/chatter
dds_peer.py DOMAIN talk COUNT      says COUNT texts on rt/chatter, once somebody listens
dds_peer.py DOMAIN parameters NODE prints the names of a node's parameters, which its service tells
dds_peer.py DOMAIN graph [S]       prints the nodes that ros_discovery_info names, then
                                   endpoints of rt/ topics, as JSON; gives up after S seconds
"""

# No `from __future__ import annotations`: the binding reads the annotations of its classes.
import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from cyclonedds.builtin import BuiltinDataReader, BuiltinTopicDcpsPublication
from cyclonedds.domain import DomainParticipant
from cyclonedds.idl import IdlStruct
from cyclonedds.idl.annotations import final
from cyclonedds.idl.types import array, int64, sequence, uint8, uint64
from cyclonedds.pub import DataWriter
from cyclonedds.qos import Policy, Qos
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic
from cyclonedds.util import duration

PATIENCE_S = 60.0


@dataclass
@final
class String(IdlStruct, typename="std_msgs::msg::dds_::String_"):
    """std_msgs/msg/String as ROS 2 names it in DDS."""

    data: str


@dataclass
@final
class Gid(IdlStruct, typename="rmw_dds_common::msg::dds_::Gid_"):
    """An endpoint's identity (Jazzy)."""

    data: array[uint8, 16]


@dataclass
@final
class NodeInfo(IdlStruct, typename="rmw_dds_common::msg::dds_::NodeEntitiesInfo_"):
    """A node and its endpoints."""

    node_namespace: str
    node_name: str
    reader_gid_seq: sequence[Gid]
    writer_gid_seq: sequence[Gid]


@dataclass
@final
class GraphInfo(IdlStruct, typename="rmw_dds_common::msg::dds_::ParticipantEntitiesInfo_"):
    """What makes nodes visible."""

    gid: Gid
    node_entities_info_seq: sequence[NodeInfo]


@dataclass
@final
class ListRequest(IdlStruct, typename="rcl_interfaces::srv::dds_::ListParameters_Request_"):
    """A request as rmw_cyclonedds sends it: who asks, and the how manieth it is, in front."""

    client: uint64
    number: int64
    prefixes: sequence[str]
    depth: uint64


@dataclass
@final
class ListResponse(IdlStruct, typename="rcl_interfaces::srv::dds_::ListParameters_Response_"):
    """Its reply, with the same in front."""

    client: uint64
    number: int64
    names: sequence[str]
    prefixes: sequence[str]


def qos(*more: object) -> Qos:
    """ROS 2's default, as this binding says it."""
    return Qos(
        Policy.Reliability.Reliable(duration(milliseconds=100)),
        Policy.History.KeepLast(10),
        Policy.DataRepresentation(use_cdrv0_representation=True),
        *more,
    )


def until(found: Callable[[], bool], patience_s: float = PATIENCE_S) -> None:
    """Wait; give up loudly."""
    end = time.monotonic() + patience_s
    while not found():
        if time.monotonic() > end:
            raise SystemExit("gave up waiting")
        time.sleep(0.02)


def texts(reader: DataReader) -> Iterator[str]:
    """What comes."""
    for sample in reader.take(N=20):
        if hasattr(sample, "data"):
            yield sample.data


def listen(participant: DomainParticipant, count: int) -> None:
    """Print texts as they come."""
    reader = DataReader(participant, Topic(participant, "rt/chatter", String), qos())
    heard: list[str] = []

    def enough() -> bool:
        heard.extend(texts(reader))
        return len(heard) >= count

    until(enough)
    print(json.dumps(heard[:count]))


def talk(participant: DomainParticipant, count: int) -> None:
    """Say texts to whoever listens, and stay until they were acknowledged."""
    writer = DataWriter(participant, Topic(participant, "rt/chatter", String), qos())
    until(lambda: len(writer.get_matched_subscriptions()) > 0)
    for number in range(count):
        writer.write(String(data=f"from outside {number}"))
        time.sleep(0.01)
    writer.wait_for_acks(duration(seconds=10))
    time.sleep(0.5)


def graph(participant: DomainParticipant, patience_s: float) -> None:
    """Print what a ROS 2 tool would see."""
    topic = Topic(participant, "ros_discovery_info", GraphInfo)
    reader = DataReader(participant, topic, qos(Policy.Durability.TransientLocal))
    endpoints = BuiltinDataReader(participant, BuiltinTopicDcpsPublication)
    nodes: dict[str, tuple[int, int]] = {}

    def both() -> bool:
        for info in reader.take(N=20):
            for node in getattr(info, "node_entities_info_seq", []):
                name = f"{node.node_namespace.rstrip('/')}/{node.node_name}"
                nodes[name] = (len(node.reader_gid_seq), len(node.writer_gid_seq))
        return {"/talker", "/listener"} <= set(nodes)

    until(both, patience_s)
    found = []
    for endpoint in endpoints.take(N=100):
        if str(endpoint.topic_name).startswith("rt/"):
            data = endpoint.qos[Policy.Userdata]
            text = bytes(data.data).decode() if data is not None else ""
            found.append([endpoint.topic_name, endpoint.type_name, text])
    print(json.dumps({"nodes": nodes, "writers": found}))


def parameters(participant: DomainParticipant, node: str) -> None:
    """Ask a node of the graph as ROS 2's tools do; a reply to somebody else is none."""
    client, number = 0x1234_5678_9ABC_DEF0, 7
    mine = qos(Policy.Userdata(b"clientid=1.2.3.4.5.6.7.8.9.a.b.c.d.e.f.10;"))
    service = f"{node}/list_parameters"
    replies = DataReader(participant, Topic(participant, f"rr{service}Reply", ListResponse), mine)
    requests = Topic(participant, f"rq{service}Request", ListRequest)
    writer = DataWriter(participant, requests, mine)
    until(
        lambda: (
            writer.get_matched_subscriptions() != [] and replies.get_matched_publications() != []
        )
    )
    writer.write(ListRequest(client=client, number=number, prefixes=[], depth=0))
    found: list[str] = []

    def answered() -> bool:
        for reply in replies.take(N=20):
            if (getattr(reply, "client", 0), getattr(reply, "number", 0)) == (client, number):
                found.extend(reply.names)
        return bool(found)

    until(answered)
    print(json.dumps(found))


def main() -> None:
    """Do one thing."""
    participant = DomainParticipant(int(sys.argv[1]))
    if sys.argv[2] == "graph":
        graph(participant, float(sys.argv[3]) if len(sys.argv) > 3 else PATIENCE_S)
    elif sys.argv[2] == "parameters":
        parameters(participant, sys.argv[3])
    else:
        {"listen": listen, "talk": talk}[sys.argv[2]](participant, int(sys.argv[3]))


if __name__ == "__main__":
    main()
