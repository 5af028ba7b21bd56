# SPDX-License-Identifier: Apache-2.0
"""One run of one variant as an entry of report.json."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from ligament.errors import InputError, Problem
from ligament.report.breakdown import Breakdown, HopTimes, Timeline
from ligament.report.chains import Chain, Hop, Instances, find_chains, instances
from ligament.report.cores import cores_of, lost_on_devices
from ligament.report.counters import Counters, read_counters
from ligament.report.database import open_events, read_metadata
from ligament.report.emulation import emulated_nodes, mark_emulated
from ligament.report.energy import energy_per_message
from ligament.report.executables import executables_of
from ligament.report.found import callback_times, found_system, missing, span_times, span_values
from ligament.report.hardware import hardware_of
from ligament.report.host_clocks import host_clocks
from ligament.report.names import LAYERS, SHARES
from ligament.report.options import WARM_UP_FRAMES
from ligament.report.recorded import unread
from ligament.report.ros_time import ros_time_of
from ligament.report.statistics import (
    FEW_SHARES,
    batch_medians,
    histogram,
    quantiles,
    rate_hz,
    summarise,
)
from ligament.report.tables import tables_of

MOST_FOLLOWED = 24
"""Chains whose messages are followed; what else there is, is counted."""
FIGURES = (
    "latency_ns", "shares", "message_passing", "message_passing_p50", "message_passing_ns",
    "throughput_hz", "probe_overhead_ns", "probe", "layers_ns", "latency_histogram",
    "latency_quantiles", "time_base", "wall_latency_ns", "device_bound_ns", "device_bound_p50_ns",
)  # fmt: skip
"""What a run without one complete chain has no value for."""


@dataclass(frozen=True)
class RunFolder:
    """A run as it lies on disk: run.json, and what the run and the trace stage put beside it.

    Of an imported recording, import.json stands for run.json.
    """

    path: Path
    run: dict[str, Any]

    @property
    def is_imported(self) -> bool:
        """Whether it is a recording of another system, of which only the events are known."""
        return bool(self.run["schema"] == RUN_FILES["import.json"])

    @property
    def table(self) -> Path:
        """The event table."""
        return self.path / "events.parquet"

    @property
    def build(self) -> Path:
        """What was run; a recording of another system has none."""
        return self.path.parent.parent / "build.json"

    @property
    def check(self) -> dict[str, Any]:
        """The graph's `check`: whose outputs are compared, and how; empty where it has none."""
        if not self.build.is_file():
            return {}
        text = self.build.read_text(encoding="utf-8")
        check: dict[str, Any] = json.loads(text).get("check") or {}
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

    @property
    def is_comparable(self) -> bool:
        """Whether it is clear whose outputs are compared: the sink's, or the only ones."""
        return self.sink is not None or len(self.outputs()) == 1

    def outputs(self) -> dict[str, Path]:
        """Recorded files by the node that recorded them."""
        return {
            entry.get("node") or entry["path"]: self.path / entry["path"]
            for entry in self.run.get("outputs", [])
            if entry["path"].endswith(".jsonl")
            and (entry.get("node") or _has_frames(self.path / entry["path"]))
        }


def _has_frames(path: Path) -> bool:
    """Whether a file that no node of ours wrote is a recording: executables write anything."""
    try:
        with path.open(encoding="utf-8") as lines:
            first = json.loads(next(lines, "{}"))
    except (OSError, ValueError):
        return True  # said where it is read
    return isinstance(first, dict) and "index" in first


RUN_FILES = {"run.json": "ligament/run/1", "import.json": "ligament/imported/1"}
"""What makes a folder a run's: our own, or an imported recording's; and the schema of each."""


def open_run(path: Path) -> RunFolder:
    """Read a run's folder, given it or its run.json."""
    folder = path.parent if path.name in RUN_FILES else path
    name = next((name for name in RUN_FILES if (folder / name).is_file()), "run.json")
    try:
        run = json.loads((folder / name).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        hint = (
            "name the folder that `ligament run` printed: build/<graph>/<variant>/runs/<run_id>; "
            "a recording of another ROS 2 system first needs: ligament trace import DIR"
        )
        text = unread(folder, "run.json", error)
        raise InputError(Problem("run-unreadable", text, hint=hint)) from error
    if run.get("schema") != RUN_FILES[name]:
        raise InputError(
            Problem("schema-version", f"{folder}/{name} is no run", expected=RUN_FILES[name])
        )
    return RunFolder(folder, run)


def _moves(run: Mapping[str, Any]) -> dict[str, Any]:
    """Return the moves of nodes; nothing where none moved."""
    return {"moves": run["moves"]} if run.get("moves") else {}


@dataclass(frozen=True)
class Described:
    """An entry of report.json, and what comparing it with another needs beside it."""

    entry: dict[str, Any]
    batches: Any
    """Medians of batches of neighbouring latencies."""


def describe_variant(run: RunFolder, warm_up: int = WARM_UP_FRAMES) -> Described:
    """All figures of one traced run, except whether its outputs are equal to another's."""
    counters = read_counters(run.path / "status.jsonl")
    metadata = read_metadata(run.table)
    imported = metadata.get("provider") == "ros2"
    database = open_events(run.table)
    timeline = Timeline(database, imported=imported)
    chains = _worth_following(find_chains(database), run.sink)
    found = [instances(database, chain) for chain in chains[:MOST_FOLLOWED]]
    main = _main_chain(found, run.sink)
    if main and imported:
        main = instances(database, main.chain, imported=True)
    figures, batches = _chain_figures(database, timeline, main, warm_up)
    entry: dict[str, Any] = {
        "name": run.run["variant"],
        "run_id": run.run["run_id"],
        "run_dir": str(run.path),
        "state": run.run["state"],
        "provider": metadata.get("provider", "ligament"),
        "errors": run.run.get("errors", []),
        "losses": run.run.get("losses", []),
        **(_moves(run.run) | executables_of(run.run)),
        **figures,
        "found": found_system(database, metadata),
        "callbacks": callback_times(database),
        "spans": span_times(database),
        "span_values": span_values(database),
        "missing": missing(database, metadata),
        **host_clocks(database, metadata, main, figures["hops"]),
        "drops": max(counters.total("lost"), _dropped(database)),
        "lost_events": _lost_events(run, metadata) + lost_on_devices(database),
        **cores_of(database),
        **ros_time_of(database, main, figures["warm_up_frames"]),
        **_resources(counters),
        **tables_of(run.path / "status.jsonl", database),
        **hardware_of(run.path / "status.jsonl", run.build),
        "energy": energy_per_message(run.run.get("energy"), main.complete if main else 0),
        "other_chains": [
            {"id": other.chain.id, "started": other.started, "complete": other.complete}
            for other in found
            if main is None or other.chain.id != main.chain.id
        ],
        "further_chains": max(0, len(chains) - MOST_FOLLOWED),
    }
    mark_emulated(entry, emulated_nodes(run.run))
    return Described(entry, batches)


def _worth_following(chains: list[Chain], sink: str | None) -> list[Chain]:
    """Those that end in the sink first; else the longest."""
    return sorted(chains, key=lambda chain: (chain.nodes[-1] != sink, -len(chain.hops), chain.id))


def _main_chain(found: list[Instances], sink: str | None) -> Instances | None:
    """The longest chain that ends in the sink, of equally long ones the most travelled."""
    candidates = [i for i in found if sink is None or i.chain.nodes[-1] == sink]
    return max(candidates, key=lambda i: (len(i.chain.hops), i.complete), default=None)


def _chain_figures(
    database: duckdb.DuckDBPyConnection,
    timeline: Timeline,
    main: Instances | None,
    warm_up: int,
) -> tuple[dict[str, Any], Any]:
    skipped = min(warm_up, max(main.complete - 1, 0)) if main else 0
    head: dict[str, Any] = {
        "frames": main.complete - skipped if main else 0,
        "warm_up_frames": skipped,
        "incomplete": _incomplete(main) if main else None,
        "chain": {"id": main.chain.id, "nodes": main.chain.nodes} if main else None,
    }
    if main is None or main.complete == 0:
        return head | dict.fromkeys(FIGURES) | {"hops": []}, batch_medians([])
    parts = timeline.break_down(main)
    kept = slice(skipped, None)
    latency = parts.latency[kept]
    passing = latency - parts.total("compute")[kept]
    total = int(latency.sum())
    shares = {name: float(parts.total(name)[kept].sum()) / max(total, 1) for name in SHARES}
    figures = {
        "latency_ns": summarise(latency),
        "latency_histogram": histogram(latency),
        "latency_quantiles": quantiles(latency),
        "shares": shares,
        "message_passing": 1.0 - shares["compute"],
        "message_passing_p50": float(np.median(passing / np.maximum(latency, 1))),
        "message_passing_ns": summarise(passing),
        "throughput_hz": rate_hz(parts.end[kept]),
        **_probes(database, parts.events[kept]),
        "layers_ns": _layers(parts, kept),
        "hops": _hops(database, main, parts, kept),
        **_time_base(parts, kept),
    }
    return head | figures, batch_medians(latency)


def _time_base(parts: Breakdown, kept: slice) -> dict[str, Any]:
    """Whose clocks the chain's times are by."""
    bases = {worked.base for worked in parts.devices}
    base = next((name for name in ("modelled", "device") if name in bases), "host")
    bounds = [worked.bound_ns[kept] for worked in parts.devices]
    each = np.max(bounds, axis=0) if bounds else np.zeros(0)
    each = each[each > 0]
    return {
        "time_base": base,
        "wall_latency_ns": summarise(parts.wall[kept]) if base == "modelled" else None,
        "device_bound_ns": int(each.max(initial=0)) if bounds else None,
        "device_bound_p50_ns": int(np.median(each)) if len(each) else None,
    }


def _probes(database: duckdb.DuckDBPyConnection, events: Any) -> dict[str, Any]:
    """What the probes cost, where the traced processes measured it."""
    cost = database.execute("SELECT median(cost_ns) FROM probe_costs").fetchone()
    if not cost or cost[0] is None:
        return {"probe_overhead_ns": None, "probe": None}
    per_frame = float(events.mean())
    return {
        "probe_overhead_ns": per_frame * float(cost[0]),
        "probe": {"cost_ns": float(cost[0]), "events_per_frame": per_frame},
    }


def _layers(parts: Breakdown, kept: slice) -> dict[str, float] | None:
    if not all(hop.layers for hop in parts.hops):
        return None
    return {
        name: float(sum(hop.layers[name][kept].mean() for hop in parts.hops)) for name in LAYERS
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


def _hops(
    database: duckdb.DuckDBPyConnection, main: Instances, parts: Breakdown, kept: slice
) -> list[dict[str, Any]]:
    return [
        {
            "topic": hop.topic,
            "from": hop.source,
            "to": hop.target,
            **({"queue": True} if hop.is_queue else {}),
            "wakes": float(_thread_changes(main, k)[kept].mean()),
            "between_ns": _parts(times.between, kept),
            "node_ns": _parts(times.node, kept) if times.node else None,
            "layers_ns": (
                {name: float(times.layers[name][kept].mean()) for name in LAYERS}
                if times.layers
                else None
            ),
            "total_ns": summarise(_sum(times)[kept]),
            "total_quantiles": quantiles(_sum(times)[kept], FEW_SHARES),
            **_traffic(database, hop),
        }
        for k, (hop, times) in enumerate(zip(main.chain.hops, parts.hops, strict=True))
    ]


def _traffic(database: duckdb.DuckDBPyConnection, hop: Hop) -> dict[str, Any]:
    """Messages of a hop, on the chain or not."""
    ends = [hop.publisher, hop.subscription]
    taken = database.execute(
        "SELECT messages, first_ns, last_ns FROM hops WHERE publisher = ? AND subscription = ?",
        ends,
    ).fetchone()
    dropped = database.execute(
        "SELECT coalesce(sum(count), 0) FROM events "
        "WHERE event = 'drop' AND publisher = ? AND subscription = ?",
        ends,
    ).fetchone()
    messages, first, last = taken or (0, 0, 0)
    return {
        "messages": messages,
        "throughput_hz": (messages - 1) * 1e9 / (last - first) if last > first else None,
        "drops": int(dropped[0]) if dropped else 0,
    }


def _thread_changes(main: Instances, hop: int) -> Any:
    """1 where a message was taken by another thread than its publisher's, which had to be woken."""
    changed = main.columns[f"pub_thread_{hop}"] != main.columns[f"take_thread_{hop}"]
    return changed.astype(np.float64)


def _sum(times: HopTimes) -> Any:
    return np.sum([*times.between.values(), *times.node.values()], axis=0)


def _parts(times: dict[str, Any], kept: slice) -> dict[str, float]:
    """Mean of each part over the kept messages."""
    return {name: float(times[name][kept].mean()) for name in SHARES}


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
