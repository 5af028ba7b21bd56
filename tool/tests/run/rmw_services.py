# SPDX-License-Identifier: Apache-2.0
"""Many calls at once: programs of rclpy that know nothing of Ligament, for test_rmw_services.py.

Run with the Python of the wheels: `rmw_services.py PROGRAM [WORD...]`. The last line of output is
what it tells, in JSON.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from typing import Any

import rclpy
from rclpy.node import Node
from std_srvs.srv import SetBool

#: A watchdog: of a machine that is busy, too.
PATIENCE_S = 60.0


def serve(node: Node, words: list[str]) -> dict[str, Any]:
    """Answers until its input ends."""

    def answer(request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        response.success = request.data
        return response

    node.create_service(SetBool, "switch", answer)
    print("ready", flush=True)
    threading.Thread(target=lambda: (sys.stdin.read(), rclpy.shutdown()), daemon=True).start()
    rclpy.spin(node)
    return {}


def _client(node: Node) -> Any:
    client = node.create_client(SetBool, "switch")
    assert client.wait_for_service(timeout_sec=PATIENCE_S)
    return client


def _count(node: Node, futures: list[Any]) -> int:
    """How many have the right answer, in the end."""
    end = time.monotonic() + PATIENCE_S
    while not all(future.done() for future in futures) and time.monotonic() < end:
        rclpy.spin_once(node, timeout_sec=0.05)
    return sum(
        future.done() and future.result().success == (number % 3 == 0)
        for number, future in enumerate(futures)
    )


def burst(node: Node, words: list[str]) -> dict[str, Any]:
    """All requests before it looks at the first response."""
    client = _client(node)
    requests = (SetBool.Request(data=number % 3 == 0) for number in range(int(words[0])))
    return {"answered": _count(node, [client.call_async(request) for request in requests])}


def one_by_one(node: Node, words: list[str]) -> dict[str, Any]:
    """One call after the other; the longest one, too."""
    client = _client(node)
    answered, longest_s = 0, 0.0
    for number in range(int(words[0])):
        began = time.monotonic()
        future = client.call_async(SetBool.Request(data=number % 3 == 0))
        rclpy.spin_until_future_complete(node, future, timeout_sec=PATIENCE_S)
        longest_s = max(longest_s, time.monotonic() - began)
        answered += future.done() and future.result().success == (number % 3 == 0)
    return {"answered": answered, "longest_s": longest_s}


def rest(node: Node, words: list[str]) -> dict[str, Any]:
    """Calls once, keeps its client, and does something else until its input ends."""
    client = _client(node)
    answered = _count(node, [client.call_async(SetBool.Request(data=True))])
    print("ready", flush=True)
    for _ in sys.stdin:
        future = client.call_async(SetBool.Request(data=True))
        answered += _count(node, [future])
        print("called", flush=True)
    return {"answered": answered}


def crowd(node: Node, words: list[str]) -> dict[str, Any]:
    """One client more than a server may have, until its input ends."""
    clients = [node.create_client(SetBool, "switch") for _ in range(65)]
    end = time.monotonic() + PATIENCE_S
    while sum(c.service_is_ready() for c in clients) < 64 and time.monotonic() < end:
        time.sleep(0.01)
    print("ready", flush=True)
    sys.stdin.read()
    return {"served": sum(c.service_is_ready() for c in clients)}


PROGRAMS = {f.__name__: f for f in (burst, crowd, one_by_one, rest, serve)}


def main() -> None:
    """Run the program that is named."""
    name, *words = sys.argv[1:]
    rclpy.init()
    node = Node(name)
    told = PROGRAMS[name](node, words)
    told["rmw"] = rclpy.get_rmw_implementation_identifier()
    print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
