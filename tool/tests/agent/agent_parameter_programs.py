# SPDX-License-Identifier: Apache-2.0
"""A parameter client that knows nothing of microcontrollers; prints what it saw as JSON.

agent_parameter_programs.py NODE
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import rclpy
from rcl_interfaces.msg import ParameterEvent
from rclpy.node import Node
from rclpy.parameter import Parameter, parameter_value_to_python
from rclpy.parameter_client import AsyncParameterClient

WATCHDOG_S = 40.0


class Asker:
    """Asks one thing after the other."""

    def __init__(self, node: Node, name: str) -> None:
        self.node = node
        self.end = time.monotonic() + WATCHDOG_S
        self.client = AsyncParameterClient(node, name)
        while not self.client.services_are_ready():
            assert time.monotonic() < self.end, "the services are not there"
            rclpy.spin_once(node, timeout_sec=0.05)

    def wait(self, future: Any) -> Any:
        """Until it is answered."""
        while not future.done():
            assert time.monotonic() < self.end, "no answer"
            rclpy.spin_once(self.node, timeout_sec=0.05)
        return future.result()


def described(one: Any) -> list[Any]:
    """What a descriptor says."""
    ranges = [[r.from_value, r.to_value] for r in (*one.floating_point_range, *one.integer_range)]
    return [one.name, one.type, one.description, one.read_only, ranges]


def values(response: Any) -> list[Any]:
    """Of parameters, as Python has them."""
    return [parameter_value_to_python(value) for value in response.values]


def main() -> None:
    """List, describe, get and set what a node has."""
    rclpy.init()
    node = Node("asker")
    asker = Asker(node, sys.argv[1])
    client, wait = asker.client, asker.wait
    events: set[str] = set()
    node.create_subscription(
        ParameterEvent,
        "/parameter_events",
        lambda e: events.update(f"{e.node} {p.name}" for p in e.changed_parameters),
        100,
    )
    while node.count_publishers("/parameter_events") < 2:  # its own, and the board's
        assert time.monotonic() < asker.end
        rclpy.spin_once(node, timeout_sec=0.05)
    told: dict[str, Any] = {}
    result = wait(client.list_parameters()).result
    told["names"], told["groups"] = list(result.names), list(result.prefixes)
    told["below"] = list(wait(client.list_parameters(["gains"], 1)).result.names)
    asked = ["rate", "gains.p", "is_on", "frame", "serial", "nothing"]
    told["before"] = values(wait(client.get_parameters(asked)))
    told["types"] = list(wait(client.get_parameter_types(asked)).types)
    told["described"] = [
        described(one) for one in wait(client.describe_parameters(asked)).descriptors
    ]

    def results(*wanted: tuple[str, Any]) -> list[list[Any]]:
        parameters = [Parameter(name, value=value) for name, value in wanted]
        answer = wait(client.set_parameters(parameters))
        return [[one.successful, one.reason] for one in answer.results]

    told["set"] = results(("rate", 200), ("gains.p", 0.25), ("frame", "left imu"))
    told["refused"] = results(
        ("rate", 1001), ("gains.p", float("nan")), ("frame", "x" * 16), ("serial", 8),
        ("rate", 1.5), ("is_on", [True]), ("nothing", 1), ("rate", 13),
    )  # fmt: skip
    both = [Parameter("is_on", value=True), Parameter("rate", value=0)]
    answer = wait(client.set_parameters_atomically(both)).result
    told["not_at_once"] = [answer.successful, answer.reason]
    both[1] = Parameter("rate", value=5)
    told["at_once"] = wait(client.set_parameters_atomically(both)).result.successful
    told["after"] = values(wait(client.get_parameters(asked)))
    while len(events) < 4 and time.monotonic() < asker.end:
        rclpy.spin_once(node, timeout_sec=0.05)
    told["events"] = sorted(events)
    told["last"] = results(("rate", 6))  # then the board ends
    print(json.dumps(told), flush=True)


main()
