# SPDX-License-Identifier: Apache-2.0
"""The viewer without a graph: images, plans, a chain, records, the limits of the server."""

from __future__ import annotations

import http.client
import io
import json
import math
import socket
import struct
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from rosbags.typesys import Stores, get_typestore

from ligament.errors import InputError
from ligament.viewer import plan
from ligament.viewer.chain import Chain, Event
from ligament.viewer.choose import chosen_chain
from ligament.viewer.feed import FeedError, Record, read_record
from ligament.viewer.pictures import file_of_compressed, file_of_grid, file_of_image
from ligament.viewer.server import MOST_CONNECTIONS, Server, Source
from ligament.viewer.state import View

STORE = get_typestore(Stores.ROS2_JAZZY)


def image(encoding: str, width: int, height: int, step: int, size: int) -> SimpleNamespace:
    data = bytes(i % 251 for i in range(size))
    return SimpleNamespace(encoding=encoding, width=width, height=height, step=step, data=data,
                           is_bigendian=0)  # fmt: skip


def pixels_of(made: tuple[str, bytes] | None, width: int) -> Any:
    assert made is not None
    kind, file = made
    assert kind == "image/bmp" and file[:2] == b"BM"
    assert int.from_bytes(file[2:6], "little") == len(file)
    row = -(-width * 3 // 4) * 4
    return np.frombuffer(file[54:], np.uint8).reshape(-1, row)[:, : width * 3]


def test_an_image_becomes_a_bitmap() -> None:
    pixels = pixels_of(file_of_image(image("rgb8", 3, 2, 10, 20)), 3)
    assert pixels[1].tolist() == [12, 11, 10, 15, 14, 13, 18, 17, 16]
    assert pixels_of(file_of_image(image("bgra8", 1, 1, 4, 4)), 1)[0].tolist() == [0, 1, 2]
    mono = pixels_of(file_of_image(image("mono8", 4, 1, 4, 4)), 4)
    assert mono[0, :6].tolist() == [0, 0, 0, 1, 1, 1]


def test_a_deep_image_is_spread_over_the_levels() -> None:
    deep = image("32FC1", 3, 1, 12, 12)
    deep.data = struct.pack("<3f", 1.0, float("nan"), 3.0)
    assert pixels_of(file_of_image(deep), 3)[0].tolist() == [0, 0, 0, 0, 0, 0, 255, 255, 255]


@pytest.mark.parametrize(
    "wrong",
    [
        image("rgb16", 3, 2, 18, 36),
        image("rgb8", 3, 2, 8, 18),
        image("rgb8", 3, 2, 9, 17),
        image("rgb8", 0, 2, 9, 18),
        image("rgb8", 3, 0, 9, 0),
    ],
)
def test_what_is_no_image_is_not_shown(wrong: SimpleNamespace) -> None:
    assert file_of_image(wrong) is None
    assert file_of_compressed(SimpleNamespace(data=b"<svg onload=alert(1)>")) is None


def grid(width: int, height: int, cells: list[int]) -> Any:
    kind = STORE.types["nav_msgs/msg/OccupancyGrid"]
    info = STORE.types["nav_msgs/msg/MapMetaData"](
        STORE.types["builtin_interfaces/msg/Time"](0, 0), 0.5, width, height, pose(1.0, 2.0)
    )
    return kind(header("map"), info, np.array(cells, np.int8))


def header(frame: str, sec: int = 1) -> Any:
    time = STORE.types["builtin_interfaces/msg/Time"](sec, 0)
    return STORE.types["std_msgs/msg/Header"](time, frame)


def pose(x: float, y: float, yaw: float = 0.0) -> Any:
    types = STORE.types
    return types["geometry_msgs/msg/Pose"](
        types["geometry_msgs/msg/Point"](x, y, 0.0),
        types["geometry_msgs/msg/Quaternion"](0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2)),
    )


def test_a_grid_is_drawn_from_its_lowest_row() -> None:
    made = pixels_of(file_of_grid(grid(2, 2, [0, 100, -1, 50])), 2)
    assert made[:, ::3].tolist() == [[190, 128], [255, 0]]
    assert plan.grid(grid(2, 2, [0] * 4)) == {
        "kind": "grid", "origin": (1.0, 2.0, 0.0), "size": (1.0, 1.0), "points": []
    }  # fmt: skip
    assert file_of_grid(grid(3, 2, [0] * 4)) is None


def cloud(points: list[tuple[float, float]]) -> Any:
    field = STORE.types["sensor_msgs/msg/PointField"]
    data = np.array(points, "<f4").tobytes()
    fields = [field("x", 0, 7, 1), field("y", 4, 7, 1)]
    return STORE.types["sensor_msgs/msg/PointCloud2"](
        header("map"), 1, len(points), fields, False, 8, 8 * len(points),
        np.frombuffer(data, np.uint8), True,
    )  # fmt: skip


def test_points_of_a_cloud_are_drawn_and_bad_ones_left_out() -> None:
    drawn = plan.cloud(cloud([(1, 2), (float("nan"), 0), (3, 4)]))
    assert drawn is not None and drawn["points"] == [(1.0, 2.0), (3.0, 4.0)]
    short = cloud([(1, 2)])
    short.width = 1000
    assert plan.cloud(short) is None
    assert len(plan.cloud(cloud([(0, 0)] * 100_000))["points"]) <= plan.MOST_POINTS


def test_poses_become_a_way() -> None:
    way = None
    for x in (0.0, 0.005, 1.0):
        way = plan.moved(way, pose(x, 0.0, 0.5))
    assert way is not None
    assert way["points"] == [(0.0, 0.0), (1.0, 0.0)]
    assert way["pose"] == pytest.approx((1.0, 0.0, 0.5))
    assert plan.moved(way, pose(float("inf"), 0.0)) == way


def marker(number: int, kind: int, action: int = 0) -> SimpleNamespace:
    return SimpleNamespace(
        header=header("odom"), ns="n", id=number, type=kind, action=action,
        pose=pose(1.0, 0.0, math.pi / 2), scale=SimpleNamespace(x=0.2),
        color=SimpleNamespace(r=1.0, g=0.5, b=0.0, a=1.0),
        points=[SimpleNamespace(x=1.0, y=0.0)],
    )  # fmt: skip


def test_markers_are_added_and_deleted() -> None:
    drawn = plan.marked(None, [marker(1, 4), marker(2, 2)])
    assert drawn["marks"]["n/1"]["colour"] == "#ff8000"
    assert drawn["marks"]["n/1"]["points"] == [(1.0, 1.0)]
    assert plan.marked(drawn, [marker(1, 4, 2)])["marks"].keys() == {"n/2"}
    assert plan.marked(drawn, [marker(0, 0, 3)])["marks"] == {}


def stamp(number: int) -> bytes:
    return struct.pack("<iI", number, 0)


def test_a_chain_goes_by_stamps_where_both_ends_have_them() -> None:
    chain = Chain("/a", "/b")
    for t, topic, number in ((30, "/b", 1), (10, "/a", 1), (25, "/a", 2), (45, "/b", 2)):
        chain.add(Event(t * 1_000_000, topic, stamp(number)))
    chain.add(Event(50_000_000, "/b", stamp(7)))
    chain.look_ended()
    assert list(chain.latencies_ns) == [20_000_000, 20_000_000]
    assert chain.to_json()["p50_ms"] == 20.0


def test_the_figures_of_a_chain_are_those_of_its_latencies() -> None:
    chain = Chain("/a", "/b")
    for number in range(1, 201):
        begin = number * 1_000_000_000
        chain.add(Event(begin, "/a", stamp(number)))
        chain.add(Event(begin + number * 1_000_000, "/b", stamp(number)))
    chain.look_ended()
    assert chain.to_json() == {
        "from": "/a", "to": "/b", "count": 200,
        "last_ms": 200.0, "p50_ms": 101.0, "p99_ms": 199.0, "max_ms": 200.0,
    }  # fmt: skip


def test_a_command_without_a_stamp_answers_the_image_before_it() -> None:
    chain = Chain("/a", "/cmd_vel")
    chain.add(Event(5, "/cmd_vel", None))
    for t, topic in ((10, "/a"), (13, "/cmd_vel"), (14, "/cmd_vel")):
        chain.add(Event(t, topic, stamp(t) if topic == "/a" else None))
    chain.look_ended()
    assert list(chain.latencies_ns) == [3]
    assert Chain("/a", "/b").to_json()["p50_ms"] is None


def topic(outs: str, ins: str) -> dict[str, Any]:
    ends = [{"node": node, "direction": "out"} for node in outs.split()]
    return {"ends": ends + [{"node": node, "direction": "in"} for node in ins.split()]}


DRIVING = {
    "/image": topic("", "compensate"),
    "/a": topic("compensate", "blur slam red"),
    "/b": topic("blur", "lane"),
    "/lane": topic("lane", "control"),
    "/red": topic("red", "control green"),
    "/green": topic("green", "red"),
    "/pose": topic("slam", ""),
    "/cmd_vel": topic("control", ""),
}


def test_the_longest_chain_is_found_though_there_is_a_cycle() -> None:
    chain = chosen_chain({"topics": DRIVING}, None, None)
    assert chain is not None and (chain.begin, chain.end) == ("/image", "/cmd_vel")
    chain = chosen_chain({"topics": DRIVING}, None, "/pose")
    assert chain is not None and chain.begin == "/image"
    assert chosen_chain({}, None, None) is None
    with pytest.raises(InputError, match="no topic '/imag'"):
        chosen_chain({"topics": DRIVING}, "/imag", None)
    with pytest.raises(InputError, match="no chain of the graph has the topic of --from"):
        chosen_chain({"topics": {"/x": topic("", "")}}, "/x", None)
    for ends in (("/x", None), (None, "/x")):
        with pytest.raises(InputError, match="no running graph is known here"):
            chosen_chain({}, *ends)
    chain = chosen_chain({}, "/x", "/y")
    assert chain is not None and (chain.begin, chain.end) == ("/x", "/y")


def test_records_are_read_and_others_refused() -> None:
    line = json.dumps({"event": "message", "bytes": 3}).encode()
    stream = io.BytesIO(line + b"\nabc" + b'{"event": "look"}\n' + line + b"\nab")
    first, second = read_record(stream), read_record(stream)
    assert first is not None and first.payload == b"abc"
    assert second is not None and second.event == "look"
    assert read_record(stream) is None
    for wrong in (b"no\n", b"[1]\n", b'{"bytes": -1}\n', b'{"bytes": 1e9}\n', b'{"bytes": 1e99}\n'):
        with pytest.raises(FeedError):
            read_record(io.BytesIO(wrong))


def told(kind: str, name: str, stored: bytes, **more: Any) -> Record:
    about = {"event": "message", "topic": name, "type": kind, "t_ns": 1, "size": len(stored)}
    return Record({**about, **more}, stored)


def stored(message: Any) -> bytes:
    return bytes(STORE.serialize_cdr(message, message.__msgtype__))


def test_messages_are_shown_by_their_type() -> None:
    view = View()
    pose_kind = STORE.types["geometry_msgs/msg/PoseStamped"]
    view.take(
        told("geometry_msgs/msg/PoseStamped", "/p", stored(pose_kind(header("map"), pose(1, 2))))
    )
    view.take(told("nav_msgs/msg/OccupancyGrid", "/g", stored(grid(2, 2, [0] * 4))))
    state = json.loads(json.dumps(view.to_json()))
    assert state["frames"]["map"]["/p"]["pose"] == [1.0, 2.0, 0.0]
    assert state["frames"]["map"]["/g"]["kind"] == "grid"
    assert view.file("/g") is not None and view.file("/p") is None and view.file("/none") is None
    assert state["images"] == [] and set(view.drawn_topics()) == {"/p", "/g"}


def test_ways_outlines_and_points_are_in_the_plan() -> None:
    """What a SLAM and a map tell: keyframes, a lane's outline, points."""
    view = View()
    kinds = {name: STORE.types[f"geometry_msgs/msg/{name}"]
             for name in ("Point32", "Polygon", "PolygonStamped", "PoseStamped")}  # fmt: skip
    poses = [kinds["PoseStamped"](header("map"), pose(x, 2)) for x in (1, 3)]
    way = STORE.types["nav_msgs/msg/Path"](header("map"), poses)
    corners = [kinds["Point32"](x, 2, 0) for x in (1, 3)]
    outline = kinds["PolygonStamped"](header("map"), kinds["Polygon"](corners))
    for name, message in (("way", way), ("outline", outline), ("cloud", cloud([(1, 2), (3, 2)]))):
        view.take(told(message.__msgtype__, f"/{name}", stored(message)))
    drawn = json.loads(json.dumps(view.to_json()["frames"]["map"]))
    assert set(drawn) == {"/way", "/outline", "/cloud"}
    for name, one in drawn.items():
        assert one["points"] == [[1.0, 2.0], [3.0, 2.0]], name
    alone = plan.line(corners[:1])
    assert (alone["kind"], alone["points"]) == ("points", [(1.0, 2.0)])  # one place is no line


@pytest.mark.parametrize("broken", [b"", b"\x00\x01\x00\x00", b"\x00\x00" * 20, b"\xff" * 4000])
def test_a_broken_message_is_counted_and_the_next_one_shown(broken: bytes) -> None:
    view = View()
    for kind in ("nav_msgs/msg/Odometry", "visualization_msgs/msg/MarkerArray",
                 "sensor_msgs/msg/PointCloud2", "sensor_msgs/msg/Image"):  # fmt: skip
        view.take(told(kind, f"/{kind}", broken))
        view.file(f"/{kind}")
    rows = view.to_json()["topics"]
    assert sum(row["unreadable"] for row in rows) == (4 if broken else 3)


def test_containers_are_those_of_top_looked_at_once_a_second() -> None:
    row = {"container": "c", "state": "running", "cpu_percent": 3.5, "peak_rss_bytes": None}

    class Top:
        looks = 0

        def look(self) -> dict[str, Any]:
            self.looks += 1
            return {"containers": [{**row, "heap_allocs": 1}]}

    view, top = View(), Top()
    assert view.to_json()["containers"] == []
    view.begin("g", None, top)
    assert [view.to_json()["containers"] for _ in range(2)] == [[row], [row]]
    assert top.looks >= 1


@pytest.fixture
def server() -> Iterator[Server]:
    images = {"/a": ("image/bmp", b"BM")}
    made = Server("127.0.0.1", 0, Source(lambda: {"state": "running"}, images.get))
    yield made
    made.close()


def get(server: Server, path: str, **headers: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    try:
        connection.putrequest("GET", path, skip_host="Host" in headers)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def test_the_server_has_the_page_the_state_and_images(server: Server) -> None:
    assert get(server, "/")[1].startswith(b"<!doctype html>")
    assert b"look()" in get(server, "/view.js")[1] and get(server, "/view.css")[0] == 200
    assert json.loads(get(server, "/state")[1]) == {"state": "running"}
    assert get(server, "/image?topic=%2Fa") == (200, b"BM")
    assert get(server, "/image?topic=/b") == (204, b"") and get(server, "/image") == (204, b"")


@pytest.mark.parametrize(
    "path", ["/../view.html", "/page/view.html", "//etc/passwd", "/%2e%2e/feed.py", "/feed.py"]
)
def test_no_path_leads_to_a_file(server: Server, path: str) -> None:
    assert get(server, path)[0] == 404


def test_another_sites_name_gets_nothing(server: Server) -> None:
    assert get(server, "/state", Host="evil.example:80")[0] == 403
    assert get(server, "/state", Host=f"localhost:{server.port}")[0] == 200


def test_too_many_connections_are_closed_and_come_back_later(server: Server) -> None:
    idle = [
        socket.create_connection(("127.0.0.1", server.port), 60) for _ in range(MOST_CONNECTIONS)
    ]
    # Each has an answer once, so each has its thread: no more may come.
    for one in idle:
        one.sendall(b"GET /state HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert one.recv(4) == b"HTTP"
    with pytest.raises((http.client.HTTPException, ConnectionError)):
        get(server, "/state")
    for one in idle:
        one.close()
    until = time.monotonic() + 120
    while time.monotonic() < until:
        try:
            assert get(server, "/state")[0] == 200
            return
        except (http.client.HTTPException, ConnectionError):
            time.sleep(0.05)
    pytest.fail("it serves nobody any more")
