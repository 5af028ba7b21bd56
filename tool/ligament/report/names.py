# SPDX-License-Identifier: Apache-2.0
"""Names in report.json that its text and its page need, too; this module imports nothing."""

from __future__ import annotations

SHARES = ("compute", "copy", "serialise", "transport", "queue_wait", "executor_wait")
HOUSEKEEPING = ("/parameter_events", "/rosout")
"""Topics that every ROS node has for its own sake: no chain is followed through them."""
LAYERS = ("rclcpp", "rcl", "rmw", "between")
