# SPDX-License-Identifier: Apache-2.0
"""An ordinary rclpy node beside a running graph: ros2_peer.py WHAT ... prints JSON.

It runs with the Python of a ROS 2 distribution's wheels, so it knows nothing of Ligament.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import time
from typing import Any

import rclpy
from rcl_interfaces.srv import GetParameters, ListParameters
from rclpy.node import Node
from rclpy.qos import QoSProfile, qos_profile_sensor_data
from sensor_msgs.msg import Image
from std_srvs.srv import Trigger

Count = dict[str, int]


def until(node: Node, is_done: Any, seconds: float) -> bool:
    """Spin until it is done, or for so long."""
    end = time.monotonic() + seconds
    while not is_done() and time.monotonic() < end:
        rclpy.spin_once(node, timeout_sec=0.02)
    return bool(is_done())


def images(node: Node, asked: argparse.Namespace) -> dict[str, Any]:
    """How many of the images that were sent between the first and the last one came."""
    stamps: list[int] = []
    sizes = set()

    def note(image: Image) -> None:
        stamps.append(image.header.stamp.sec * 10**9 + image.header.stamp.nanosec)
        sizes.add(len(image.data))

    qos = qos_profile_sensor_data if asked.best_effort else QoSProfile(depth=10)
    node.create_subscription(Image, asked.topic, note, qos)
    until(node, lambda: len(stamps) >= asked.count, asked.seconds)
    steps = sorted(b - a for a, b in itertools.pairwise(stamps))
    step = steps[len(steps) // 2] if steps else 1
    sent = round((stamps[-1] - stamps[0]) / step) + 1 if stamps else 0
    return {"came": len(stamps), "sent": sent, "sizes": sorted(sizes)}


def parameters(node: Node, asked: argparse.Namespace) -> dict[str, Any]:
    """How many calls of the nodes' parameter services were answered."""
    seen: Count = {"images": 0}
    if asked.topic:

        def note(_: Image) -> None:
            seen["images"] += 1

        node.create_subscription(Image, asked.topic, note, qos_profile_sensor_data)
        until(node, lambda: seen["images"] > 3, asked.seconds)
    calls = [(f"/{name}/{service}", kind) for name in asked.nodes for service, kind in SERVICES]
    old = {name: node.create_client(kind, name) for name, kind in calls}
    answered: Count = {"old": 0, "fresh": 0}
    unanswered = []
    for number in range(asked.count):
        name, kind = calls[number % len(calls)]
        fresh = number % 2 == 1
        client = node.create_client(kind, name) if fresh else old[name]
        ready = client.wait_for_service(timeout_sec=asked.seconds)
        future = client.call_async(kind.Request())
        if ready and until(node, future.done, asked.seconds):
            answered["fresh" if fresh else "old"] += 1
        else:
            unanswered.append([number, name, ready])
            break  # one is too many, and each takes the whole patience
        if fresh:
            node.destroy_client(client)
    return {**answered, **seen, "unanswered": unanswered}


SERVICES = (("list_parameters", ListParameters), ("get_parameters", GetParameters))


def graph(node: Node, asked: argparse.Namespace) -> dict[str, Any]:
    """What rclpy tells of a topic's ends, among them one of this node."""

    def ends() -> dict[str, list[Any]]:
        return {
            "publishers": node.get_publishers_info_by_topic(asked.topic),
            "subscriptions": node.get_subscriptions_info_by_topic(asked.topic),
        }

    node.create_subscription(Image, asked.topic, lambda _: None, qos_profile_sensor_data)
    until(node, lambda: ends()["publishers"] and len(ends()["subscriptions"]) > 1, asked.seconds)
    until(node, lambda: False, 1)  # whose they are is told apart from them
    return {
        "nodes": sorted(node.get_node_names()),
        **{
            kind: sorted([e.node_name, e.topic_type, str(e.topic_type_hash)] for e in found)
            for kind, found in ends().items()
        },
    }


def call_native(node: Node, asked: argparse.Namespace) -> dict[str, Any]:
    """The same number of calls between two nodes of this distribution, as a control."""
    server = rclpy.create_node("native")
    server.create_service(Trigger, "/native", lambda _, answer: answer)
    client = node.create_client(Trigger, "/native")
    executor = rclpy.executors.SingleThreadedExecutor()
    executor.add_node(node)
    executor.add_node(server)
    answered = 0
    for _ in range(asked.count):
        client.wait_for_service(timeout_sec=asked.seconds)
        future = client.call_async(Trigger.Request())
        executor.spin_until_future_complete(future, timeout_sec=asked.seconds)
        answered += future.done()
    return {"answered": answered}


WHAT = {"images": images, "parameters": parameters, "graph": graph, "native": call_native}


def main() -> None:
    """One question, one line of JSON."""
    words = argparse.ArgumentParser()
    words.add_argument("what", choices=WHAT)
    words.add_argument("--topic", default="")
    words.add_argument("--nodes", nargs="*", default=[])
    words.add_argument("--count", type=int, default=0)
    words.add_argument("--seconds", type=float, default=60)
    words.add_argument("--best-effort", action="store_true")
    asked = words.parse_args()
    rclpy.init()
    node = rclpy.create_node("peer")
    json.dump(WHAT[asked.what](node, asked), sys.stdout)
    rclpy.shutdown()


if __name__ == "__main__":
    main()
