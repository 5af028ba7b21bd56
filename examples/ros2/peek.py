# SPDX-License-Identifier: Apache-2.0
"""Look into a running topic of images.

python examples/ros2/peek.py --ros-args -r image:=/camera/image_raw
"""

import rclpy
from sensor_msgs.msg import Image

from ligament import views


def show(image):
    """The mean of each channel, from the pixels where they lie."""
    print(image.header.frame_id, image.array().shape, image.array().mean(axis=(0, 1)), flush=True)


rclpy.init()
node = rclpy.create_node("peek")
views.subscribe(node, Image, "image", show)
rclpy.spin(node)
