# SPDX-License-Identifier: Apache-2.0
"""Waits for who records the drive: a recording without its first messages cannot be replayed."""

from __future__ import annotations

import time

import rclpy
from rclpy.node import Node

from sim.options import Options

#: What a replay needs, and how many subscribe to it beside recorders: the simulator, to commands.
RECORDED = {"/camera/image_raw": 1, "/camera/camera_info": 0, "/odom": 0, "/cmd_vel": 1}
#: Discovery reaches each process on its own: who publishes commands may hear of a recorder later
#: than the simulator does, and its first command would be lost to the recorder.
SETTLE_S = 1.0


def await_recorders(node: Node, options: Options) -> bool:
    """Wait for as many recorders as the options say; say what is missing where they stay away."""
    end = time.monotonic() + options.start_timeout_s
    while rclpy.ok():
        absent = [
            topic
            for topic, others in RECORDED.items()
            if options.recorders and node.count_subscribers(topic) < others + options.recorders
        ]
        if not absent:
            if options.recorders:
                time.sleep(SETTLE_S)
            return True
        if time.monotonic() >= end:
            node.get_logger().error(
                f"nobody records {', '.join(absent)} after {options.start_timeout_s:g} s: "
                "`ligament record --ros` in another terminal, or set `recorders` to 0"
            )
            return False
        time.sleep(0.05)
    return False
