# SPDX-License-Identifier: Apache-2.0
"""The same threshold as an rclpy node: NumPy, on images where they lie in shared memory."""

import numpy as np
from rclpy.node import Node
from sensor_msgs.msg import Image

from ligament import views


class Threshold(Node):
    """Makes every byte of an image 255 where it is at least the threshold, else 0."""

    def __init__(self):
        super().__init__("threshold")
        self.threshold = self.declare_parameter("threshold", 128).value
        self.publisher = self.create_publisher(Image, "thresholded", 5)
        views.subscribe(self, Image, "image", self.apply, 5)

    def apply(self, image):
        """Called for each image, with a view of it."""
        with views.loan(
            self.publisher,
            header={"frame_id": image.header.frame_id},
            encoding=image.encoding,
            data=len(image.data),
        ) as out:
            out.header.stamp = image.header.stamp.to_message()
            out.height, out.width, out.step = image.height, image.width, image.step
            out.is_bigendian = image.is_bigendian
            np.multiply(image.data >= self.threshold, 255, out=out.data, casting="unsafe")
