# SPDX-License-Identifier: Apache-2.0
"""An ordinary rclpy node that ends as rclpy's programs do."""

from pathlib import Path

from counting import numbers
from rclpy.node import Node
from std_msgs.msg import Float64


class Source(Node):
    """Publishes numbers, and is done."""

    def __init__(self):
        super().__init__("my_source")
        print((Path(__file__).parent / "texts" / "hello.txt").read_text())
        self.numbers = numbers(self.declare_parameter("count", 3).value)
        self.publisher = self.create_publisher(Float64, "numbers", 10)
        self.create_timer(self.declare_parameter("period", 1.0).value, self.send)

    def send(self):
        """One a period."""
        for number in self.numbers:
            self.publisher.publish(Float64(data=number))
            return
        raise SystemExit
