# SPDX-License-Identifier: Apache-2.0
"""`ligament bench scale`: benchmarks/scale/README.md says what is measured and how."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any

from rich.console import Console

from ligament.bench import scale_graph as outside
from ligament.bench.goals import Figures, Goal
from ligament.bench.measuring import (
    Measured,
    Row,
    comparison,
    in_turn,
    make_row,
    program,
    say,
)
from ligament.bench.options import Lists, option
from ligament.bench.scale_graph import Graph, Size, graph
from ligament.bench.showing import plain_table
from ligament.report.differences import NO_DIFFERENCE
from ligament.report.statistics import summarise

_numbers = count()

#: The goals are at 200 nodes and 1,000 topics; smaller graphs are shown beside them.
_AT, _BESIDE = {"nodes": 200}, {"nodes": (10, 50)}
_LATENCY = "latency in {nodes} nodes to that in two, other topics "
FIGURES = Figures(
    goals=(
        *(Goal("start-up, {nodes} nodes", "start_up", *of) for of in ((None, _BESIDE), (5.0, _AT))),
        *(
            Goal("idle CPU of all processes, of one core, {nodes} nodes", "idle_cpu", *of)
            for of in ((None, _BESIDE), (2.0, _AT))
        ),
        *(
            Goal(_LATENCY + text, "latency_one_way", 1.2, {**_AT, **where}, against="two nodes")
            for text, where in (
                ("silent", {"load_hz": 0.0}), ("at {load_hz} Hz", {"load_hz": (1.0, 10.0, 100.0)})
            )
        ),
        Goal("memory per idle topic beyond depth x size", "memory_per_topic_beyond_declared", 64e3),
    ),
    results={"scale": "graphs of node processes, 5 topics each"},
)  # fmt: skip


@dataclass(frozen=True)
class Options:
    """Options of its own."""

    nodes: str = option("", "How many nodes, a list with commas; 5 topics each.")
    load_hz: float = option(10.0, "Rate of every other topic while under load.")
    idle_s: float = option(0.0, "How long idle CPU is watched (0: 10, quick 3).")


@dataclass(frozen=True)
class Plan:
    """How much is measured."""

    nodes: list[int]
    starts: int
    passes: int
    probes: int
    period_us: int
    idle_s: float
    load_hz: float


def plan_of(quick: bool, options: Options) -> Plan:
    """Read the options."""
    lists = Lists()
    nodes = lists.numbers("--nodes", options.nodes, range(2, 501))
    lists.raise_mistakes()
    nodes = nodes or ([10] if quick else [10, 50, 200])
    idle_s = options.idle_s or (3.0 if quick else 10.0)
    if quick:
        return Plan(nodes, 1, 3, 100, 2000, idle_s, options.load_hz)
    return Plan(nodes, 3, 10, 500, 2000, idle_s, options.load_hz)


def measure(quick: bool, options: Options | None = None) -> Measured:
    """Graphs of all sizes, beside a graph of two nodes."""
    options = options or Options()
    plan = plan_of(quick, options)
    result = Measured([])
    for nodes in plan.nodes:
        say("scale", f"{nodes} nodes, {5 * nodes} topics")
        measure_size(Size(nodes), plan, result)
    measure_topic_memory(result)
    return result


@contextmanager
def started(size: Size) -> Iterator[tuple[Graph, outside.Start]]:
    """A graph of a name that nobody else uses, all ends matched."""
    name = f"bench-scale-{os.getpid()}-{next(_numbers)}"
    with graph(program("ligament-bench-scale"), size, name) as made:
        yield made, made.start()


def measure_size(size: Size, plan: Plan, result: Measured) -> None:
    """All about one size. What the last start made is what the rest is measured with."""
    starts = []
    for _ in range(plan.starts - 1):
        with started(size) as (_, start):
            starts.append(start)
    before = outside.available_bytes()
    with started(size) as (large, start):
        starts.append(start)
        result.rows += start_rows(size, starts)
        time.sleep(1.0)
        result.rows += memory_rows(large, before)
        result.rows += idle_rows(large, plan.idle_s)
        with started(Size(2)) as (pair, _):
            measure_latency(large, pair, plan, result)
        check_counts(large, result)


def row(size: Size, metric: str, unit: str, values: Any, **params: Any) -> Row:
    """A row of this benchmark."""
    return make_row("scale", {**size.params(), **params}, metric, unit, values)


def start_rows(size: Size, starts: list[outside.Start]) -> list[Row]:
    """From before the first process's start."""
    return [
        row(size, "start_up", "s", [start.matched_s for start in starts]),
        row(size, "all_created", "s", [start.created_s for start in starts]),
        row(size, "start_up_cpu", "s", [start.cpu_s for start in starts]),
    ]


def memory_rows(large: Graph, available_before: int) -> list[Row]:
    """Per process, each page once; the pool's own segments by kind; and the machine as a whole."""
    pids = [node.pid for node in large.nodes]
    owned = [outside.segments(pid) for pid in pids]
    kinds = sorted({kind for one in owned for kind, _ in one.values()})
    per_kind = {
        kind: [sum(size for name, size in one.values() if name == kind) for one in owned]
        for kind in kinds
    }
    size = large.size
    rows = [
        row(size, "memory_per_process", "B", [outside.pss_bytes(pid) for pid in pids]),
        row(size, "descriptors_per_process", "1", [outside.descriptors(pid) for pid in pids]),
    ]
    rows += [row(size, f"segments_per_process_{k}", "B", sizes) for k, sizes in per_kind.items()]
    used = available_before - outside.available_bytes()
    # With what the kernel keeps: page tables, descriptors, mappings. Others disturb it.
    return [*rows, row(size, "machine_memory_per_process", "B", [used / size.nodes])]


def idle_rows(large: Graph, seconds: float) -> list[Row]:
    """Nobody publishes; what still runs, and which threads wake."""
    pids = [node.pid for node in large.nodes]
    wakes_before = [outside.wake_ups(pid) for pid in pids]
    cpu_before = [outside.process_cpu_s(pid) for pid in pids]
    begin = time.monotonic()
    time.sleep(seconds)
    cpu_after = [outside.process_cpu_s(pid) for pid in pids]
    window = time.monotonic() - begin
    wakes_after = [outside.wake_ups(pid) for pid in pids]
    percent = [(b - a) / window * 100 for a, b in zip(cpu_before, cpu_after, strict=True)]
    size = large.size
    rows = [
        row(size, "idle_cpu", "%", [sum(percent)]),
        row(size, "idle_cpu_per_node", "%", percent),
        row(size, "idle_cpu_per_topic", "%", [sum(percent) / (size.nodes * size.topics)]),
    ]
    for name in sorted({name for one in wakes_after for name in one}):
        rates = [
            (b.get(name, 0) - a.get(name, 0)) / window
            for a, b in zip(wakes_before, wakes_after, strict=True)
        ]
        rows.append(row(size, f"idle_wakes_of_{name}", "1/s", rates))
    return rows


def measure_latency(large: Graph, pair: Graph, plan: Plan, result: Measured) -> None:
    """The same probe in both graphs, alternately: other topics silent, then publishing."""
    large.place_probe()
    pair.place_probe()
    for load_hz in (0.0, plan.load_hz):
        two: list[int] = []
        many: list[int] = []
        pairs = []
        for number in range(plan.passes):
            parts = {}
            # A slow moment of the machine hits both.
            for which in in_turn((pair, large), number):
                parts[which.size.nodes] = one_pass(which, large, plan, load_hz)
            two += parts[pair.size.nodes]
            many += parts[large.size.nodes]
            medians = [float(summarise(parts[g.size.nodes])["p50"]) for g in (large, pair)]
            pairs.append((medians[0], medians[1]))
        params = {"load_hz": load_hz, "pacing_us": plan.period_us, "wait": "sleep"}
        result.rows += [
            row(large.size, "latency_one_way", "ns", many, **params),
            row(pair.size, "latency_one_way", "ns", two, beside=large.size.nodes, **params),
        ]
        cell = {**large.size.params(), **params}
        result.comparisons += comparison(cell, "latency_one_way", "two nodes", pairs)


def one_pass(which: Graph, large: Graph, plan: Plan, load_hz: float) -> list[int]:
    """The first tenth warms up. Only the large graph is under load, and only while it is probed."""
    loaded = which is large and load_hz > 0
    if loaded:
        large.order(range(1, large.size.nodes - 1), f"{load_hz} 0 0 0")
        time.sleep(1 / load_hz)
    values = which.probe(plan.probes, plan.period_us, load_hz if loaded else 0)
    if loaded:
        large.order(range(large.size.nodes), "0 0 0 0")
    return values[plan.probes // 10 :]


def check_counts(large: Graph, result: Measured) -> None:
    """Latency of messages that were lost would be no latency."""
    counts = large.counts()
    say("scale", f"published {counts['published']}, taken {counts['taken']}, lost {counts['lost']}")
    if counts["lost"] or counts["failed"]:
        result.notes.append(
            f"{large.size.nodes} nodes: {counts['lost']} of {counts['published']} messages were "
            f"overwritten before they were taken, {counts['failed']} loans were refused"
        )


def measure_topic_memory(result: Measured) -> None:
    """What one more idle topic costs: ten nodes with 5 topics each against ten with 55."""
    small, large = Size(10, 5), Size(10, 55)
    totals = []
    for size in (small, large):
        with started(size) as (made, _):
            time.sleep(1.0)
            totals.append(sum(outside.pss_bytes(node.pid) for node in made.nodes))
    topics = large.nodes * large.topics - small.nodes * small.topics
    each = (totals[1] - totals[0]) / topics
    declared = small.depth * small.payload_bytes
    params = {"bytes": small.payload_bytes, "depth": small.depth}
    result.rows += [
        row(large, "memory_per_topic", "B", [each], **params),
        row(large, "memory_per_topic_beyond_declared", "B", [each - declared], **params),
    ]


# --- for people ----------------------------------------------------------------------------------


def print_result(console: Console, result: dict[str, Any]) -> None:
    """One column per size, then the goals."""
    rows = result["rows"]
    sizes = sorted({r["params"]["nodes"] for r in rows if r["metric"] == "start_up"})
    table = plain_table(["nodes", *map(str, sizes)], left=["nodes"])
    for metric, unit in dict.fromkeys((r["metric"], r["unit"]) for r in rows):
        cells = [_cell(rows, metric, size) for size in sizes]
        if metric != "latency_one_way" and any(cells):
            table.add_row(f"{metric} ({unit})", *cells)
    console.print(table)
    for r in rows:
        if r["metric"] == "latency_one_way":
            console.print(_latency_line(r), soft_wrap=True)
    for one in result.get("comparisons", []):
        shown = not one["low"] <= 1.0 <= one["high"]
        ratio = f"{one['median']:.2f} x" if shown else f"{NO_DIFFERENCE} to"
        console.print(
            f"{one['params']['nodes']} nodes, {one['params']['load_hz']:g} Hz on other topics: "
            f"{ratio} two nodes [{one['low']:.2f}, {one['high']:.2f}]",
            soft_wrap=True,
            highlight=False,
        )


def _cell(rows: list[Row], metric: str, nodes: int) -> str:
    for r in rows:
        if r["metric"] == metric and r["params"]["nodes"] == nodes and "bytes" not in r["params"]:
            return f"{r['p50']:.4g}"
    return ""


def _latency_line(r: Row) -> str:
    params = r["params"]
    beside = f" (beside {params['beside']} nodes)" if "beside" in params else ""
    return (
        f"latency, {params['nodes']} nodes{beside}, {params['load_hz']:g} Hz on other topics: "
        f"p50 {r['p50'] / 1000:.1f} us, p99 {r['p99'] / 1000:.1f} us, n {r['n']}"
    )
