# SPDX-License-Identifier: Apache-2.0
"""Who sends images and gets commands: waits for the others, and for the command to each image."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import rclpy
from geometry_msgs.msg import Twist
from rcl_interfaces.msg import ParameterDescriptor
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

from sim.options import OptionError, Options

#: Real seconds that an image which is sent twice waits for a second command.
SECOND_S = 0.1


class LockStep:
    """The commands of one node's subscription, counted."""

    def __init__(self, node: Node, options: Options, take: Callable[[float, float], None]) -> None:
        self._node, self._options, self._take_values = node, options, take
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(node)
        self.commands = 0
        self.missed = 0
        """Images without a command."""
        self.extra = 0
        """Commands without an image."""
        self.also: Callable[[int], bool] = lambda _: True
        """Whether what else is waited for has come, of the image with that stamp."""
        self._also_comes = True
        self._wanted = 0
        self._subscription = node.create_subscription(Twist, "cmd_vel", self._take, 10)

    def _take(self, message: Any) -> None:
        self.commands += 1
        self._take_values(message.linear.x, message.angular.z)

    def await_others(self, takers: Callable[[], int]) -> bool:
        """Wait for who takes the images and who sends commands: the first image is theirs, too."""
        options = self._options
        wanted = ["/cmd_vel", *(["/slam/pose"] if options.slam else [])]
        end = time.monotonic() + options.start_timeout_s
        while rclpy.ok():
            taken, absent = takers(), [t for t in wanted if not self._node.count_publishers(t)]
            if taken >= options.takers and not absent:
                return True
            if time.monotonic() >= end:
                lacks = f"publishes {' or '.join(absent)}"
                if taken < options.takers:
                    lacks = f"subscribes to /camera/image_raw ({taken} of {options.takers})"
                passed = f"after {options.start_timeout_s:g} s"
                self._node.get_logger().error(f"nobody {lacks} {passed}")
                return False
            self._executor.spin_once(timeout_sec=0.05)
        return False

    def send(self, send: Callable[[], None], copies: int) -> float | None:
        """Send an image, and wait for its command; return how long that took, None if none came."""
        self._executor.spin_once(timeout_sec=0.0)  # a command that is here answers no later image
        self.extra += max(0, self.commands - self._wanted)
        self._wanted = self.commands + min(copies, 1)
        sent = time.monotonic()
        send()
        came = self._await(sent + self._options.reply_timeout_s)
        self.missed += bool(copies) and came is None
        if copies > 1:
            self._wanted += 1  # who answers an image that came twice, answers twice
            if self._await(time.monotonic() + SECOND_S) is None:
                self._wanted -= 1
        return None if came is None else came - sent

    def await_also(self, stamp_ns: int) -> None:
        """Wait for what else answers that image; who stayed away once is not waited for again."""
        until = time.monotonic() + (self._options.reply_timeout_s if self._also_comes else 0.0)
        while rclpy.ok() and not self.also(stamp_ns):
            if (left := until - time.monotonic()) <= 0:
                self._also_comes = False
                return
            self._executor.spin_once(timeout_sec=left)
        self._also_comes = True

    def _await(self, until: float) -> float | None:
        while rclpy.ok() and self.commands < self._wanted:
            if (left := until - time.monotonic()) <= 0:
                return None
            self._executor.spin_once(timeout_sec=left)
        return time.monotonic()

    def spin_until(self, due: float) -> float | None:
        """Take commands until then; return when the first came, None if none did."""
        before, first = self.commands, None
        while rclpy.ok() and (left := due - time.monotonic()) > 0:
            self._executor.spin_once(timeout_sec=left)
            if first is None and self.commands > before:
                first = time.monotonic()
        self.missed += first is None
        return first


def options_of(node: Node) -> Options:
    """Declare the parameters; an integer will do for a number, nothing else for something else."""
    values = {}
    for one in fields(Options):
        default = getattr(Options(), one.name)
        about = ParameterDescriptor(
            description=one.metadata["meaning"], read_only=True, dynamic_typing=True
        )
        given = node.declare_parameter(one.name, default, about).value
        values[one.name] = _as(default, given, one.name)
    return Options(**values)


def _as(default: Any, given: Any, name: str) -> Any:
    """Return a parameter's value with the type of its default; OptionError where it has another."""
    if isinstance(default, list) and not isinstance(given, str) and hasattr(given, "__len__"):
        return [_as(default[0], item, name) for item in given]
    if isinstance(default, float) and type(given) is int:
        return float(given)
    if type(given) is type(default):
        return given
    raise OptionError(f"{name} is {given!r}; possible is something such as {default!r}")
