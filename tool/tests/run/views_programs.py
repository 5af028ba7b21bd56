# SPDX-License-Identifier: Apache-2.0
"""rclpy programs with `ligament.views`: views_programs.py NAME [WORD...] prints JSON at its end."""

from __future__ import annotations

import json
import sys
import threading
from typing import Any

import numpy as np
import rclpy
from geometry_msgs.msg import PointStamped
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import MultiThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rmw_programs import image, until
from sensor_msgs.msg import Image
from views_kinds import faulty, fuzz, poses, shapes, types
from views_messages import difference

from ligament import views

#: What the command `ligament` needs and a node must not load.
HEAVY = {"pydantic", "typer", "rich", "jsonschema", "ruamel", "jinja2", "rosbags", "pyarrow"}


def place_of(address: int) -> tuple[str, int]:
    """The file that is mapped there (name and inode), and where in it."""
    with open("/proc/self/maps") as maps:
        for line in maps:
            words = line.split()
            first, last = (int(word, 16) for word in words[0].split("-"))
            if first <= address < last:
                return f"{' '.join(words[5:])} {words[4]}", int(words[2], 16) + address - first
    return "", 0


def place(array: Any) -> tuple[str, int]:
    """The same of an array's first element."""
    return place_of(array.__array_interface__["data"][0])


def send(node: Node, words: list[str]) -> dict[str, Any]:
    """Images in loans; the numbers of those that were written where they are read."""
    count, size = int(words[0]), int(words[1])
    publisher = node.create_publisher(Image, "images", QoSProfile(depth=count))
    until(node, lambda: publisher.get_subscription_count() >= int(words[2]))
    for number in range(count):
        fields = {"header": {"frame_id": f"frame {number}"}, "encoding": "mono8"}
        with views.loan(publisher, data=size, **fields) as message:
            message.height, message.width = 1, size
            message.step = size
            message.array()[...] = number % 251
            assert place(message.data)[0].startswith("/memfd:ligament-")
        until(node, lambda: False, 0.002)
    until(node, lambda: publisher.get_subscription_count() == 0)
    return {"sent": count}


def show(node: Node, words: list[str]) -> dict[str, Any]:
    """Which images of `publish` and `send` came right, and where they lay."""
    count, size = int(words[0]), int(words[1])
    right: list[int] = []
    places = set()

    def note(view: Any) -> None:
        number = len(right)
        is_right = not difference(image(number, size), view)
        is_right = is_right and view.array().shape == (1, size, 1)
        right.append(number if is_right else -1)
        name, _ = place(view.data)
        shared = np.from_dlpack(view.data)
        places.add(
            (
                name.startswith("/memfd:ligament-"),
                place(shared) == place(view.data) == place(view.array()),
                view.data.flags.writeable,
                view.data.ctypes.data % 4096,
            )
        )

    views.subscribe(node, Image, "images", note, QoSProfile(depth=count))
    until(node, lambda: len(right) >= count)
    return {"right": right, "places": sorted(places)}


def same_place(node: Node, words: list[str]) -> dict[str, Any]:
    """Two subscriptions see one sample in the same bytes of the same memory."""
    seen: list[Any] = []
    for _ in range(2):
        views.subscribe(node, Image, "images", lambda view: seen.append(place(view.data)))
    publisher = node.create_publisher(Image, "images", 10)
    until(node, lambda: publisher.get_subscription_count() == 2)
    publisher.publish(image(1, 10_000_000))
    until(node, lambda: len(seen) == 2)
    return {"same": seen[0] == seen[1], "pool": seen[0][0].startswith("/memfd:ligament-")}


def hold(node: Node, words: list[str]) -> dict[str, Any]:
    """More messages than may be held, and none is lost."""
    held: list[Any] = []
    views.subscribe(node, Image, "images", held.append)
    publisher = node.create_publisher(Image, "images", 10)
    until(node, lambda: publisher.get_subscription_count() == 1)
    for number in range(8):
        publisher.publish(image(number, 5000))
    text = ""
    try:
        until(node, lambda: len(held) > 3)
    except views.TooManyViewsError as error:
        text = str(error)
    most, numbers = len(held), []
    array = held[1].data
    while len(numbers) < 8:
        until(node, lambda: bool(held), 20 if len(numbers) < 8 else 0)
        with held.pop(0) as view:
            numbers.append(int(view.data[0]))
    try:
        view.height  # noqa: B018
    except views.MessageReleasedError as error:
        text += f" / {error}"
    told = {"most": most, "numbers": numbers, "text": text, "array": int(array.sum())}
    node.destroy_node()
    rclpy.shutdown()
    return {**told, "after": int(array.sum())}


def paint(node: Node, words: list[str]) -> dict[str, Any]:
    """Images with a red rectangle, and where `track_colour.py` says that it is."""
    found: list[Any] = []
    node.create_subscription(PointStamped, "point", found.append, 10)
    publisher = node.create_publisher(Image, "frames", 10)
    until(node, lambda: publisher.get_subscription_count() == 1)

    def is_found() -> bool:
        with views.loan(publisher, data=60 * 80 * 3, encoding=words[0]) as message:
            message.height, message.width, message.step = 60, 80, 240
            message.header.stamp.sec = 5
            message.array()[...] = 90
            message.array()[10:21, 30:51] = (30, 40, 220) if words[0] == "bgr8" else (220, 40, 30)
        return bool(found)

    until(node, is_found)
    point = found[0].point
    return {"point": [point.x, point.y, point.z], "stamp": found[0].header.stamp.sec}


def _raised(work: Any) -> str:
    try:
        work()
    except views.ViewError as error:
        return f"{type(error).__name__}: {error}"
    return ""


def _too_wide(message: Any) -> None:
    message.height, message.width, message.step = 1, 9, 4
    message.array()


def lend(node: Node, words: list[str]) -> dict[str, Any]:
    """What is not published, and what is refused."""
    came: list[int] = []
    node.create_subscription(Image, "images", lambda m: came.append(len(m.data)), 10)
    publisher = node.create_publisher(Image, "images", 10)
    until(node, lambda: publisher.get_subscription_count() == 1)
    try:
        with views.loan(publisher, data=1):
            raise KeyError
    except KeyError:
        pass
    views.loan(publisher, data=2).release()
    views.loan(publisher, data=3)
    with views.loan(publisher, data=4, encoding="rgb8") as first:
        told = {
            "second": _raised(lambda: views.loan(publisher, data=5)),
            "text": _raised(lambda: setattr(first, "encoding", "bgr16")),
            "same": _raised(lambda: setattr(first, "encoding", "rgb8")),
            "range": _raised(lambda: setattr(first, "height", -1)),
            "field": _raised(lambda: views.loan(publisher, colour=1)),
            "unset": _raised(first.array),
            "name": _raised(lambda: setattr(first, "widht", 9)),
            "within": _raised(lambda: setattr(first.header.stamp, "sec", "now")),
            "stamp": _raised(lambda: setattr(first.header, "stamp", 5)),
            "number": _raised(lambda: views.loan(publisher, encoding=5)),
            "message": _raised(lambda: views.loan(publisher, header={"stamp": 5})),
            "content": _raised(lambda: setattr(first, "data", [1, 2])),
            "length": _raised(lambda: views.loan(publisher, data=5.5)),
            "rows": _raised(lambda: _too_wide(first)),
        }
        first.publish()
    told["twice"] = _raised(first.publish)
    lost = views.loan(publisher, data=6)
    array = lost.data
    node.destroy_publisher(publisher)
    array[...] = 1  # its memory is still there
    lost.publish()
    until(node, lambda: 6 in came)
    return {**told, "came": came}


def threads(node: Node, words: list[str]) -> dict[str, Any]:
    """Callbacks of all forms, in an executor of several threads."""
    seen: dict[str, set[int]] = {"plain": set(), "info": set(), "async": set()}

    def with_info(view: Any, info: dict[str, Any]) -> None:
        assert info["source_timestamp"] > 0
        seen["info"].add(int(view.data[0]))

    async def awaited(view: Any) -> None:
        seen["async"].add(int(view.data[0]))

    group = ReentrantCallbackGroup()
    for callback in (lambda v: seen["plain"].add(int(v.data[0])), with_info, awaited):
        views.subscribe(node, Image, "images", callback, 50, callback_group=group)
    publisher = node.create_publisher(Image, "images", 50)
    executor = MultiThreadedExecutor(2)
    executor.add_node(node)
    until_matched = threading.Event()
    wanted = set(range(40))

    def publish_all() -> None:
        while publisher.get_subscription_count() < 3:
            until_matched.wait(0.01)
        for number in wanted:
            publisher.publish(image(number, 200_000))
            until_matched.wait(0.005)

    thread = threading.Thread(target=publish_all)
    thread.start()
    for _ in range(2000):
        executor.spin_once(timeout_sec=0.02)
        if all(numbers == wanted for numbers in seen.values()):
            break
    thread.join()
    return {name: len(numbers) for name, numbers in seen.items()}


def load(node: Node, words: list[str]) -> dict[str, Any]:
    """What is loaded beside NumPy and rclpy, and what is said on another middleware."""
    publisher = node.create_publisher(Image, "images", 10)
    return {
        "heavy": sorted(HEAVY & {name.split(".")[0] for name in sys.modules}),
        "subscribe": _raised(lambda: views.subscribe(node, Image, "images", print)),
        "loan": _raised(lambda: views.loan(publisher, data=1).release()),
    }


PROGRAMS = {
    f.__name__: f
    for f in (faulty, fuzz, hold, lend, load, paint, poses, same_place, send, shapes, show, threads,
              types)
}  # fmt: skip


def main() -> None:
    name, *words = sys.argv[1:]
    rclpy.init()
    node = Node(name)
    told = PROGRAMS[name](node, words)
    told["rmw"] = rclpy.get_rmw_implementation_identifier()
    print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
