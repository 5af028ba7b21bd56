# SPDX-License-Identifier: Apache-2.0
"""The node of the published experiment, in rclpy: texts on /ping, their answers on /pong.

ping.py BYTES MESSAGES WARMUP
"""

from __future__ import annotations

import json
import os
import sys
import time

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from std_msgs.msg import String

WATCHDOG_S = 60.0


class Ping(Node):  # type: ignore[misc]
    """Says a text and waits for it."""

    def __init__(self) -> None:
        super().__init__("bench")
        self.heard: list[str] = []
        self.publisher = self.create_publisher(String, "/ping", 10)
        self.create_subscription(String, "/pong", lambda m: self.heard.append(m.data), 10)
        self.executor_ = SingleThreadedExecutor()
        self.executor_.add_node(self)

    def spin(self) -> None:
        """Until something has come, or a while has passed."""
        self.executor_.spin_once(timeout_sec=1.0)

    def await_core(self) -> None:
        """Matched here says nothing of the other side: texts are said until one is heard."""
        end = time.monotonic() + WATCHDOG_S
        while not self.heard:
            self.publisher.publish(String(data="are you there"))
            again = time.monotonic() + 0.2
            while not self.heard and time.monotonic() < again:
                self.executor_.spin_once(timeout_sec=0.05)
            if time.monotonic() > end:
                sys.exit("ping.py: no node answers /ping on /pong")
        # Late answers shall not disturb the measurement.
        count = 0
        while count != len(self.heard):
            count = len(self.heard)
            self.executor_.spin_once(timeout_sec=0.2)

    def round_trip_ns(self, text: str) -> int:
        """From before it is published until it has come back."""
        self.heard.clear()
        begin = time.monotonic_ns()
        self.publisher.publish(String(data=text))
        while text not in self.heard:
            self.spin()
            if time.monotonic_ns() - begin > WATCHDOG_S * 1e9:
                sys.exit("ping.py: no answer")
        return time.monotonic_ns() - begin


def main() -> None:
    """Measure, and print one line of JSON."""
    size, messages, warmup = (int(word) for word in sys.argv[1:4])
    rclpy.init()
    node = Ping()
    node.await_core()
    times = [
        node.round_trip_ns(f"{number:0>8}".ljust(size, "x")[:size])
        for number in range(warmup + messages)
    ]
    print(json.dumps({"round_trip_ns": times[warmup:]}), flush=True)
    os._exit(0)  # rclpy's own end takes a second


main()
