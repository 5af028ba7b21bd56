# SPDX-License-Identifier: Apache-2.0
"""Ordinary rclpy programs that a graph starts as executables. They know nothing of Ligament.

executable_programs.py send COUNT [--ros-args ...]
executable_programs.py hear COUNT FILE [--ros-args ...]

Each says "ready" when its ends are there.
"""

from __future__ import annotations

import json
import sys
from array import array
from pathlib import Path

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.qos import QoSProfile
from std_msgs.msg import UInt8MultiArray

QOS = QoSProfile(depth=100)
#: More than the largest count here.
PERIOD_S = 0.02


class Sender(Node):
    """Publishes 0, 1, 2, ... once somebody subscribes; who comes late hears the rest."""

    def __init__(self, count: int) -> None:
        super().__init__("sender")
        self.left = list(range(count))
        self.publisher = self.create_publisher(UInt8MultiArray, "out", QOS)
        self.create_timer(PERIOD_S, self.send)

    def send(self) -> None:
        if self.left and self.publisher.get_subscription_count():
            number = self.left.pop(0) % 256
            self.publisher.publish(UInt8MultiArray(data=array("B", [number])))


#: A program's figures are told once a second.
STAYS_S = 4.0


class Hearer(Node):
    """Writes down what it heard, and how it was started; then it ends."""

    def __init__(self, count: int, file: Path) -> None:
        super().__init__("hearer")
        self.declare_parameter("gain", 1.0)
        self.declare_parameter("mode", "off")
        self.heard: list[int] = []
        self.count, self.file = count, file
        self.create_subscription(UInt8MultiArray, "heard", self.hear, QOS)

    def hear(self, message: UInt8MultiArray) -> None:
        self.heard.append(message.data[0])
        if len(self.heard) != self.count:
            return
        self.get_logger().debug("heard all")
        told = {
            "node": self.get_fully_qualified_name(),
            "gain": self.get_parameter("gain").value,
            "mode": self.get_parameter("mode").value,
            "rmw": rclpy.get_rmw_implementation_identifier(),
            "heard": self.heard,
        }
        self.file.write_text(json.dumps(told))
        self.create_timer(STAYS_S, self.end)

    def end(self) -> None:
        raise SystemExit


def main() -> None:
    rclpy.init()
    what, count, *rest = rclpy.utilities.remove_ros_args(sys.argv)[1:]
    node = Sender(int(count)) if what == "send" else Hearer(int(count), Path(rest[0]))
    print("ready", flush=True)
    try:
        rclpy.spin(node)
    except (SystemExit, KeyboardInterrupt, ExternalShutdownException):
        rclpy.try_shutdown()


if __name__ == "__main__":
    main()
