# SPDX-License-Identifier: Apache-2.0
"""A camera as an ordinary rclpy node: talker.py [FRAMES] [HZ]. It knows nothing of Ligament."""

from __future__ import annotations

import array
import sys

import numpy as np
import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from sensor_msgs.msg import CameraInfo, Image

WIDTH, HEIGHT = 640, 480


class Talker(Node):
    """Publishes a moving pattern and the camera's calibration."""

    def __init__(self, frames: int, hz: float) -> None:
        super().__init__("talker")
        self.left = frames
        self.images = self.create_publisher(Image, "/camera/image_raw", 10)
        self.infos = self.create_publisher(CameraInfo, "/camera/camera_info", 10)
        self.info = CameraInfo(width=WIDTH, height=HEIGHT, distortion_model="plumb_bob")
        self.info.d = [-0.2, 0.05, 0.0, 0.0, 0.0]
        self.info.k = [500.0, 0.0, WIDTH / 2, 0.0, 500.0, HEIGHT / 2, 0.0, 0.0, 1.0]
        self.info.r = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
        self.info.p = [500.0, 0.0, WIDTH / 2, 0.0, 0.0, 500.0, HEIGHT / 2, 0.0, 0.0, 0.0, 1.0, 0.0]
        y, x = np.mgrid[:HEIGHT, :WIDTH]
        self.pattern = np.dstack([x % 256, y % 256, (x + y) % 256]).astype(np.uint8)
        self.create_timer(1.0 / hz, self.send)

    def send(self) -> None:
        if self.left == 0:
            raise SystemExit
        if self.images.get_subscription_count() == 0:
            return  # nobody is there yet
        self.left -= 1
        stamp = self.get_clock().now().to_msg()
        frame = np.roll(self.pattern, 4 * self.left, axis=1)
        image = Image(height=HEIGHT, width=WIDTH, encoding="rgb8", step=3 * WIDTH)
        image.data = array.array("B", frame.tobytes())
        image.header.stamp = self.info.header.stamp = stamp
        image.header.frame_id = self.info.header.frame_id = "camera"
        self.infos.publish(self.info)
        self.images.publish(image)


def main() -> None:
    frames = sys.argv[1] if len(sys.argv) > 1 else "100"
    hz = sys.argv[2] if len(sys.argv) > 2 else "20"
    rclpy.init()
    try:
        rclpy.spin(Talker(int(frames), float(hz)))
    except (SystemExit, KeyboardInterrupt, ExternalShutdownException):
        rclpy.try_shutdown()


if __name__ == "__main__":
    main()
