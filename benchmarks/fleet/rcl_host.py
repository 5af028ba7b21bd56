# SPDX-License-Identifier: Apache-2.0
"""One participant of a fleet that rclpy makes: the same topics and lines as ligament-bench-fleet.

It runs in the Python that has rclpy, without anything of Ligament.
"""

import argparse
import json
import os
import signal
import time

import rclpy
from rclpy.parameter import Parameter
from std_msgs.msg import String


def shares(options):
    """(topic, whether it is published here, its subscriptions here, matches of its publisher)."""
    for topic in range(options.hosts * options.topics):
        publisher = topic % options.hosts
        readers = [
            (publisher + step) % options.hosts for step in range(1, options.readers + 1)
        ]
        is_here, here = publisher == options.host, readers.count(options.host)
        if is_here or here:
            yield f"/fleet/topic_{topic}", is_here, here, len(readers)


def main():
    parser = argparse.ArgumentParser()
    for name in ("hosts", "host", "topics", "readers", "domain-id"):
        parser.add_argument(f"--{name}", type=int, required=True)
    options = parser.parse_args()
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
    rclpy.init(domain_id=options.domain_id)
    # Endpoints of the topics alone, as the fleet beside it has them.
    off = Parameter("start_type_description_service", Parameter.Type.BOOL, False)
    node = rclpy.create_node(
        f"host_{options.host}",
        start_parameter_services=False,
        enable_rosout=False,
        parameter_overrides=[off],
    )
    published, heard, endpoints = [], [], 0
    for topic, is_here, here, readers in shares(options):
        if is_here:
            published.append((node.create_publisher(String, topic, 10), readers))
        for _ in range(here):
            node.create_subscription(String, topic, lambda _: None, 10)
            heard.append(topic)
        endpoints += is_here + here
    began = time.monotonic()
    while not (
        all(
            publisher.get_subscription_count() == count
            for publisher, count in published
        )
        and all(node.count_publishers(topic) == 1 for topic in heard)
    ):
        time.sleep(max(0.005, (time.monotonic() - began) / 50))
    line = {"event": "matched", "at_ns": time.monotonic_ns(), "pid": os.getpid()}
    print(json.dumps({**line, "endpoints": endpoints, "needless": 0}), flush=True)
    print("ready", flush=True)
    signal.sigwait({signal.SIGTERM, signal.SIGINT})
    os._exit(0)  # what follows is the engine's own end, which is not measured


main()
