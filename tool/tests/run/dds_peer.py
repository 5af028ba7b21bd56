# SPDX-License-Identifier: Apache-2.0
"""A participant that knows DDS only, as a process of its own: Cyclone DDS's Python binding.

dds_peer.py DOMAIN listen COUNT    prints COUNT texts of rt/chatter
dds_peer.py DOMAIN talk            says texts on rt/chatter, until killed
dds_peer.py DOMAIN parameters NODE prints the names of a node's parameters, which its service tells
dds_peer.py DOMAIN set NODE NAME N sets an integer parameter; prints as JSON what it was, whether it
                                   was accepted and why not, what it is now, and how it is described
dds_peer.py DOMAIN atomically NODE NAME N...
                                   sets integer parameters, all or none; prints as JSON their types,
                                   whether they were accepted and why not, and what each is then
dds_peer.py DOMAIN xcdr2           is a publisher of rt/chatter that knows XCDR2 alone, until killed
dds_peer.py DOMAIN humble          prints the nodes' names, read as a node of ROS 2 Humble does
dds_peer.py DOMAIN graph S [NODES] prints the nodes that ros_discovery_info names, the publishers of
                                   rt/ topics and of that with their user data, what of their QoS is
                                   not the default, and the participants' user data, as JSON: once
                                   NODES are there (as JSON, with their counts of readers and
                                   writers), or two; gives up after S seconds
"""

# No `from __future__ import annotations`: the binding reads the annotations of its classes.
import itertools
import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from cyclonedds.builtin import (
    BuiltinDataReader,
    BuiltinTopicDcpsParticipant,
    BuiltinTopicDcpsPublication,
)
from cyclonedds.domain import DomainParticipant
from cyclonedds.idl import IdlStruct
from cyclonedds.idl.annotations import final
from cyclonedds.idl.types import array, byte, float64, int64, sequence, uint8, uint64
from cyclonedds.pub import DataWriter
from cyclonedds.qos import Policy, Qos
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic
from cyclonedds.util import duration

PATIENCE_S = 150.0
NUMBERS = itertools.count(7)


@dataclass
@final
class String(IdlStruct, typename="std_msgs::msg::dds_::String_"):
    """std_msgs/msg/String as ROS 2 names it in DDS."""

    data: str


def graph_info(gid_bytes: int) -> type[IdlStruct]:
    """What makes nodes visible; an endpoint's identity has 16 bytes, and 24 before Jazzy."""

    @dataclass
    @final
    class Gid(IdlStruct, typename="rmw_dds_common::msg::dds_::Gid_"):
        data: array[uint8, gid_bytes]

    @dataclass
    @final
    class NodeInfo(IdlStruct, typename="rmw_dds_common::msg::dds_::NodeEntitiesInfo_"):
        node_namespace: str
        node_name: str
        reader_gid_seq: sequence[Gid]
        writer_gid_seq: sequence[Gid]

    @dataclass
    @final
    class GraphInfo(IdlStruct, typename="rmw_dds_common::msg::dds_::ParticipantEntitiesInfo_"):
        gid: Gid
        node_entities_info_seq: sequence[NodeInfo]

    return GraphInfo


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


@dataclass
@final
class ParameterValue(IdlStruct, typename="rcl_interfaces::msg::dds_::ParameterValue_"):
    """A value of one of ROS 2's types; 2 is an integer."""

    type: uint8 = 0
    bool_value: bool = False
    integer_value: int64 = 0
    double_value: float64 = 0.0
    string_value: str = ""
    byte_array_value: sequence[byte] = field(default_factory=list)
    bool_array_value: sequence[bool] = field(default_factory=list)
    integer_array_value: sequence[int64] = field(default_factory=list)
    double_array_value: sequence[float64] = field(default_factory=list)
    string_array_value: sequence[str] = field(default_factory=list)


@dataclass
@final
class Parameter(IdlStruct, typename="rcl_interfaces::msg::dds_::Parameter_"):
    """A name and its value."""

    name: str
    value: ParameterValue


@dataclass
@final
class SetResult(IdlStruct, typename="rcl_interfaces::msg::dds_::SetParametersResult_"):
    """Whether a value was accepted."""

    successful: bool
    reason: str


@dataclass
@final
class FloatingPointRange(IdlStruct, typename="rcl_interfaces::msg::dds_::FloatingPointRange_"):
    """Bounds of a double."""

    from_value: float64
    to_value: float64
    step: float64


@dataclass
@final
class IntegerRange(IdlStruct, typename="rcl_interfaces::msg::dds_::IntegerRange_"):
    """Bounds of an integer."""

    from_value: int64
    to_value: int64
    step: uint64


@dataclass
@final
class Descriptor(IdlStruct, typename="rcl_interfaces::msg::dds_::ParameterDescriptor_"):
    """What a node says of a parameter."""

    name: str
    type: uint8
    description: str
    additional_constraints: str
    read_only: bool
    dynamic_typing: bool
    floating_point_range: sequence[FloatingPointRange]
    integer_range: sequence[IntegerRange]


@dataclass
@final
class GetRequest(IdlStruct, typename="rcl_interfaces::srv::dds_::GetParameters_Request_"):
    """Names of parameters whose values are wanted."""

    client: uint64
    number: int64
    names: sequence[str]


@dataclass
@final
class GetResponse(IdlStruct, typename="rcl_interfaces::srv::dds_::GetParameters_Response_"):
    """Values in the order of the names."""

    client: uint64
    number: int64
    values: sequence[ParameterValue]


@dataclass
@final
class DescribeRequest(IdlStruct, typename="rcl_interfaces::srv::dds_::DescribeParameters_Request_"):
    """Names of parameters to be described."""

    client: uint64
    number: int64
    names: sequence[str]


@dataclass
@final
class DescribeResponse(
    IdlStruct, typename="rcl_interfaces::srv::dds_::DescribeParameters_Response_"
):
    """Descriptions in the order of the names."""

    client: uint64
    number: int64
    descriptors: sequence[Descriptor]


@dataclass
@final
class SetRequest(IdlStruct, typename="rcl_interfaces::srv::dds_::SetParameters_Request_"):
    """Values to be set, one by one."""

    client: uint64
    number: int64
    parameters: sequence[Parameter]


@dataclass
@final
class SetResponse(IdlStruct, typename="rcl_interfaces::srv::dds_::SetParameters_Response_"):
    """A result for each."""

    client: uint64
    number: int64
    results: sequence[SetResult]


@dataclass
@final
class TypesRequest(IdlStruct, typename="rcl_interfaces::srv::dds_::GetParameterTypes_Request_"):
    """Names of parameters whose types are wanted."""

    client: uint64
    number: int64
    names: sequence[str]


@dataclass
@final
class TypesResponse(IdlStruct, typename="rcl_interfaces::srv::dds_::GetParameterTypes_Response_"):
    """Types in the order of the names; none if one is not declared."""

    client: uint64
    number: int64
    types: sequence[uint8]


@dataclass
@final
class AtomicRequest(
    IdlStruct, typename="rcl_interfaces::srv::dds_::SetParametersAtomically_Request_"
):
    """Values to be set, all or none."""

    client: uint64
    number: int64
    parameters: sequence[Parameter]


@dataclass
@final
class AtomicResponse(
    IdlStruct, typename="rcl_interfaces::srv::dds_::SetParametersAtomically_Response_"
):
    """One result for all."""

    client: uint64
    number: int64
    result: SetResult


def qos(*more: object, history: int = 10) -> Qos:
    """ROS 2's default, as this binding says it."""
    return Qos(
        Policy.Reliability.Reliable(duration(milliseconds=100)),
        Policy.History.KeepLast(history),
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
    topic = Topic(participant, "rt/chatter", String)
    reader = DataReader(participant, topic, qos(history=1000))
    heard: list[str] = []

    def enough() -> bool:
        heard.extend(texts(reader))
        return len(heard) >= count

    until(enough)
    print(json.dumps(heard[:count]))


def talk(participant: DomainParticipant) -> None:
    """Say texts to whoever listens, until the process is ended."""
    writer = DataWriter(participant, Topic(participant, "rt/chatter", String), qos())
    for number in itertools.count():
        writer.write(String(data=f"from outside {number}"))
        time.sleep(0.01)


def graph(participant: DomainParticipant, patience_s: float, wanted: dict[str, list[int]]) -> None:
    """Print what a ROS 2 tool would see."""
    topic = Topic(participant, "ros_discovery_info", graph_info(16))
    reader = DataReader(participant, topic, qos(Policy.Durability.TransientLocal))
    endpoints = BuiltinDataReader(participant, BuiltinTopicDcpsPublication)
    nodes: dict[str, list[int]] = {}
    writers: dict[str, set[bytes]] = {}
    known: dict[bytes, Any] = {}

    def all_of_it() -> bool:
        for info in reader.take(N=20):
            for node in getattr(info, "node_entities_info_seq", []):
                name = f"{node.node_namespace.rstrip('/')}/{node.node_name}"
                nodes[name] = [len(node.reader_gid_seq), len(node.writer_gid_seq)]
                writers[name] = {bytes(gid.data) for gid in node.writer_gid_seq}
        known.update((endpoint.key.bytes, endpoint) for endpoint in endpoints.take(N=200))
        named = nodes == wanted if wanted else {"/talker", "/listener"} <= set(nodes)
        return named and all(gids <= set(known) for gids in writers.values())

    until(all_of_it, patience_s)
    found = [e for e in known.values() if str(e.topic_name).startswith(("rt/", "ros_"))]
    others = BuiltinDataReader(participant, BuiltinTopicDcpsParticipant)
    told = {
        "nodes": nodes,
        "writers": [(e.topic_name, e.type_name, user_data(e.qos)) for e in found],
        "qos": {e.topic_name: unusual(e.qos) for e in found},
        "participants": [user_data(other.qos) for other in others.take(N=100)],
    }
    print(json.dumps(told))


def humble(participant: DomainParticipant) -> None:
    """Print the nodes that a message in the older form names."""
    topic = Topic(participant, "ros_discovery_info", graph_info(24))
    reader = DataReader(participant, topic, qos(Policy.Durability.TransientLocal))
    names: set[str] = set()

    def all_of_them() -> bool:
        for info in reader.take(N=20):
            names.update(node.node_name for node in getattr(info, "node_entities_info_seq", []))
        return {"talker", "listener"} <= names

    until(all_of_them)
    print(json.dumps(sorted(names)))


def user_data(of: Qos) -> str:
    """As text."""
    data = of[Policy.Userdata]
    return bytes(data.data).decode() if data is not None else ""


def unusual(of: Qos) -> list[str]:
    """What differs from reliable, volatile, without limits in time."""
    usual = (Policy.Durability.Volatile, Policy.Lifespan(duration(infinite=True)))
    found = [of[Policy.Durability], of[Policy.Lifespan]]
    words = [str(policy) for policy in found if policy is not None and policy not in usual]
    is_reliable = isinstance(of[Policy.Reliability], Policy.Reliability.Reliable)
    return words if is_reliable else ["best effort", *words]


CLIENT = 0x1234_5678_9ABC_DEF0


def ask(
    participant: DomainParticipant, service: str, types: tuple[type, type], *values: object
) -> Any:
    """Ask a server of the graph as ROS 2's tools do; a reply to somebody else is none."""
    mine = qos(Policy.Userdata(b"clientid=1.2.3.4.5.6.7.8.9.a.b.c.d.e.f.10;"))
    number = next(NUMBERS)
    replies = DataReader(participant, Topic(participant, f"rr{service}Reply", types[1]), mine)
    writer = DataWriter(participant, Topic(participant, f"rq{service}Request", types[0]), mine)
    until(
        lambda: (
            writer.get_matched_subscriptions() != [] and replies.get_matched_publications() != []
        )
    )
    writer.write(types[0](CLIENT, number, *values))
    found: list[Any] = []

    def answered() -> bool:
        for reply in replies.take(N=20):
            if (getattr(reply, "client", 0), getattr(reply, "number", 0)) == (CLIENT, number):
                found.append(reply)
        return bool(found)

    until(answered)
    return found[0]


def parameters(participant: DomainParticipant, node: str) -> None:
    """Print the names of a node's parameters."""
    reply = ask(participant, f"{node}/list_parameters", (ListRequest, ListResponse), [], 0)
    print(json.dumps(reply.names))


def values_now(participant: DomainParticipant, node: str, names: list[str]) -> list[int]:
    """Integer parameters."""
    reply = ask(participant, f"{node}/get_parameters", (GetRequest, GetResponse), names)
    return [value.integer_value for value in reply.values]


def integer(name: str, value: int) -> Parameter:
    """A parameter to be set."""
    return Parameter(name, ParameterValue(type=2, integer_value=value))


def set_integer(participant: DomainParticipant, node: str, name: str, value: int) -> None:
    """Set a parameter, and print all that its services say of that."""
    before = values_now(participant, node, [name])
    wanted = integer(name, value)
    service = f"{node}/set_parameters"
    result = ask(participant, service, (SetRequest, SetResponse), [wanted]).results[0]
    types = (DescribeRequest, DescribeResponse)
    told = ask(participant, f"{node}/describe_parameters", types, [name]).descriptors
    accepted = [result.successful, result.reason]
    described = [[one.name, one.type] for one in told]
    after = values_now(participant, node, [name])
    words = {"before": before, "set": accepted, "after": after, "description": described}
    print(json.dumps(words))


def set_atomically(participant: DomainParticipant, node: str, wanted: dict[str, int]) -> None:
    """Set parameters together, and print what their services say of that."""
    names = list(wanted)
    types = (TypesRequest, TypesResponse)
    of_types = ask(participant, f"{node}/get_parameter_types", types, names).types
    service = f"{node}/set_parameters_atomically"
    values = [integer(name, value) for name, value in wanted.items()]
    result = ask(participant, service, (AtomicRequest, AtomicResponse), values).result
    after = [values_now(participant, node, [name]) for name in names]
    accepted = [result.successful, result.reason]
    print(json.dumps({"types": list(of_types), "set": accepted, "after": after}))


def main() -> None:
    """Do one thing."""
    participant = DomainParticipant(int(sys.argv[1]))
    if sys.argv[2] == "graph":
        graph(participant, float(sys.argv[3]), json.loads(sys.argv[4] if sys.argv[4:] else "{}"))
    elif sys.argv[2] == "humble":
        humble(participant)
    elif sys.argv[2] == "xcdr2":
        only = Qos(Policy.DataRepresentation(use_xcdrv2_representation=True))
        writer = DataWriter(participant, Topic(participant, "rt/chatter", String), only)
        until(lambda: writer.get_matched_subscriptions() != [])
    elif sys.argv[2] == "parameters":
        parameters(participant, sys.argv[3])
    elif sys.argv[2] == "atomically":
        values = {sys.argv[i]: int(sys.argv[i + 1]) for i in range(4, len(sys.argv), 2)}
        set_atomically(participant, sys.argv[3], values)
    elif sys.argv[2] == "set":
        set_integer(participant, sys.argv[3], sys.argv[4], int(sys.argv[5]))
    elif sys.argv[2] == "talk":
        talk(participant)
    else:
        listen(participant, int(sys.argv[3]))


if __name__ == "__main__":
    main()
