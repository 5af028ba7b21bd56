# SPDX-License-Identifier: Apache-2.0
"""What designs counted, and their cells: in report.json, in the terminal and on the page."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from made_up_traces import Trace
from rich.console import Console

from ligament import resources
from ligament.report.hardware import hardware_of
from ligament.report.limits import limits_of
from ligament.report.options import ReportOptions
from ligament.report.page.render import Extras, render_page
from ligament.report.page.text import look_up, text_of
from ligament.report.stage import make_report
from ligament.report.terminal import print_report

MakeRun = Callable[..., Path]
SYNTHESIS = {
    "device": "fpga0",
    "family": "xcup",
    "budgets": {"lut": 1000, "dsp": 8},
    "total": {"lut": 700, "ff": 30, "dsp": 2},
    "designs": [
        {
            "name": "one-fpga0-fpga",
            "whose": {"node_n0_first": "/first", "network_0": "/middle"},
            "parts": {
                "node_n0_first": {"lut": 600, "ff": 20, "dsp": 2},
                "network_0": {"lut": 90, "ff": 10},
                "lig_design_x": {"lut": 10},
            },
        }
    ],
}


def stream(
    port: str, direction: str, memory: bool, beats: int, stalls: int, gaps: int
) -> dict[str, Any]:
    return {
        "port": port, "direction": direction, "memory": memory, "beats": beats, "stalls": stalls,
        "gaps": gaps,
    }  # fmt: skip


def status(frames: int, peak: int, isolated: bool = False) -> dict[str, Any]:
    network = {
        "topic": "/middle", "frames": frames, "beats": 10 * frames, "stalls": 3, "gaps": 2,
        "drops": 1, "peak_beats": peak,
    }  # fmt: skip
    told = {"messages": frames, "refused": 1, "cycles": 100 * frames, "isolated": isolated}
    told |= {"left": 3, "device": "fpga0", "design_cycles": 200 * frames, "starved": 0}
    first = {"held": 140 * frames, "full": 2 * frames, "streams": [
        stream("in", "in", True, 40 * frames, 150 * frames, 4 * frames),
        stream("middle", "out", False, 40 * frames, 140 * frames, 0),
    ]}  # fmt: skip
    second = {"held": 0, "full": 166 * frames, "streams": [
        stream("in", "in", False, 30 * frames, 166 * frames, 0),
        stream("info", "in", False, frames, 5 * frames, 0),
        stream("out", "out", True, 30 * frames, 3 * frames, 9 * frames),
    ]}  # fmt: skip
    nodes = [
        {"id": "/first", "hardware": {**told, **first, "networks": [network]}},
        {"id": "/second", "hardware": {**told, **second, "networks": []}},
        {"id": "/software"},
    ]
    return {"event": "status", "container": "fpga0", "nodes": nodes}


def hardware_run(trace: Trace, make_run: MakeRun, synthesis: dict[str, Any] | None) -> Path:
    folder = make_run(trace)
    ready = {"event": "ready", "container": "fpga0", "pid": 1}
    lines = [ready, status(2, 9), status(5, 9), ready, status(7, 4, isolated=True)]
    (folder / "status.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    build = {"check": {"sink": "/sink"}} | ({"synthesis": synthesis} if synthesis else {})
    (folder.parent.parent / "build.json").write_text(json.dumps(build))
    return folder


@pytest.fixture
def report(trace: Trace, make_run: MakeRun) -> dict[str, Any]:
    for seq in range(1, 13):
        trace.frame(10_000 * seq, seq)
    made = make_report([hardware_run(trace, make_run, SYNTHESIS)], ReportOptions(warm_up=0))
    schema = json.loads((resources.spec_dir() / "report" / "report.schema.json").read_text())
    jsonschema.validate(json.loads(json.dumps(made)), schema)
    return made


def test_counts_are_those_of_all_lives(report: dict[str, Any]) -> None:
    hardware = report["variants"][0]["hardware"]
    assert hardware["nodes"][0] == {
        "node": "/first", "messages": 12, "refused": 2, "left": 6, "cycles": 1200, "isolated": True,
    }  # fmt: skip
    assert [row["node"] for row in hardware["nodes"]] == ["/first", "/second"]
    assert hardware["topics"] == [
        {"topic": "/middle", "frames": 12, "beats": 120, "stalls": 6, "gaps": 4, "drops": 2,
         "peak_beats": 9}
    ]  # fmt: skip


def test_the_core_that_others_wait_for_is_named(report: dict[str, Any]) -> None:
    hardware = report["variants"][0]["hardware"]
    assert hardware["designs"] == [
        {"device": "fpga0", "cycles": 2400, "kind": "core", "node": "/second", "port": "in",
         "share": 0.83,
         "text":
         "fpga0: the core of /second is the slowest: it kept its input in waiting 83 % of the time"}
    ]  # fmt: skip
    (in_first,) = (r for r in hardware["streams"] if (r["node"], r["port"]) == ("/first", "in"))
    assert in_first == {
        "node": "/first", "port": "in", "direction": "in", "memory": True, "beats": 480,
        "stalls": 1800, "gaps": 48, "busy": 0.2, "stalled": 0.75, "missing": 0.02,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("full", "streams", "kind", "words"),
    [
        (5, [stream("in", "in", True, 9, 5, 60)], "memory",
         "the way from memory is the slowest: input in of /one waited 60 % of the time for"),
        (5, [stream("out", "out", True, 9, 60, 5)], "memory",
         "the way to memory is the slowest: output out of /one waited 60 % of the time"),
        # What holds a core's output is another core, as long as there is one that is slow.
        (20, [stream("in", "in", True, 9, 80, 0), stream("out", "out", False, 9, 60, 5)], "core",
         "the core of /one is the slowest: it kept its input in waiting 20 % of the time"),
        (5, [stream("in", "in", True, 9, 80, 0), stream("out", "out", False, 9, 60, 5)], "topic",
         "the topic behind it is the slowest: output out of /one waited 60 % of the time"),
        (5, [stream("in", "in", True, 9, 80, 0), stream("out", "out", True, 9, 6, 50)], "none",
         "no core, topic or way to memory kept another one waiting for more than 6 % of the time"),
        (5, [stream("in", "in", True, 49, 9, 0), stream("out", "out", True, 20, 6, 50)], "none",
         "for more than 6 % of the time"),
        (5, [stream("in", "in", True, 90, 9, 0), stream("out", "out", True, 20, 6, 50)], "stream",
         "its width is the limit: input in of /one moved a beat 90 % of the time"),
        (10, [stream("in", "in", True, 90, 9, 0)], "core", "the core of /one is the slowest"),
        (0, [], "none", "for more than 0 % of the time"),
    ],
)  # fmt: skip
def test_what_holds_a_design_back_is_told_in_words(
    tmp_path: Path, full: int, streams: list[dict[str, Any]], kind: str, words: str
) -> None:
    told = {"device": "fpga0", "design_cycles": 100, "full": full, "streams": streams}
    line = {
        "event": "status", "container": "fpga0", "nodes": [{"id": "/one", "hardware": told}],
    }  # fmt: skip
    path = tmp_path / "status.jsonl"
    path.write_text(json.dumps({"event": "ready", "container": "fpga0"}) + "\n" + json.dumps(line))
    (design,) = limits_of(path)["designs"]
    assert design["kind"] == kind
    assert words in design["text"]
    assert (design["node"] is None) == (kind == "none")


def test_a_design_that_did_nothing_has_no_shares(tmp_path: Path) -> None:
    told = {"device": "fpga0", "design_cycles": 0, "streams": [stream("in", "in", True, 0, 0, 0)]}
    line = {"event": "status", "nodes": [{"id": "/one", "hardware": told}]}
    (tmp_path / "status.jsonl").write_text(json.dumps(line))
    limits = limits_of(tmp_path / "status.jsonl")
    assert limits["streams"][0]["stalled"] == 0.0
    assert limits["designs"][0]["kind"] == "none"


def test_cells_are_told_by_node_and_topic_beside_the_budget(report: dict[str, Any]) -> None:
    area = report["variants"][0]["hardware"]["area"]
    told = {row["part"]: (row["of"], row["lut"], row["dsp"]) for row in area["rows"]}
    assert told == {
        "node_n0_first": ("/first", 600, 2),
        "network_0": ("/middle", 90, None),
        "lig_design_x": ("one-fpga0-fpga", 10, None),
        "all": ("fpga0", 700, 2),
        "budget": ("fpga0", 1000, 8),
    }


def test_without_synthesis_or_hardware_nothing_is_told(
    trace: Trace, make_run: MakeRun, tmp_path: Path
) -> None:
    folder = hardware_run(trace.frame(10_000, 1), make_run, None)
    build = folder.parent.parent / "build.json"
    told = {"nodes", "topics", "streams", "designs"}
    assert set(hardware_of(folder / "status.jsonl", build)["hardware"]) == told
    assert hardware_of(tmp_path / "none", build) == {}


def test_terminal_and_page_show_them(report: dict[str, Any]) -> None:
    console = Console(record=True, width=200, file=io.StringIO())
    print_report(report, console)
    said = console.export_text()
    assert "topics in hardware" in said and "cells of the designs, family xcup" in said
    assert "streams of the cores" in said and "in middle" not in said and "out middle" in said
    assert "fpga0: the core of /second is the slowest" in said
    page = render_page(report, Extras())
    found = re.findall(r'data-path="([^"]+)" data-value="([^"]*)" data-kind="(\w+)">([^<]*)<', page)
    shown = {path: text for path, _, _, text in found}
    place = "variants/0/hardware"
    assert shown[f"{place}/topics/0/stalls"] == "6"
    assert shown[f"{place}/area/rows/0/of"] == "/first"
    assert "/second is the slowest" in shown[f"{place}/designs/0/text"]
    assert shown[f"{place}/streams/0/stalled"] == "75.00 %"
    for path, _, kind, text in found:
        assert text == text_of(look_up(report, path), kind), path


def test_the_page_shows_the_demo_s_variants_on_the_fpga(report: dict[str, Any]) -> None:
    entry = {
        "name": "streamed", "run_dir": "d", "frames": 60, "equal": True,
        "equality": {"text": "equal"}, "time_base": "modelled", "message_passing": 0.05,
        "latency_ns": report["variants"][0]["latency_ns"], "clock_hz": 100e6,
        "cycles_per_frame": 327_776.0, "cycles": {},
        "hardware": report["variants"][0]["hardware"],
    }  # fmt: skip
    report["hardware"] = {"variants": [entry]}
    schema = json.loads((resources.spec_dir() / "report" / "report.schema.json").read_text())
    jsonschema.validate(json.loads(json.dumps(report)), schema)
    page = render_page(report, Extras())
    shown = dict(re.findall(r'data-path="(hardware/[^"]+)"[^>]*>([^<]*)<', page))
    assert shown["hardware/variants/0/cycles_per_frame"].replace("\u202f", "") == "327776"
    assert shown["hardware/variants/0/clock_hz"] == "100 MHz"
    assert shown["hardware/variants/0/hardware/topics/0/topic"] == "/middle"
    assert "streamed: Topics in hardware" in page


def test_cores_that_are_as_slow_are_named_together(tmp_path: Path) -> None:
    nodes = [
        {"id": name, "hardware": {
            "device": "fpga0", "design_cycles": 100, "full": full,
            "streams": [stream("in", "in", True, 9, 80, 0)],
        }}
        for name, full in (("/quick", 20), ("/slow", 50), ("/slower", 55))
    ]  # fmt: skip
    path = tmp_path / "status.jsonl"
    lines = [{"event": "ready"}, {"event": "status", "nodes": nodes}]
    path.write_text("\n".join(json.dumps({**line, "container": "fpga0"}) for line in lines))
    (design,) = limits_of(path)["designs"]
    assert design["text"] == (
        "fpga0: the core of /slower is the slowest: it kept its input in waiting 55 % of the time; "
        "that of /slow nearly as much (50 %)"
    )
