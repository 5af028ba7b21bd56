# SPDX-License-Identifier: Apache-2.0
"""A drive in the live view of the tool, in a real browser."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import pytest
from driving_place import DRIVING, REPO, SMALL
from driving_ros import LIGAMENT, dds_domain, environment, started

sys.path.insert(0, str(REPO / "tool" / "tests" / "report" / "page"))
from browser import Browser, find_browser

WATCHDOG_S = 120.0
DRAWN = """(() => { const c = document.querySelector('figure[data-kind=%s] canvas');
  return c !== null && c.getContext('2d').getImageData(0, 0, c.width, c.height).data
    .some((v) => v); })()"""


def await_true(browser: Browser, expression: str) -> None:
    until = time.monotonic() + WATCHDOG_S
    while not browser.evaluate(expression):
        assert time.monotonic() < until, f"never true: {expression}; {browser.complaints}"
        time.sleep(0.2)


def test_a_browser_shows_a_drive(tmp_path: Path) -> None:
    if find_browser() is None:
        pytest.skip("no browser is installed: apt-get install chromium-headless-shell")
    options = [f"--set=simulator.{name}={value}" for name, value in {**SMALL, "laps": 99}.items()]
    out = ["--out", str(tmp_path / "out")]
    steer = str(DRIVING / "steer.yaml")
    graph = [*LIGAMENT, "run", steer, *out, "--quiet", *options]
    live = [*LIGAMENT, "view", steer, *out, "--wait", "--json", "--port", "0",
            "--from", "/camera/image_raw", "--to", "/cmd_vel"]  # fmt: skip
    with (
        dds_domain() as domain_id,
        started(live, tmp_path, environment(domain_id)) as viewer,
        started(graph, tmp_path, environment(domain_id)),
    ):
        assert viewer.stdout is not None
        url = json.loads(viewer.stdout.readline())["url"]
        browser = Browser(tmp_path / "profile")
        try:
            browser.call("Page.navigate", url=url)
            await_true(browser, "document.getElementById('chain')?.textContent.includes('p99')")
            camera = "document.querySelector('figure[data-name=\"/camera/image_raw\"] img')"
            await_true(browser, f"{camera}?.naturalWidth > 100")
            plan = "document.querySelector('figure[data-kind=plan] figcaption')?.textContent ?? ''"
            await_true(browser, f"({plan}).includes('/odom') && ({plan}).includes('/track')")
            await_true(browser, DRAWN % "plan")
            await_true(browser, DRAWN % "values")
            assert browser.complaints == []
            assert all(
                request.startswith((url, "data:", f"blob:{url}")) for request in browser.requests
            )
        finally:
            browser.close()
