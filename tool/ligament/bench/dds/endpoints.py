# SPDX-License-Identifier: Apache-2.0
"""An edge that has many endpoints and nothing to carry: start, memory, share of a core."""

from __future__ import annotations

from ligament.bench.dds.runs import DOMAIN_ID, settings
from ligament.bench.measuring import Row, make_row, program, told_by

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
        make_row("dds", params, metric, unit, [t[key] * by for t in told])
        for key, metric, unit, by in _METRICS
    ]


def _run(idle_s: int) -> dict[str, float]:
    values = {"endpoints": ENDPOINTS, "idle": idle_s, "domain-id": DOMAIN_ID}
    words = [word for key, value in values.items() for word in (f"--{key}", str(value))]
    command = [str(program("ligament-bench-edge-endpoints")), *words]
    with settings("default"):
        return dict(told_by(command, f"the edge with {ENDPOINTS} endpoints"))
