# SPDX-License-Identifier: Apache-2.0
"""Writes a bag as a recorder would, of a drive without meaning: PLACE, COMMANDS, IMAGES as JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

STORE = get_typestore(Stores.ROS2_JAZZY)
IMAGE, TWIST = "sensor_msgs/msg/Image", "geometry_msgs/msg/Twist"


def image(number: int) -> Any:
    """A grey one of 160 x 120."""
    stamp = STORE.types["builtin_interfaces/msg/Time"](sec=1, nanosec=number * 1000)
    header = STORE.types["std_msgs/msg/Header"](stamp=stamp, frame_id="camera")
    pixels = np.full(160 * 120 * 3, 60, np.uint8)
    return STORE.types[IMAGE](header=header, height=120, width=160, encoding="rgb8",
                              is_bigendian=0, step=480, data=pixels)  # fmt: skip


def twist(speed: float, turn: float) -> Any:
    """A command."""
    vector = STORE.types["geometry_msgs/msg/Vector3"]
    return STORE.types[TWIST](linear=vector(x=speed, y=0.0, z=0.0),
                              angular=vector(x=0.0, y=0.0, z=turn))  # fmt: skip


def main() -> None:
    """Write it."""
    place, commands, images = json.loads(sys.argv[1])
    with Writer(Path(place), version=9, storage_plugin=StoragePlugin.MCAP) as bag:
        pictures = bag.add_connection("/camera/image_raw", IMAGE, typestore=STORE)
        for number in range(images):
            bag.write(pictures, number, STORE.serialize_cdr(image(number), IMAGE))
        drive = bag.add_connection("/cmd_vel", TWIST, typestore=STORE)
        for number, (speed, turn) in enumerate(commands):
            bag.write(drive, number, STORE.serialize_cdr(twist(speed, turn), TWIST))


if __name__ == "__main__":
    main()
