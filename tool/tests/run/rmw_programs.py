# SPDX-License-Identifier: Apache-2.0
"""Ordinary rclpy programs: rmw_programs.py NAME [WORD...] prints JSON when it ends.

They know nothing of Ligament: test_rmw.py runs them on rmw_ligament_cpp.
"""

from __future__ import annotations

import array
import json
import os
import sys
import threading
import time
from typing import Any

import rclpy
from rcl_interfaces.srv import GetParameters, ListParameters, SetParameters
from rclpy.action import ActionClient, ActionServer, CancelResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.event_handler import PublisherEventCallbacks, SubscriptionEventCallbacks
from rclpy.executors import MultiThreadedExecutor, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import Image, PointCloud2, PointField
from std_msgs.msg import String, UInt64
from std_srvs.srv import SetBool, Trigger

LATCHED = QoSProfile(depth=3, durability=DurabilityPolicy.TRANSIENT_LOCAL)
#: A watchdog: of a machine that is busy, too.
PATIENCE_S = 60.0


def until(node: Node, is_done: Any, seconds: float = PATIENCE_S) -> bool:
    """Spin until it is done, or for so long."""
    end = time.monotonic() + seconds
    while not is_done() and time.monotonic() < end:
        rclpy.spin_once(node, timeout_sec=0.05)
    return bool(is_done())


def say(line: str) -> None:
    """To who waits for this process to be so far."""
    print(line, flush=True)


def image(number: int, size: int) -> Image:
    message = Image(height=1, width=size, encoding="mono8", step=size)
    message.header.frame_id = f"frame {number}"
    message.data = array.array("B", bytes([number % 251]) * size)
    return message


def publish(node: Node, words: list[str]) -> dict[str, Any]:
    """Images to who subscribes, one after the other."""
    count, size = int(words[0]), int(words[1])
    publisher = node.create_publisher(Image, "images", QoSProfile(depth=count))
    until(node, lambda: publisher.get_subscription_count() >= int(words[2]))
    for number in range(count):
        publisher.publish(image(number, size))
        time.sleep(0.002)
    until(node, lambda: publisher.get_subscription_count() == 0)
    return {"published": count}


def subscribe(node: Node, words: list[str]) -> dict[str, Any]:
    count, size = int(words[0]), int(words[1])
    right: list[int] = []

    def note(message: Image) -> None:
        number = len(right)
        is_right = message == image(number, size)
        right.append(number if is_right else -1)

    node.create_subscription(Image, "images", note, QoSProfile(depth=count))
    until(node, lambda: len(right) >= count)
    return {"right": right}


def latch(node: Node, words: list[str]) -> dict[str, Any]:
    publisher = node.create_publisher(String, "latched", LATCHED)
    for number in range(5):
        publisher.publish(String(data=f"{number}"))
    say("ready")
    sys.stdin.read()
    return {}


def hear_late(node: Node, words: list[str]) -> dict[str, Any]:
    heard: list[str] = []
    node.create_subscription(String, "latched", lambda m: heard.append(m.data), LATCHED)
    until(node, lambda: len(heard) >= 3)
    until(node, lambda: len(heard) > 3, 0.2)
    return {"heard": heard}


def serve(node: Node, words: list[str]) -> dict[str, Any]:
    def answer(request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        response.success = request.data
        response.message = "ä" * 100
        return response

    node.create_service(SetBool, "switch", answer)
    node.declare_parameter("gain", 2.5)
    say("ready")
    threading.Thread(target=lambda: (sys.stdin.read(), rclpy.shutdown()), daemon=True).start()
    rclpy.spin(node)
    return {}


def call(node: Node, words: list[str]) -> dict[str, Any]:
    """Calls of old and new clients, and the parameters of another node."""
    count = int(words[0])
    old = node.create_client(SetBool, "switch")
    answered = 0
    for number in range(count):
        client = old if number % 2 == 0 else node.create_client(SetBool, "switch")
        assert client.wait_for_service(timeout_sec=PATIENCE_S)
        future = client.call_async(SetBool.Request(data=number % 3 == 0))
        if until(node, future.done):
            answer = future.result()
            answered += answer.success == (number % 3 == 0) and len(answer.message) == 100
        if client is not old:
            node.destroy_client(client)
    return {"answered": answered, **_parameters(node)}


def _parameters(node: Node) -> dict[str, Any]:
    def ask(kind: Any, name: str, request: Any) -> Any:
        client = node.create_client(kind, f"serve/{name}")
        assert client.wait_for_service(timeout_sec=PATIENCE_S)
        future = client.call_async(request)
        assert until(node, future.done)
        return future.result()

    names = ask(ListParameters, "list_parameters", ListParameters.Request()).result.names
    wanted = [Parameter("gain", value=4.0).to_parameter_msg()]
    done = ask(SetParameters, "set_parameters", SetParameters.Request(parameters=wanted))
    values = ask(GetParameters, "get_parameters", GetParameters.Request(names=["gain"])).values
    return {
        "names": list(names),
        "set": done.results[0].successful,
        "gain": values[0].double_value,
    }


def events(node: Node, words: list[str]) -> dict[str, Any]:
    """What publishers and subscriptions are told of each other."""
    told: dict[str, list[Any]] = {}

    def note(name: str) -> Any:
        return lambda status: told.setdefault(name, []).append(status)

    best_effort = QoSProfile(depth=5, reliability=ReliabilityPolicy.BEST_EFFORT)
    offered = PublisherEventCallbacks(matched=note("matched"), incompatible_qos=note("offered"))
    wanted = SubscriptionEventCallbacks(
        matched=note("found"), incompatible_qos=note("requested"), message_lost=note("lost")
    )
    publisher = node.create_publisher(String, "best", best_effort, event_callbacks=offered)
    node.create_subscription(String, "best", print, QoSProfile(depth=5), event_callbacks=wanted)
    until(node, lambda: "offered" in told and "requested" in told)
    fits = node.create_subscription(String, "best", print, best_effort, event_callbacks=wanted)
    until(node, lambda: "matched" in told and "found" in told)
    node.destroy_subscription(fits)
    until(node, lambda: len(told["matched"]) > 1)
    deadline = QoSProfile(depth=5)
    deadline.deadline = rclpy.duration.Duration(seconds=0.05)
    missed = SubscriptionEventCallbacks(deadline=note("deadline"))
    slow = node.create_publisher(UInt64, "slow", deadline)
    node.create_subscription(UInt64, "slow", lambda _: None, deadline, event_callbacks=missed)
    until(node, lambda: slow.get_subscription_count() == 1)
    slow.publish(UInt64())
    until(node, lambda: "deadline" in told)
    assert publisher.get_subscription_count() == 0
    return {
        "matched": [[s.current_count, s.current_count_change] for s in told["matched"]],
        "offered": str(told["offered"][0].last_policy_kind),
        "requested": str(told["requested"][0].last_policy_kind),
        "deadline": told["deadline"][0].total_count >= 1,
    }


def graph(node: Node, words: list[str]) -> dict[str, Any]:
    """What is seen of the nodes `latch` and `serve`."""
    until(node, lambda: {"latch", "serve"} <= set(node.get_node_names()))
    until(node, lambda: node.count_publishers("/latched") == 1)
    infos = node.get_publishers_info_by_topic("/latched")
    missing = ""
    try:
        node.get_service_names_and_types_by_node("nobody", "/")
    except Exception as error:  # of rclpy's C extension, which has no common class
        missing = type(error).__name__
    return {
        "nodes": sorted(node.get_node_names()),
        "topics": dict(node.get_topic_names_and_types()),
        "services": dict(node.get_service_names_and_types_by_node("serve", "/")),
        "publisher": [infos[0].node_name, infos[0].topic_type, str(infos[0].topic_type_hash)],
        "durability": infos[0].qos_profile.durability.name,
        "missing": missing,
    }


def threads(node: Node, words: list[str]) -> dict[str, Any]:
    """A multi-threaded executor: a callback calls a service of another one and waits for it."""
    group = ReentrantCallbackGroup()
    node.create_service(Trigger, "inner", lambda _, r: _answer(r), callback_group=group)
    inner = node.create_client(Trigger, "inner", callback_group=group)
    begun: list[int] = []
    ticks: list[bool] = []

    def tick() -> None:
        # One of the four threads is left for the service: else all could wait for each other.
        if inner.service_is_ready() and len(begun) < 20 and len(begun) - len(ticks) < 3:
            begun.append(1)
            ticks.append(inner.call(Trigger.Request()).success)

    node.create_timer(0.01, tick, callback_group=group)
    executor = MultiThreadedExecutor(num_threads=4)
    executor.add_node(node)
    end = time.monotonic() + PATIENCE_S
    while len(ticks) < 20 and time.monotonic() < end:
        executor.spin_once(timeout_sec=0.1)
    executor.shutdown()
    return {"ticks": ticks == [True] * 20}


def _answer(response: Trigger.Response) -> Trigger.Response:
    response.success = True
    return response


def clouds(node: Node, words: list[str]) -> dict[str, Any]:
    """Strings, nested sequences and numbers of all sizes, in the same process."""
    came: list[PointCloud2] = []
    sent = PointCloud2(
        height=2,
        width=3,
        fields=[PointField(name=f"f{i}", offset=4 * i, datatype=7, count=1) for i in range(7)],
        is_bigendian=True,
        point_step=28,
        row_step=84,
        data=array.array("B", bytes(range(168))),
        is_dense=True,
    )
    publisher = node.create_publisher(PointCloud2, "cloud", 1)
    node.create_subscription(PointCloud2, "cloud", came.append, 1)
    until(node, lambda: publisher.get_subscription_count() == 1)
    publisher.publish(sent)
    until(node, lambda: bool(came))
    raw: list[bytes] = []
    node.create_subscription(PointCloud2, "cloud", raw.append, 1, raw=True)
    until(node, lambda: publisher.get_subscription_count() == 2)
    publisher.publish(sent)
    until(node, lambda: bool(raw))
    from rclpy.serialization import deserialize_message, serialize_message

    assert serialize_message(sent) == raw[0]
    assert deserialize_message(raw[0], PointCloud2) == sent
    return {"equal": came[0] == sent}


def keep_all(node: Node, words: list[str]) -> dict[str, Any]:
    """A burst is waited for, not overwritten, by a reader in another thread's executor."""
    qos = QoSProfile(history=HistoryPolicy.KEEP_ALL, depth=0)
    came: list[int] = []
    other = Node("keep_all_reader")
    other.create_subscription(UInt64, "burst", lambda m: came.append(m.data), qos)
    executor = SingleThreadedExecutor()
    executor.add_node(other)
    thread = threading.Thread(target=executor.spin, daemon=True)
    publisher = node.create_publisher(UInt64, "burst", qos)
    until(node, lambda: publisher.get_subscription_count() == 1)
    thread.start()
    for number in range(
        60
    ):  # fewer than the ring: one process waits for no subscription of its own
        publisher.publish(UInt64(data=number))
    until(node, lambda: len(came) == 60)
    executor.shutdown()
    thread.join()
    return {"came": came == list(range(60))}


def churn(node: Node, words: list[str]) -> dict[str, Any]:
    """Endpoints made and destroyed leave no descriptors and no memory behind."""

    def round_() -> None:
        publisher = node.create_publisher(String, "churn", 10)
        subscription = node.create_subscription(String, "churn", print, 10)
        client = node.create_client(Trigger, "churned")
        service = node.create_service(Trigger, "churned", lambda _, r: r)
        guard = node.create_guard_condition(lambda: None)
        node.destroy_guard_condition(guard)
        node.destroy_service(service)
        node.destroy_client(client)
        node.destroy_subscription(subscription)
        node.destroy_publisher(publisher)

    def descriptors() -> int:
        return len(os.listdir("/proc/self/fd"))

    for _ in range(20):
        round_()
    until(node, lambda: False, 0.5)
    before = descriptors()
    for _ in range(int(words[0])):
        round_()
    until(node, lambda: descriptors() <= before, 5)
    return {"grown": descriptors() - before}


def act(node: Node, words: list[str]) -> dict[str, Any]:
    """An action's server and client in one process."""
    from test_msgs.action import Fibonacci

    def run(handle: Any) -> Fibonacci.Result:
        for number in range(3):
            handle.publish_feedback(Fibonacci.Feedback(sequence=[number]))
        handle.succeed()
        return Fibonacci.Result(sequence=[0, 1, 1])

    ActionServer(node, Fibonacci, "count", run, cancel_callback=lambda _: CancelResponse.ACCEPT)
    client = ActionClient(node, Fibonacci, "count")
    seen: list[int] = []
    until(node, client.server_is_ready)
    goal = client.send_goal_async(
        Fibonacci.Goal(order=3), feedback_callback=lambda m: seen.extend(m.feedback.sequence)
    )
    until(node, goal.done)
    result = goal.result().get_result_async()
    until(node, result.done)
    until(node, lambda: len(seen) == 3)
    return {"result": list(result.result().result.sequence), "feedback": seen}


def filtered(node: Node, words: list[str]) -> dict[str, Any]:
    """What a content filter lets through, of numbers from another process, up to 99."""
    from rclpy.subscription_content_filter_options import ContentFilterOptions

    heard: list[int] = []
    subscription = node.create_subscription(
        UInt64,
        "filtered",
        lambda m: heard.append(m.data),
        100,
        content_filter_options=ContentFilterOptions("data BETWEEN %0 AND %1", ["3", "5"]),
    )
    refused = ""
    try:
        subscription.set_content_filter("data = 'three'", [])
    except Exception as error:  # of rclpy's C extension, which has no common class
        refused = str(error)
    say("ready")
    until(node, lambda: len(heard) == 3)
    subscription.set_content_filter("data >= 99", [])
    until(node, lambda: 99 in heard)
    return {"heard": heard, "refused": "data is a number, and a value is a text" in refused}


def count_for_filter(node: Node, words: list[str]) -> dict[str, Any]:
    """Numbers to `filtered`, one after the other."""
    publisher = node.create_publisher(UInt64, "filtered", 100)
    until(node, lambda: publisher.get_subscription_count() == 1)
    for number in range(100):
        publisher.publish(UInt64(data=number))
        time.sleep(0.01)
    until(node, lambda: publisher.get_subscription_count() == 0)
    return {}


def talk(node: Node, words: list[str]) -> dict[str, Any]:
    """Numbers without end, for who is killed amidst."""
    publisher = node.create_publisher(UInt64, "numbers", 100)
    node.create_subscription(UInt64, "numbers", lambda _: None, 100)
    say("ready")
    number = 0
    while True:
        publisher.publish(UInt64(data=number))
        number += 1
        rclpy.spin_once(node, timeout_sec=0.001)


def count_to(node: Node, words: list[str]) -> dict[str, Any]:
    """Numbers to another process, each one after the answer to the one before it."""
    last = int(words[0])
    back: list[int] = []
    publisher = node.create_publisher(String, "numbers_out", 10)
    node.create_subscription(String, "numbers_back", lambda m: back.append(int(m.data)), 10)
    node.create_subscription(UInt64, "numbers", lambda _: None, 1)
    until(node, lambda: publisher.get_subscription_count() == 1)
    until(node, lambda: node.count_publishers("/numbers_back") == 1)
    say("ready")
    for number in range(last):
        publisher.publish(String(data=f"{number}"))
        if not until(node, lambda number=number: len(back) > number):
            break
    return {"back": back == list(range(last))}


def echo(node: Node, words: list[str]) -> dict[str, Any]:
    last = int(words[0])
    seen: list[str] = []
    publisher = node.create_publisher(String, "numbers_back", 10)

    def answer(message: String) -> None:
        seen.append(message.data)
        publisher.publish(message)

    node.create_subscription(String, "numbers_out", answer, 10)
    until(node, lambda: len(seen) == last, 60.0)
    until(node, lambda: publisher.get_subscription_count() == 0)
    return {"echoed": len(seen)}


def fork(node: Node, words: list[str]) -> dict[str, Any]:
    """A child after init has no part in the pool, and is told so; its parent goes on."""
    publisher = node.create_publisher(String, "forked", 10)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            publisher.publish(String(data="from the child"))
            text = "published"
        except Exception as error:  # of rclpy's C extension, which has no common class
            text = str(error)
        os.write(writing, text.encode())
        os._exit(0)
    os.waitpid(child, 0)
    publisher.publish(String(data="from the parent"))
    return {"child": "was forked after rmw was initialised" in os.read(reading, 4096).decode()}


def contexts(node: Node, words: list[str]) -> dict[str, Any]:
    """Two contexts in one process talk; wrong names and domains are refused with a sentence."""
    other = rclpy.Context()
    rclpy.init(context=other)
    second = Node("second", context=other)
    publisher = second.create_publisher(String, "between", 10)
    heard: list[str] = []
    node.create_subscription(String, "between", lambda m: heard.append(m.data), 10)
    until(node, lambda: publisher.get_subscription_count() == 1)
    publisher.publish(String(data="hello"))
    until(node, lambda: bool(heard))
    refused = []
    for act_ in (
        lambda: rclpy.init(context=rclpy.Context(), domain_id=233),
        lambda: Node("no name", context=other),
        lambda: node.create_publisher(String, "no topic", 10),
        lambda: publisher.publish(String(data=1)),
    ):
        try:
            act_()
            refused.append("")
        except Exception as error:  # of rclpy's C extension, which has no common class
            refused.append(str(error))
    second.destroy_node()
    rclpy.shutdown(context=other)
    return {"heard": heard, "refused": [bool(text) for text in refused]}


def wait_for_gone(node: Node, words: list[str]) -> dict[str, Any]:
    """Whether the node `latch` and its topic are seen, and then, once its process ends, no more.

    They come and go by different messages, so each is waited for.
    """

    def has_topic() -> bool:
        return "/latched" in dict(node.get_topic_names_and_types())

    seen = until(node, lambda: "latch" in node.get_node_names()) and until(node, has_topic)
    say("ready")
    began = time.monotonic()
    gone = until(node, lambda: "latch" not in node.get_node_names())
    until(node, lambda: not has_topic())
    return {
        "seen": seen,
        "gone": gone,
        "topic": has_topic(),
        "s": time.monotonic() - began,
    }


PROGRAMS = {
    f.__name__: f
    for f in (act, call, churn, clouds, contexts, count_for_filter, count_to, echo, events,
              filtered, fork, graph, hear_late,
              keep_all, latch, publish, serve, subscribe, talk, threads, wait_for_gone)
}  # fmt: skip


def main() -> None:
    name, *words = sys.argv[1:]
    rclpy.init()
    node = Node(name)
    told = PROGRAMS[name](node, words)
    told["rmw"] = rclpy.get_rmw_implementation_identifier()
    print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
