# SPDX-License-Identifier: Apache-2.0
"""The profile `--published`: a model of ZC on a device that switches its caches off for it.

There, as on the paper's TX2, the work itself takes longer with ZC than with SC, by the factor of
the paper's table 1; what ROS adds to a step is as measured here. So it is a model, no measurement:
the rows' peer says so. It shows when copying is the better choice.
"""

from __future__ import annotations

from ligament.bench.measuring import Row, make_row
from ligament.bench.uma.paper import NATIVE_MS

DEVICE = "TX2"


def factor_of(workload: str) -> float:
    """How much longer the work takes with ZC on the paper's device."""
    return NATIVE_MS[DEVICE, workload, "ZC"][0] / NATIVE_MS[DEVICE, workload, "SC"][0]


def rows_of(rows: list[Row]) -> list[Row]:
    """For each measured line with ZC: its times and overhead on such a device."""
    found = []
    times = [r for r in rows if r["metric"] == "run_time" and r["params"]["device_mode"] == "ZC"]
    for native in (r for r in times if r["peer"] == "native"):
        ours = next(r for r in times if r["peer"] == "ligament" and r["params"] == native["params"])
        factor = factor_of(native["params"]["workload"])
        added = ours["mean"] - native["mean"]
        work = native["mean"] * factor
        params = {**native["params"], "model": f"ZC with caches off, by the factor {factor:.2f}"}
        found += [
            make_row("uma", params, "run_time", "ms", work, "model-native"),
            make_row("uma", params, "run_time", "ms", work + added, "model"),
            make_row("uma", params, "overhead", "percent", 100.0 * added / work, "model"),
        ]
    return found
