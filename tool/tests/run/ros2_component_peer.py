# SPDX-License-Identifier: Apache-2.0
"""An rclpy node that loads, lists and unloads nodes: ros2_component_peer.py CONTAINER CLASS."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import rclpy
from composition_interfaces.srv import ListNodes, LoadNode, UnloadNode
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import GetParameters
from rclpy.node import NodeNameNonExistentError

#: Until what does not come is given up.
PATIENCE_S = 60


def eventually(is_so: Callable[[], bool]) -> bool:
    """Whether it becomes so: what DDS tells of another node comes when it comes."""
    until = time.monotonic() + PATIENCE_S
    while not (found := is_so()) and time.monotonic() < until:
        time.sleep(0.05)
    return found


def topics_of(node: Any, name: str, namespace: str) -> dict[str, Any]:
    """What a node publishes; nothing as long as it is not known."""
    try:
        return dict(node.get_publisher_names_and_types_by_node(name, namespace))
    except NodeNameNonExistentError:
        return {}


def main() -> None:
    """Print as JSON what the container said."""
    container, plugin = f"{sys.argv[1]}/_container", sys.argv[2]
    rclpy.init()
    node = rclpy.create_node("loader")

    def ask(kind: Any, name: str, **fields: Any) -> Any:
        client = node.create_client(kind, name)
        assert client.wait_for_service(timeout_sec=PATIENCE_S), name
        future = client.call_async(kind.Request(**fields))
        rclpy.spin_until_future_complete(node, future, timeout_sec=PATIENCE_S)
        assert future.done(), name
        node.destroy_client(client)
        return future.result()

    def names() -> list[str]:
        return list(ask(ListNodes, f"{container}/list_nodes").full_node_names)

    five = ParameterValue(type=ParameterType.PARAMETER_INTEGER, integer_value=5)
    wanted = {
        "plugin_name": plugin,
        "node_name": "extra",
        "node_namespace": "/more",
        "remap_rules": ["text:=/said"],
        "parameters": [Parameter(name="count", value=five)],
    }
    told: dict[str, Any] = {"before": names()}
    loaded = ask(LoadNode, f"{container}/load_node", **wanted)
    told["loaded"] = [loaded.success, loaded.full_node_name, loaded.error_message]
    told["after"] = names()
    values = ask(GetParameters, "/more/extra/get_parameters", names=["count"]).values
    told["count"] = [value.integer_value for value in values]
    told["publishes"] = eventually(lambda: "/said" in topics_of(node, "extra", "/more"))
    unload = f"{container}/unload_node"
    told["unloaded"] = ask(UnloadNode, unload, unique_id=loaded.unique_id).success
    told["left"] = names()
    again = ask(UnloadNode, unload, unique_id=loaded.unique_id)
    told["again"] = [again.success, bool(again.error_message)]
    refused = ask(LoadNode, f"{container}/load_node", plugin_name="no::Such")
    told["refused"] = [refused.success, "no::Such" in refused.error_message]
    json.dump(told, sys.stdout)
    rclpy.shutdown()


if __name__ == "__main__":
    main()
