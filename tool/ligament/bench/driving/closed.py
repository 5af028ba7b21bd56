# SPDX-License-Identifier: Apache-2.0
"""Chain alpha of a graph in lock step, wherever its nodes are: from the event table of a run.

In lock step an image's command is published before the next image is taken, so both are found by
their order. That holds for topics that never leave an FPGA, too, of which a trace has no messages.
A simulator's own time is replaced by its cycles at the platform's clock; the rest is the host's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np

from ligament.bench.driving.alpha import COMMANDS, NODES
from ligament.errors import FailureError
from ligament.report.coverage import Coverage, Times
from ligament.report.database import columns

IMAGES = "/camera/image_raw"
#: Of a run that has more: the first read code and pages for the first time.
WARM_UP = 2


@dataclass(frozen=True)
class Closed:
    """Per image, in order, without those that warmed up."""

    #: Nanoseconds, simulators' time replaced by that of the hardware.
    total: Times
    #: Of these the hardware's, and its cycles; 0 of a graph in software.
    hardware_ns: Times
    cycles: Times
    #: What the simulator took for these, in nanoseconds.
    simulated_ns: Times
    #: Images with no command before the next one, or with several: in no figure.
    skipped: int


def closed_of(database: duckdb.DuckDBPyConnection, warm_up: int = WARM_UP) -> Closed:
    """Follow each image; FailureError where the run has none with its command."""
    begin = columns(
        database,
        "SELECT t.take_ns FROM takes t JOIN subscriptions s ON s.subscription = t.subscription "
        f"WHERE s.node_name = '{NODES[0]}' AND s.topic_name = '{IMAGES}' ORDER BY 1",
    )["take_ns"].astype(np.int64)
    said = columns(
        database,
        "SELECT p.end_ns FROM publications p JOIN publishers x ON x.publisher = p.publisher "
        f"WHERE x.node_name = '{NODES[-1]}' AND x.topic_name = '{COMMANDS}' ORDER BY 1",
    )["end_ns"].astype(np.int64)
    until = np.append(begin[1:], np.iinfo(np.int64).max)
    first = np.searchsorted(said, begin)
    whole = np.searchsorted(said, until) - first == 1
    kept = np.flatnonzero(whole)[warm_up:]
    if len(kept) == 0:
        raise FailureError(
            f"chain alpha: of {len(begin)} images that {NODES[0]} took, {int(whole.sum())} have "
            f"one command of {NODES[-1]} before the next one; {warm_up} are to warm up"
        )
    begin, end = begin[kept], said[first[kept]]
    simulators = _simulators(database)
    took, turned, wall = (of.inside(np.zeros_like(begin), begin, end) for of in simulators)
    return Closed(end - begin - wall + took, took, turned, wall, int((~whole).sum()))


def _simulators(database: duckdb.DuckDBPyConnection) -> tuple[Coverage, Coverage, Coverage]:
    """The hardware's time, its cycles, and the time that simulators took for them.

    All of a run as one thread: they are one design, which works for one callback at a time.
    """
    found = columns(
        database,
        "SELECT s.begin_ns, s.end_ns, "
        "  max(v.value) FILTER (v.name = 'cycles') AS cycles, "
        "  max(v.value) FILTER (v.name = 'clock_hz') AS clock_hz "
        "FROM spans s JOIN span_values v ON v.begin_row = s.begin_row "
        "WHERE s.name = 'simulator' AND s.end_ns > s.begin_ns "
        "GROUP BY s.begin_row, s.begin_ns, s.end_ns ORDER BY 1",
    )
    begins, ends = found["begin_ns"].astype(np.int64), found["end_ns"].astype(np.int64)
    per_ns = found["cycles"].astype(np.float64) / np.maximum(ends - begins, 1)
    one = np.zeros(len(begins), dtype=np.int64)
    real = per_ns * 1e9 / np.maximum(found["clock_hz"].astype(np.float64), 1)
    weights = (real, per_ns, np.ones(len(begins)))
    hardware, cycles, wall = (Coverage(one, begins, ends, weight) for weight in weights)
    return hardware, cycles, wall


# --- stages --------------------------------------------------------------------------------------


def stages_of(status: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    """Cycles of a frame that each core needs for itself, from the status lines of a run with one
    frame in flight; without those up to the first line that has a frame, which made its tables.

    A stream takes its beats, and the cycles in which the core made it wait: of an input those of a
    beat that waits, less those in which the core was held; of an output the gaps within a message,
    less those in which it was starved. A core is as slow as the slowest of its streams.
    """
    lines = [_counts(line) for line in status]
    whole = [line for line in lines if line.get(NODES[0], {}).get("messages", 0) > 0]
    if not whole:
        return {}
    first, last = whole[0], whole[-1]
    frames = last[NODES[0]]["messages"] - first[NODES[0]]["messages"]
    if not frames:
        return {}
    return {node: (_own(told) - _own(first[node])) / frames for node, told in last.items()}


def _counts(line: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """What a status line has of nodes in hardware."""
    nodes = line.get("nodes", []) if line.get("event") == "status" else []
    return {str(node["id"]): node["hardware"] for node in nodes if "hardware" in node}


def _own(told: Mapping[str, Any]) -> int:
    """Cycles of the slowest stream."""
    held, starved = told["held"], told["starved"]
    streams = [
        stream["beats"]
        + (stream["stalls"] - held if stream["direction"] == "in" else stream["gaps"] - starved)
        for stream in told["streams"]
    ]
    beats = [stream["beats"] for stream in told["streams"]]
    return int(max([*streams, *beats], default=0))


def periods_of(database: duckdb.DuckDBPyConnection, node: str) -> Times:
    """Nanoseconds of the hardware's time between frames that leave a node, of those that were in
    the design together."""
    found = columns(
        database,
        "SELECT d.inside_row, d.end_ns FROM device_spans d JOIN nodes n ON n.node = d.node "
        f"WHERE n.name = '{node}' AND d.inside_row IS NOT NULL ORDER BY d.inside_row, d.end_ns",
    )
    steps = np.diff(found["end_ns"].astype(np.int64))
    return np.asarray(steps[np.diff(found["inside_row"]) == 0], dtype=np.int64)
