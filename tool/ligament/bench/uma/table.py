# SPDX-License-Identifier: Apache-2.0
"""The rows in the shape of the paper's tables, with its figures beside them."""

from __future__ import annotations

from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from ligament.bench.measuring import Row
from ligament.bench.showing import plain_table
from ligament.bench.uma.goals import LAUNCH_GOAL_US
from ligament.bench.uma.paper import DEVICES, NATIVE_MS, OVERHEAD, Key

_KEYS = ("workload", "nodes", "ros_mode", "ros_type", "device_mode")


def print_result(console: Console, result: dict[str, Any]) -> None:
    """One table of the references, one per workload."""
    rows: list[Row] = result["rows"]
    for workload in dict.fromkeys(r["params"]["workload"] for r in rows):
        own = [r for r in rows if r["params"]["workload"] == workload]
        console.print(references(workload, own))
        console.print(overheads(workload, own))
    # With ZC a launch is a kernel alone; the calls that enqueue copies are not told apart.
    launched = [r for r in rows if r["params"]["device_mode"] == "ZC"] or rows
    launch, ours = (
        [float(row["p50"]) for row in launched if row["metric"] == metric]
        for metric in ("launch", "launch_own")
    )
    console.print(
        f"a launch keeps its caller {min(launch):.1f} to {max(launch):.1f} us, of which "
        f"{min(ours):.1f} to {max(ours):.1f} us are ours (goal {LAUNCH_GOAL_US:g} us: "
        f"{'reached' if max(ours) <= LAUNCH_GOAL_US else 'missed'}) and the rest the driver's "
        "(medians of the cells)",
        soft_wrap=True,
    )
    console.print(
        "over: mean overhead over the same work of the same nodes without ROS; below: its upper "
        "95 % bound; us/step: the median of what an exchange costs more; of 2: mean overhead over "
        "the two-task reference, as the paper has it; copies: per message, at its ends and for the "
        "device, counted",
        soft_wrap=True,
    )
    console.print(moved(rows), soft_wrap=True)


def moved(rows: list[Row]) -> str:
    """What crossed to devices, and what it took to make memory known to them."""
    said = []
    for model in dict.fromkeys(r["params"]["device_mode"] for r in rows):
        of_model = [r for r in rows if r["params"]["device_mode"] == model]
        size = max(r["mean"] for r in of_model if r["metric"] == "device_bytes_per_message")
        said.append(f"{model} {size / 1e6:.2f} MB")
    first = [float(r["mean"]) for r in rows if r["metric"] == "registration"]
    text = (
        f"bytes copied for the device per message, counted, at most: {', '.join(said)}; apart from "
        f"that, first uses of memory by kernels in place took {min(first):.0f} to {max(first):.0f} "
        "us per cell in all"
    )
    shares = [float(r["mean"]) for r in rows if r["metric"].endswith("_share")]
    if shares:
        text += f"; copies reach {100 * min(shares):.0f} % of bare pinned ones at least (goal 90 %)"
    return text


def references(workload: str, rows: list[Row]) -> Table:
    """Without ROS, as table 1."""
    left = ("nodes", "GPU")
    headings = (*left, "ms (sd)", "us/step", *DEVICES)
    table = plain_table(headings, f"{workload}, without ROS", left, box=box.SIMPLE_HEAD)
    told = set()
    for row in rows:
        params = row["params"]
        key = (params["nodes"], params["device_mode"])
        if row["peer"] != "native" or key in told:
            continue
        told.add(key)
        table.add_row(
            str(key[0]),
            key[1],
            f"{row['mean']:.1f} ({row['sd']:.1f})",
            f"{row['mean'] / params['steps'] * 1000:.0f}",
            *(_paper_time(device, workload, params) for device in DEVICES),
        )
    return table


def overheads(workload: str, rows: list[Row]) -> Table:
    """With ROS, as tables 2 to 5."""
    first = rows[0]["params"]
    title = (
        f"{workload}: {first['device']}, matrix {first['rows']} x {first['columns']} words, "
        f"{first['bytes'] / 1e6:.1f} MB per message, {first['steps']} exchanges per run, "
        f"{rows[0]['n']} runs"
    )
    left = ("nodes", "ROS", "GPU")
    headings = (*left, "ms (sd)", "over", "below", "us/step", "of 2", "copies", *DEVICES)
    table = plain_table(headings, title, left, box=box.SIMPLE_HEAD, padding=(0, 0))
    for row in (r for r in rows if r["metric"] == "overhead"):
        table.add_row(*_line(row, rows))
    return table


def _line(row: Row, rows: list[Row]) -> list[str]:
    params = row["params"]
    by = " srv" if params["ros_type"] == "service" else ""
    key: Key = (params["nodes"], params["ros_mode"], params["ros_type"], params["device_mode"])
    head = [str(params["nodes"]), f" {params['ros_mode']}{by}", f" {params['device_mode']}"]
    time = _beside(row, rows, "run_time")
    if row["peer"] == "model":
        return [*head[:2], " ZC model", f"{time['mean']:.0f}", _percent(row["mean"])]
    step, copies = (_beside(row, rows, m) for m in ("overhead_per_step", "copies_per_message"))
    return [
        *head,
        f" {time['mean']:.0f} ({time['sd']:.0f})",
        f" {_percent(row['mean'])}",
        f" {_percent(row['upper95'])}",
        f" {step['p50']:+.0f}",
        f" {_over_two_tasks(time, rows)}",
        f" {copies['mean']:.1f}",
        *(f" {_paper_overhead(device, params['workload'], key)}" for device in DEVICES),
    ]


def _percent(value: float) -> str:
    return f"{value:+.1f}%" if abs(value) < 100 else f"{value:+.0f}%"


def _over_two_tasks(time: Row, rows: list[Row]) -> str:
    """Over the reference of two tasks, which the paper's rows of five nodes are over too."""
    reference = next(
        (
            r["mean"]
            for r in rows
            if r["peer"] == "native"
            and r["params"]["nodes"] == 2
            and r["params"]["device_mode"] == time["params"]["device_mode"]
        ),
        None,
    )
    return "-" if reference is None else f"{100.0 * (time['mean'] / reference - 1.0):+.0f}%"


def _beside(row: Row, rows: list[Row], metric: str) -> Row:
    """The row of the same cell and peer with another metric."""
    wanted = [row["params"][key] for key in _KEYS]
    return next(
        r
        for r in rows
        if r["metric"] == metric
        and r["peer"] == row["peer"]
        and [r["params"][key] for key in _KEYS] == wanted
    )


def _paper_time(device: str, workload: str, params: dict[str, Any]) -> str:
    found = NATIVE_MS.get((device, workload, params["device_mode"]))
    return f"{found[0]:.1f} ({found[1]:.1f})" if found and params["nodes"] == 2 else "-"


def _paper_overhead(device: str, workload: str, key: Key) -> str:
    found = OVERHEAD[device, workload].get(key)
    return "-" if found is None else f"{found:+d}%"
