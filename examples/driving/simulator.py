# SPDX-License-Identifier: Apache-2.0
"""The driving simulator as an ordinary rclpy node; it knows nothing of Ligament.

It publishes /camera/image_raw, /camera/camera_info, /odom, /clock and, where the package tf2_msgs
is installed, /tf; it takes /cmd_vel. sim/options.py has its parameters. In lock step each frame
waits for the command that answers it, so a drive is the same each time; `real_time` goes by the
clock.
"""

from __future__ import annotations

import os
import sys
import time
from dataclasses import fields
from pathlib import Path
from typing import Any

try:
    import rclpy
    from geometry_msgs.msg import Twist
    from rcl_interfaces.msg import ParameterDescriptor
    from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
    from rclpy.node import Node
except ModuleNotFoundError as error:
    sys.exit(f"simulator: {error}: source a ROS 2; in Ligament's repository: dev/setup --driving")
try:
    from sim.camera import NoRendererError
    from sim.drive import Drive
    from sim.options import OptionError, Options
    from sim.outlets import Outlets
except ModuleNotFoundError as error:
    sys.exit(
        f"simulator: {error}: pip install mujoco; in Ligament's repository: dev/setup --driving"
    )


#: Real seconds that a picture which is sent twice waits for a second command.
SECOND_S = 0.1


class Simulator(Node):
    """Sends frames, takes commands."""

    def __init__(self) -> None:
        super().__init__("simulator")
        self.options = self._options()
        self.commands = 0
        """Since the beginning."""
        self._outlets = Outlets(self, self.options)
        self._drive: Drive | None = None
        self.create_subscription(Twist, "cmd_vel", self._take, 10)

    def _options(self) -> Options:
        """Declare them; an integer will do for a number, but nothing else for something else."""
        values = {}
        for one in fields(Options):
            default = getattr(Options(), one.name)
            about = ParameterDescriptor(
                description=one.metadata["meaning"], read_only=True, dynamic_typing=True
            )
            given = self.declare_parameter(one.name, default, about).value
            values[one.name] = _as(default, given, one.name)
        return Options(**values)

    def _take(self, message: Any) -> None:
        self.commands += 1
        if self._drive is not None:
            self._drive.command(message.linear.x, message.angular.z)

    def run(self, executor: SingleThreadedExecutor) -> int:
        """Drive until the laps are done; return the process's exit code."""
        log = Path(
            self.options.log or Path(os.environ.get("LIGAMENT_OUTPUT_DIR", ".")) / "drive.jsonl"
        )
        drive = Drive(self.options, log)
        self._outlets.open_animation(log)
        try:
            if not self._await_others(executor):
                return 1
            self._drive = drive
            (self._in_real_time if self.options.real_time else self._in_lock_step)(executor, drive)
        finally:
            drive.close(missed=drive.missed, extra=drive.extra, late=self._outlets.late)
            self._outlets.close()
        if drive.extra:
            self.get_logger().warning(
                f"{drive.extra} commands answered no frame: does another node publish /cmd_vel?"
            )
        self.get_logger().info(f"{_summary(drive)}; log: {log}")
        return 0 if drive.truth.reason == "laps done" else 1

    def _await_others(self, executor: SingleThreadedExecutor) -> bool:
        """Wait for who takes the images and who sends commands: the first frame is theirs, too."""
        end = time.monotonic() + self.options.start_timeout_s
        while rclpy.ok():
            takers, senders = self._outlets.takers(), self.count_publishers("/cmd_vel")
            if takers and senders:
                return True
            if time.monotonic() >= end:
                lacks = "subscribes to /camera/image_raw" if not takers else "publishes /cmd_vel"
                self.get_logger().error(f"nobody {lacks} after {self.options.start_timeout_s:g} s")
                return False
            executor.spin_once(timeout_sec=0.05)
        return False

    def _in_lock_step(self, executor: SingleThreadedExecutor, drive: Drive) -> None:
        wanted = self.commands
        while rclpy.ok() and not drive.over:
            frame = drive.next_frame()
            executor.spin_once(timeout_sec=0.0)  # a command that is here now answers no later frame
            drive.extra += max(0, self.commands - wanted)
            wanted = self.commands + min(frame.copies, 1)
            sent = time.monotonic()
            self._outlets.send(frame, drive)
            reply_s = self._await(executor, wanted, sent + self.options.reply_timeout_s)
            drive.missed += bool(frame.copies) and reply_s is None
            if frame.copies > 1 and self._await(executor, wanted + 1, time.monotonic() + SECOND_S):
                wanted += 1  # who answers a picture that came twice, answers twice
            drive.advance(reply_ms=None if reply_s is None else (reply_s - sent) * 1000)

    def _await(self, executor: SingleThreadedExecutor, wanted: int, until: float) -> float | None:
        """Wait for so many commands; return when the last came, None if it did not."""
        while rclpy.ok() and self.commands < wanted:
            if (left := until - time.monotonic()) <= 0:
                return None
            executor.spin_once(timeout_sec=left)
        return time.monotonic()

    def _in_real_time(self, executor: SingleThreadedExecutor, drive: Drive) -> None:
        period, due = 1.0 / self.options.rate_hz, time.monotonic()
        while rclpy.ok() and not drive.over:
            frame = drive.next_frame()
            before, sent, reply_s = self.commands, time.monotonic(), None
            self._outlets.send(frame, drive)
            due += period
            self._outlets.late += time.monotonic() > due
            while rclpy.ok() and (left := due - time.monotonic()) > 0:
                executor.spin_once(timeout_sec=left)
                if reply_s is None and self.commands > before:
                    reply_s = time.monotonic() - sent
            drive.missed += bool(frame.copies) and reply_s is None
            drive.advance(reply_ms=None if reply_s is None else reply_s * 1000)
            due = max(due, time.monotonic() - period)


def _as(default: Any, given: Any, name: str) -> Any:
    """Return a parameter's value with the type of its default; OptionError where it has another."""
    if isinstance(default, list) and not isinstance(given, str) and hasattr(given, "__len__"):
        return [_as(default[0], item, name) for item in given]
    if isinstance(default, float) and type(given) is int:
        return float(given)
    if type(given) is type(default):
        return given
    raise OptionError(f"{name} is {given!r}; possible is something such as {default!r}")


def _summary(drive: Drive) -> str:
    truth = drive.truth
    return (
        f"{truth.reason or 'stopped'} after {drive.seconds:.1f} simulated s: {truth.lap - 1} laps, "
        f"{len(truth.stops)} red lights, {truth.red_lights_run} of them run, "
        f"{truth.departures} departures, {drive.missed} frames without a command"
    )


def main() -> int:
    """Run the node until the drive is over, or it is told to stop."""
    rclpy.init()
    code = 1
    try:
        node, executor = Simulator(), SingleThreadedExecutor()
        executor.add_node(node)
        code = node.run(executor)
    except (OptionError, NoRendererError) as error:
        print(f"simulator: {error}", file=sys.stderr)
        code = 2
    except (KeyboardInterrupt, ExternalShutdownException):
        code = 0
    rclpy.try_shutdown()
    return code


if __name__ == "__main__":
    sys.exit(main())
