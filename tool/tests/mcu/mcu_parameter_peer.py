# SPDX-License-Identifier: Apache-2.0
"""A client of a node on a core that knows nothing of cores: each line asks, as JSON the answer.

about | set NAME JSON | until VALUE
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import rclpy
from rclpy.node import Node
from rclpy.parameter import Parameter, parameter_value_to_python
from rclpy.parameter_client import AsyncParameterClient
from std_msgs.msg import Float64

WATCHDOG_S = 60.0
NODE = "/gauge"


class Asker:
    """Asks one thing after the other."""

    def __init__(self) -> None:
        self.node = Node("peer")
        self.end = time.monotonic() + WATCHDOG_S
        self.parameters = AsyncParameterClient(self.node, NODE)
        self.heard: float | None = None
        self.node.create_subscription(Float64, "/value", self._hear, 10)
        while not self.parameters.services_are_ready():
            self._turn("the services are not there")

    def _hear(self, message: Any) -> None:
        self.heard = message.data

    def _turn(self, what: str) -> None:
        assert time.monotonic() < self.end, what
        rclpy.spin_once(self.node, timeout_sec=0.05)

    def wait(self, future: Any) -> Any:
        """Until it is answered."""
        while not future.done():
            self._turn("no answer")
        return future.result()

    def about(self) -> Any:
        """What list, describe and get say, by name."""
        listed = self.wait(self.parameters.list_parameters([], 0)).result.names
        names = [name for name in ("gain", "is_on", "label", "offset") if name in listed]
        described = self.wait(self.parameters.describe_parameters(names)).descriptors
        got = self.wait(self.parameters.get_parameters(names)).values
        return {
            one.name: [
                one.description, one.read_only, parameter_value_to_python(value),
                [[r.from_value, r.to_value] for r in one.integer_range],
            ]
            for one, value in zip(described, got, strict=True)
        }  # fmt: skip

    def set(self, name: str, value: str) -> Any:
        """Set one: whether it was, or why not."""
        wish = Parameter(name, value=json.loads(value))
        (result,) = self.wait(self.parameters.set_parameters([wish])).results
        return {"successful": result.successful, "reason": result.reason}

    def until(self, wanted: str) -> Any:
        """Until the node sends this value, from now on."""
        self.heard = None
        while self.heard != float(wanted):
            self._turn(f"it sends {self.heard}")
        return self.heard


def main() -> None:
    """Answer lines until the input ends."""
    rclpy.init()
    asker = Asker()
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        word, *values = line.split()
        print(json.dumps(getattr(asker, word)(*values)), flush=True)


if __name__ == "__main__":
    main()
