# SPDX-License-Identifier: Apache-2.0
"""What came out, as an ordinary rclpy node: viewer.py [FRAMES] [PICTURE.ppm]."""

from __future__ import annotations

import sys
from pathlib import Path

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from sensor_msgs.msg import Image


class Viewer(Node):
    """Counts small images, and keeps the last one as a picture."""

    def __init__(self, frames: int, picture: str) -> None:
        super().__init__("viewer")
        self.frames, self.picture = frames, picture
        self.ages_ms: list[float] = []
        self.create_subscription(Image, "/resize/image_raw", self.show, 10)

    def show(self, image: Image) -> None:
        stamp = rclpy.time.Time.from_msg(image.header.stamp)
        self.ages_ms.append((self.get_clock().now() - stamp).nanoseconds / 1e6)
        if len(self.ages_ms) < self.frames:
            return
        if self.picture:
            header = f"P6 {image.width} {image.height} 255\n".encode()
            Path(self.picture).write_bytes(header + bytes(image.data))
        ages = sorted(self.ages_ms)
        print(f"viewer: {len(ages)} images of {image.width} x {image.height}, "
              f"median age {ages[len(ages) // 2]:.1f} ms", flush=True)  # fmt: skip
        raise SystemExit


def main() -> None:
    frames = sys.argv[1] if len(sys.argv) > 1 else "100"
    picture = sys.argv[2] if len(sys.argv) > 2 else ""
    rclpy.init()
    try:
        rclpy.spin(Viewer(int(frames), picture))
    except (SystemExit, KeyboardInterrupt, ExternalShutdownException):
        rclpy.try_shutdown()


if __name__ == "__main__":
    main()
