# SPDX-License-Identifier: Apache-2.0
"""Services by Cyclone DDS's Python binding, in rmw_cyclonedds's form, for the edge's tests.

cyclone_python.py DOMAIN serve SERVICE     answers example_interfaces/srv/AddTwoInts until its
                                           input ends
cyclone_python.py DOMAIN call SERVICE A B  prints the sum
Waits for at most 60 s for whatever it waits for.
"""

# No `from __future__ import annotations`: the binding reads the annotations of its classes.
import select
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

from cyclonedds.domain import DomainParticipant
from cyclonedds.idl import IdlStruct
from cyclonedds.idl.annotations import final
from cyclonedds.idl.types import int64, uint64
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


def qos(user_data: str) -> Qos:
    """ROS 2's for services, as this binding says it."""
    return Qos(
        Policy.Reliability.Reliable(duration(milliseconds=100)),
        Policy.History.KeepLast(10),
        Policy.DataRepresentation(use_cdrv0_representation=True),
        Policy.Userdata(user_data.encode()),
    )


def until(done: Callable[[], bool]) -> None:
    """Wait; give up loudly."""
    end = time.monotonic() + 60
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


def main() -> None:
    """Do one thing."""
    participant = DomainParticipant(int(sys.argv[1]))
    if sys.argv[2] == "serve":
        serve(participant, sys.argv[3])
    else:
        call(participant, sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))


if __name__ == "__main__":
    main()
