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
    from sim.drive import Drive, Frame
    from sim.options import OptionError, Options
    from sim.outlets import Outlets
except ModuleNotFoundError as error:
    sys.exit(
        f"simulator: {error}: pip install mujoco; in Ligament's repository: dev/setup --driving"
    )


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
            drive.close(missed=drive.missed, late=self._outlets.late)
            self._outlets.close()
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
        while rclpy.ok() and not drive.over:
            frame = drive.next_frame()
            before, sent = self.commands, time.monotonic()
            self._outlets.send(frame, drive)
            wanted = before + frame.copies
            while rclpy.ok() and self.commands < wanted:
                left = sent + self.options.reply_timeout_s - time.monotonic()
                if left <= 0:
                    drive.missed += 1
                    break
                executor.spin_once(timeout_sec=left)
            drive.advance(**_reply(frame, sent, self.commands >= wanted))

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
    if isinstance(default, list):
        items = (
            list(given)
            if not isinstance(given, str | bytes) and hasattr(given, "__len__")
            else None
        )
        if items is not None:
            return [_as(default[0], item, name) for item in items]
    elif isinstance(default, float) and isinstance(given, int) and not isinstance(given, bool):
        return float(given)
    elif type(given) is type(default):
        return given
    raise OptionError(f"{name} is {given!r}; possible is something such as {default!r}")


def _summary(drive: Drive) -> str:
    truth = drive.truth
    return (
        f"{truth.reason or 'stopped'} after {drive.seconds:.1f} simulated s: {truth.lap - 1} laps, "
        f"{len(truth.stops)} red lights, {truth.red_lights_run} of them run, "
        f"{truth.departures} departures, {drive.missed} frames without a command"
    )


def _reply(frame: Frame, sent: float, came: bool) -> dict[str, Any]:
    """Return how long a frame's command took, if one was to come and came."""
    if not frame.copies or not came:
        return {"reply_ms": None, "copies": frame.copies}
    return {"reply_ms": (time.monotonic() - sent) * 1000, "copies": frame.copies}


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
