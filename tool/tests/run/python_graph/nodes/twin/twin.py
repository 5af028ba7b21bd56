# SPDX-License-Identifier: Apache-2.0
"""A node beside a module of a name that another node has."""

import counting
from rclpy.node import Node


class Twin(Node):
    """A node."""

    def __init__(self):
        super().__init__("twin")
        print(counting.__doc__)
