# SPDX-License-Identifier: Apache-2.0
"""`ligament bench perception`: the demo's figures as rows, fast and paced."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from ligament.bench.framework import Row, make_row
from ligament.demo.demo import demonstrate
from ligament.demo.runs import HARDWARE_FRAMES, DemoOptions
from ligament.resources import node_packages_dir


def measure(quick: bool) -> list[Row]:
    """Run the demo in a folder of its own and take its figures."""
    graph = node_packages_dir().parent / "examples" / "perception" / "graph.yaml"
    with tempfile.TemporaryDirectory() as folder:
        options = DemoOptions(
            graph,
            frames=100 if quick else 600,
            hardware_frames=20 if quick else HARDWARE_FRAMES,
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
    return rows


def _chain_rows(entry: dict[str, Any], params: dict[str, Any]) -> list[Row]:
    return [
        make_row("perception", params, metric, "ns", entry[key])
        for metric, key in (("chain", "latency_ns"), ("message_passing", "message_passing_ns"))
        if entry[key]
    ]
