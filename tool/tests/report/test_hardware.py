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


def status(frames: int, peak: int, isolated: bool = False) -> dict[str, Any]:
    network = {
        "topic": "/middle", "frames": frames, "beats": 10 * frames, "stalls": 3, "gaps": 2,
        "drops": 1, "peak_beats": peak,
    }  # fmt: skip
    told = {"messages": frames, "refused": 1, "cycles": 100 * frames, "isolated": isolated}
    nodes = [
        {"id": "/first", "hardware": {**told, "networks": [network]}},
        {"id": "/second", "hardware": {**told, "networks": []}},
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
        "node": "/first", "messages": 12, "refused": 2, "cycles": 1200, "isolated": True,
    }  # fmt: skip
    assert [row["node"] for row in hardware["nodes"]] == ["/first", "/second"]
    assert hardware["topics"] == [
        {"topic": "/middle", "frames": 12, "beats": 120, "stalls": 6, "gaps": 4, "drops": 2,
         "peak_beats": 9}
    ]  # fmt: skip


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
    assert set(hardware_of(folder / "status.jsonl", build)["hardware"]) == {"nodes", "topics"}
    assert hardware_of(tmp_path / "none", build) == {}


def test_terminal_and_page_show_them(report: dict[str, Any]) -> None:
    console = Console(record=True, width=200, file=io.StringIO())
    print_report(report, console)
    said = console.export_text()
    assert "topics in hardware" in said and "cells of the designs, family xcup" in said
    page = render_page(report, Extras())
    found = re.findall(r'data-path="([^"]+)" data-value="([^"]*)" data-kind="(\w+)">([^<]*)<', page)
    shown = {path: text for path, _, _, text in found}
    place = "variants/0/hardware"
    assert shown[f"{place}/topics/0/stalls"] == "6"
    assert shown[f"{place}/area/rows/0/of"] == "/first"
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
