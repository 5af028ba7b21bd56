# SPDX-License-Identifier: Apache-2.0
"""The page's text: what it carries, what it lets nobody do, and its bounds. No browser needed."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from made_up_traces import Trace
from many_frames import many_frames

from ligament.cli.main import main
from ligament.report.page import rows as page_rows
from ligament.report.page import timeline as timelines
from ligament.report.page.make import gather, make_page
from ligament.report.page.pictures import derived_mapping
from ligament.report.page.render import Extras, json_for_script, render_page
from ligament.report.page.text import look_up, text_of
from ligament.report.page.timeline import read_timeline

MakeRun = Callable[..., Path]


class Tags(HTMLParser):
    """All elements with the names of their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, list[str]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, [key for key, _ in attrs]))


def test_the_page_carries_its_report_whole(two_variants: dict[str, Any], tmp_path: Path) -> None:
    page = make_page(two_variants, tmp_path / "report.html").read_text()
    (carried,) = re.findall(r'<script type="application/json" id="report">(.*?)</script>', page)
    assert json.loads(carried) == json.loads(json.dumps(two_variants))


def test_every_named_figure_is_the_report_s(two_variants: dict[str, Any]) -> None:
    page = render_page(two_variants, Extras())
    found = re.findall(r'data-path="([^"]+)" data-value="([^"]*)" data-kind="(\w+)">([^<]*)<', page)
    assert len(found) > 100
    for path, raw, kind, text in found:
        value = look_up(two_variants, path)
        assert json.loads(raw.replace("&#34;", '"')) == value, path
        assert text == text_of(value, kind), path


def test_the_graph_of_all_kernels_has_a_table(two_variants: dict[str, Any]) -> None:
    assert "All kernels for GPUs" not in render_page(two_variants, Extras())
    entry = {
        "name": "gpu", "frames": 60, "equal": False, "latency_ns": {"p50": 2000.0},
        "time_base": "device", "message_passing": 0.125, "devices": ["a GPU"],
    }  # fmt: skip
    two_variants["filters"] = {"variants": [entry]}
    page = render_page(two_variants, Extras())
    assert "<h3>All kernels for GPUs in one chain</h3>" in page and "<td>a GPU</td>" in page
    for path, raw in (("equal", "false"), ("message_passing", "0.125"), ("frames", "60")):
        assert f'data-path="filters/variants/0/{path}" data-value="{raw}"' in page


def test_only_its_own_script_may_run_and_nothing_be_loaded(two_variants: dict[str, Any]) -> None:
    page = render_page(two_variants, gather(two_variants))
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', page)
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert "default-src &#39;none&#39;" in policy
    assert f"&#39;sha256-{digest}&#39;" in policy
    assert "unsafe-inline" not in policy.split("script-src")[1]
    assert not re.findall(r'(?:src|href)="(?!#|data:image/png)[^"]*"', page)
    assert not re.findall(r"url\((?!#)|@import|innerHTML|eval\(", page)


@pytest.mark.parametrize(
    "name", ["/</script><script>x()</script>", '/" onload="x()', "/<!--", "/&lt;"]
)
def test_a_name_cannot_leave_its_place(two_variants: dict[str, Any], name: str) -> None:
    for variant in two_variants["variants"]:
        variant["name"] = name
        variant["hops"][0]["topic"] = variant["hops"][0]["from"] = name
    two_variants["graph"] = name
    page = render_page(two_variants, gather(two_variants))
    tags = Tags()
    tags.feed(page)
    assert [tag for tag, _ in tags.found].count("script") == 3
    attributes = {key for _, keys in tags.found for key in keys}
    assert not {key for key in attributes if key.startswith("on")}
    assert page.count("<!--") == 0


def test_json_cannot_end_its_element() -> None:
    text = json_for_script({"a": "</script><!--\u2028&"})
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == {"a": "</script><!--\u2028&"}


def test_a_run_that_is_gone_has_a_page_without_timeline(
    two_variants: dict[str, Any], tmp_path: Path
) -> None:
    for variant in two_variants["variants"]:
        variant["run_dir"] = str(tmp_path / "gone")
    extras = gather(two_variants)
    assert extras.timelines == {}
    assert all("/camera" in picture for picture in extras.pictures.values())


def test_an_unreadable_table_is_said(two_variants: dict[str, Any], tmp_path: Path) -> None:
    two_variants["variants"][0]["run_dir"] = str(tmp_path)
    (tmp_path / "events.parquet").write_text("no table")
    extras = gather(two_variants)
    assert len(extras.missing) == 1 and "cannot be read" in extras.missing[0]
    assert extras.missing[0].replace("'", "&#39;") in render_page(two_variants, extras)


def test_the_derived_graph_has_the_chain_s_ends(two_variants: dict[str, Any]) -> None:
    variant = two_variants["variants"][0] | {"topics": [], "nodes": []}
    mapping = derived_mapping("g", variant)
    assert set(mapping.nodes) == {"/camera", "/rectify", "/sink"}
    ends = [(end.node, end.direction) for end in mapping.topics["/image_rect"].ends]
    assert ends == [("/rectify", "out"), ("/sink", "in")]


def test_rows_that_a_table_leaves_out_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_rows, "MOST_ROWS", 3)
    hops = [{"from": "a", "to": "b", "topic": str(k), "total_ns": None} for k in range(5)]
    (table,) = page_rows.sections({"variants": [{"hops": hops}]})[0]
    assert len(table.rows) == 3 and table.left_out == 2


def test_a_letter_of_a_text_is_no_figure() -> None:
    assert look_up({"name": "one", "rows": ["two"]}, "name/0") is None
    assert look_up({"name": "one", "rows": ["two"]}, "rows/0") == "two"


def test_a_timeline_pairs_begins_and_ends(tmp_path: Path) -> None:
    trace = Trace().names().frame(10_000, 1)
    trace.add(20_000, "callback_start", 2, handle=202, publisher=101, seq=2)  # never ends
    found = read_timeline(trace.write(tmp_path / "events.parquet"))
    assert found is not None and found["whole"]
    slices = found["slices"]
    told = {
        (found["names"][name], found["categories"][category], length)
        for name, category, length in zip(
            slices["name"], slices["category"], slices["length"], strict=True
        )
    }
    assert told == {
        ("callback 0x12d", "callback", 35), ("/rectify /image_raw", "callback", 750),
        ("remap", "compute", 600), ("/sink /image_rect", "callback", 100),
    }  # fmt: skip
    arrows = [(arrow[1], arrow[3]) for arrow in found["arrows"]]
    assert arrows == [(25, 105), (825, 1005)]
    assert sum(found["strip"]["counts"]) == 4


def test_a_long_recording_gives_a_bounded_timeline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timelines, "MOST_EVENTS", 100)
    monkeypatch.setattr(timelines, "MOST_SLICES", 20)
    monkeypatch.setattr(timelines, "MOST_ARROWS", 7)
    found = read_timeline(many_frames(200).write(tmp_path / "events.parquet"))
    assert found is not None and not found["whole"]
    assert len(found["slices"]["track"]) == 20 and found["left_out"] > 0
    assert len(found["arrows"]) == 7
    begin, end = found["window"]
    assert 0 < begin < end < found["span_ns"]
    assert sum(found["strip"]["counts"]) == 400, "the strip is of the whole run"


def test_a_table_in_which_nothing_ran_has_no_timeline(tmp_path: Path) -> None:
    assert read_timeline(Trace().names().write(tmp_path / "events.parquet")) is None


def test_the_verb_writes_the_page_where_asked(
    make_run: MakeRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = make_run(many_frames())
    page = tmp_path / "there" / "page.html"
    assert main(["report", str(run), "--html", str(page)]) == 0
    assert f"page: {page}" in capsys.readouterr().out
    assert page.read_text().startswith("<!doctype html>")
    assert main(["report", str(run)]) == 0
    assert "page:" not in capsys.readouterr().out
    assert not (run / "report.html").exists()


def test_open_without_a_display_says_where_the_page_is(
    make_run: MakeRun, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda uri: bool(opened.append(uri)) or True)
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    run = make_run(many_frames())
    assert main(["report", str(run), "--open"]) == 0
    assert opened == [] and "no display" in capsys.readouterr().err
    monkeypatch.setenv("DISPLAY", ":0")
    assert main(["report", str(run), "--open"]) == 0
    assert opened == [(run / "report.html").resolve().as_uri()]


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (748_123.0, "time", "748 µs"), (1_500, "time", "1.50 µs"), (12, "time", "12 ns"),
        (2.5e9, "time", "2.50 s"), (0.0345, "share", "3.45 %"), (12345, "count", "12\u202f345"),
        (None, "time", "–"), (True, "text", "yes"), (921_600, "size", "922 kB"),
        (0.0021, "energy", "2.10 mJ"), (30.0, "rate", "30 Hz"), (1.05, "ratio", "× 1.050"),
    ],
)  # fmt: skip
def test_forms_of_figures(value: Any, kind: str, text: str) -> None:
    assert text_of(value, kind) == text


def test_programs_of_one_name_are_told_apart_by_their_nodes(tmp_path: Path) -> None:
    trace = Trace().names().frame(10_000, 1)
    for pid in (1, 2, 3):
        trace.add(0, "process_start", pid, container="chain")
        trace.add(0, "node_init", pid, node=pid + 50, name=f"/n{pid}")
    found = read_timeline(trace.write(tmp_path / "events.parquet"))
    assert found is not None
    assert found["tracks"][1:] == ["chain /n2", "chain /n3"]


def test_a_derived_graph_claims_no_transport(two_variants: dict[str, Any]) -> None:
    picture = gather(two_variants).pictures["one"]
    assert "shm" not in re.sub(
        r"<style>.*?</style>|class=\"[^\"]*\"|url\([^)]*\)|id=\"[^\"]*\"", "", picture
    )


def test_values_told_with_spans_have_a_table(two_variants: dict[str, Any]) -> None:
    assert "Values told with spans" not in render_page(two_variants, Extras())
    told = {"node": "/sink", "span": "track", "value": "points", "n": 9, "p50": 640.0, "p99": 700.0,
            "mean": 641.5, "min": 600.0, "max": 701.0}  # fmt: skip
    two_variants["variants"][1]["span_values"] = [told]
    page = render_page(two_variants, Extras())
    assert "Values told with spans" in page
    for key in told:
        assert f'data-path="variants/1/span_values/0/{key}"' in page
