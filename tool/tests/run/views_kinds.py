# SPDX-License-Identifier: Apache-2.0
"""Programs of views_programs.py about kinds of messages."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from geometry_msgs.msg import Pose, PoseArray
from rclpy.node import Node
from rclpy.serialization import serialize_message
from rmw_programs import image, until
from sensor_msgs.msg import Image, PointCloud2, PointField
from std_msgs.msg import UInt64
from test_msgs import msg as test_types
from test_msgs.message_fixtures import get_test_msg
from views_messages import as_arguments, difference, filled

from ligament import views
from ligament.views.fields import Memory, read_fields


def _messages() -> list[Any]:
    names = [n for n in dir(test_types) if n[0].isupper() and n != "KeyedString"]
    found = [message for name in names for message in get_test_msg(name)]
    return [*found, image(3, 1000), *filled()]


def types(node: Node, words: list[str]) -> dict[str, Any]:
    """Messages of many types as views, and lent."""
    wrong = []
    for number, message in enumerate(_messages()):
        kind, came, shown = type(message), [], []
        views.subscribe(node, kind, f"t{number}", lambda v, s=shown, m=message: s.append(
            difference(m, v)))  # fmt: skip
        node.create_subscription(kind, f"t{number}", came.append, 10)
        publisher = node.create_publisher(kind, f"t{number}", 10)
        until(node, lambda p=publisher: p.get_subscription_count() == 2)
        publisher.publish(message)
        with views.loan(publisher, **as_arguments(message)):
            pass
        until(node, lambda c=came, s=shown: len(c) == len(s) == 2)
        if came != [message] * 2 or shown != ["", ""]:
            wrong.append(f"{kind.__name__}: {shown} {came}")
    return {"wrong": wrong, "enough": number > 30}


def fuzz(node: Node, words: list[str]) -> dict[str, Any]:
    """Truncated and changed bytes: the named error, or values that can be looked at."""
    generator = random.Random(int(words[0]))
    refused, messages = 0, _messages()
    for number in range(int(words[1])):
        message = messages[number % len(messages)]
        stored = bytearray(serialize_message(message))
        if generator.random() < 0.4:
            del stored[generator.randrange(len(stored)) :]
        for _ in range(generator.randrange(4)):
            if stored:
                stored[generator.randrange(len(stored))] = generator.choice((0, 1, 127, 255))
        memory = Memory(np.frombuffer(bytes(stored), np.uint8), is_writable=False)
        try:
            view = read_fields(type(message), views.View, memory)
            difference(message, view)
            if type(message) in (Image, PointCloud2):
                view.array().tobytes()
        except views.ViewError:
            refused += 1
    return {"some": 0 < refused < int(words[1])}


def faulty(node: Node, words: list[str]) -> dict[str, Any]:
    """A publisher of bytes that are no message; the subscription goes on."""
    seen: list[int] = []
    views.subscribe(node, UInt64, "numbers", lambda view: seen.append(view.data))
    publisher = node.create_publisher(UInt64, "numbers", 10)
    until(node, lambda: publisher.get_subscription_count() == 1)
    publisher.publish(serialize_message(UInt64(data=7))[:-1])
    publisher.publish(UInt64(data=8))
    try:
        until(node, lambda: bool(seen))
    except views.MalformedMessageError as error:
        text = str(error)
    until(node, lambda: bool(seen))
    return {"text": text, "seen": seen}


def shapes(node: Node, words: list[str]) -> dict[str, Any]:
    """Arrays with the shape of images and clouds; a row has room behind its pixels."""
    shown: list[Any] = []
    frame = np.arange(4 * 3 * 2, dtype=">u2").reshape(4, 3, 2)
    points = np.zeros((2, 5), [("x", ">f4"), ("i", ">u2", (2,)), ("y", ">f8")])
    points["x"], points["y"], points["i"] = 0.5, np.arange(5), (7, 8)
    views.subscribe(node, Image, "images", lambda v: shown.append(v.array().copy()))
    views.subscribe(node, PointCloud2, "clouds", lambda v: shown.append(v.array().copy()))
    images = node.create_publisher(Image, "images", 10)
    clouds = node.create_publisher(PointCloud2, "clouds", 10)
    until(node, lambda: images.get_subscription_count() and clouds.get_subscription_count())
    with views.loan(images, data=4 * 20, encoding="16UC2", is_bigendian=1) as image_loan:
        image_loan.height, image_loan.width, image_loan.step = 4, 3, 20
        image_loan.array()[...] = frame
    until(node, lambda: len(shown) == 1)
    fields = [PointField(name="x", offset=0, datatype=7, count=1),
              PointField(name="i", offset=4, datatype=4, count=2),
              PointField(name="y", offset=8, datatype=8, count=1)]  # fmt: skip
    with views.loan(clouds, data=points, fields=fields, point_step=16, row_step=80) as cloud:
        cloud.height, cloud.width, cloud.is_bigendian = 2, 5, True
    until(node, lambda: len(shown) == 2)
    return {
        "image": np.array_equal(shown[0], frame),
        "cloud": all(np.array_equal(shown[1][name], points[name]) for name in "xyi"),
    }


def poses(node: Node, words: list[str]) -> dict[str, Any]:
    """A loan of poses, filled as one array."""
    came: list[Any] = []
    shown: list[Any] = []
    node.create_subscription(PoseArray, "poses", came.append, 10)
    views.subscribe(
        node,
        PoseArray,
        "poses",
        lambda v: shown.append(
            [v.poses.array()["position"]["x"].tolist(), v.poses[-1].orientation.w, len(v.poses[:2])]
        ),
    )
    publisher = node.create_publisher(PoseArray, "poses", 10)
    until(node, lambda: publisher.get_subscription_count() == 2)
    with views.loan(publisher, poses=3) as message:
        array = message.poses.array()
        array["position"]["x"] = 1, 2, 3
        array["position"]["y"] = array["position"]["z"] = 0
        array["orientation"] = (0, 0, 0, 1)
        message.poses[1].position.z = 0.5
    until(node, lambda: came and shown)
    wanted = PoseArray(poses=[Pose(), Pose(), Pose()])
    for number, pose in enumerate(wanted.poses):
        pose.position.x = number + 1.0
    wanted.poses[1].position.z = 0.5
    return {"equal": came == [wanted], "shown": shown}
