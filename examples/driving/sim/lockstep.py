# SPDX-License-Identifier: Apache-2.0
"""Who sends images and gets commands: waits for the others, and for the command to each image."""

from __future__ import annotations

import difflib
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

#: Parameters that rclpy gives every node.
_OF_ROS = ("use_sim_time", "qos_overrides", "start_type_description_service")

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
        end = time.monotonic() + options.start_timeout_s
        while rclpy.ok():
            taken, absent = takers(), self._absent()
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

    def _absent(self) -> list[str]:
        """Return the topics of nobody. Commands must reach us: to see their sender is less."""
        absent = [] if self._subscription.get_publisher_count() else ["/cmd_vel"]
        if self._options.slam and not self._node.count_publishers("/slam/pose"):
            absent.append("/slam/pose")
        return absent

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
    _require_known(node)
    values = {}
    for one in fields(Options):
        default = getattr(Options(), one.name)
        about = ParameterDescriptor(
            description=one.metadata["meaning"], read_only=True, dynamic_typing=True
        )
        if node.has_parameter(one.name):  # it was given
            given = node.get_parameter(one.name).value
            node.set_descriptor(one.name, about)
        else:
            given = node.declare_parameter(one.name, default, about).value
        values[one.name] = _as(default, given, one.name)
    return Options(**values)


def _require_known(node: Node) -> None:
    """Refuse what is misspelt: ROS 2 itself passes over parameters that no node declares."""
    known = [one.name for one in fields(Options)]
    for name in node.get_parameters_by_prefix(""):
        if name not in known and name.partition(".")[0] not in _OF_ROS:
            near = difflib.get_close_matches(name, known, 1)
            text = f": did you mean '{near[0]}'?" if near else f"; they are {', '.join(known)}"
            raise OptionError(f"there is no parameter '{name}'{text}")


def _as(default: Any, given: Any, name: str) -> Any:
    """Return a parameter's value with the type of its default; OptionError where it has another."""
    if isinstance(default, list) and not isinstance(given, str) and hasattr(given, "__len__"):
        return [_as(default[0], item, name) for item in given]
    if isinstance(default, float) and type(given) is int:
        return float(given)
    if type(given) is type(default):
        return given
    wanted = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}
    what = wanted.get(type(default), f"something such as {default!r}")
    raise OptionError(f"{name} is {given!r}; possible is {what}")
