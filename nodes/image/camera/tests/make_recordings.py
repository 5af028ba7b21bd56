# SPDX-License-Identifier: Apache-2.0
"""Write small rosbag2 recordings with the `rosbags` package, for the tests of the camera.

usage: make_recordings.py FOLDER

FOLDER/sqlite, FOLDER/mcap and so on (KINDS): recordings of three rgb8 images of 16x12, byte `k` of
frame `i` being (k + i) % 251, on /camera/image_raw with /camera/camera_info; and, where
FOLDER/photograph.png exists, that file on /other/image/compressed.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

STORE = get_typestore(Stores.ROS2_JAZZY)
WIDTH, HEIGHT, FRAMES = 16, 12, 3
KINDS = {
    "sqlite": (StoragePlugin.SQLITE3, None),
    "sqlite_message": (StoragePlugin.SQLITE3, CompressionMode.MESSAGE),
    "sqlite_file": (StoragePlugin.SQLITE3, CompressionMode.FILE),
    "mcap": (StoragePlugin.MCAP, None),
    "mcap_zstd": (StoragePlugin.MCAP, CompressionMode.STORAGE),
}


def header(index: int) -> Any:
    """The header of frame `index`: one every 100 ms from second 5."""
    types = STORE.types
    stamp = types["builtin_interfaces/msg/Time"](sec=5, nanosec=index * 100_000_000)
    return types["std_msgs/msg/Header"](stamp=stamp, frame_id="lens")


def image(index: int) -> Any:
    """An image whose bytes say which frame it is."""
    data = ((np.arange(HEIGHT * WIDTH * 3) + index) % 251).astype(np.uint8)
    return STORE.types["sensor_msgs/msg/Image"](
        header=header(index),
        height=HEIGHT,
        width=WIDTH,
        encoding="rgb8",
        is_bigendian=0,
        step=WIDTH * 3,
        data=data,
    )


def camera_info(index: int) -> Any:
    """A calibration with recognisable numbers."""
    types = STORE.types
    region = types["sensor_msgs/msg/RegionOfInterest"](
        x_offset=0, y_offset=0, height=0, width=0, do_rectify=False
    )
    return types["sensor_msgs/msg/CameraInfo"](
        header=header(index),
        height=HEIGHT,
        width=WIDTH,
        distortion_model="plumb_bob",
        d=np.array([-0.25, 0.125, 0.0, 0.0, 0.5]),
        k=np.array([14.0, 0, 8, 0, 15.0, 6, 0, 0, 1]),
        r=np.array([1.0, 0, 0, 0, 1, 0, 0, 0, 1]),
        p=np.array([14.0, 0, 8, 0, 0, 15, 6, 0, 0, 0, 1, 0]),
        binning_x=0,
        binning_y=0,
        roi=region,
    )


def topics(photograph: bytes | None) -> list[tuple[str, str, Any]]:
    """Topic, type and message maker (by frame index) of each topic of a recording."""
    types = STORE.types
    result: list[tuple[str, str, Any]] = [
        (
            "/chatter",
            "std_msgs/msg/String",
            lambda i: types["std_msgs/msg/String"](data=f"{i}"),
        ),
        ("/camera/image_raw", "sensor_msgs/msg/Image", image),
        ("/camera/camera_info", "sensor_msgs/msg/CameraInfo", camera_info),
    ]
    if photograph is not None:
        name = "sensor_msgs/msg/CompressedImage"
        data = np.frombuffer(photograph, np.uint8)
        result.append(
            (
                "/other/image/compressed",
                name,
                lambda i: types[name](header=header(i), format="png", data=data),
            )
        )
    return result


def write(folder: Path, kind: str, photograph: bytes | None) -> None:
    """Write the recording of one kind."""
    plugin, compression = KINDS[kind]
    writer = Writer(folder / kind, version=9, storage_plugin=plugin)
    if compression is not None:
        writer.set_compression(compression, CompressionFormat.ZSTD)
    with writer:
        makers = [
            (writer.add_connection(topic, name, typestore=STORE), make)
            for topic, name, make in topics(photograph)
        ]
        for i in range(FRAMES):
            for order, (connection, make) in enumerate(makers):
                time = 5_000_000_000 + i * 100_000_000 + order
                writer.write(connection, time, STORE.serialize_cdr(make(i), connection.msgtype))


def main() -> None:
    """Write all kinds."""
    folder = Path(sys.argv[1])
    photograph = folder / "photograph.png"
    for kind in KINDS:
        write(folder, kind, photograph.read_bytes() if photograph.exists() else None)


if __name__ == "__main__":
    main()
