# SPDX-License-Identifier: Apache-2.0
"""An ordinary rclpy node: it knows of no graph."""

from rclpy.node import Node
from rclpy.parameter import Parameter
from std_msgs.msg import Float64
from std_srvs.srv import Trigger


class Scale(Node):
    """Multiplies numbers."""

    def __init__(self):
        super().__init__(
            "scale",
            namespace="unknown",
            cli_args=["--ros-args", "-r", "__node:=own", "-r", "numbers:=own"],
            parameter_overrides=[Parameter("factor", value=99.0)],
        )
        self.fault = self.declare_parameter("fault", "none").value
        if self.fault == "constructor":
            raise ValueError("no such scale")
        self.factor = self.declare_parameter("factor", 1.0).value
        if self.fault != "undeclared":
            self.offsets = self.declare_parameter("offsets", [7, 8]).value
        self.publisher = self.create_publisher(Float64, topic="scaled", qos_profile=10)
        self.create_subscription(Float64, "numbers", self.scale, 10)
        self.create_service(Trigger, "~/again", self.tell)
        offsets = list(getattr(self, "offsets", []))
        self.get_logger().info(f"{self.get_fully_qualified_name()} {offsets}")

    def tell(self, request, response):
        """What it has."""
        response.success, response.message = True, str(self.factor)
        return response

    def scale(self, number):
        """Of each number."""
        if self.fault == "callback" and number.data == 6:
            raise ZeroDivisionError("six is too much")
        if self.fault in ("leave", "exit") and number.data == 6:
            raise SystemExit(5 if self.fault == "exit" else None)
        self.publisher.publish(Float64(data=number.data * self.factor))
