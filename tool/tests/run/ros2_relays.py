# SPDX-License-Identifier: Apache-2.0
"""An ordinary rclpy node beside relays.yaml, whose nodes publish what they take.

ros2_relays.py WHAT ... prints JSON. With --native, nodes of rclpy are the relays, as a control.
It runs with the Python of a ROS 2 distribution's wheels, so it knows nothing of Ligament.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import os
import sys
import time
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import rclpy
from builtin_interfaces.msg import Time
from rcl_interfaces.msg import (
    IntegerRange,
    Log,
    Parameter,
    ParameterDescriptor,
    ParameterEvent,
    ParameterType,
    ParameterValue,
)
from rcl_interfaces.srv import DescribeParameters, GetParameters, SetParameters
from rclpy.event_handler import PublisherEventCallbacks, SubscriptionEventCallbacks
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter as RclpyParameter
from rclpy.qos import (
    DurabilityPolicy,
    QoSProfile,
    ReliabilityPolicy,
    qos_policy_name_from_kind,
)
from rosgraph_msgs.msg import Clock
from std_msgs.msg import UInt8MultiArray
from type_description_interfaces.msg import TypeDescription
from type_description_interfaces.srv import GetTypeDescription


@dataclass
class Peer:
    """This node, and what it was asked."""

    node: Node
    executor: SingleThreadedExecutor
    asked: argparse.Namespace

    def until(self, is_done: Callable[[], Any]) -> bool:
        """Spin until it is done, or for so long."""
        end = time.monotonic() + self.asked.seconds
        while not is_done() and time.monotonic() < end:
            self.executor.spin_once(timeout_sec=0.02)
        return bool(is_done())

    def collect(self, topic: str, qos: QoSProfile) -> list[bytes]:
        """What comes on the topic from now on."""
        came: list[bytes] = []
        take = lambda message: came.append(bytes(message.data))  # noqa: E731
        self.node.create_subscription(UInt8MultiArray, topic, take, qos)
        return came

    def qos(self) -> QoSProfile:
        return QoSProfile(
            depth=self.asked.depth,
            reliability=RELIABILITY[self.asked.best_effort],
            durability=DURABILITY[self.asked.latched],
        )


RELIABILITY = {True: ReliabilityPolicy.BEST_EFFORT, False: ReliabilityPolicy.RELIABLE}
DURABILITY = {True: DurabilityPolicy.TRANSIENT_LOCAL, False: DurabilityPolicy.VOLATILE}


def message(data: bytes) -> UInt8MultiArray:
    return UInt8MultiArray(data=array("B", data))


def exchange(peer: Peer) -> dict[str, Any]:
    """Send so many messages of so many bytes, and tell how many came back as they were."""
    asked = peer.asked
    came = peer.collect(f"/{asked.relay}/out", peer.qos())
    publisher = peer.node.create_publisher(UInt8MultiArray, f"/{asked.relay}/in", peer.qos())

    def is_greeted() -> bool:
        publisher.publish(message(b"?"))
        return bool(came)

    greeted = peer.until(is_greeted)  # all ends are matched now
    sent = [os.urandom(asked.size) for _ in range(asked.count)]
    for data in sent:
        publisher.publish(message(data))
        peer.executor.spin_once(timeout_sec=0.002)
    answers = lambda: [data for data in came if data != b"?"]  # noqa: E731
    expected = [data for data in sent for _ in range(asked.times)]
    peer.until(lambda: len(answers()) >= len(expected))
    return {"greeted": greeted, "came": len(answers()), "equal": answers() == expected}


def history(peer: Peer) -> dict[str, Any]:
    """Publish at once, before anybody is matched; then join late, and tell what came."""
    relay = peer.asked.relay
    publisher = peer.node.create_publisher(UInt8MultiArray, f"/{relay}/in", peer.qos())
    sent = [os.urandom(8) for _ in range(peer.asked.depth)]
    for data in sent:
        publisher.publish(message(data))
    early = peer.collect(f"/{relay}/out", peer.qos())
    peer.until(lambda: early[-len(sent) :] == sent)
    late = peer.collect(f"/{relay}/out", peer.qos())
    peer.until(lambda: len(late) >= len(sent))
    return {"early": early[-len(sent) :] == sent, "late": late == sent}


def events(peer: Peer) -> dict[str, Any]:
    """Which policies rclpy names for ends that cannot match."""
    told: dict[str, str] = {}

    def note(end: str) -> Callable[[Any], None]:
        def keep(event: Any) -> None:
            told[end] = qos_policy_name_from_kind(event.last_policy_kind)

        return keep

    requests = SubscriptionEventCallbacks(incompatible_qos=note("subscription"))
    offers = PublisherEventCallbacks(incompatible_qos=note("publisher"))
    ends = (
        peer.node.create_subscription(
            UInt8MultiArray,
            "/quick/out",
            lambda _: None,
            QoSProfile(depth=1),
            event_callbacks=requests,
        ),
        peer.node.create_publisher(
            UInt8MultiArray, "/latched/in", QoSProfile(depth=1), event_callbacks=offers
        ),
    )
    peer.until(lambda: len(told) == len(ends))
    sys.stdin.read()  # until the other side is told, too
    return told


def graph(peer: Peer) -> dict[str, Any]:
    """What rclpy tells of a node's ends, by name and type."""
    node, relay = peer.node, peer.asked.relay
    queries = {
        "publishers": node.get_publisher_names_and_types_by_node,
        "subscriptions": node.get_subscriber_names_and_types_by_node,
        "services": node.get_service_names_and_types_by_node,
    }

    def told() -> dict[str, Any]:
        known = relay in node.get_node_names()
        return {what: dict(ask(relay, "/")) if known else {} for what, ask in queries.items()}

    peer.until(lambda: all(told().values()) and len(told()["services"]) >= 6)
    all_topics = dict(node.get_topic_names_and_types())
    all_services = dict(node.get_service_names_and_types())
    ends = told()
    return {
        **ends,
        "all": {**ends["publishers"], **ends["subscriptions"]}.items() <= all_topics.items()
        and ends["services"].items() <= all_services.items(),
    }


def parameters(peer: Peer) -> dict[str, Any]:
    """Set a relay's parameter, and tell what comes of it."""
    node, relay = peer.node, peer.asked.relay
    changed: list[int] = []

    def note(event: ParameterEvent) -> None:
        if event.node == f"/{relay}":
            changed.extend(one.value.integer_value for one in event.changed_parameters)

    def ask(service: str, kind: Any, request: Any) -> Any:
        client = node.create_client(kind, f"/{relay}/{service}")
        client.wait_for_service(timeout_sec=peer.asked.seconds)
        future = client.call_async(request)
        peer.until(future.done)
        return future.result()

    def set_to(times: int, kind: int = ParameterType.PARAMETER_INTEGER) -> Any:
        value = ParameterValue(type=kind, integer_value=times)
        request = SetParameters.Request(parameters=[Parameter(name="times", value=value)])
        return ask("set_parameters", SetParameters, request).results[0]

    def set_times(times: int, kind: int = ParameterType.PARAMETER_INTEGER) -> bool:
        return bool(set_to(times, kind).successful)

    node.create_subscription(ParameterEvent, "/parameter_events", note, 10)
    greetings = itertools.cycle((0, 1))
    peer.until(lambda: set_times(next(greetings)) and changed)  # all ends are matched now
    accepted = [set_times(2), set_times(2, ParameterType.PARAMETER_STRING), set_times(3)]
    peer.until(lambda: 3 in changed)
    got = ask("get_parameters", GetParameters, GetParameters.Request(names=["times"]))
    beyond = set_to(11)
    told = ask(
        "describe_parameters", DescribeParameters, DescribeParameters.Request(names=["times"])
    )
    (limits,) = told.descriptors[0].integer_range
    peer.asked.times = 3
    return {
        "accepted": accepted,
        "changed": [value for value in changed if value > 1],
        "value": got.values[0].integer_value,
        "relayed": exchange(peer),
        "beyond": [beyond.successful, all(word in beyond.reason for word in ("times", "0", "10"))],
        "range": [limits.from_value, limits.to_value],
        "reset": set_times(1),
    }


def types(peer: Peer) -> dict[str, Any]:
    """The names of the types with these hashes; empty, where a description has another hash."""
    name = f"/{peer.asked.relay}/get_type_description"
    client = peer.node.create_client(GetTypeDescription, name)
    client.wait_for_service(timeout_sec=peer.asked.seconds)
    names = []
    for type_hash in peer.asked.hashes:
        future = client.call_async(GetTypeDescription.Request(type_hash=type_hash))
        peer.until(future.done)
        told = future.result().type_description
        same = future.result().successful and rihs01(told) == type_hash
        names.append(told.type_description.type_name if same else "")
    return {"names": names}


def clock(peer: Peer) -> dict[str, Any]:
    """Lead /clock forth and back: when a node's timer was due by it, and what it logged."""
    ticks: list[float] = []
    lines: list[Log] = []
    qos = QoSProfile(depth=1000, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    peer.node.create_subscription(Time, "/ticks", lambda t: ticks.append(seconds(t)), 10)
    peer.node.create_subscription(Log, "/rosout", lines.append, qos)
    leader = peer.node.create_publisher(Clock, "/clock", 10)
    for now in (100.0, 100.5, 101.25, 50.0, 51.0):
        is_due = now not in (100.5, 50.0)
        lead(
            peer, leader, now, lambda sent, now=now, due=is_due: now in ticks if due else sent > 20
        )
    of_ticker = lambda found: [line for line in found if line.name == "ticker"]  # noqa: E731
    peer.until(lambda: len(of_ticker(lines)) >= 3)
    late: list[Log] = []
    peer.node.create_subscription(Log, "/rosout", late.append, qos)
    peer.until(lambda: len(of_ticker(late)) >= 3)
    (end,) = (
        e for e in peer.node.get_publishers_info_by_topic("/rosout") if e.node_name == "ticker"
    )
    return {
        "ticks": sorted(set(ticks)),
        "lines": sorted({(line.level, line.msg) for line in of_ticker(lines)}),
        "late": len(of_ticker(late)) >= 3,
        "fresh": all(abs(seconds(line.stamp) - time.time()) < 3600 for line in of_ticker(lines)),
        "qos": [
            end.qos_profile.reliability.name,
            end.qos_profile.durability.name,
            end.qos_profile.lifespan.nanoseconds / 1e9,
        ],
    }


def lead(peer: Peer, leader: Any, now: float, is_done: Callable[[int], bool]) -> None:
    """Publish this time until it is done, which is asked with how often it was sent."""
    message = Clock(clock=Time(sec=int(now), nanosec=round(now % 1 * 1e9)))
    numbers = itertools.count(1)

    def is_told() -> bool:
        leader.publish(message)
        return is_done(next(numbers))

    peer.until(is_told)


def seconds(stamp: Time) -> float:
    return float(stamp.sec + stamp.nanosec / 1e9)


def rihs01(told: TypeDescription) -> str:
    """The hash of a description, by its definition (REP 2016)."""
    document = {
        "type_description": plain(told.type_description),
        "referenced_type_descriptions": [plain(one) for one in told.referenced_type_descriptions],
    }
    return "RIHS01_" + hashlib.sha256(json.dumps(document).encode("ascii")).hexdigest()


def plain(one: Any) -> dict[str, Any]:
    numbers = ("type_id", "capacity", "string_capacity", "nested_type_name")
    return {
        "type_name": one.type_name,
        "fields": [
            {"name": f.name, "type": {name: getattr(f.type, name) for name in numbers}}
            for f in one.fields
        ],
    }


class NativeRelay(Node):
    """One of relays.yaml's nodes, of this distribution."""

    def __init__(self, name: str, qos: QoSProfile) -> None:
        super().__init__(name)
        limits = ParameterDescriptor(integer_range=[IntegerRange(from_value=0, to_value=10)])
        self.declare_parameter("times", 1, limits)
        self.publisher = self.create_publisher(UInt8MultiArray, f"/{name}/out", qos)
        self.create_subscription(UInt8MultiArray, f"/{name}/in", self.relay, qos)

    def relay(self, message: UInt8MultiArray) -> None:
        for _ in range(self.get_parameter("times").value):
            self.publisher.publish(message)


class NativeTicker(Node):
    """The same of its ticker."""

    def __init__(self) -> None:
        use_it = RclpyParameter("use_sim_time", value=True)
        super().__init__("ticker", parameter_overrides=[use_it])
        self.publisher = self.create_publisher(Time, "/ticks", 10)
        self.create_timer(1.0, self.tick)

    def tick(self) -> None:
        now = self.get_clock().now().to_msg()
        self.get_logger().warn(f"tick at {now.sec}")
        self.publisher.publish(now)


def native_relays() -> list[Node]:
    quick = QoSProfile(depth=100, reliability=ReliabilityPolicy.BEST_EFFORT)
    latched = QoSProfile(depth=5, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    all_qos = {"reliable": QoSProfile(depth=100), "quick": quick, "latched": latched}
    return [NativeTicker(), *(NativeRelay(name, qos) for name, qos in all_qos.items())]


WHAT = {
    "exchange": exchange,
    "history": history,
    "events": events,
    "graph": graph,
    "parameters": parameters,
    "types": types,
    "clock": clock,
}


def main() -> None:
    """One question, one line of JSON."""
    words = argparse.ArgumentParser()
    words.add_argument("what", choices=WHAT)
    words.add_argument("--relay", default="reliable")
    words.add_argument("--native", action="store_true")
    words.add_argument("--count", type=int, default=1)
    words.add_argument("--size", type=int, default=8)
    words.add_argument("--times", type=int, default=1)
    words.add_argument("--depth", type=int, default=100)
    words.add_argument("--seconds", type=float, default=60)
    words.add_argument("--hashes", nargs="*", default=[])
    words.add_argument("--best-effort", action="store_true")
    words.add_argument("--latched", action="store_true")
    asked = words.parse_args()
    rclpy.init()
    executor = SingleThreadedExecutor()
    node = rclpy.create_node("peer")
    executor.add_node(node)
    for relay in native_relays() if asked.native else []:
        executor.add_node(relay)
    json.dump(WHAT[asked.what](Peer(node, executor, asked)), sys.stdout)
    rclpy.shutdown()


if __name__ == "__main__":
    main()
