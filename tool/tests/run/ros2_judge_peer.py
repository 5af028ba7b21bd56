# SPDX-License-Identifier: Apache-2.0
"""An rclpy server of /verdict that says `ready`, and then who its clients are, as JSON lines."""

from __future__ import annotations

import json
from typing import Any

import rclpy
from std_srvs.srv import SetBool


def main() -> None:
    """Answer until the process is ended."""
    rclpy.init()
    node = rclpy.create_node("judge")

    def answer(request: Any, response: Any) -> Any:
        clients = {
            f"{namespace.rstrip('/')}/{name}": node.get_client_names_and_types_by_node(
                name, namespace
            )
            for name, namespace in node.get_node_names_and_namespaces()
        }
        asks = {who: dict(found).get("/verdict") for who, found in clients.items()}
        print(json.dumps({who: types for who, types in asks.items() if types}), flush=True)
        response.success = request.data
        response.message = "yes" if request.data else "no"
        return response

    node.create_service(SetBool, "/verdict", answer)
    print("ready", flush=True)
    rclpy.spin(node)


if __name__ == "__main__":
    main()
