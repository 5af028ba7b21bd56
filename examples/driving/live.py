# SPDX-License-Identifier: Apache-2.0
"""A live view of a drive in the browser: live.py [PORT]. An ordinary rclpy node, for any graph.

It shows the camera, the bird's view, the path by odometry, commands, and how long it takes from an
image to the command that follows. It serves on 127.0.0.1 alone, and publishes nothing.
"""

from __future__ import annotations

import math
import sys
import threading
from pathlib import Path
from typing import Any

import rclpy
from drive_live.pictures import bitmap_of
from drive_live.server import Server
from drive_live.state import State
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import Image

#: Topics of images, by the names that the page has for them.
VIEWS = {"camera": "/camera/image_raw", "birds_view": "/C"}
PAGE = Path(__file__).with_name("drive_live") / "live.html"


class Live(Node):
    """Listens, and keeps what the page asks for."""

    def __init__(self) -> None:
        super().__init__("live")
        self.state = State()
        self._images: dict[str, bytes] = {}
        self._lock = threading.Lock()
        for name, topic in VIEWS.items():
            # Raw: an image is only unpacked when the page asks for it, which is less often.
            self.create_subscription(
                Image, topic, lambda data, name=name: self._take(name, data), 1, raw=True
            )
        self.create_subscription(Odometry, "/odom", self._move, 10)
        self.create_subscription(Twist, "/cmd_vel", self._command, 10)

    def _take(self, name: str, data: bytes) -> None:
        with self._lock:
            self._images[name] = data
        if name == "camera":
            self.state.image_came()

    def _move(self, odometry: Any) -> None:
        pose = odometry.pose.pose
        yaw = 2 * math.atan2(pose.orientation.z, pose.orientation.w)
        self.state.moved(pose.position.x, pose.position.y, yaw)

    def _command(self, command: Any) -> None:
        self.state.command_came(command.linear.x, command.angular.z)

    def picture(self, name: str) -> bytes | None:
        """Return the newest image of a view as a bitmap file."""
        with self._lock:
            data = self._images.get(name)
        return None if data is None else bitmap_of(deserialize_message(data, Image))


def main() -> int:
    """Serve until told to stop."""
    words = [word for word in sys.argv[1:] if word.isdigit()]
    rclpy.init()
    node = Live()
    server = Server(int(words[0]) if words else 8421, PAGE, node.state.to_json, node.picture)
    print(f"live view: http://127.0.0.1:{server.port}", flush=True)
    try:
        rclpy.spin(node)
    except (KeyboardInterrupt, ExternalShutdownException):
        rclpy.try_shutdown()
    server.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
