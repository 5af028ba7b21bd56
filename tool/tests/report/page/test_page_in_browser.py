# SPDX-License-Identifier: Apache-2.0
"""The page in a real browser: it loads, complains of nothing, and shows what report.json says."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from browser import Browser
from many_frames import device_frames, many_frames

from ligament.report.options import ReportOptions
from ligament.report.page.make import make_page
from ligament.report.page.pictures import draw_variant
from ligament.report.page.render import Extras, render_page
from ligament.report.page.text import look_up
from ligament.report.stage import make_report

MakeRun = Callable[..., Path]

SIZES = [(1200, 900), (375, 700)]
FIGURES = """[...document.querySelectorAll('[data-path]')].map(
  (e) => [e.dataset.path, e.dataset.value, e.tagName])"""
HOSTILE = "/</script><img src=x onerror=window.hacked=1>\"'&"


def figures_equal(browser: Browser, report: dict[str, Any]) -> int:
    """Compare every figure on the page with report.json; how many there were."""
    report = json.loads(json.dumps(report))
    found = browser.evaluate(FIGURES)
    for path, raw, tag in found:
        assert json.loads(raw) == look_up(report, path), f"{path} in a {tag}"
    return len(found)


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("dark", [False, True])
def test_the_page_shows_the_report(
    browser: Browser,
    two_variants: dict[str, Any],
    tmp_path: Path,
    width: int,
    height: int,
    dark: bool,
) -> None:
    page = make_page(two_variants, tmp_path / "report.html")
    browser.complaints.clear()
    browser.requests.clear()
    browser.look(page, width, height, dark=dark)
    assert browser.complaints == []
    assert {uri.partition(":")[0] for uri in browser.requests} <= {"file", "data"}
    assert figures_equal(browser, two_variants) > 150
    assert browser.evaluate("document.documentElement.scrollWidth") == width
    for chart in ("latency", "parts", "hops", "spread", "distribution"):
        assert browser.evaluate(f"document.querySelectorAll('#chart-{chart} svg').length") > 0
    paper = browser.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper == ("rgb(18, 22, 29)" if dark else "rgb(255, 255, 255)")


@pytest.mark.parametrize("base", ["device", "modelled"])
def test_devices_are_shown_with_whose_clock_it_is(
    browser: Browser, make_run: MakeRun, tmp_path: Path, base: str
) -> None:
    runs = [make_run(many_frames(), "processors"), make_run(device_frames(base), "devices")]
    report = make_report(runs, ReportOptions(warm_up=5))
    variant = report["variants"][1]
    assert variant["time_base"] == base
    assert variant["device_bound_ns"] == 7
    wall = variant["wall_latency_ns"]
    assert (wall is None) == (base == "device")
    # 600 of the simulator's are 350 and a little of the hardware's.
    assert variant["latency_ns"]["p50"] == 1000 if wall is None else wall["p50"] == 1000
    browser.complaints.clear()
    browser.look(make_page(report, tmp_path / "report.html"), 1200, 900)
    assert browser.complaints == []
    assert figures_equal(browser, report) > 150
    text = re.sub(r"\s+", " ", browser.evaluate("document.querySelector('main').innerText"))
    told = "by the device's own clock" if base == "device" else "its latency is modelled"
    assert told in text
    chips = browser.evaluate("document.querySelector('.verdicts').innerText")
    assert ("modelled time" in chips) == (base == "modelled")
    browser.evaluate("document.querySelector('[data-choose=\"1\"]').click()")
    begins = browser.evaluate(
        "JSON.parse(document.getElementById('timelines').textContent)[1].slices.begin"
    )
    low, high = seen(browser)
    assert sum(low <= begin <= high for begin in begins) > 20, "something is in sight at first"
    assert high <= max(begins) + 0.1 * (high - low)
    legend = browser.evaluate("document.getElementById('timeline-legend').innerText")
    assert "waits for a device" in legend
    tracks = browser.evaluate(
        "JSON.parse(document.getElementById('timelines').textContent)[1].tracks"
    )
    assert any(track.startswith("a GPU: /rectify copies") for track in tracks)


def test_bars_are_as_long_as_their_figures(
    browser: Browser, two_variants: dict[str, Any], tmp_path: Path
) -> None:
    browser.look(make_page(two_variants, tmp_path / "report.html"), 1200, 900)
    bars = browser.evaluate(
        "[...document.querySelectorAll('#chart-parts rect[data-path]')].map("
        "(e) => [e.dataset.path, Number(e.dataset.value), Number(e.getAttribute('width'))])"
    )
    scales = {
        round(
            width / (share * look_up(two_variants, f"{path.split('/shares')[0]}/latency_ns/mean")),
            6,
        )
        for path, share, width in bars
        if share > 0.01
    }
    assert len(bars) == 12 and len(scales) == 1, scales


def test_choosing_a_variant_changes_hops_tables_and_graph(
    browser: Browser, two_variants: dict[str, Any], tmp_path: Path
) -> None:
    browser.look(make_page(two_variants, tmp_path / "report.html"), 1200, 900)
    assert "variants/0/hops/0/between_ns/compute" in str(browser.evaluate(FIGURES))
    browser.evaluate("document.querySelector('[data-choose=\"1\"]').click()")
    assert browser.evaluate(
        "document.querySelector('#chart-hops rect[data-path]').dataset.path"
    ) == ("variants/1/hops/0/between_ns/compute")
    assert browser.evaluate("document.querySelector('[data-variant=\"0\"]').hidden") is True
    assert browser.evaluate("document.querySelector('[data-variant=\"1\"]').hidden") is False
    graph = "document.querySelector('#graph-box').firstElementChild.shadowRoot.textContent"
    assert "two on the recording" in re.sub(r"\s+", " ", browser.evaluate(graph))
    figures_equal(browser, two_variants)


def test_each_hop_s_distribution_is_drawn_where_there_is_one(
    browser: Browser, two_variants: dict[str, Any], tmp_path: Path
) -> None:
    browser.look(make_page(two_variants, tmp_path / "report.html"), 1200, 900)
    dots = "[...document.querySelectorAll('#chart-spread circle')].map((e) => e.dataset.path)"
    hops = len(two_variants["variants"][0]["hops"])
    assert len(browser.evaluate(dots)) == 3 * hops
    assert "variants/0/hops/0/total_quantiles/5/value_ns" in browser.evaluate(dots)
    for variant in two_variants["variants"]:
        for hop in variant["hops"]:
            del hop["total_quantiles"]
    browser.look(make_page(two_variants, tmp_path / "older.html"), 1200, 900)
    text = browser.evaluate("document.getElementById('chart-spread').textContent")
    assert text == "There is no distribution of single hops in this report."
    assert browser.complaints == []


def seen(browser: Browser) -> tuple[int, int]:
    data = browser.evaluate("({...document.getElementById('timeline-canvas').dataset})")
    return int(data["from"]), int(data["to"])


def test_the_timeline_obeys_the_keyboard(
    browser: Browser, two_variants: dict[str, Any], tmp_path: Path
) -> None:
    browser.look(make_page(two_variants, tmp_path / "report.html"), 1200, 900)
    browser.evaluate("document.getElementById('timeline-canvas').focus()")
    browser.press("0")
    whole = seen(browser)
    browser.press("+")
    near = seen(browser)
    assert near[1] - near[0] == pytest.approx((whole[1] - whole[0]) / 2, rel=0.05)
    browser.press("ArrowRight")
    later = seen(browser)
    assert later[0] > near[0] and later[1] - later[0] == pytest.approx(near[1] - near[0], abs=2)
    browser.press("-")
    assert seen(browser)[1] - seen(browser)[0] > later[1] - later[0]
    browser.press("0")
    browser.press("Enter")
    told = browser.evaluate("document.getElementById('timeline-told').textContent")
    assert re.match(r"callback /rectify /image_raw: 750 ns, begins at [\d.]+ ms", told), told


def box_of_timeline(browser: Browser) -> dict[str, float]:
    browser.evaluate("document.getElementById('timeline-canvas').scrollIntoView({block: 'center'})")
    box: dict[str, float] = browser.evaluate(
        "document.getElementById('timeline-canvas').getBoundingClientRect().toJSON()"
    )
    return box


def test_the_timeline_obeys_mouse_and_wheel(
    browser: Browser, two_variants: dict[str, Any], tmp_path: Path
) -> None:
    browser.look(make_page(two_variants, tmp_path / "report.html"), 1200, 900)
    box = box_of_timeline(browser)
    x, y = box["x"] + 500, box["y"] + 60
    before = seen(browser)
    for kind, at in (("mousePressed", x), ("mouseMoved", x - 200), ("mouseReleased", x - 200)):
        browser.call("Input.dispatchMouseEvent", type=kind, x=at, y=y, button="left", clickCount=1,
                     buttons=1)  # fmt: skip
    dragged = seen(browser)
    assert dragged[0] > before[0], "dragged to the left: later times come into sight"
    browser.call("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=-200,
                 modifiers=2)  # fmt: skip
    browser.evaluate("new Promise(requestAnimationFrame)")
    zoomed = seen(browser)
    assert zoomed[1] - zoomed[0] < dragged[1] - dragged[0]


def test_the_timeline_obeys_two_fingers(
    browser: Browser, two_variants: dict[str, Any], tmp_path: Path
) -> None:
    browser.look(make_page(two_variants, tmp_path / "report.html"), 375, 700)
    browser.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=2)
    try:
        box = box_of_timeline(browser)
        y, middle = box["y"] + 60, box["x"] + 170
        before = seen(browser)

        def touch(kind: str, apart: float) -> None:
            points = [
                {"x": middle - apart, "y": y, "id": 1},
                {"x": middle + apart, "y": y, "id": 2},
            ]
            browser.call("Input.dispatchTouchEvent", type=kind,
                         touchPoints=[] if kind == "touchEnd" else points)  # fmt: skip

        touch("touchStart", 30)
        for apart in (45, 60, 80, 100):
            touch("touchMove", apart)
        touch("touchEnd", 0)
        after = seen(browser)
        assert after[1] - after[0] < 0.7 * (before[1] - before[0])
    finally:
        browser.call("Emulation.setTouchEmulationEnabled", enabled=False)


def test_hostile_names_stay_text(
    browser: Browser, two_variants: dict[str, Any], tmp_path: Path, make_run: MakeRun
) -> None:
    text = json.dumps(two_variants)
    quoted = json.dumps(HOSTILE)[1:-1]
    for name in ("/image_raw", "/rectify", "remap"):
        text = text.replace(name, quoted)
    report = json.loads(text)
    report["variants"][0]["name"] = report["graph"] = report["reference"] = HOSTILE
    trace = many_frames()
    for row in trace.rows:
        if row.get("name"):
            row["name"] = HOSTILE
    report["variants"][0]["run_dir"] = str(make_run(trace, "hostile"))
    page = make_page(report, tmp_path / "report.html")
    browser.complaints.clear()
    browser.look(page, 1200, 900)
    browser.evaluate("document.getElementById('timeline-canvas').focus()")
    browser.press("Enter")
    assert HOSTILE in browser.evaluate("document.getElementById('timeline-told').textContent")
    assert browser.evaluate("window.hacked === undefined && !document.querySelector('img')")
    assert browser.evaluate("document.querySelector('h1').textContent") == HOSTILE
    assert browser.complaints == []
    figures_equal(browser, report)


def test_a_script_that_gets_in_does_not_run(
    browser: Browser, two_variants: dict[str, Any], tmp_path: Path
) -> None:
    text = render_page(two_variants, Extras())
    page = tmp_path / "report.html"
    injected = "<script>window.hacked = 1</script><img src='file:///etc/hostname'>"
    page.write_text(text.replace("<main>", "<main>" + injected))
    browser.complaints.clear()
    browser.look(page, 1200, 900)
    assert browser.evaluate("window.hacked === undefined")
    assert any("Content Security Policy" in text for text in browser.complaints)
    browser.complaints.clear()


def test_a_report_without_a_chain(
    browser: Browser, two_variants: dict[str, Any], tmp_path: Path
) -> None:
    report = copy.deepcopy(two_variants)
    for variant in report["variants"]:
        variant |= {
            "latency_ns": None, "shares": None, "hops": [], "chain": None, "message_passing": None,
            "latency_quantiles": None, "latency_histogram": None, "against_reference": None,
        }  # fmt: skip
    browser.complaints.clear()
    browser.look(make_page(report, tmp_path / "report.html"), 375, 700)
    assert browser.complaints == []
    shown = browser.evaluate("document.getElementById('chart-latency').textContent")
    assert shown == "No message reached the end of a chain, so there is no latency."


def contrast(one: str, other: str) -> float:
    """WCAG's ratio of two `rgb(r, g, b)`."""

    def light(colour: str) -> float:
        parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((light(one), light(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("dark", [False, True])
def test_text_and_marks_can_be_told_from_the_paper(
    browser: Browser, two_variants: dict[str, Any], tmp_path: Path, dark: bool
) -> None:
    browser.look(make_page(two_variants, tmp_path / "report.html"), 1200, 900, dark=dark)
    paper = browser.evaluate("getComputedStyle(document.body).backgroundColor")

    def colour(variable: str) -> str:
        script = """(() => {
          const mark = document.createElement("i");
          mark.style.color = "var(--%s)";
          document.body.append(mark);
          const found = getComputedStyle(mark).color;
          mark.remove();
          return found;
        })()"""
        return str(browser.evaluate(script % variable))

    for name, least in (("ink", 7.0), ("dim", 4.5), ("good", 4.5), ("bad", 4.5), ("focus", 4.5)):
        assert contrast(colour(name), paper) >= least, name
    for mark in (
        "compute",
        "copy",
        "serialise",
        "transport",
        "queue_wait",
        "executor_wait",
        "v0",
        "v5",
    ):
        assert contrast(colour(mark), paper) >= 3.0, mark


def large_report(base: dict[str, Any], nodes: int) -> dict[str, Any]:
    """A report of a graph of so many nodes: layers of ten, each feeding the next."""
    report = copy.deepcopy(base)
    variant = report["variants"][0]
    report["variants"] = [variant]
    counts = dict.fromkeys(("published", "taken", "dropped", "copies", "cpu_ns", "heap_allocs"), 7)
    variant["nodes"] = [{"node": f"/n{i}", "container": f"c{i}", **counts} for i in range(nodes)]
    topic = dict.fromkeys(("published", "bytes", "taken", "dropped", "copies", "bytes_copied"), 7)
    variant["topics"] = [
        {"topic": f"/t{i}", "from": [f"/n{i}"], "to": [f"/n{i + 10}"] if i + 10 < nodes else [],
         "rate_hz": 10.0, "deadline_missed": 0, **topic}
        for i in range(nodes)
    ]  # fmt: skip
    return report


def test_a_graph_of_a_thousand_nodes_opens(
    browser: Browser, two_variants: dict[str, Any], tmp_path: Path
) -> None:
    report = large_report(two_variants, 1000)
    assert draw_variant(report["graph"], report["variants"][0]).count('class="node"') >= 1000
    browser.complaints.clear()
    browser.look(make_page(report, tmp_path / "report.html"), 1200, 900)
    assert browser.complaints == []
    root = "document.querySelector('#graph-box').firstElementChild.shadowRoot"
    assert browser.evaluate(f"{root}.querySelectorAll('rect.topic').length") >= 1000
    assert figures_equal(browser, report) > 10_000
    metrics = {m["name"]: m["value"] for m in browser.call("Performance.getMetrics")["metrics"]}
    print(f"the browser worked {metrics['TaskDuration']:.2f} s")
