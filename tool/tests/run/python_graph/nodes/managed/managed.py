# SPDX-License-Identifier: Apache-2.0
"""An ordinary lifecycle node of rclpy."""

from rclpy.lifecycle import LifecycleNode, TransitionCallbackReturn


class Managed(LifecycleNode):
    """Is done once it is active."""

    def __init__(self):
        super().__init__("managed")

    def on_configure(self, state):
        """From outside."""
        print("configured", self.get_fully_qualified_name(), flush=True)
        return TransitionCallbackReturn.SUCCESS

    def on_activate(self, state):
        """From outside, too."""
        self.create_timer(0.1, self.leave)
        return super().on_activate(state)

    def leave(self):
        """Its work is done."""
        raise SystemExit
