# SPDX-License-Identifier: Apache-2.0
"""A node in Python, for cases; it is never run."""

from rclpy.node import Node


class Own(Node):
    """A node."""
