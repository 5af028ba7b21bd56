# SPDX-License-Identifier: Apache-2.0
"""An rclpy server of /verdict that says `ready`, and then who its clients are, as JSON lines."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import rclpy
from std_srvs.srv import SetBool


def main() -> None:
    """Answer until the process is ended."""
    rclpy.init()
    node = rclpy.create_node("judge")

    def answer(request: Any, response: Any) -> Any:
        clients = {}
        for name, namespace in node.get_node_names_and_namespaces():
            with contextlib.suppress(RuntimeError):  # it has gone meanwhile
                clients[f"{namespace.rstrip('/')}/{name}"] = (
                    node.get_client_names_and_types_by_node(name, namespace)
                )
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
