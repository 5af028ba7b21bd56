# SPDX-License-Identifier: Apache-2.0
"""A node of the driving graph as an rclpy node: chain_node.py NAME LIBRARY FRAMES.

It computes with the same kernels as the graph's node, called by ctypes: LIBRARY is what
CMakeLists.txt beside this makes. The node `camera` sends an image for each command. At its end
each prints a line of JSON: of each image its stamp, when the callback began, what the kernel took,
and when the result was published; all in nanoseconds.
"""

from __future__ import annotations

import array
import contextlib
import ctypes
import json
import sys
import time
from typing import Any

import numpy as np
import rclpy
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point32, PointStamped, PolygonStamped, Twist
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from sensor_msgs.msg import Image

PICTURE, VIEW = (640, 480), (1000, 600)
FILTERS = {
    "image_compensation": ("/camera/image_raw", "/A", "driving_compensate", PICTURE),
    "gaussian_blur": ("/A", "/B", "driving_blur", PICTURE),
    "image_projection": ("/B", "/C", "driving_project", VIEW),
}
DEPTH = 5
#: Real seconds without a command after which the next image is sent.
PATIENCE_S = 2.0
Q16 = 65536.0


def ns_of(stamp: Any) -> int:
    """Return a stamp in nanoseconds."""
    return int(stamp.sec) * 10**9 + int(stamp.nanosec)


def time_of(ns: int) -> Any:
    """Return nanoseconds as a stamp."""
    return Time(sec=ns // 10**9, nanosec=ns % 10**9)


def empty_image(size: tuple[int, int]) -> Any:
    """Made once: its bytes are the kernel's output, and are serialised from there."""
    width, height = size
    image = Image(width=width, height=height, encoding="rgb8", step=3 * width)
    image.data = array.array("B", bytes(3 * width * height))
    return image


def bytes_of(image: Any) -> int:
    """Where its pixels are."""
    return int(np.frombuffer(image.data, np.uint8).ctypes.data)


class ChainNode(Node):
    """Any of them."""

    def __init__(self, name: str, library: str, frames: int) -> None:
        super().__init__(name)
        self.kernels = ctypes.CDLL(library)
        self.kernels.driving_draw.restype = ctypes.c_int64
        self.kernels.driving_look.restype = ctypes.c_int64
        self.kernels.driving_begin()
        self.lines: list[tuple[int, int, int, int]] = []
        self.left = frames
        if name in FILTERS:
            self._make_filter(*FILTERS[name])
        else:
            getattr(self, f"_make_{name}")()

    def take(self, kind: Any, topic: str, use: Any) -> None:
        """Subscribe."""
        self.create_subscription(kind, topic, use, DEPTH)

    def run_kernel(self, stamp: int, name: str, *words: Any) -> tuple[Any, Any]:
        """Call it; return its result, and what notes the times once the result was published."""
        begin = time.monotonic_ns()
        result = getattr(self.kernels, name)(*words)
        took = time.monotonic_ns() - begin
        return result, lambda began: self.lines.append((stamp, began, took, time.monotonic_ns()))

    def _make_filter(self, source: str, target: str, kernel: str, size: tuple[int, int]) -> None:
        out = empty_image(size)
        pixels = ctypes.c_void_p(bytes_of(out))
        publisher = self.create_publisher(Image, target, DEPTH)

        def use(image: Any) -> None:
            began = time.monotonic_ns()
            _, done = self.run_kernel(
                ns_of(image.header.stamp), kernel, ctypes.c_void_p(bytes_of(image)), pixels
            )
            out.header = image.header
            publisher.publish(out)
            done(began)

        self.take(Image, source, use)

    def _make_lane_following(self) -> None:
        publisher = self.create_publisher(PolygonStamped, "/D", DEPTH)
        point = (ctypes.c_int32 * 2)()

        def use(image: Any) -> None:
            began, lane = time.monotonic_ns(), PolygonStamped()
            seen, done = self.run_kernel(
                ns_of(image.header.stamp), "driving_follow", ctypes.c_void_p(bytes_of(image)), point
            )
            if seen:
                lane.polygon.points = [Point32(x=point[0] / Q16, y=point[1] / Q16, z=0.0)]
            lane.header = image.header
            publisher.publish(lane)
            done(began)

        self.take(Image, "/C", use)

    def _make_lane_control(self) -> None:
        publisher = self.create_publisher(Twist, "/cmd_vel", 1)
        command = (ctypes.c_double * 2)()

        def use(lane: Any) -> None:
            began, stamp = time.monotonic_ns(), ns_of(lane.header.stamp)
            points = lane.polygon.points
            place = (ctypes.c_int32 * 2)(*(round(v * Q16) for p in points[:1] for v in (p.x, p.y)))
            found, done = self.run_kernel(
                stamp, "driving_control", ctypes.c_int64(stamp), place if points else None, command
            )
            if found:
                twist = Twist()
                twist.linear.x, twist.angular.z = command[0], command[1]
                publisher.publish(twist)
                done(began)

        self.take(PolygonStamped, "/D", use)
        for topic, is_red in (("/E", 1), ("/F", 0)):
            self.take(
                PointStamped, topic, lambda event, is_red=is_red: self._on_light(is_red, event)
            )

    def _on_light(self, is_red: int, event: Any) -> None:
        self.kernels.driving_on_light(is_red, ctypes.c_int64(ns_of(event.header.stamp)))

    def _make_red_traffic_light_detection(self) -> None:
        self._make_light(1, "/E", "/F")

    def _make_green_traffic_light_detection(self) -> None:
        self._make_light(0, "/F", "/E")

    def _make_light(self, is_red: int, own: str, other: str) -> None:
        publisher = self.create_publisher(PointStamped, own, DEPTH)

        def use(image: Any) -> None:
            stamp = ctypes.c_int64(ns_of(image.header.stamp))
            found = self.kernels.driving_look(is_red, stamp, ctypes.c_void_p(bytes_of(image)))
            if found >= 0:
                event = PointStamped()
                event.header.stamp = time_of(found)
                publisher.publish(event)

        self.take(Image, "/A", use)
        if not is_red:  # as in the graph: the red one hears of no green
            self.take(
                PointStamped,
                other,
                lambda event: self.kernels.driving_on_other(
                    is_red, ctypes.c_int64(ns_of(event.header.stamp))
                ),
            )

    def _make_camera(self) -> None:
        self.image = empty_image(PICTURE)
        self.images = self.create_publisher(Image, "/camera/image_raw", DEPTH)
        self.take(Twist, "/cmd_vel", lambda twist: self._send(twist.linear.x, twist.angular.z))
        self.sent_at = 0.0
        self.create_timer(0.1, self._look)

    def _look(self) -> None:
        """Begin when the chain's ends are there; go on where a message was lost on the way."""
        is_there = self.images.get_subscription_count() and self.count_publishers("/cmd_vel")
        if is_there and time.monotonic() > self.sent_at + PATIENCE_S:
            self._send(0.0, 0.0)

    def _send(self, speed: float, turn: float) -> None:
        if self.left == 0:
            raise SystemExit
        self.left -= 1
        pixels = ctypes.c_void_p(bytes_of(self.image))
        stamp = self.kernels.driving_draw(ctypes.c_double(speed), ctypes.c_double(turn), pixels)
        self.image.header.stamp = time_of(stamp)
        self.sent_at = time.monotonic()
        self.images.publish(self.image)


def main() -> None:
    """Run one node until it is told to end."""
    name, library, frames = sys.argv[1:4]
    rclpy.init()
    node = ChainNode(name, library, int(frames))
    print("ready", flush=True)
    with contextlib.suppress(SystemExit, KeyboardInterrupt, ExternalShutdownException):
        rclpy.spin(node)
    print(json.dumps({"node": name, "frames": node.lines}), flush=True)
    rclpy.try_shutdown()


if __name__ == "__main__":
    main()
