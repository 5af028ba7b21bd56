# SPDX-License-Identifier: Apache-2.0
"""A small driver as a rclpy node: a command for each image, and stops at red lights."""

from __future__ import annotations

import sys

import numpy as np
import rclpy
from geometry_msgs.msg import Twist
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from sensor_msgs.msg import Image
from sim.steering import Steering


class Steer(Node):
    """Drives."""

    def __init__(self) -> None:
        super().__init__("steer")
        self._steering: Steering | None = None
        self._commands = self.create_publisher(Twist, "/cmd_vel", 10)
        self.create_subscription(Image, "/camera/image_raw", self._look, 10)

    def _look(self, image: Image) -> None:
        if self._steering is None:
            self._steering = Steering(image.width, image.height)
        picture = np.frombuffer(image.data, np.uint8).reshape(image.height, image.width, 3)
        command = Twist()
        command.linear.x, command.angular.z = self._steering(picture)
        self._commands.publish(command)


def main() -> int:
    """Drive until told to stop."""
    rclpy.init()
    try:
        rclpy.spin(Steer())
    except (KeyboardInterrupt, ExternalShutdownException):
        rclpy.try_shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
