# SPDX-License-Identifier: Apache-2.0
"""Parts of the container of nodes in Python that need rclpy: prints what they made, as JSON."""

from __future__ import annotations

import json
import time
from types import SimpleNamespace
from typing import Any

import rclpy
from rcl_interfaces.msg import ParameterDescriptor, ParameterType
from rclpy.node import Node
from rclpy.qos import QoSProfile
from std_msgs.msg import String

from ligament import views
from ligament.python_container.config import NodeConfig
from ligament.python_container.figures import Figures
from ligament.python_container.making import make_node
from ligament.python_container.qos import profile_of
from ligament.python_container.recording import Idle
from ligament.python_container.rules import completed
from ligament.python_container.spinning import Spinner

RING = 30
QOS = {
    "history": "keep_last", "depth": 5, "reliability": "reliable", "durability": "volatile",
    "liveliness": "automatic", "deadline_ms": 20, "lifespan_ms": 0, "liveliness_lease_ms": 0,
}  # fmt: skip
CONFIG = NodeConfig(
    id="/arm/first", name="first", namespace="/arm", library="", class_name="Pair",
    remap={"out": "/deep", "in": "/heard"}, qos={"out": QOS, "in": QOS},
)  # fmt: skip


class Pair(Node):
    """Makes another node beside itself, and ends of both kinds on topics of the graph."""

    def __init__(self) -> None:
        super().__init__("own")
        self.beside = Node("beside")
        self.ends = [
            self.create_publisher(String, "out", 1),
            self.create_subscription(String, "in", print, 1),
            views.subscribe(self, String, "in", print, 1),
        ]
        self.ticks = 0
        self.create_timer(0.001, self.tick)

    def tick(self) -> None:
        self.ticks += 1


def profiles() -> dict[str, Any]:
    """Of a publisher for whom others keep more."""
    latched = profile_of({**QOS, "durability": "transient_local"}, RING)
    volatile: QoSProfile = profile_of(QOS, RING)
    deadline_ns = volatile.deadline.nanoseconds
    return {"depths": [volatile.depth, latched.depth], "deadline_ns": deadline_ns}


def main() -> None:
    rclpy.init()
    node = make_node(CONFIG, Pair, {"/deep": RING, "/heard": RING})
    whole = ParameterDescriptor(type=ParameterType.PARAMETER_INTEGER)
    (limits,) = completed(whole, {"range": [0.5, 7.5]}).integer_range
    figures = Figures([], SimpleNamespace())  # type: ignore[arg-type]
    spinner = Spinner(figures, Idle(), print)
    spinner.add_node(node)
    time.sleep(0.02)
    spinner.drain()
    told = {
        **profiles(),
        "names": [node.get_fully_qualified_name(), node.beside.get_fully_qualified_name()],
        "ends": [end.qos_profile.depth for end in node.ends],
        "range": [limits.from_value, limits.to_value],
        "ticks": node.ticks,
        "rmw": rclpy.get_rmw_implementation_identifier(),
    }
    print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
