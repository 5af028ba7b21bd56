# SPDX-License-Identifier: Apache-2.0
"""Follow something by its colour: images in, the middle of what has the colour out.

    python examples/ros2/track_colour.py --ros-args -r image:=/camera/image_raw \
        -p colour:=[220,40,30] -p tolerance:=40

The image is read where the camera driver's process has written it; no pixel is copied. Uses OpenCV
if there is one, and NumPy else.
"""

import contextlib

import numpy as np
import rclpy
from geometry_msgs.msg import PointStamped
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import Image

from ligament import views

try:
    import cv2
except ImportError:
    cv2 = None

#: Places of red, green and blue in the pixels of an encoding.
ORDERS = {"rgb8": (0, 1, 2), "rgba8": (0, 1, 2), "bgr8": (2, 1, 0), "bgra8": (2, 1, 0)}


def middle(pixels, low, high):
    """Mean column and row of the pixels between two colours, and their number."""
    if cv2 is not None:
        moments = cv2.moments(cv2.inRange(pixels, low, high), binaryImage=True)
        number = moments["m00"]
        found = (moments["m10"] / number, moments["m01"] / number) if number else (0.0, 0.0)
        return *found, int(number)
    rows, columns = np.nonzero(((pixels >= low) & (pixels <= high)).all(axis=2))
    if not rows.size:
        return 0.0, 0.0, 0
    return float(columns.mean()), float(rows.mean()), rows.size


class TrackColour(Node):
    """Publishes x and y in pixels, and in z the part of the image that has the colour."""

    def __init__(self):
        super().__init__("track_colour")
        self.colour = self.declare_parameter("colour", [220, 40, 30])
        self.tolerance = self.declare_parameter("tolerance", 40)
        self.publisher = self.create_publisher(PointStamped, "point", 10)
        views.subscribe(self, Image, "image", self.track, qos_profile_sensor_data)

    def bounds(self, encoding):
        """Least and greatest value of each channel of a pixel of the colour."""
        low, high = np.zeros(3, np.uint8), np.full(3, 255, np.uint8)
        for place, value in zip(ORDERS[encoding], self.colour.value, strict=True):
            low[place] = max(0, value - self.tolerance.value)
            high[place] = min(255, value + self.tolerance.value)
        return low, high

    def track(self, image):
        """Called for each image, with a view of it."""
        if image.encoding not in ORDERS:
            self.get_logger().warning(
                f"no colours in images of {image.encoding}", throttle_duration_sec=5.0
            )
            return
        pixels = image.array()[:, :, :3]
        x, y, number = middle(pixels, *self.bounds(image.encoding))
        if number:
            point = PointStamped(header=image.header.to_message())
            point.point.x, point.point.y = x, y
            point.point.z = number / (image.width * image.height)
            self.publisher.publish(point)


def main():
    """Until it is interrupted."""
    rclpy.init()
    with contextlib.suppress(KeyboardInterrupt, ExternalShutdownException):
        rclpy.spin(TrackColour())


if __name__ == "__main__":
    main()
