# SPDX-License-Identifier: Apache-2.0
"""The bare wake-up between two processes, at the rate that something else is paced at."""

from __future__ import annotations

from ligament.bench.measuring import Row, program, rows_of


def measure_floor(rate_hz: float, wakes: int, core: str | None = None) -> Row:
    """One row: one-way time of a futex wake at this rate, with both ends on a core or on any."""
    command = [] if core is None else ["taskset", "--cpu-list", core]
    command += [str(program("ligament-bench-floor")), "--rate-hz", str(rate_hz)]
    return rows_of([*command, "--wakes", str(wakes)])[0]


def measure(quick: bool) -> list[Row]:
    """At 30 Hz as the demo is paced, and at 500 Hz."""
    return [measure_floor(rate, int(rate * (3 if quick else 20))) for rate in (30.0, 500.0)]
