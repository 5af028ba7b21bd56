# SPDX-License-Identifier: Apache-2.0
"""What the simulator sends: images, calibration, odometry, time; small pictures for the report."""

from __future__ import annotations

import array
import math
import struct
from pathlib import Path
from typing import Any, BinaryIO

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, Quaternion, TransformStamped
from nav_msgs.msg import Odometry
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import CameraInfo, Image
from visualization_msgs.msg import Marker

from sim.drive import Drive, Frame
from sim.options import Options
from sim.shape import CAMERA_AHEAD, CAMERA_HEIGHT, CAMERA_PITCH_DEG, focal_length
from sim.track import LANE_WIDTH, Track

try:
    from tf2_msgs.msg import TFMessage
except ModuleNotFoundError:
    TFMessage = None  # the wheels of ROS 2 have no tf2_msgs: dev/ros-interfaces makes it

#: Columns of a kept picture, at least.
SMALL = 160


class Outlets:
    """Publishers of one node, and the file of kept pictures."""

    def __init__(self, node: Node, options: Options) -> None:
        self._options = options
        self._images = node.create_publisher(Image, "/camera/image_raw", 10)
        self._infos = node.create_publisher(CameraInfo, "/camera/camera_info", 10)
        self._clock = node.create_publisher(Clock, "/clock", 10)
        self._odometry = node.create_publisher(Odometry, "/odom", 10)
        self._tf = node.create_publisher(TFMessage, "/tf", 10) if TFMessage else None
        # Of those who come later, too: it is sent once.
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._track = node.create_publisher(Marker, "/track", latched)
        self._track.publish(_track(Track()))
        self._info = _info(options)
        self._kept: BinaryIO | None = None
        self.late = 0
        """Frames that were not ready in time."""

    def takers(self) -> int:
        """Return how many subscriptions the images have."""
        return int(self._images.get_subscription_count())

    def open_animation(self, log: Path) -> None:
        """Keep small pictures beside the log, if they are wanted."""
        if self._options.animation:
            self._kept = log.with_suffix(".frames").open("wb")

    def send(self, frame: Frame, drive: Drive) -> None:
        """Send a frame: the time first, the image last, because that is what others wait for."""
        stamp = Time(sec=frame.stamp_ns // 10**9, nanosec=frame.stamp_ns % 10**9)
        self._clock.publish(Clock(clock=stamp))
        self._send_odometry(stamp, drive)
        if frame.picture is None:
            return
        height, width, _ = frame.picture.shape
        self._info.header.stamp = stamp
        image = Image(height=height, width=width, encoding="rgb8", step=3 * width)
        image.header = self._info.header
        image.data = array.array("B", frame.picture.tobytes())
        for _ in range(frame.copies):
            self._infos.publish(self._info)
            self._images.publish(image)
        self._keep(frame)

    def _send_odometry(self, stamp: Time, drive: Drive) -> None:
        own = drive.robot.odometry
        message = Odometry(child_frame_id="base_footprint")
        message.header.stamp, message.header.frame_id = stamp, "odom"
        place = message.pose.pose
        place.position.x, place.position.y = own.x, own.y
        place.orientation = _about_z(own.yaw)
        message.twist.twist.linear.x, message.twist.twist.angular.z = own.speed, own.turn
        self._odometry.publish(message)
        if self._tf is not None:
            self._tf.publish(TFMessage(transforms=[_base(message), _lens(message)]))

    def _keep(self, frame: Frame) -> None:
        """Write one of `animation` frames: width, height, number, each n-th of its pixels."""
        if self._kept is None or frame.number % self._options.animation:
            return
        step = max(1, self._options.width // SMALL)
        small = frame.picture[::step, ::step]
        height, width, _ = small.shape
        self._kept.write(struct.pack("<III", width, height, frame.number) + small.tobytes())

    def close(self) -> None:
        """End the file of kept pictures."""
        if self._kept is not None:
            self._kept.close()


def _info(options: Options) -> Any:
    """Return the calibration: square pixels, no distortion."""
    focal, middle_x, middle_y = focal_length(options.look), options.width / 2, options.height / 2
    info = CameraInfo(width=options.width, height=options.height, distortion_model="plumb_bob")
    info.header.frame_id = "camera"
    info.d = [0.0] * 5
    info.k = [focal, 0.0, middle_x, 0.0, focal, middle_y, 0.0, 0.0, 1.0]
    info.r = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
    info.p = [focal, 0.0, middle_x, 0.0, 0.0, focal, middle_y, 0.0, 0.0, 0.0, 1.0, 0.0]
    return info


def _track(track: Track) -> Any:
    """Return the lane from above: where its centre line is, and how wide it is."""
    marker = Marker(ns="track", type=Marker.LINE_STRIP, action=Marker.ADD)
    marker.header.frame_id = "odom"
    marker.pose.orientation.w = 1.0
    marker.scale.x = LANE_WIDTH
    marker.color.r = marker.color.g = marker.color.b = 0.8
    marker.color.a = 1.0
    outline = track.outline()
    marker.points = [Point(x=x, y=y) for x, y in [*outline, outline[0]]]
    return marker


def _about_z(yaw: float) -> Any:
    return Quaternion(z=math.sin(yaw / 2), w=math.cos(yaw / 2))


def _base(odometry: Any) -> Any:
    """Return where the robot is by its odometry, as a transform."""
    one = TransformStamped(header=odometry.header, child_frame_id="base_footprint")
    place = odometry.pose.pose
    one.transform.translation.x, one.transform.translation.y = place.position.x, place.position.y
    one.transform.rotation = place.orientation
    return one


def _lens(odometry: Any) -> Any:
    """Return where the camera is on the robot: z ahead, x to the right, y down, as of images."""
    one = TransformStamped(child_frame_id="camera")
    one.header.stamp, one.header.frame_id = odometry.header.stamp, "base_footprint"
    one.transform.translation.x, one.transform.translation.z = CAMERA_AHEAD, CAMERA_HEIGHT
    half = math.radians(CAMERA_PITCH_DEG) / 2
    # The axes of an image turned by the pitch about the robot's y.
    cos, sin = math.cos(half) / 2, math.sin(half) / 2
    one.transform.rotation = Quaternion(x=-(cos + sin), y=cos + sin, z=-(cos - sin), w=cos - sin)
    return one
