# SPDX-License-Identifier: Apache-2.0
"""Services by Cyclone DDS's Python binding, in rmw_cyclonedds's form, for the edge's tests.

cyclone_python.py DOMAIN serve SERVICE     answers example_interfaces/srv/AddTwoInts until its
                                           input ends
cyclone_python.py DOMAIN call SERVICE A B  prints the sum
cyclone_python.py DOMAIN rosout            prints the first line of /rosout: node, level and text
cyclone_python.py DOMAIN events            prints the first of /parameter_events that changes an
                                           integer: node, name and value
Waits for at most 300 s for whatever it waits for.
"""

# No `from __future__ import annotations`: the binding reads the annotations of its classes.
import select
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cyclonedds.domain import DomainParticipant
from cyclonedds.idl import IdlStruct
from cyclonedds.idl.annotations import final
from cyclonedds.idl.types import byte, float64, int32, int64, sequence, uint8, uint32, uint64
from cyclonedds.pub import DataWriter
from cyclonedds.qos import Policy, Qos
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic
from cyclonedds.util import duration


@dataclass
@final
class Request(IdlStruct, typename="example_interfaces::srv::dds_::AddTwoInts_Request_"):
    """Who asks, and the how manieth it is, in front."""

    client: uint64
    number: int64
    a: int64
    b: int64


@dataclass
@final
class Response(IdlStruct, typename="example_interfaces::srv::dds_::AddTwoInts_Response_"):
    """The same in front."""

    client: uint64
    number: int64
    sum: int64


@dataclass
@final
class Time(IdlStruct, typename="builtin_interfaces::msg::dds_::Time_"):
    """Since 1970."""

    sec: int32
    nanosec: uint32


@dataclass
@final
class Log(IdlStruct, typename="rcl_interfaces::msg::dds_::Log_"):
    """A line of /rosout."""

    stamp: Time
    level: uint8
    name: str
    msg: str
    file: str
    function: str
    line: uint32


@dataclass
@final
class ParameterValue(IdlStruct, typename="rcl_interfaces::msg::dds_::ParameterValue_"):
    """A value of one of ROS 2's types."""

    type: uint8
    bool_value: bool
    integer_value: int64
    double_value: float64
    string_value: str
    byte_array_value: sequence[byte]
    bool_array_value: sequence[bool]
    integer_array_value: sequence[int64]
    double_array_value: sequence[float64]
    string_array_value: sequence[str]


@dataclass
@final
class Parameter(IdlStruct, typename="rcl_interfaces::msg::dds_::Parameter_"):
    """A name and its value."""

    name: str
    value: ParameterValue


@dataclass
@final
class ParameterEvent(IdlStruct, typename="rcl_interfaces::msg::dds_::ParameterEvent_"):
    """What became of a node's parameters."""

    stamp: Time
    node: str
    new_parameters: sequence[Parameter]
    changed_parameters: sequence[Parameter]
    deleted_parameters: sequence[Parameter]


def qos(user_data: str, *more: object) -> Qos:
    """ROS 2's for services, as this binding says it."""
    return Qos(
        Policy.Reliability.Reliable(duration(milliseconds=100)),
        Policy.History.KeepLast(10),
        Policy.DataRepresentation(use_cdrv0_representation=True),
        Policy.Userdata(user_data.encode()),
        *more,
    )


def until(done: Callable[[], bool]) -> None:
    """Wait; give up loudly."""
    end = time.monotonic() + 300
    while not done():
        if time.monotonic() > end:
            raise SystemExit("gave up waiting")
        time.sleep(0.002)


def serve(participant: DomainParticipant, service: str) -> None:
    """Answer each request with its own identity."""
    mine = qos("serviceid= 1.2.3.4.5.6.7.8.9.a.b.c.d.e.f.10;")
    replies = DataWriter(participant, Topic(participant, f"rr{service}Reply", Response), mine)
    requests = DataReader(participant, Topic(participant, f"rq{service}Request", Request), mine)
    while not select.select([sys.stdin], [], [], 0.002)[0]:
        for request in requests.take(N=20):
            if isinstance(request, Request):
                until(lambda: bool(replies.get_matched_subscriptions()))  # it knows us; we, it?
                total = request.a + request.b
                replies.write(Response(client=request.client, number=request.number, sum=total))


def call(participant: DomainParticipant, service: str, a: int, b: int) -> None:
    """Ask once."""
    mine = qos("clientid= f.2.3.4.5.6.7.8.9.a.b.c.d.e.f.10;")
    client, number = 0x0102_0304_0506_0708, 1
    replies = DataReader(participant, Topic(participant, f"rr{service}Reply", Response), mine)
    requests = DataWriter(participant, Topic(participant, f"rq{service}Request", Request), mine)
    until(lambda: bool(requests.get_matched_subscriptions() and replies.get_matched_publications()))
    requests.write(Request(client=client, number=number, a=a, b=b))

    def answered() -> bool:
        for reply in replies.take(N=20):
            if (getattr(reply, "client", 0), getattr(reply, "number", 0)) == (client, number):
                print(reply.sum, flush=True)
                return True
        return False

    until(answered)


def print_first(reader: DataReader, text: Callable[[Any], str]) -> None:
    """Wait for a sample that there is something to say of."""

    def told() -> bool:
        lines = (text(sample) for sample in reader.take(N=20) if hasattr(sample, "stamp"))
        said = next(filter(None, lines), "")
        if said:
            print(said, flush=True)
        return bool(said)

    until(told)


def rosout(participant: DomainParticipant) -> None:
    """Print what a node has logged."""
    mine = qos("typehash=unknown;", Policy.Durability.TransientLocal)
    reader = DataReader(participant, Topic(participant, "rt/rosout", Log), mine)
    print_first(reader, lambda line: f"{line.name} {line.level} {line.msg}")


def events(participant: DomainParticipant) -> None:
    """Print what a node tells of its parameters."""
    topic = Topic(participant, "rt/parameter_events", ParameterEvent)

    def change(event: ParameterEvent) -> str:
        found = [f"{event.node} {p.name} {p.value.integer_value}" for p in event.changed_parameters]
        return found[0] if found else ""

    print_first(DataReader(participant, topic, qos("typehash=unknown;")), change)


def main() -> None:
    """Do one thing."""
    participant = DomainParticipant(int(sys.argv[1]))
    if sys.argv[2] in ("rosout", "events"):
        {"rosout": rosout, "events": events}[sys.argv[2]](participant)
    elif sys.argv[2] == "serve":
        serve(participant, sys.argv[3])
    else:
        call(participant, sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))


if __name__ == "__main__":
    main()
