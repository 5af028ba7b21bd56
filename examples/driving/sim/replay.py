# SPDX-License-Identifier: Apache-2.0
"""A recorded drive in place of the simulator: each image waits for its command, as it did then.

The commands are compared with the recorded ones. Equal images give equal commands, so the first
that differs says that the graph has changed, or that the recording lacks messages. It needs a
recording from the first image on (`recorders` waits for it), and no MuJoCo.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import rclpy
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rclpy.node import Node
from rclpy.serialization import deserialize_message
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import CameraInfo, Image

from sim.lockstep import LockStep
from sim.options import Options

IMAGE, COMMAND = "/camera/image_raw", "/cmd_vel"
#: What belongs to an image by its stamp, in the order in which it is sent.
BESIDE = {"/odom": Odometry, "/camera/camera_info": CameraInfo}


class ReplayError(Exception):
    """A recording that cannot be replayed; says why."""


@dataclass
class Recording:
    """What of a bag is sent, as stored bytes, and the commands that came then."""

    images: list[tuple[int, bytes]] = field(default_factory=list)
    beside: dict[int, dict[str, bytes]] = field(default_factory=lambda: defaultdict(dict))
    commands: list[tuple[float, float]] = field(default_factory=list)

    def count(self) -> int:
        """Return how many images it has; one that was sent twice counts once."""
        return len({stamp_ns for stamp_ns, _ in self.images})


def read_recording(path: Path) -> Recording:
    """Read a bag of `ligament record` or `ros2 bag record`; raises ReplayError."""
    found = Recording()
    for topic, data in _messages(path):
        if topic == COMMAND:
            command = deserialize_message(data, Twist)
            found.commands.append((command.linear.x, command.angular.z))
        elif topic == IMAGE:
            found.images.append((_stamp_ns(data), data))
        elif topic in BESIDE:
            found.beside[_stamp_ns(data)][topic] = data
    if not found.images:
        raise ReplayError(f"{path} has no message of {IMAGE}")
    return found


def _messages(path: Path) -> Iterator[tuple[str, bytes]]:
    try:
        from rosbags.highlevel import AnyReader  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise ReplayError(
            f"{error}: pip install rosbags; in Ligament's repository: dev/setup --driving"
        ) from error
    if not path.exists():
        raise ReplayError(f"there is no recording {path}")
    try:
        with AnyReader([path]) as reader:
            wanted = [c for c in reader.connections if c.topic in (IMAGE, COMMAND, *BESIDE)]
            for connection, _, data in reader.messages(wanted):
                yield connection.topic, bytes(data)
    except Exception as error:  # whatever a damaged file makes the library say
        raise ReplayError(f"{path} cannot be read: {error}") from error


def _stamp_ns(data: bytes) -> int:
    """Return the stamp of a stored message that begins with a header."""
    if len(data) < 12 or data[:2] != b"\x00\x01":
        raise ReplayError("a recorded message is no little-endian CDR with a header")
    seconds, nanoseconds = (int.from_bytes(data[i : i + 4], "little") for i in (4, 8))
    return seconds * 10**9 + nanoseconds


class Replaying:
    """Sends a recording through a node."""

    def __init__(self, node: Node, options: Options) -> None:
        self._node = node
        self._recording = read_recording(Path(options.replay))
        self._clock = node.create_publisher(Clock, "/clock", 10)
        self._images = node.create_publisher(Image, IMAGE, 10)
        self._beside = {t: node.create_publisher(kind, t, 10) for t, kind in BESIDE.items()}
        self._commands: list[tuple[float, float]] = []
        self._lock_step = LockStep(node, options, lambda *values: self._commands.append(values))

    def run(self) -> bool:
        """Send all; return whether the commands were those of the recording."""
        lock_step = self._lock_step
        if not lock_step.await_others(self._images.get_subscription_count):
            return False
        self._commands.clear()
        last = -1
        for stamp_ns, image in self._recording.images:
            if not rclpy.ok():
                return False
            # An image that was sent twice has the stamp of the one before it.
            if stamp_ns != last:
                lock_step.send(lambda s=stamp_ns, i=image: self._send(s, i), 1)
            last = stamp_ns
        verdict = compare(self._recording.commands, self._commands, self._recording.count())
        missed = f"; {lock_step.missed} images without a command" if lock_step.missed else ""
        log = self._node.get_logger()
        (log.info if verdict.equal else log.error)(f"replayed: {verdict.text}{missed}")
        return verdict.equal

    def _send(self, stamp_ns: int, image: bytes) -> None:
        stamp = Time(sec=stamp_ns // 10**9, nanosec=stamp_ns % 10**9)
        self._clock.publish(Clock(clock=stamp))
        for topic, data in self._recording.beside.get(stamp_ns, {}).items():
            self._beside[topic].publish(data)
        self._images.publish(image)


@dataclass(frozen=True)
class Verdict:
    """Whether commands are equal, and a sentence."""

    equal: bool
    text: str


def compare(
    recorded: list[tuple[float, float]], now: list[tuple[float, float]], images: int
) -> Verdict:
    """Compare commands, bit for bit."""
    if recorded != now and len(recorded) < images:
        text = f"the recording has {len(recorded)} commands for {images} images: record from the"
        return Verdict(False, f"{text} first one on (the simulator's parameter `recorders`)")
    pairs = zip(recorded, now, strict=False)
    first = next((i for i, (then, here) in enumerate(pairs) if then != here), None)
    if first is not None:
        then, here = _text(recorded[first]), _text(now[first])
        return Verdict(False, f"command {first} of {len(now)} is {here}, in the recording {then}")
    if len(recorded) != len(now):
        counts = f"{len(now)} commands, {len(recorded)} in the recording"
        return Verdict(False, f"{counts}; those that both have are equal")
    return Verdict(True, f"{len(now)} commands, all equal to those of the recording")


def _text(command: tuple[Any, ...]) -> str:
    return f"({command[0]!r} m/s, {command[1]!r} rad/s)"
