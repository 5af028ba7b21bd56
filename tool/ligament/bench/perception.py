# SPDX-License-Identifier: Apache-2.0
"""`ligament bench perception`: the demo's figures as rows, fast, paced, and in hardware."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from ligament.bench.goals import Figures, Goal
from ligament.bench.measuring import Row, make_row
from ligament.demo.demo import demonstrate
from ligament.demo.figures import four_ways
from ligament.demo.runs import DemoOptions
from ligament.resources import node_packages_dir

#: Metrics of the published comparison, by the key that the published value has.
PUBLISHED_AS = {
    "change": "published",
    "change_paced": None,
    "over_offloaded": "published_over_offloaded",
}
PUBLISHED_HZ = 250e6


#: A frame streamed through both kernels with 4 pixels per cycle, and its chain beside software's.
_CYCLES_GOAL = 90_000
_CHANGE_GOALS = {250e6: -0.65, 100e6: -0.2}
_FAST = "message passing of `{variant}`, as fast as the graph goes"
_SLOWER = {
    "fpga_streamed": "an image of 640x480 is 307,200 cycles where cores take one pixel per cycle",
    "fpga_wide": "one thread evaluates both cores, cycle by cycle",
    "fpga_widest": "a fifth fewer cycles than `fpga_wide`, but each evaluates twice the pixels",
}
FIGURES = Figures(
    goals=(
        Goal(_FAST, "message_passing", 0.05, {"pacing": "ack", "variant": "processes"},
             over="chain", unit="share", published="more than 73.3 %",
             why="a faster processor shortens the kernels, which took 1 ms here, and hardly the "
                 "three wake-ups between processes"),
        Goal(_FAST, "message_passing", None,
             {"pacing": "ack", "variant": ("one_process", "fused", "gpu", "dds")},
             over="chain", unit="share"),
        Goal("message passing of `{variant}`, paced at 30 Hz", "message_passing",
             where={"pacing": None}, floor="one_way"),
        Goal("cycles of a frame, `{variant}`, {clock}", "cycles", _CYCLES_GOAL,
             {"variant": "fpga_streamed"},
             why="the cores take one pixel per cycle, and an image of 640x480 has 307,200"),
        Goal("cycles of a frame, `{variant}`, {clock}", "cycles", _CYCLES_GOAL,
             {"variant": ("fpga_wide", "fpga_widest")}),
        Goal("cycles of a frame, `{variant}`, {clock}", "cycles", None,
             {"variant": ("fpga_resize", "fpga_offloaded", "fpga_fused")}),
        *(
            Goal("chain of `{variant}`, {clock}, to software's", "change", limit,
                 {"variant": "fpga_streamed", "clock_hz": clock}, unit="share",
                 why="software takes about 1 ms here; on the board of the published measurements "
                     "it took 91 ms ([figures](../examples/perception/figures.md#on-the-fpga))")
            for clock, limit in _CHANGE_GOALS.items()
        ),
        *(
            Goal("chain of `{variant}`, {clock}, to software's", "change", limit,
                 {"variant": "fpga_wide", "clock_hz": clock}, unit="share",
                 why="4 pixels per cycle, and 32 rows that the lens needs first, are 82,000 "
                     "cycles ([figures](../examples/perception/figures.md"
                     "#several-pixels-per-cycle))")
            for clock, limit in _CHANGE_GOALS.items()
        ),
        Goal("chain of `{variant}`, {clock}, to software's", "change", _CHANGE_GOALS[250e6],
             {"variant": "fpga_widest"}, unit="share",
             why="what the host adds to 64,000 cycles; a larger FPGA holds 8 pixels per cycle"),
        *(
            Goal("chain of `{variant}`, {clock}, to software's at 30 Hz", "change_paced", limit,
                 {"variant": ("fpga_streamed", "fpga_wide", "fpga_widest"), "clock_hz": clock},
                 unit="share", why="the cores take one pixel per cycle")
            for clock, limit in _CHANGE_GOALS.items()
        ),
        Goal("frames per second of the simulation, `{variant}`, {clock}", "simulated", 10.0,
             {"variant": ("fpga_streamed", "fpga_wide", "fpga_widest")}, at_least=True,
             why=lambda row: _SLOWER[row["params"]["variant"]]),
        Goal("chain of `{variant}`, {clock}, to the two nodes over memory", "over_offloaded",
             where={"variant": ("fpga_streamed", "fpga_wide", "fpga_widest", "fpga_fused")},
             unit="share"),
    ),
    results={"perception": "the demo's graph, 640x480"},
    floors=("futex", "opencv"),
    free=("goal", "time_base"),
    words={
        "at 30 Hz": "a camera's rate: between two frames the software's caches and memory cool "
        "down, as those of the host beside a simulated FPGA do; without it software goes from "
        "frame to frame as fast as it can",
        "`fpga_streamed`": "both kernels are cores in the FPGA, with a stream between them",
    },
)  # fmt: skip


def measure(quick: bool) -> list[Row]:
    """Run the demo in a folder of its own and take its figures."""
    graph = node_packages_dir().parent / "examples" / "perception" / "graph.yaml"
    with tempfile.TemporaryDirectory() as folder:
        options = DemoOptions(
            graph,
            frames=100 if quick else 600,
            hardware_frames=20 if quick else 40,
            larger=True,
            paced_frames=60 if quick else 300,
            out=Path(folder),
        )
        report = demonstrate(
            options, lambda text: print(f"perception: {text}", file=sys.stderr, flush=True)
        ).report
    return rows_of_report(report)


def rows_of_report(report: dict[str, Any]) -> list[Row]:
    """Latency and message passing of each variant, fast and paced, kernels and floors."""
    rows: list[Row] = []
    for variant in report["variants"]:
        params = {"variant": variant["name"], "pacing": "ack", "equal": variant["equal"]}
        rows += _chain_rows(variant, params)
    paced = report.get("paced", {"variants": []})
    for entry in paced["variants"]:
        params = {"variant": entry["name"], "pacing_us": 1e6 / paced["rate_hz"],
                  "equal": entry["equal"]}  # fmt: skip
        rows += _chain_rows(entry, params)
        rows += entry["floors"][-1:]
    rows += report["kernels"]["bare"]
    rows += _hardware_rows(report)
    return rows


def _hardware_rows(report: dict[str, Any]) -> list[Row]:
    """Chain and cycles of the variants on the simulated FPGA, and the published comparison.

    `time_base` says whose time it is; cycles are the sum of the designs' medians.
    """
    rows: list[Row] = []
    for entry in report.get("hardware", {}).get("variants", []):
        params = {"variant": entry["name"], "pacing": "ack", "clock_hz": entry["clock_hz"],
                  "time_base": entry["time_base"], "equal": entry["equal"]}  # fmt: skip
        cycles = entry["cycles_per_frame"]
        rows.append(make_row("perception", params, "cycles", "cycles", cycles))
        if entry["latency_ns"]:
            rows.append(make_row("perception", params, "chain", "ns", entry["latency_ns"]))
        # One frame after the other: the next one is sent when the sink has this one.
        if passed := entry["wall_latency_ns"]:
            rate = 1e9 / passed["p50"]
            rows.append(make_row("perception", params, "simulated", "frames/s", rate))
    for way in four_ways(report):
        for metric, published in PUBLISHED_AS.items():
            params = {"variant": way["name"], "clock_hz": way["clock_hz"], "time_base": "modelled"}
            board = {**params, "clock_hz": PUBLISHED_HZ, "time_base": "host"}
            for peer, of, value in (
                ("ligament", params, way[metric]),
                ("published", board, way[published] if published else None),
            ):
                if value is not None and (peer == "ligament" or way["clock_hz"] == PUBLISHED_HZ):
                    row = make_row("perception", of, metric, "1", value, peer)
                    rows.append(row)
    return rows


def _chain_rows(entry: dict[str, Any], params: dict[str, Any]) -> list[Row]:
    return [
        make_row("perception", params, metric, "ns", entry[key])
        for metric, key in (("chain", "latency_ns"), ("message_passing", "message_passing_ns"))
        if entry[key]
    ]
