# SPDX-License-Identifier: Apache-2.0
"""`ligament view` of what really runs, in a real browser: a bag that is played again and again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bags import WATCHDOG_S, await_that, require_program, run_verb
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore
from run_chat import LIGAMENT

sys.path.insert(0, str(Path(__file__).parents[1] / "report" / "page"))
from browser import Browser, find_browser

STORE = get_typestore(Stores.ROS2_JAZZY)
TYPES = STORE.types
COLOURED = """(() => { const c = document.querySelector('figure[data-kind=%s] canvas');
  return c !== null && c.getContext('2d').getImageData(0, 0, c.width, c.height).data
    .some((v) => v); })()"""


def header(number: int, frame: str) -> Any:
    stamp = TYPES["builtin_interfaces/msg/Time"](1, number)
    return TYPES["std_msgs/msg/Header"](stamp, frame)


def pose(x: float) -> Any:
    place = TYPES["geometry_msgs/msg/Point"](x, 0.5, 0.0)
    return TYPES["geometry_msgs/msg/Pose"](
        place, TYPES["geometry_msgs/msg/Quaternion"](0.0, 0.0, 0.0, 1.0)
    )


def image(number: int) -> Any:
    pixels = np.full(200 * 120 * 3, 10 * (number % 20), np.uint8)
    return TYPES["sensor_msgs/msg/Image"](
        header(number, "camera"), 120, 200, "rgb8", 0, 600, pixels
    )


def grid() -> Any:
    info = TYPES["nav_msgs/msg/MapMetaData"](
        TYPES["builtin_interfaces/msg/Time"](0, 0), 0.05, 100, 80, pose(0.0)
    )
    cells = np.arange(8000, dtype=np.int64) % 101
    return TYPES["nav_msgs/msg/OccupancyGrid"](header(0, "map"), info, cells.astype(np.int8))


def twist(turn: float) -> Any:
    vector = TYPES["geometry_msgs/msg/Vector3"]
    return TYPES["geometry_msgs/msg/Twist"](vector(0.2, 0.0, 0.0), vector(0.0, 0.0, turn))


def write_bag(place: Path) -> None:
    """Four seconds of a robot: 20 images a second, each answered 7 ms later."""
    with Writer(place, version=9, storage_plugin=StoragePlugin.MCAP) as bag:
        topics = {
            name: bag.add_connection(name, kind, typestore=STORE)
            for name, kind in (
                ("/camera", "sensor_msgs/msg/Image"),
                ("/pose", "geometry_msgs/msg/PoseStamped"),
                ("/map", "nav_msgs/msg/OccupancyGrid"),
                ("/cmd_vel", "geometry_msgs/msg/Twist"),
            )
        }

        def write(name: str, at_ms: float, message: Any) -> None:
            stored = STORE.serialize_cdr(message, message.__msgtype__)
            bag.write(topics[name], int(at_ms * 1e6), stored)

        write("/map", 0, grid())
        for number in range(80):
            write("/camera", 50 * number, image(number))
            kind = TYPES["geometry_msgs/msg/PoseStamped"]
            write("/pose", 50 * number + 3, kind(header(number, "map"), pose(0.05 * number)))
            write("/cmd_vel", 50 * number + 7, twist(0.01 * number))


def in_the_background() -> None:
    """As a script's `&` starts it: with Ctrl-C ignored."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def started(*words: object) -> Iterator[subprocess.Popen[str]]:
    """A verb that is ended as by Ctrl-C."""
    process = subprocess.Popen(
        [*LIGAMENT, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=in_the_background if words[0] == "view" else None,
    )  # fmt: skip
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(WATCHDOG_S)
        finally:
            process.kill()
            process.wait()


@pytest.fixture
def domain(tmp_path: Path) -> Iterator[str]:
    """Where the bag is played until the test ends."""
    require_program()
    write_bag(tmp_path / "bag")
    name = f"view-test-{os.getpid()}-{time.monotonic_ns()}"
    with started("play", tmp_path / "bag", "--loop", "--domain", name):
        yield name


def await_true(browser: Browser, expression: str) -> None:
    until = time.monotonic() + WATCHDOG_S
    while not browser.evaluate(expression):
        assert time.monotonic() < until, f"never true: {expression}; {browser.complaints}"
        time.sleep(0.2)


def url_of(viewer: subprocess.Popen[str]) -> str:
    assert viewer.stdout is not None
    line = viewer.stdout.readline()
    assert line, viewer.stderr.read() if viewer.stderr else ""
    return str(json.loads(line)["url"])


def test_a_browser_shows_images_maps_values_and_the_chain(domain: str, tmp_path: Path) -> None:
    if find_browser() is None:
        pytest.skip("this machine has no such thing: a browser (chromium-headless-shell)")
    words = ("--wait", "--json", "--port", 0, "--from", "/camera", "--to", "/cmd_vel")
    with started("view", domain, *words) as viewer:
        url = url_of(viewer)
        browser = Browser(tmp_path / "profile")
        try:
            browser.call("Page.navigate", url=url)
            await_true(browser, "document.getElementById('chain')?.textContent.includes('p99')")
            picture = "document.querySelector('figure[data-name=\"/camera\"] img')"
            await_true(browser, f"{picture}?.naturalWidth === 200")
            await_true(browser, COLOURED % "values")
            # The way and the grid beneath it, which was published once in each round.
            plan = "document.querySelector('figure[data-kind=plan] figcaption')?.textContent ?? ''"
            await_true(browser, f"({plan}).includes('/pose') && ({plan}).includes('/map')")
            await_true(browser, COLOURED % "plan")
            await_true(browser, "grids.has('/map')")
            rows = browser.evaluate("document.querySelectorAll('#topics tbody tr').length")
            assert rows == 4
            assert browser.complaints == []
            assert all(request.startswith((url, "data:", f"blob:{url}"))
                       for request in browser.requests)  # fmt: skip
        finally:
            browser.close()


def state_of(url: str) -> str:
    with urllib.request.urlopen(url, timeout=WATCHDOG_S) as answer:
        return str(json.load(answer)["state"])


def test_it_ends_with_what_it_shows(tmp_path: Path) -> None:
    require_program()
    write_bag(tmp_path / "bag")
    name = f"view-end-{os.getpid()}-{time.monotonic_ns()}"
    with started("view", name, "--wait", "--json", "--port", 0) as viewer:
        state = f"{url_of(viewer)}/state"
        with started("play", tmp_path / "bag", "--loop", "--domain", name) as player:
            await_that(lambda: state_of(state) == "running", player)
        assert viewer.wait(WATCHDOG_S) == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("no_such_graph",), "graph 'no_such_graph' does not run"),
        (("no_such/graph.yaml", "--wait"), "there is no graph or run 'no_such/graph.yaml'"),
        (("no_such_graph", "--host", "203.0.113.7"), "203.0.113.7:0 cannot be served"),
        (("a", "--ros"), "name two domains"),
    ],
)
def test_what_cannot_be_shown_is_told(words: tuple[str, ...], said: str) -> None:
    require_program()
    done = run_verb("view", *words, "--port", 0)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
