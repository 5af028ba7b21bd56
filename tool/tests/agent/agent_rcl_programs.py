# SPDX-License-Identifier: Apache-2.0
"""An rclpy node that knows nothing of microcontrollers; prints what it saw as JSON.

agent_rcl_programs.py COUNT SERVICE CALLS
"""

from __future__ import annotations

import json
import sys
import time

import rclpy
from rclpy.node import Node
from std_msgs.msg import String
from std_srvs.srv import SetBool

WATCHDOG_S = 40.0


def main() -> None:
    """Receive COUNT texts of /chatter, and call SERVICE that often."""
    count, service, calls = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    rclpy.init()
    node = Node("watcher")
    got: list[str] = []
    node.create_subscription(String, "/chatter", lambda m: got.append(m.data), 200)
    client = node.create_client(SetBool, service)
    print("ready", flush=True)
    end = time.monotonic() + WATCHDOG_S
    answers: list[str] = []
    future = None
    while time.monotonic() < end and (len(got) < count or len(answers) < calls):
        rclpy.spin_once(node, timeout_sec=0.05)
        if future is None and len(answers) < calls and client.service_is_ready():
            future = client.call_async(SetBool.Request(data=len(answers) % 2 == 0))
        if future is not None and future.done():
            answers.append(future.result().message)
            future = None
    info = node.get_publishers_info_by_topic("/chatter")
    print(
        json.dumps(
            {
                "got": got,
                "answers": answers,
                "nodes": sorted(node.get_node_names_and_namespaces()),
                "types": [i.topic_type for i in info],
                "hashes": [str(i.topic_type_hash) for i in info],
                "services": dict(node.get_service_names_and_types()).get(service),
            }
        ),
        flush=True,
    )


main()
