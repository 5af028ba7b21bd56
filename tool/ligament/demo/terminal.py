# SPDX-License-Identifier: Apache-2.0
"""What the demo prints at its end, made from report.json."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from ligament.demo.figures import GOAL, SOFTWARE, four_ways
from ligament.mapping.model import GraphMapping
from ligament.report.terminal import (
    duration,
    equal_text,
    percent,
    print_hardware,
    print_report,
)
from ligament.run.hosts import mapping_of

CLOCKS = {
    "host": "as long as a thread waited for them",
    "device": "by its own clock",
    "modelled": "modelled by its cycles",
}
"""How long kernels on a device took, by a report's `time_base`."""


def print_demo(report: dict[str, Any], console: Console) -> None:
    """The report, then kernels, message passing and the paced figures in one line each."""
    print_report(report, console)
    if "hardware" in report:
        console.print(hardware_table(report["hardware"]))
        if ways := four_ways(report):
            console.print(four_ways_table(ways))
        for variant in report["hardware"]["variants"]:
            print_hardware(variant, console)
    if "filters" in report:
        console.print(filters_table(report["filters"]))
    if report.get("unpinned", {}).get("variants"):
        console.print(unpinned_table(report["unpinned"]))
    if "paced" in report:
        console.print(_paced_table(report["paced"]))
    for line in conclusions(report):
        console.print(line, soft_wrap=True)


def conclusions(report: dict[str, Any]) -> list[str]:
    """The demo's claims, each with its figure, reached or not."""
    lines = []
    runs = {variant["name"]: variant for variant in report["variants"]}
    kernels = report["kernels"]["bare"][-1]["params"]["kernel"].split("+")
    calls = " + ".join(f"cv::{kernel}" for kernel in kernels)
    for entry in report["kernels"]["variants"]:
        run = runs[entry["variant"]]
        where = ""
        if devices := _devices(_mapping_of(run)):
            where = f" on {devices}, {CLOCKS[run.get('time_base') or 'host']}"
        lines.append(
            f"kernels of {entry['variant']}{where}: {duration(entry['ours_p50_ns'])} per "
            f"frame, bare {calls} {duration(entry['bare_p50_ns'])} on the CPU "
            f"(x {entry['ratio']:.3f})"
        )
    lines += [
        f"message passing of {v['name']}: {percent(v['message_passing'])} of the chain "
        f"({_goal(v, v['message_passing'])}); "
        f"median of the frames {percent(v['message_passing_p50'])}"
        for v in report["variants"]
    ]
    lines += [
        f"paced, {entry['name']}: {percent(entry['overhead'])} above the bare wake-ups "
        f"({_goal(entry, entry['overhead'])})"
        for entry in report.get("paced", {}).get("variants", [])
    ]
    return lines


def _goal(entry: dict[str, Any], value: float | None) -> str:
    """The goal is for shared memory between nodes on processors; others are to compare with."""
    if value is None:
        return "no figure"
    mapping = _mapping_of(entry)
    if mapping is not None and mapping.edge.per == "container":
        return "over DDS, to compare with"
    if devices := _devices(mapping):
        return f"outside of host and {devices} kernels, to compare with"
    return f"goal < {GOAL:.0%} {'reached' if value < GOAL else 'MISSED'}"


def _mapping_of(entry: dict[str, Any]) -> GraphMapping | None:
    return mapping_of(Path(entry["run_dir"]).parent.parent / "build.json")


def _devices(mapping: GraphMapping | None) -> str:
    """Those that are no processors."""
    nodes = [] if mapping is None else mapping.nodes.values()
    return ", ".join(sorted({node.device for node in nodes if node.kind != "cpu"}))


def _table(
    title: str, headings: Sequence[str], texts: Sequence[str] = ("variant",), caption: str = ""
) -> Table:
    """An empty table; what is a text stands on the left, a figure on the right."""
    table = Table(
        title=title, title_justify="left", caption=caption or None, caption_justify="left"
    )
    for heading in headings:
        table.add_column(heading, justify="left" if heading in texts else "right")
    return table


def hardware_table(hardware: dict[str, Any]) -> Table:
    """Cycles and the chain of each variant, simulated at each clock."""
    title = (
        "on the FPGA: modelled cycles of the designs per frame, simulated at each clock with "
        "the same memory; the simulator's wall time is in none of these"
    )
    headings = ("variant", "clock", "frames", "equal", "cycles of", "cycles", "their time")
    table = _table(
        title, (*headings, "chain p50", "time base", "message passing"), ("variant", "cycles of")
    )
    for entry in hardware["variants"]:
        cycles, clock = entry["cycles_per_frame"], entry["clock_hz"]
        table.add_row(
            entry["name"],
            f"{clock / 1e6:g} MHz" if clock else "-",
            str(entry["frames"]),
            "[green]yes[/]" if entry["equal"] else "[red]NO[/]",
            ", ".join(f"{node} {row['p50']:.0f}" for node, row in sorted(entry["cycles"].items())),
            f"{cycles:.0f}",
            duration(cycles / clock * 1e9) if clock else "-",
            duration((entry["latency_ns"] or {}).get("p50")),
            str(entry["time_base"] or "-"),
            percent(entry["message_passing"]),
        )
    return table


def four_ways_table(ways: list[dict[str, Any]]) -> Table:
    """The published comparison beside ours; what the times are of is said above it."""
    title = (
        f"the chain against `{SOFTWARE}`, and against the two nodes over memory. Ours: "
        "software by the host's clock, hardware by its cycles, medians. Published: one board, "
        "250 MHz, wall time, means; its software is of that board's processor"
    )
    headings = ("way", "clock", "chain p50", "change", "published", "over offloaded", "published")
    table = _table(title, headings, ("way",))
    for way in ways:
        changes = ("change", "published", "over_offloaded", "published_over_offloaded")
        table.add_row(
            way["name"],
            f"{way['clock_hz'] / 1e6:g} MHz",
            duration(way["chain_ns"]),
            *("-" if way[key] is None else f"{way[key]:+.1%}" for key in changes),
        )
    return table


def filters_table(filters: dict[str, Any]) -> Table:
    """Whether the kernels, one behind the other, give what bare OpenCV does."""
    title = (
        "all kernels for GPUs in one chain: rectify, resize, blur, convert to grey; `gpu`: "
        "four processes, `gpu_queue`: in one, images stay on the device; equal: to cv::remap, "
        "cv::resize, cv::GaussianBlur and cv::cvtColor, frame by frame"
    )
    caption = (
        "a device `pthread...` is PoCL: processors that play the GPU, so its times say "
        "nothing of GPUs"
    )
    headings = ("variant", "kernels on", "frames", "equal", "chain p50", "time base",
                "message passing")  # fmt: skip
    table = _table(title, headings, ("variant", "kernels on"), caption)
    for entry in filters["variants"]:
        table.add_row(
            entry["name"],
            ", ".join(entry["devices"]) or "-",
            str(entry["frames"]),
            equal_text(entry["equal"]),
            duration((entry["latency_ns"] or {}).get("p50")),
            str(entry["time_base"] or "-"),
            percent(entry["message_passing"]),
        )
    return table


def unpinned_table(unpinned: dict[str, Any]) -> Table:
    """Runs on any core beside those on one, and how much the wake-ups explain."""
    wakes = unpinned["wakes"]
    title = (
        "as fast as the graph goes, on one core and on any: the next node's core sleeps, and "
        f"to wake it costs {duration(wakes['unpinned']['p50'])} where a process of the same core "
        f"costs {duration(wakes['pinned']['p50'])} (bare futex)"
    )
    headings = ("variant", "frames", "equal", "latency p50, one core", "any core",
                "message passing, one core", "any core", "more", "of it by wake-ups")  # fmt: skip
    table = _table(title, headings)
    for entry in unpinned["variants"]:
        table.add_row(
            entry["name"],
            str(entry["frames"]),
            equal_text(entry["equal"]),
            duration((entry["pinned_latency_ns"] or {}).get("p50")),
            duration((entry["latency_ns"] or {}).get("p50")),
            percent(entry["pinned_message_passing"]),
            percent(entry["message_passing"]),
            duration(entry["more_ns"]),
            duration(entry["more_by_wakes_ns"]),
        )
    return table


def _paced_table(paced: dict[str, Any]) -> Table:
    title = f"paced at {paced['rate_hz']:g} Hz, beside the bare wake-up of the same minutes"
    headings = ("variant", "frames", "equal", "latency p50", "message passing p50", "wakes",
                "bare wake-up", "overhead")  # fmt: skip
    table = _table(title, headings)
    for entry in paced["variants"]:
        table.add_row(
            entry["name"],
            str(entry["frames"]),
            "[green]yes[/]" if entry["equal"] else "[red]NO[/]",
            duration((entry["latency_ns"] or {}).get("p50")),
            duration((entry["message_passing_ns"] or {}).get("p50")),
            f"{entry['wakes']:.1f}",
            duration(entry["floor_ns"]),
            percent(entry["overhead"]),
        )
    return table
