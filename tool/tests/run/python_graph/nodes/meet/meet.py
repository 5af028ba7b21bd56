# SPDX-License-Identifier: Apache-2.0
"""Two callbacks of two groups that wait for each other."""

import threading

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node


class Meet(Node):
    """Is done once both have met."""

    def __init__(self):
        super().__init__("meet")
        self.patience = self.declare_parameter("patience", 1.0).value
        self.barrier = threading.Barrier(2)
        for _ in range(2):
            group = MutuallyExclusiveCallbackGroup()
            self.create_timer(0.01, self.wait, callback_group=group)

    def wait(self):
        """Raises where nobody comes."""
        self.barrier.wait(self.patience)
        raise SystemExit
