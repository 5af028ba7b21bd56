# SPDX-License-Identifier: Apache-2.0
"""Ordinary rclpy programs that are recorded: rmw_trace_programs.py NAME [THREADS].

`source` publishes numbers by a timer, `relay` hands them on, `sink` counts them. Each says "ready"
and goes on until its input ends.
"""

from __future__ import annotations

import contextlib
import sys
import threading

import rclpy
from rclpy.executors import (
    Executor,
    ExternalShutdownException,
    MultiThreadedExecutor,
    SingleThreadedExecutor,
)
from rclpy.node import Node
from std_msgs.msg import UInt64


def source(node: Node) -> None:
    publisher = node.create_publisher(UInt64, "first", 10)
    node.create_timer(0.01, lambda: publisher.publish(UInt64(data=7)))


def relay(node: Node) -> None:
    publisher = node.create_publisher(UInt64, "second", 10)
    node.create_subscription(UInt64, "first", publisher.publish, 10)


def sink(node: Node) -> None:
    heard: list[int] = []

    def note(message: UInt64) -> None:
        heard.append(message.data)
        if len(heard) == 20:
            print("heard", flush=True)

    node.create_subscription(UInt64, "second", note, 10)


def main() -> None:
    name, *threads = sys.argv[1:]
    rclpy.init()
    node = Node(name)
    {"source": source, "relay": relay, "sink": sink}[name](node)
    executor: Executor = MultiThreadedExecutor(2) if threads else SingleThreadedExecutor()
    executor.add_node(node)
    threading.Thread(target=lambda: (sys.stdin.read(), rclpy.shutdown()), daemon=True).start()
    print("ready", flush=True)
    with contextlib.suppress(ExternalShutdownException):
        executor.spin()


if __name__ == "__main__":
    main()
