# SPDX-License-Identifier: Apache-2.0
"""The documentation site as `make site` builds it, and as a browser shows it."""

from __future__ import annotations

import functools
import http.server
import importlib.util
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
REPO = TESTS.parents[1]
sys.path[:0] = [str(REPO / "dev"), str(TESTS / "report"), str(TESTS / "report" / "page")]

from browser import WATCHDOG_S, Browser, find_browser  # noqa: E402
from docsite.pages import chosen, pages_of, place_of, read_site  # noqa: E402
from made_up_traces import run_maker  # noqa: E402
from many_frames import many_frames  # noqa: E402

from ligament.cli.main import VERBS, main  # noqa: E402


def made_up_report(folder: Path) -> Path:
    """The page of a report, with its report.json."""
    make_run = run_maker(folder)
    runs = [make_run(many_frames(), "one"), make_run(many_frames(35), "two")]
    page = folder / "report.html"
    words = ["--html", str(page), "--out", str(page.with_suffix(".json"))]
    assert main(["report", *map(str, runs), *words]) == 0
    return page


def build(out: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(REPO / "dev" / "site"), "--out", str(out), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    done = build(tmp_path, "--no-run")
    assert done.returncode == 2
    assert "is no site" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built once."""
    if importlib.util.find_spec("zensical") is None:
        pytest.skip("no zensical is installed (dev/setup --site)")
    folder = tmp_path_factory.mktemp("site")
    done = build(folder / "site", "--reports", made_up_report(folder))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "warning" not in done.stderr.lower()
    return folder / "site"


def test_every_page_of_the_repository_is_on_it(site: Path) -> None:
    wanted = [place_of(page) for page in chosen(pages_of(REPO), read_site(REPO)["excluded"])]
    assert len(wanted) > 100
    assert [page for page in wanted if not (site / page).with_suffix(".html").is_file()] == []


def test_the_reference_is_generated(site: Path) -> None:
    verbs = (site / "docs" / "reference" / "files" / "verbs.html").read_text()
    assert all(f'id="ligament-{verb.name}"' in verbs for verb in VERBS)
    assert 'id="callback_start"' in (site / "docs/reference/files/events.html").read_text()
    assert "variants" in (site / "docs" / "reference" / "files" / "graph.html").read_text()
    assert "create_publisher" in (site / "docs" / "reference" / "cpp" / "node.html").read_text()


def test_nothing_is_left_beside_it(site: Path) -> None:
    assert sorted(path.name for path in site.parent.glob(".*")) == []


def test_a_site_that_cannot_be_built_leaves_the_old_one(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / ".ligament-site").touch()
    (tmp_path / "site" / "index.html").write_text("old")
    failed = build(tmp_path / "site", "--reports", tmp_path / "no.html")
    assert failed.returncode == 2
    assert "no.html" in failed.stderr and "Traceback" not in failed.stderr
    assert (tmp_path / "site" / "index.html").read_text() == "old"


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Nobody reads it."""


@pytest.fixture(scope="module")
def served(site: Path) -> Iterator[str]:
    """Where the site is served: the search asks for its index, which a file may not."""
    handler = functools.partial(_Quiet, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if find_browser() is None:
        pytest.skip("this machine has no such thing: a browser (chromium-headless-shell)")
    started = Browser(tmp_path_factory.mktemp("profile"))
    yield started
    started.close()


def await_true(browser: Browser, expression: str) -> None:
    until = time.monotonic() + WATCHDOG_S
    while not browser.evaluate(expression):
        assert time.monotonic() < until, f"never true: {expression}; {browser.complaints}"
        time.sleep(0.05)


def visit(browser: Browser, url: str, width: int = 1280, *, dark: bool = False) -> None:
    """Open a page at a width."""
    browser.call("Emulation.setDeviceMetricsOverride", width=width, height=900,
                 deviceScaleFactor=1, mobile=width < 600)  # fmt: skip
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    browser.call("Emulation.setEmulatedMedia", features=[scheme])
    browser.call("Page.navigate", url=url)
    await_true(
        browser, f"location.href === {json.dumps(url)} && document.readyState === 'complete'"
    )


def expect_content(browser: Browser, url: str) -> None:
    """No complaint of the browser, and nothing was asked of another server."""
    assert browser.complaints == []
    assert browser.requests
    strangers = [r for r in browser.requests if not r.startswith((url, "data:", f"blob:{url}"))]
    assert strangers == []


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("dark", [False, True])
def test_a_browser_shows_pages(browser: Browser, served: str, width: int, dark: bool) -> None:
    for page in ("index.html", "docs/tour.html", "docs/gallery.html", "spec/wire/pool.html"):
        visit(browser, served + page, width, dark=dark)
        assert browser.evaluate("document.querySelector('h1').getBoundingClientRect().height") > 10
        # Wide tables and code scroll in themselves.
        assert browser.evaluate("document.documentElement.scrollWidth") <= width, page
        shade = browser.evaluate(
            "getComputedStyle(document.body).backgroundColor.match(/[0-9.]+/g).map(Number)[0]"
        )
        assert (shade < 100) is dark
    expect_content(browser, served)


#: The search is an element of its own, which the page's style and scripts do not reach.
SEARCH = "[...document.querySelectorAll('*')].find((e) => e.shadowRoot)?.shadowRoot"


def test_a_word_is_found(browser: Browser, served: str) -> None:
    visit(browser, served + "index.html")
    await_true(browser, f"{SEARCH} !== undefined")
    browser.evaluate("document.querySelector('.md-search__button').click()")
    await_true(browser, f"{SEARCH}.activeElement?.tagName === 'INPUT'")
    browser.call("Input.insertText", text="lifecycle")
    links = f"[...({SEARCH}).querySelectorAll('a')].map((a) => a.href)"
    await_true(browser, f"{links}.some((link) => link.includes('how-to/lifecycle-nodes.html'))")
    wanted = next(link for link in browser.evaluate(links) if "how-to/lifecycle-nodes" in link)
    visit(browser, wanted)
    assert browser.evaluate("document.querySelector('h1').textContent").startswith(
        "Lifecycle nodes"
    )
    expect_content(browser, served)
