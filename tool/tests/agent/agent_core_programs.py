# SPDX-License-Identifier: Apache-2.0
"""An rclpy node beside a core's. Each line of stdin is a question, answered by a line of JSON.

imu N      receives N messages of /imu, switches it off and on by its service
ping N...  a text of so many letters each on /ping; the lengths of what /pong says back
gone       waits until the node is not in the graph any more
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import rclpy
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import Imu
from std_msgs.msg import String
from std_srvs.srv import SetBool

WATCHDOG_S = 60.0


def spin_until(node: Node, is_met: Callable[[], bool]) -> bool:
    """Whether it came to be so."""
    end = time.monotonic() + WATCHDOG_S
    while not is_met() and time.monotonic() < end:
        rclpy.spin_once(node, timeout_sec=0.05)
    return is_met()


def nodes(node: Node) -> list[str]:
    """Those beside this one."""
    return sorted(name for name in node.get_node_names() if name != node.get_name())


def call(node: Node, client: Any, data: bool) -> bool:
    """Whether the service has answered with success."""
    future = None
    end = time.monotonic() + WATCHDOG_S
    while time.monotonic() < end:
        if future is None and client.service_is_ready():
            future = client.call_async(SetBool.Request(data=data))
        rclpy.spin_once(node, timeout_sec=0.05)
        if future is not None and future.done():
            return bool(future.result().success)
    return False


def ask_imu(node: Node, count: int) -> dict[str, Any]:
    """Messages, and the service."""
    got: list[Imu] = []
    subscription = node.create_subscription(Imu, "/imu", got.append, qos_profile_sensor_data)
    client = node.create_client(SetBool, "/imu/enable")
    spin_until(node, lambda: len(got) >= count)
    stamps = [m.header.stamp.sec + m.header.stamp.nanosec * 1e-9 for m in got]
    answers = [call(node, client, False)]
    rclpy.spin_once(node, timeout_sec=0.05)
    off = len(got)
    answers.append(call(node, client, True))
    spin_until(node, lambda: len(got) > off + 5)
    told = {
        "count": len(got),
        "stamps": stamps,
        "clock": time.time(),
        "frame": got[0].header.frame_id if got else "",
        "gravity": got[0].linear_acceleration.z if got else 0,
        "answers": answers,
        "nodes": nodes(node),
        "publishers": node.count_publishers("/imu"),
    }
    node.destroy_subscription(subscription)
    node.destroy_client(client)
    return told


def ask_ping(node: Node, sizes: list[int]) -> dict[str, Any]:
    """Each is said until it is heard: who has matched says nothing of it."""
    got: list[str] = []
    publisher = node.create_publisher(String, "/ping", 10)
    subscription = node.create_subscription(String, "/pong", lambda m: got.append(m.data), 10)
    spin_until(node, lambda: publisher.get_subscription_count() > 0)
    spin_until(node, lambda: node.count_publishers("/pong") > 0)
    same = []
    for size in sizes:
        text = chr(ord("a") + size % 26) * size
        end = time.monotonic() + WATCHDOG_S
        while text not in got and time.monotonic() < end:
            publisher.publish(String(data=text))
            again = time.monotonic() + 2.0
            while text not in got and time.monotonic() < again:
                rclpy.spin_once(node, timeout_sec=0.05)
        same.append(text in got)
    node.destroy_subscription(subscription)
    node.destroy_publisher(publisher)
    return {"same": same}


def ask_gone(node: Node) -> dict[str, Any]:
    """Of the core's node."""
    spin_until(node, lambda: not nodes(node) and node.count_publishers("/imu") == 0)
    return {"nodes": nodes(node), "publishers": node.count_publishers("/imu")}


def main() -> None:
    """Answer until the end of stdin."""
    rclpy.init()
    node = Node("watcher")
    print("ready", flush=True)
    for line in sys.stdin:
        word, *numbers = line.split()
        if word == "imu":
            told = ask_imu(node, int(numbers[0]))
        elif word == "ping":
            told = ask_ping(node, [int(n) for n in numbers])
        else:
            told = ask_gone(node)
        print(json.dumps(told), flush=True)


main()
