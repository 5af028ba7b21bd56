# SPDX-License-Identifier: Apache-2.0
"""The rows in the shape of the paper's tables, with its figures beside them."""

from __future__ import annotations

from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from ligament.bench.framework import Row
from ligament.bench.uma.paper import DEVICES, NATIVE_MS, OVERHEAD

_KEYS = ("workload", "nodes", "ros_mode", "device_mode")


def print_result(console: Console, result: dict[str, Any]) -> None:
    """One table of the references, one per workload."""
    rows: list[Row] = result["rows"]
    console.print(references(rows))
    for workload in dict.fromkeys(r["params"]["workload"] for r in rows):
        console.print(overheads(workload, [r for r in rows if r["params"]["workload"] == workload]))
    launches = [row["p50"] for row in rows if row["metric"] == "launch"]
    console.print(f"a launch keeps its caller {min(launches):.1f} us (median, the best cell's)")
    console.print(
        "over: mean overhead over the same work without ROS; below: its upper 95 % bound; us/step: "
        "the median of what an exchange costs more. Copies by serialising were counted: 1 per "
        "message at each end with ROS-SC, else 0",
        soft_wrap=True,
    )
    for note in result.get("notes", []):
        console.print(f"note: {note}", soft_wrap=True, highlight=False)


def references(rows: list[Row]) -> Table:
    """Without ROS, as table 1."""
    table = Table(title="without ROS", title_justify="left", box=box.SIMPLE_HEAD)
    for name in ("workload", "GPU", "ms (sd)", "us/step", *DEVICES):
        table.add_column(name, justify="left" if name in ("workload", "GPU") else "right")
    told = set()
    for row in rows:
        params = row["params"]
        key = (params["workload"], params["device_mode"])
        if row["peer"] != "native" or key in told:
            continue
        told.add(key)
        table.add_row(
            *key,
            f"{row['mean']:.1f} ({row['sd']:.1f})",
            f"{row['mean'] / params['steps'] * 1000:.0f}",
            *(_paper_time(device, *key) for device in DEVICES),
        )
    return table


def overheads(workload: str, rows: list[Row]) -> Table:
    """With ROS, as tables 2 to 5."""
    first = rows[0]["params"]
    title = (
        f"{workload}: {first['device']}, {first['bytes'] / 1e6:.1f} MB, "
        f"{first['steps']} exchanges per run, {rows[0]['n']} runs"
    )
    table = Table(
        title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 0)
    )
    left = ("nodes", "ROS + GPU")
    right = ("ms (sd)", "over", "below", "us/step", *DEVICES)
    for name in (*left, *right):
        table.add_column(name, justify="left" if name in left else "right")
    for row in (r for r in rows if r["metric"] == "overhead"):
        params = row["params"]
        time, step = (_beside(row, rows, m) for m in ("run_time", "overhead_per_step"))
        key = (params["nodes"], params["ros_mode"], params["device_mode"])
        table.add_row(
            str(params["nodes"]),
            f"{params['ros_mode']}+{params['device_mode']}",
            f"{time['mean']:.0f} ({time['sd']:.0f})",
            f"{row['mean']:+.1f}%",
            f"{row['upper95']:+.1f}%",
            f"{step['p50']:+.0f}",
            *(_paper_overhead(device, workload, key) for device in DEVICES),
        )
    return table


def _beside(row: Row, rows: list[Row], metric: str) -> Row:
    """Our row of the same cell with another metric."""
    wanted = [row["params"][key] for key in _KEYS]
    return next(
        r
        for r in rows
        if r["metric"] == metric
        and r["peer"] == "ligament"
        and [r["params"][key] for key in _KEYS] == wanted
    )


def _paper_time(device: str, workload: str, device_mode: str) -> str:
    found = NATIVE_MS.get((device, workload, device_mode))
    return f"{found[0]:.1f} ({found[1]:.1f})" if found else "-"


def _paper_overhead(device: str, workload: str, key: tuple[int, str, str]) -> str:
    found = OVERHEAD[device, workload].get(key)
    return "-" if found is None else f"{found:+d}%"
