# SPDX-License-Identifier: Apache-2.0
"""The live view of a drive, in a real browser."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from driving_place import DRIVING, REPO, SMALL, python, use_sources
from driving_ros import LIGAMENT, dds_domain, environment, preloaded, started

sys.path.insert(0, str(REPO / "tool" / "tests" / "report" / "page"))
from browser import Browser, find_browser

use_sources()
from drive_live.pictures import bitmap_of  # noqa: E402
from drive_live.state import State  # noqa: E402

WATCHDOG_S = 120.0
DRAWN = """(() => { const c = document.getElementById('%s');
  return c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some((v) => v); })()"""


def image(encoding: str, width: int, height: int, step: int, size: int) -> SimpleNamespace:
    data = bytes(i % 251 for i in range(size))
    return SimpleNamespace(encoding=encoding, width=width, height=height, step=step, data=data)


def test_an_image_becomes_a_bitmap() -> None:
    file = bitmap_of(image("rgb8", 3, 2, 10, 20))
    assert file is not None
    assert file[:2] == b"BM" and int.from_bytes(file[2:6], "little") == len(file) == 54 + 2 * 12
    pixels = np.frombuffer(file[54:], np.uint8).reshape(2, 12)
    assert pixels[1, :9].tolist() == [12, 11, 10, 15, 14, 13, 18, 17, 16]
    mono = bitmap_of(image("mono8", 4, 1, 4, 4))
    assert mono is not None and list(mono[54:60]) == [0, 0, 0, 1, 1, 1]


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
    assert bitmap_of(wrong) is None


def test_a_command_is_counted_for_the_image_before_it() -> None:
    state = State()
    state.command_came(0.1, 0.0)
    assert state.to_json()["delay_ms"] is None
    state.image_came()
    state.command_came(0.2, 0.5)
    state.command_came(0.3, 0.5)
    told = state.to_json()
    assert told["commands"] == [(0.1, 0.0), (0.2, 0.5), (0.3, 0.5)]
    assert told["delay_ms"]["p50"] >= 0
    state.moved(1.0, 2.0, 0.1)
    state.moved(1.001, 2.0, 0.2)
    assert state.to_json()["path"] == [(1.0, 2.0)]
    assert state.to_json()["pose"] == (1.001, 2.0, 0.2)


def await_true(browser: Browser, expression: str) -> None:
    until = time.monotonic() + WATCHDOG_S
    while not browser.evaluate(expression):
        assert time.monotonic() < until, f"never true: {expression}; {browser.complaints}"
        time.sleep(0.2)


def test_a_browser_shows_a_drive(tmp_path: Path) -> None:
    if find_browser() is None:
        pytest.skip("no browser is installed: apt-get install chromium-headless-shell")
    options = [f"--set=simulator.{name}={value}" for name, value in {**SMALL, "laps": 99}.items()]
    graph = [*LIGAMENT, "run", str(DRIVING / "steer.yaml"), "--out", str(tmp_path / "out"),
             "--quiet", *options]  # fmt: skip
    live = [str(python()), str(DRIVING / "live.py"), "0"]
    with (
        dds_domain() as domain_id,
        started(live, tmp_path, preloaded(domain_id)) as viewer,
        started(graph, tmp_path, environment(domain_id)),
    ):
        assert viewer.stdout is not None
        url = viewer.stdout.readline().removeprefix("live view: ").strip()
        browser = Browser(tmp_path / "profile")
        try:
            browser.call("Page.navigate", url=url)
            figures = "document.getElementById('figures')?.textContent ?? ''"
            await_true(browser, f"({figures}).includes('image to command: ')")
            await_true(browser, "document.getElementById('camera').naturalWidth > 100")
            await_true(browser, DRAWN % "map")
            await_true(browser, DRAWN % "commands")
            assert "m/s" in browser.evaluate(figures)
            assert browser.complaints == []
            assert all(
                request.startswith((url, "data:", f"blob:{url}")) for request in browser.requests
            )
        finally:
            browser.close()
