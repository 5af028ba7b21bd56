# SPDX-License-Identifier: Apache-2.0
"""An rclpy action server or client: ros2_action_peer.py serve|ask NAME.

It does what runtime/tests/action/action_peer.cpp does, with the Python of a ROS 2 distribution's
wheels: one number of the sequence each 20 ms, each with feedback; `ask` prints JSON.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import rclpy
from action_msgs.msg import GoalStatusArray
from rclpy.action import (
    ActionClient,
    ActionServer,
    CancelResponse,
    GoalResponse,
    get_action_names_and_types,
    get_action_server_names_and_types_by_node,
)
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.time import Time
from test_msgs.action import Fibonacci

#: Goals of this order end as ABORTED after the first feedback; of the other they are not cancelled.
ORDER_THAT_FAILS = 13
ORDER_THAT_STAYS = 40
#: Until what does not come is given up.
PATIENCE_S = 60


def serve(node: Node, name: str) -> None:
    """Work until killed."""

    def execute(goal: Any) -> Any:
        feedback = Fibonacci.Feedback()
        numbers: list[int] = []
        while len(numbers) < goal.request.order and not goal.is_cancel_requested:
            if goal.request.order == ORDER_THAT_FAILS and numbers:
                goal.abort()
                return Fibonacci.Result(sequence=numbers)
            numbers.append(len(numbers))
            feedback.sequence = numbers
            goal.publish_feedback(feedback)
            time.sleep(0.02)
        if goal.is_cancel_requested:
            goal.canceled()
        else:
            goal.succeed()
        return Fibonacci.Result(sequence=numbers)

    def may_start(goal: Any) -> GoalResponse:
        return GoalResponse.REJECT if goal.order < 0 else GoalResponse.ACCEPT

    def may_cancel(goal: Any) -> CancelResponse:
        stays = goal.request.order == ORDER_THAT_STAYS
        return CancelResponse.REJECT if stays else CancelResponse.ACCEPT

    server = ActionServer(
        node, Fibonacci, name, execute,
        goal_callback=may_start, cancel_callback=may_cancel,
        callback_group=ReentrantCallbackGroup(),
    )  # fmt: skip
    print("ready", flush=True)
    executor = rclpy.executors.MultiThreadedExecutor(num_threads=30)
    rclpy.spin(node, executor)
    server.destroy()


class Asker:
    """The client's node, and every kind of question."""

    def __init__(self, node: Node, name: str) -> None:
        self.node = node
        self.name = name
        self.client = ActionClient(node, Fibonacci, name)
        services = Fibonacci.Impl
        self.canceler = node.create_client(
            services.CancelGoalService, f"{name}/_action/cancel_goal"
        )
        self.results = node.create_client(services.GetResultService, f"{name}/_action/get_result")
        assert self.client.wait_for_server(timeout_sec=PATIENCE_S)
        assert self.canceler.wait_for_service(timeout_sec=PATIENCE_S)
        assert self.results.wait_for_service(timeout_sec=PATIENCE_S)
        # A server is seen before its feedback, which is volatile, is matched: nothing tells that.
        end = time.monotonic() + 0.5
        while time.monotonic() < end:
            rclpy.spin_once(node, timeout_sec=0.05)

    def wait(self, future: Any) -> Any:
        rclpy.spin_until_future_complete(self.node, future, timeout_sec=PATIENCE_S)
        assert future.done()
        return future.result()

    def send(self, order: int, feedback: Any = None) -> Any:
        goal = Fibonacci.Goal(order=order)
        return self.wait(self.client.send_goal_async(goal, feedback_callback=feedback))

    def result(self, goal: Any) -> Any:
        return self.wait(goal.get_result_async())

    def cancel(self, stamp: Any = None, goal_id: Any = None) -> Any:
        request = Fibonacci.Impl.CancelGoalService.Request()
        if stamp is not None:
            request.goal_info.stamp = stamp
        if goal_id is not None:
            request.goal_info.goal_id = goal_id
        return self.wait(self.canceler.call_async(request))

    def raw_result(self, goal_id: Any) -> Any:
        request = Fibonacci.Impl.GetResultService.Request(goal_id=goal_id)
        return self.wait(self.results.call_async(request))

    def follow(self) -> dict[str, Any]:
        lengths: list[int] = []
        goal = self.send(5, lambda told: lengths.append(len(told.feedback.sequence)))
        result = self.result(goal)
        code = result.status
        again = self.result(goal).status
        elsewhere = self.raw_result(goal.goal_id).status
        return {
            "code": code, "sequence": list(result.result.sequence), "again": again,
            "from_elsewhere": elsewhere, "feedback": lengths, "status": goal.status,
            "cancel_after": self.wait(goal.cancel_goal_async()).return_code,
        }  # fmt: skip

    def refuse(self) -> dict[str, Any]:
        return {"accepted": self.send(-1).accepted}

    def fail(self) -> dict[str, Any]:
        result = self.result(self.send(ORDER_THAT_FAILS))
        return {"code": result.status, "length": len(result.result.sequence)}

    def cancel_one(self) -> dict[str, Any]:
        goal = self.send(500)
        answer = self.wait(goal.cancel_goal_async())
        result = self.result(goal)
        return {
            "return_code": answer.return_code, "canceling": len(answer.goals_canceling),
            "code": result.status, "ended_early": len(result.result.sequence) < 500,
        }  # fmt: skip

    def cancel_refused(self) -> dict[str, Any]:
        goal = self.send(ORDER_THAT_STAYS)
        answer = self.wait(goal.cancel_goal_async())
        return {"return_code": answer.return_code, "code": self.result(goal).status}

    def cancel_several(self) -> dict[str, Any]:
        """Of three goals, the first two by a stamp; then all that are left."""
        goals = [self.send(500), self.send(500)]
        time.sleep(0.1)
        goals.append(self.send(500))
        # rcl stamps a goal again after it has answered: a little later than what the answer says.
        between = Time.from_msg(goals[1].stamp) + Duration(nanoseconds=50_000_000)
        before = self.cancel(stamp=between.to_msg())
        rest = self.cancel()
        return {
            "before": len(before.goals_canceling), "all": len(rest.goals_canceling),
            "codes": [self.result(goal).status for goal in goals],
        }  # fmt: skip

    def unknown(self) -> dict[str, Any]:
        request = Fibonacci.Impl.CancelGoalService.Request()
        request.goal_info.goal_id.uuid = [7] * 16
        answer = self.cancel(goal_id=request.goal_info.goal_id)
        result = self.raw_result(request.goal_info.goal_id)
        return {"cancel": answer.return_code, "result": result.status}

    def listed(self) -> dict[str, Any]:
        """What `ros2 action list -t` and `ros2 node info` tell."""
        end = time.monotonic() + PATIENCE_S
        found: list[str] = []
        while not found and time.monotonic() < end:
            rclpy.spin_once(self.node, timeout_sec=0.1)
            for name, space in self.node.get_node_names_and_namespaces():
                if name.endswith("_serve"):
                    served = get_action_server_names_and_types_by_node(self.node, name, space)
                    found += [kind for action, kinds in served if action == self.name
                              for kind in kinds]  # fmt: skip
        every = dict(get_action_names_and_types(self.node))
        return {"types": every.get(self.name), "of_node": found}

    def many(self, count: int) -> dict[str, Any]:
        goal = Fibonacci.Goal(order=3)
        sent = [self.client.send_goal_async(goal) for _ in range(count)]
        results = [self.result(self.wait(one)).status for one in sent]
        return {"succeeded": results.count(4)}

    def latched(self) -> dict[str, Any]:
        statuses: list[int] = []
        qos = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.node.create_subscription(
            GoalStatusArray, f"{self.name}/_action/status",
            lambda told: statuses.extend(one.status for one in told.status_list), qos,
        )  # fmt: skip
        end = time.monotonic() + PATIENCE_S
        while not statuses and time.monotonic() < end:
            rclpy.spin_once(self.node, timeout_sec=0.1)
        return {"terminal": bool(statuses) and all(status >= 4 for status in statuses)}


def ask(node: Node, name: str) -> None:
    """Put every kind of question."""
    asker = Asker(node, name)
    told = {
        question.__name__: question()
        for question in (
            asker.follow, asker.refuse, asker.fail, asker.cancel_one, asker.cancel_refused,
            asker.cancel_several, asker.unknown, asker.listed,
        )
    }  # fmt: skip
    told["many"] = asker.many(8)
    told["latched"] = asker.latched()
    json.dump(told, sys.stdout)


def main() -> None:
    """One role."""
    role, name = sys.argv[1:]
    rclpy.init()
    node = rclpy.create_node(f"ros2_{role}")
    (serve if role == "serve" else ask)(node, name)


if __name__ == "__main__":
    main()
