# SPDX-License-Identifier: Apache-2.0
"""The simulator's /tf: the real tf2_msgs, made where the wheels of ROS 2 lack it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from driving_place import DRIVING, JAZZY, SMALL, python
from driving_ros import LIGAMENT, dds_domain, environment, preloaded, started

from ligament.messages import load_store, type_hash

LISTENER = """
import json, sys, time
import rclpy
from tf2_msgs.msg import TFMessage
rclpy.init()
node = rclpy.create_node("listener")
found = []
node.create_subscription(TFMessage, "/tf", found.append, 10)
until = time.monotonic() + 120
while not found and time.monotonic() < until:
    rclpy.spin_once(node, timeout_sec=0.2)
publisher, = node.get_publishers_info_by_topic("/tf")
print(json.dumps({
    "frames": [(one.header.frame_id, one.child_frame_id) for one in found[0].transforms],
    "lens": found[0].transforms[1].transform.translation.z,
    "type": publisher.topic_type,
    "hash": bytes(publisher.topic_type_hash.value).hex(),
}), flush=True)
"""


def test_tf_is_published_with_the_real_type(tmp_path: Path) -> None:
    python()
    if not list(JAZZY.glob("lib/python*/site-packages/tf2_msgs")):
        pytest.skip("tf2_msgs is not installed (dev/setup --driving)")
    options = [f"--set=simulator.{name}={value}" for name, value in {**SMALL, "laps": 99}.items()]
    graph = [*LIGAMENT, "run", str(DRIVING / "steer.yaml"), "--out", str(tmp_path / "out"),
             "--quiet", *options]  # fmt: skip
    listener = [str(python()), "-c", LISTENER]
    with (
        dds_domain() as domain_id,
        started(graph, tmp_path, environment(domain_id)),
        started(listener, tmp_path, preloaded(domain_id)) as heard,
    ):
        assert heard.stdout is not None
        told = json.loads(heard.stdout.readline())
    assert told["frames"] == [["odom", "base_footprint"], ["base_footprint", "camera"]]
    assert told["lens"] == pytest.approx(0.14)
    assert told["type"] == "tf2_msgs/msg/TFMessage"
    store = load_store("jazzy")
    assert told["hash"] == type_hash(store, "tf2_msgs/msg/TFMessage").hex()
