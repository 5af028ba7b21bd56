# SPDX-License-Identifier: Apache-2.0
"""One run of one variant as an entry of report.json."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow.parquet as pq

from ligament.errors import InputError, Problem
from ligament.report.breakdown import SHARES, Breakdown, HopTimes, Timeline
from ligament.report.chains import Instances, find_chains, instances
from ligament.report.counters import Counters, read_counters
from ligament.report.database import open_events
from ligament.report.statistics import summarise
from ligament.trace.convert import TABLE_SCHEMA

WARM_UP_FRAMES = 10
FIGURES = (
    "latency_ns", "shares", "message_passing", "message_passing_p50", "message_passing_ns",
    "throughput_hz", "probe_overhead_ns", "probe",
)  # fmt: skip
"""What a run without one complete chain has no value for."""


@dataclass(frozen=True)
class RunFolder:
    """A run as it lies on disk: run.json, and what the run and the trace stage put beside it."""

    path: Path
    run: dict[str, Any]

    @property
    def table(self) -> Path:
        """The event table."""
        return self.path / "events.parquet"

    @property
    def check(self) -> dict[str, Any]:
        """The graph's `check`: whose outputs are compared, and how; empty where it has none."""
        build = self.path.parent.parent / "build.json"
        if not build.is_file():
            return {}
        check: dict[str, Any] = json.loads(build.read_text(encoding="utf-8")).get("check") or {}
        return check

    @property
    def sink(self) -> str | None:
        """The node whose outputs are compared."""
        sink: str | None = self.check.get("sink")
        return sink

    @property
    def tolerance(self) -> float | None:
        """How much recorded numbers may differ; None: not at all."""
        check = self.check
        return check.get("tolerance") if check.get("compare") == "tolerance" else None

    def outputs(self) -> dict[str, Path]:
        """Recorded files by the node that recorded them."""
        return {
            entry.get("node") or entry["path"]: self.path / entry["path"]
            for entry in self.run.get("outputs", [])
            if entry["path"].endswith(".jsonl")
        }


def open_run(path: Path) -> RunFolder:
    """Read a run's folder, given it or its run.json."""
    folder = path.parent if path.name == "run.json" else path
    try:
        run = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        hint = "name the folder that `ligament run` printed: build/<graph>/<variant>/runs/<run_id>"
        raise InputError(
            Problem("run-unreadable", f"{folder} is no run: {error}", hint=hint)
        ) from error
    if run.get("schema") != "ligament/run/1":
        raise InputError(
            Problem("schema-version", f"{folder}/run.json is no run", expected="ligament/run/1")
        )
    return RunFolder(folder, run)


def describe_variant(run: RunFolder, warm_up: int = WARM_UP_FRAMES) -> dict[str, Any]:
    """All figures of one traced run, except whether its outputs are equal to another's."""
    counters = read_counters(run.path / "status.jsonl")
    metadata = _table_metadata(run.table)
    database = open_events(run.table)
    timeline = Timeline(database)
    found = [instances(database, chain) for chain in find_chains(database)]
    main = _main_chain(found, run.sink)
    entry: dict[str, Any] = {
        "name": run.run["variant"],
        "run_id": run.run["run_id"],
        "run_dir": str(run.path),
        "state": run.run["state"],
        "errors": run.run.get("errors", []),
        **_chain_figures(database, timeline, main, warm_up),
        "drops": max(counters.total("lost"), _dropped(database)),
        "lost_events": _lost_events(run, metadata),
        **_resources(counters),
        "other_chains": [
            {"id": other.chain.id, "started": other.started, "complete": other.complete}
            for other in found
            if main is None or other.chain.id != main.chain.id
        ],
    }
    return entry


def _table_metadata(table: Path) -> dict[str, Any]:
    raw = pq.read_metadata(table).metadata or {}
    metadata: dict[str, Any] = json.loads(raw.get(b"ligament", b"{}"))
    if metadata.get("schema") != TABLE_SCHEMA:
        raise InputError(
            Problem(
                "schema-version",
                f"{table} is no event table of this version",
                expected=TABLE_SCHEMA,
                hint="make it again: ligament trace RUN_DIR",
            )
        )
    return metadata


def _main_chain(found: list[Instances], sink: str | None) -> Instances | None:
    """The longest chain that ends in the sink, of equally long ones the most travelled."""
    candidates = [i for i in found if sink is None or i.chain.nodes[-1] == sink]
    return max(candidates, key=lambda i: (len(i.chain.hops), i.complete), default=None)


def _chain_figures(
    database: duckdb.DuckDBPyConnection,
    timeline: Timeline,
    main: Instances | None,
    warm_up: int,
) -> dict[str, Any]:
    skipped = min(warm_up, max(main.complete - 1, 0)) if main else 0
    head: dict[str, Any] = {
        "frames": main.complete - skipped if main else 0,
        "warm_up_frames": skipped,
        "incomplete": _incomplete(main) if main else None,
        "chain": {"id": main.chain.id, "nodes": main.chain.nodes} if main else None,
    }
    if main is None or main.complete == 0:
        return head | dict.fromkeys(FIGURES) | {"hops": [], "spans": []}
    parts = timeline.break_down(main)
    kept = slice(skipped, None)
    latency = parts.latency[kept]
    passing = latency - parts.total("compute")[kept]
    total = int(latency.sum())
    shares = {name: float(parts.total(name)[kept].sum()) / max(total, 1) for name in SHARES}
    cost = database.execute("SELECT median(cost_ns) FROM probe_costs").fetchone()
    probe_ns = float(cost[0]) if cost and cost[0] is not None else None
    events = float(parts.events[kept].mean())
    return head | {
        "latency_ns": summarise(latency),
        "shares": shares,
        "message_passing": 1.0 - shares["compute"],
        "message_passing_p50": float(np.median(passing / np.maximum(latency, 1))),
        "message_passing_ns": summarise(passing),
        "throughput_hz": _rate(parts.end[kept]),
        "probe_overhead_ns": None if probe_ns is None else events * probe_ns,
        "probe": {"cost_ns": probe_ns, "events_per_frame": events},
        "hops": _hops(main, parts, kept),
        "spans": _span_times(database, main),
    }


def _incomplete(main: Instances) -> dict[str, Any]:
    return {
        "count": main.incomplete,
        "of": main.started,
        "lost_after": [
            {"topic": hop.topic, "count": count}
            for hop, count in zip(main.chain.hops, main.lost_after, strict=True)
        ],
    }


def _rate(ends: Any) -> float | None:
    span = int(ends.max() - ends.min()) if len(ends) > 1 else 0
    return (len(ends) - 1) * 1e9 / span if span > 0 else None


def _hops(main: Instances, parts: Breakdown, kept: slice) -> list[dict[str, Any]]:
    return [
        {
            "topic": hop.topic,
            "from": hop.source,
            "to": hop.target,
            "wakes": float(_thread_changes(main, k)[kept].mean()),
            "between_ns": _parts(times.between, kept),
            "node_ns": _parts(times.node, kept) if times.node else None,
            "total_ns": summarise(_sum(times)[kept]),
        }
        for k, (hop, times) in enumerate(zip(main.chain.hops, parts.hops, strict=True))
    ]


def _thread_changes(main: Instances, hop: int) -> Any:
    """1 where a message was taken by another thread than its publisher's, which had to be woken."""
    changed = main.columns[f"pub_thread_{hop}"] != main.columns[f"take_thread_{hop}"]
    return changed.astype(np.float64)


def _sum(times: HopTimes) -> Any:
    return np.sum([*times.between.values(), *times.node.values()], axis=0)


def _parts(times: dict[str, Any], kept: slice) -> dict[str, float]:
    """Mean of each part over the kept messages."""
    return {name: float(times[name][kept].mean()) for name in SHARES}


def _span_times(database: duckdb.DuckDBPyConnection, main: Instances) -> list[dict[str, Any]]:
    """The named spans of the chain's nodes, whether on the chain's way or not."""
    rows = database.execute(
        "SELECT n.name, s.name, s.category, list(s.end_ns - s.begin_ns) FROM spans s "
        "JOIN nodes n ON n.node = s.node GROUP BY ALL ORDER BY 1, 2"
    ).fetchall()
    return [
        {"node": node, "span": name, "category": category, "time_ns": summarise(values)}
        for node, name, category, values in rows
        if node in main.chain.nodes
    ]


def _dropped(database: duckdb.DuckDBPyConnection) -> int:
    row = database.execute(
        "SELECT coalesce(sum(count), 0) FROM events WHERE event = 'drop'"
    ).fetchone()
    return int(row[0]) if row else 0


def _lost_events(run: RunFolder, metadata: dict[str, Any]) -> int:
    """What the session counted and what the reader found are two views of the same losses."""
    trace = run.run.get("trace") or {}
    read = metadata.get("discarded_events", 0) + metadata.get("unknown_losses", 0)
    return int(max(trace.get("events_discarded", 0), read) + metadata.get("discarded_packets", 0))


def _resources(counters: Counters) -> dict[str, Any]:
    return {
        "cpu_ns": counters.total("cpu_ns") if counters.nodes else None,
        "peak_memory_bytes": counters.peak_memory_bytes,
        "copies": counters.total("copies") if counters.nodes else None,
        "bytes_copied": counters.total("bytes_copied") if counters.nodes else None,
        "loans_failed": counters.total("loans_failed") if counters.nodes else None,
        "expired": counters.total("expired") if counters.nodes else None,
        "publisher_waits": counters.total("waits") if counters.nodes else None,
        "overrun": counters.total("overrun") if counters.nodes else None,
        "deadlines_missed": counters.total("deadline_missed") if counters.nodes else None,
        "heap_allocs": counters.total("heap_allocs") if counters.nodes else None,
    }
