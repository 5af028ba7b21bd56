# SPDX-License-Identifier: Apache-2.0
"""The driving simulator as an ordinary rclpy node; it knows nothing of Ligament.

It publishes /camera/image_raw, /camera/camera_info, /odom, /clock, /track (the lane, for viewers)
and, where the package tf2_msgs is installed (dev/setup --driving), /tf; it takes /cmd_vel.
sim/options.py has its parameters. In lock step each frame waits for the command that answers it,
so a drive is the same each time; `real_time` goes by the clock, and `replay` sends a recorded drive
instead.
"""

from __future__ import annotations

import sys

try:
    import rclpy
    from rclpy.executors import ExternalShutdownException
    from rclpy.node import Node
except ModuleNotFoundError as error:
    sys.exit(f"simulator: {error}: source a ROS 2; in Ligament's repository: dev/setup --driving")
try:
    from sim.lockstep import options_of
    from sim.options import OptionError, Options, help_text
except ModuleNotFoundError as error:
    sys.exit(f"simulator: {error}: pip install numpy")


def runner(node: Node, options: Options):  # type: ignore[no-untyped-def]
    """Return what runs; only a drive needs MuJoCo."""
    if options.replay:
        from sim.replay import Replaying  # noqa: PLC0415

        return Replaying(node, options)
    try:
        from sim.driving import Driving  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise OptionError(
            f"{error}: pip install mujoco; in Ligament's repository: dev/setup --driving"
        ) from error
    return Driving(node, options)


def run() -> int:
    """Run until the drive is over; return the process's exit code."""
    node = Node("simulator", automatically_declare_parameters_from_overrides=True)
    try:
        return 0 if runner(node, options_of(node)).run() else 1
    except Exception as error:
        if type(error).__name__ not in ("OptionError", "NoRendererError", "ReplayError"):
            raise
        print(f"simulator: {error}", file=sys.stderr)
        return 2


def main() -> int:
    """Run the node until the drive is over, or it is told to stop."""
    if {"-h", "--help"} & set(sys.argv[1:]):
        print(__doc__, help_text(), sep="\n")
        return 0
    rclpy.init()
    try:
        code = run()
    except (KeyboardInterrupt, ExternalShutdownException):
        code = 0
    rclpy.try_shutdown()
    return code


if __name__ == "__main__":
    sys.exit(main())
