# SPDX-License-Identifier: Apache-2.0
"""An rclpy lifecycle node, or a client that drives one: ros2_lifecycle_peer.py serve|drive NAME.

`serve NAME FAILS`: a node that sends texts while it is active, and whose transition FAILS does not
succeed. `drive` prints as JSON what it saw of a node that is unconfigured.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import rclpy
from lifecycle_msgs.msg import TransitionEvent
from lifecycle_msgs.srv import (
    ChangeState,
    GetAvailableStates,
    GetAvailableTransitions,
    GetState,
)
from rclpy.lifecycle import LifecycleNode, TransitionCallbackReturn
from rclpy.node import Node
from std_msgs.msg import String

#: Until what does not come is given up.
PATIENCE_S = 60


class Managed(LifecycleNode):  # type: ignore[misc]
    """What runtime/tests/container/test_nodes.cpp calls so, in rclpy."""

    def __init__(self, name: str, fails: str) -> None:
        super().__init__(name)
        self.fails = fails

    def _answer(self, what: str) -> Any:
        failed = self.fails == what
        return TransitionCallbackReturn.FAILURE if failed else TransitionCallbackReturn.SUCCESS

    def on_configure(self, previous: Any) -> Any:
        """Make the publisher."""
        self.texts = self.create_lifecycle_publisher(String, "/chat", 10)
        self.timer = self.create_timer(0.02, lambda: self.texts.publish(String(data="hello")))
        return self._answer("configure")

    def on_activate(self, previous: Any) -> Any:
        """Switch the publisher on."""
        super().on_activate(previous)
        return self._answer("activate")

    def on_cleanup(self, previous: Any) -> Any:
        """Let the publisher go."""
        self.destroy_timer(self.timer)
        self.destroy_publisher(self.texts)
        return self._answer("cleanup")


class Driver:
    """Asks one lifecycle node, and listens to it."""

    def __init__(self, node: Node, name: str) -> None:
        self.node = node
        self.name = name
        self.steps: list[list[str]] = []
        self.heard = 0
        node.create_subscription(
            TransitionEvent, f"{name}/transition_event",
            lambda e: self.steps.append([e.start_state.label, e.goal_state.label]), 10,
        )  # fmt: skip
        node.create_subscription(String, "/chat", self._hear, 10)

    def _hear(self, _: Any) -> None:
        self.heard += 1

    def ask(self, kind: Any, name: str, **fields: Any) -> Any:
        client = self.node.create_client(kind, f"{self.name}/{name}")
        assert client.wait_for_service(timeout_sec=PATIENCE_S), name
        future = client.call_async(kind.Request(**fields))
        rclpy.spin_until_future_complete(self.node, future, timeout_sec=PATIENCE_S)
        assert future.done(), name
        self.node.destroy_client(client)
        return future.result()

    def change(self, label: str = "", number: int = 0) -> bool:
        request = ChangeState.Request()
        request.transition.label = label
        request.transition.id = number
        return bool(self.ask(ChangeState, "change_state", transition=request.transition).success)

    def state(self) -> str:
        return str(self.ask(GetState, "get_state").current_state.label)

    def transitions(self, name: str) -> list[list[Any]]:
        found = self.ask(GetAvailableTransitions, name).available_transitions
        return [
            [t.transition.id, t.transition.label, t.start_state.label, t.goal_state.label]
            for t in found
        ]

    def wait(self, condition: Any, patience_s: float = PATIENCE_S) -> bool:
        end = time.monotonic() + patience_s
        while not condition() and time.monotonic() < end:
            rclpy.spin_once(self.node, timeout_sec=0.05)
        return bool(condition())


def drive(node: Node, name: str) -> None:
    """Take the node through its states."""
    it = Driver(node, name)
    states = it.ask(GetAvailableStates, "get_available_states").available_states
    told: dict[str, Any] = {
        "first": it.state(),
        "states": [[state.id, state.label] for state in states],
        "graph": it.transitions("get_transition_graph"),
        "available": it.transitions("get_available_transitions"),
        "refused": it.change("fly"),
    }
    assert it.wait(lambda: node.count_publishers(f"{name}/transition_event") > 0)
    it.wait(lambda: False, 0.5)  # events are volatile: nothing tells that they are matched
    told["configured"] = [it.change("configure"), it.state()]
    it.wait(lambda: False, 0.5)
    told["silent"] = it.heard == 0
    told["activated"] = [it.change(number=3), it.state()]
    told["heard"] = it.wait(lambda: it.heard > 3)
    told["now"] = it.transitions("get_available_transitions")
    told["deactivated"] = [it.change("deactivate"), it.state()]
    told["cleaned"] = [it.change("cleanup"), it.state()]
    told["ended"] = [it.change("shutdown"), it.state()]
    it.wait(lambda: len(it.steps) >= 10)
    told["steps"] = it.steps
    json.dump(told, sys.stdout)


def main() -> None:
    """One role."""
    role, name, *rest = sys.argv[1:]
    rclpy.init()
    if role == "serve":
        node = Managed(name.lstrip("/"), *rest)
        print("ready", flush=True)
        rclpy.spin(node)
    else:
        drive(rclpy.create_node("driver"), name)


if __name__ == "__main__":
    main()
