# SPDX-License-Identifier: Apache-2.0
"""An edge that has many endpoints and nothing to carry: start, memory, share of a core."""

from __future__ import annotations

import json
import subprocess

import numpy as np

from ligament.bench.dds.runs import DOMAIN_ID, settings
from ligament.bench.framework import Row, make_row, program
from ligament.errors import FailureError
from ligament.report.statistics import summarise

ENDPOINTS = 2000
#: (what the program calls it, metric, unit, factor)
_METRICS = (
    ("start_ms", "edge_start", "ns", 1e6),
    ("rss_mb", "edge_memory", "B", float(1 << 20)),
    ("idle_cpu_percent", "edge_idle_cpu", "1", 0.01),
)


def endpoint_rows(runs: int, idle_s: int) -> list[Row]:
    """One row for each figure, over several starts."""
    told = [_run(idle_s) for _ in range(runs)]
    params = {"endpoints": ENDPOINTS, "idle_s": idle_s}
    return [
        make_row("dds", params, metric, unit, summarise(np.array([t[key] * by for t in told])))
        for key, metric, unit, by in _METRICS
    ]


def _run(idle_s: int) -> dict[str, float]:
    values = {"endpoints": ENDPOINTS, "idle": idle_s, "domain-id": DOMAIN_ID}
    words = [word for key, value in values.items() for word in (f"--{key}", str(value))]
    command = [str(program("ligament-bench-edge-endpoints")), *words]
    with settings("default"):
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        said = result.stderr.strip().splitlines()[-1:] or [f"exit {result.returncode}"]
        raise FailureError(f"the edge with {ENDPOINTS} endpoints: {said[0]}", command=command)
    found: dict[str, float] = json.loads(result.stdout.splitlines()[-1])
    return found
