# SPDX-License-Identifier: Apache-2.0
"""An ordinary rclpy node that is done after some messages."""

import json
import os
import time
from pathlib import Path

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from std_msgs.msg import Float64
from std_srvs.srv import Trigger


class Collect(Node):
    """Writes the numbers that come."""

    def __init__(self):
        super().__init__("collect")
        self.count = self.declare_parameter("count", 3).value
        self.found = []
        time.sleep(self.declare_parameter("late", 0.0).value)
        # A group of its own: it is waited for in another callback.
        group = MutuallyExclusiveCallbackGroup()
        self.client = self.create_client(Trigger, "/again", callback_group=group)
        self.create_subscription(Float64, "numbers", self.take, 10)

    async def take(self, number):
        """Each number; after the last one it asks a service, as callbacks of rclpy may."""
        self.found.append(number.data)
        if len(self.found) == self.count:
            answer = await self.client.call_async(Trigger.Request())
            told = {"numbers": self.found, "answer": answer.message}
            path = Path(os.environ["LIGAMENT_OUTPUT_DIR"]) / "collect.json"
            path.write_text(json.dumps(told), encoding="utf-8")
            raise SystemExit
