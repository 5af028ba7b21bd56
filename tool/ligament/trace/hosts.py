# SPDX-License-Identifier: Apache-2.0
"""The event tables of several hosts as one, on the clock of the first (spec/run/deploy.md)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ligament.disk import replacing, writing
from ligament.errors import InputError
from ligament.trace.clock_fit import ClockMap, Facts, Ints, SameClock, describe, fit
from ligament.trace.convert import (
    TABLE_SCHEMA,
    Conversion,
    convert,
    table_events,
    table_schema,
)
from ligament.trace.errors import TraceError
from ligament.trace.host_messages import facts_of, messages_between, quoted

MONOTONIC = ("begin_ns", "device_begin_ns", "device_end_ns", "stopped_ns")
"""Columns that are CLOCK_MONOTONIC of the host, too (events.yaml); 0 or less: not measured."""
_SUMS = ("events", "discarded_events", "discarded_packets", "unknown_losses", "calibration_events",
         "foreign_events", "provider_events")  # fmt: skip


@dataclass(frozen=True)
class _Placed:
    """A host whose clock has a mapping, and what that rests on."""

    mapping: ClockMap | None
    facts: dict[str, int]


def merge_hosts(folder: Path, run: Mapping[str, Any]) -> Conversion:
    """Write events.parquet of a run on several hosts, from their recordings in hosts/."""
    tables: dict[str, Path] = {}
    errors: list[str] = []
    for host in (str(entry["id"]) for entry in run["hosts"]):
        recording = folder / "hosts" / host / "trace"
        if not recording.is_dir():
            errors.append(f"there is no recording of {host}")
            continue
        table = folder / "hosts" / host / "events.parquet"
        try:
            said = convert(recording, table, salvage=True).error
        except (InputError, TraceError) as error:  # empty, or nothing of it can be read
            errors.append(f"{host}: {error}")
            continue
        errors += [f"{host}: {said}"] if said else []
        tables[host] = table
    if not tables:
        raise TraceError(
            f"no host left a recording in {folder}: {'; '.join(errors)}", hint="run it with --trace"
        )
    target = folder / "events.parquet"
    reference = str(run["hosts"][0]["id"])  # what the samples are against, with a table or without
    placed = place_clocks(tables, _samples(run), reference)
    metadata = _write(tables, placed, reference, target, "; ".join(errors))
    return Conversion(
        target,
        metadata["events"],
        metadata["calibration_events"],
        metadata["discarded_events"],
        metadata["discarded_packets"],
        metadata["unknown_losses"],
        metadata["foreign_events"],
        provider_events=metadata["provider_events"],
        error=metadata.get("error", ""),
    )


def _samples(run: Mapping[str, Any]) -> dict[str, Facts]:
    """What the deployer's questions tell of each host's clock, from run.json's `clocks`."""
    found: dict[str, Facts] = {}
    for clock in run["clocks"]:
        name, _, host = str(clock["id"]).partition("@")
        if name != "monotonic" or not host:
            continue
        lower, upper = [], []
        for sample in clock.get("samples", ()):
            # clock = reference + offset, so the reference is the clock and -offset.
            at = sample["at_ns"] + sample["offset_ns"]
            lower.append((at, -sample["offset_ns"] - sample["bound_ns"]))
            upper.append((at, -sample["offset_ns"] + sample["bound_ns"]))
        found[host] = Facts.of(lower, upper)
    return found


def place_clocks(
    tables: Mapping[str, Path], samples: Mapping[str, Facts], reference: str
) -> dict[str, _Placed]:
    """Put the hosts' clocks on the reference's, one after the other, each by those before it."""
    messages = messages_between(tables)
    placed = {reference: _Placed(SameClock(), {})}
    for host in tables:
        if host == reference:
            continue
        facts = samples.get(host, Facts.of([], []))
        counts = {"questions": len(facts.lower), "messages_in": 0, "messages_out": 0}
        for other, known in placed.items():
            if known.mapping is None:
                continue
            into, out = messages.get((other, host)), messages.get((host, other))
            facts = facts.joined(facts_of(known.mapping, into, out))
            counts["messages_in"] += 0 if into is None else len(into[0])
            counts["messages_out"] += 0 if out is None else len(out[0])
        placed[host] = _Placed(fit(facts), counts)
    return placed


def _write(
    tables: Mapping[str, Path],
    placed: Mapping[str, _Placed],
    reference: str,
    target: Path,
    error: str,
) -> dict[str, Any]:
    """Move each host's rows, then sort all by time."""
    told = {host: _metadata(table) for host, table in tables.items()}
    names = _Names(list(tables), reference, table_schema(table_events()))
    metadata: dict[str, Any] = {key: sum(t.get(key, 0) for t in told.values()) for key in _SUMS}
    metadata |= {
        "schema": TABLE_SCHEMA,
        "hosts": list(tables),
        "clocks": names.clocks,
        "real_time_offset_ns": told.get(reference, {}).get("real_time_offset_ns", 0),
        "moved_clocks": [],
        "host_clocks": [],
        **({"error": error} if error else {}),
    }
    moved: list[Path] = []
    try:
        for host, table in tables.items():
            moved.append(table.with_name(".moved.parquet"))
            span = names.move(table, moved[-1], host, placed[host].mapping)
            metadata["host_clocks"].append(_told(host, placed[host], span))
        with writing(target), replacing(target) as partial:
            _sort(moved, partial, names, metadata)
    finally:
        for path in moved:
            path.unlink(missing_ok=True)
    return metadata


def _told(host: str, placed: _Placed, span: Ints) -> dict[str, Any]:
    if placed.mapping is None:
        return {"host": host, "model": "none", "offset_ns": None, "bound_ns": None,
                "drift_ppm": None, **placed.facts}  # fmt: skip
    return {"host": host, **describe(placed.mapping, span, placed.facts)}


class _Names:
    """The columns that hold names, and how a host's rows are moved."""

    def __init__(self, hosts: Sequence[str], reference: str, schema: pa.Schema) -> None:
        self.schema = schema
        self.hosts = pa.array(hosts, pa.string())
        self.clocks = ["monotonic" if host == reference else f"monotonic@{host}" for host in hosts]

    def move(self, source: Path, target: Path, host: str, mapping: ClockMap | None) -> Ints:
        """Write a host's rows with their times on the reference's clock; returns first and last."""
        file = pq.ParquetFile(source)
        first = last = None
        with pq.ParquetWriter(target, self.schema, compression="lz4") as writer:
            for batch in file.iter_batches():
                if not batch.num_rows:
                    continue
                rows, times = self._moved(batch, host, mapping)
                first, last = times[0] if first is None else first, times[-1]
                writer.write_batch(rows)
        return np.array([first or 0, ((first or 0) + (last or 0)) // 2, last or 0], dtype=np.int64)

    def _moved(
        self, batch: pa.RecordBatch, host: str, mapping: ClockMap | None
    ) -> tuple[pa.RecordBatch, Ints]:
        times = batch.column("time_ns").to_numpy().astype(np.int64)
        if mapping is None:
            offset, bound = np.zeros_like(times), pa.nulls(len(times), pa.int64())
        else:
            offset, found = mapping.at(times)
            bound = pa.array(found)
        index = self.hosts.to_pylist().index(host)
        replaced = {
            "time_ns": pa.array(times + offset),
            "bound_ns": bound,
            "host": pa.array([host] * len(times)),
            "clock_id": pa.array([self.clocks[index]] * len(times)),
        }
        for name in MONOTONIC:
            if name in batch.schema.names:
                replaced[name] = _shifted(batch.column(name), offset)
        return self.encoded(
            {**dict(zip(batch.schema.names, batch.columns, strict=True)), **replaced}
        ), times

    def encoded(self, columns: Mapping[str, Any]) -> pa.RecordBatch:
        """A batch of the table's own columns and types."""
        count = len(columns["time_ns"])
        rows = []
        for column in self.schema:
            values = columns.get(column.name)
            if values is None:
                values = pa.nulls(count, column.type)
            elif pa.types.is_dictionary(column.type):
                coded = pc.dictionary_encode(values.cast(pa.string()))
                values = pa.DictionaryArray.from_arrays(
                    coded.indices.cast(pa.int8()), coded.dictionary
                )
            rows.append(values.cast(column.type))
        return pa.record_batch(rows, schema=self.schema)


def _shifted(values: pa.Array, offset: Ints) -> pa.Array:
    """Times move with their rows; what was not measured stays so."""
    return pc.if_else(pc.greater(values, 0), pc.add(values, pa.array(offset)), values)


def _sort(parts: Sequence[Path], target: Path, names: _Names, metadata: dict[str, Any]) -> None:
    """Rows of one time stay in their host's order: what a thread did keeps its order."""
    connection = duckdb.connect(":memory:")
    connection.execute("SET memory_limit = '400MB'")
    connection.execute(f"SET temp_directory = {quoted(target.parent / '.spill')}")
    connection.execute("SET enable_progress_bar = false")
    each = " UNION ALL ".join(
        f"SELECT {number} AS part, * FROM read_parquet({quoted(path)}, file_row_number = true)"
        for number, path in enumerate(parts)
    )
    ordered = parts[0].with_name(".ordered.parquet")
    options: dict[str, Any] = {"compression": "lz4", "write_statistics": False}
    options["use_dictionary"] = [
        f.name for f in names.schema if pa.types.is_dictionary(f.type) or f.type == pa.string()
    ]
    try:
        connection.execute(
            f"COPY (SELECT * EXCLUDE (part, file_row_number) FROM ({each}) "
            f"ORDER BY time_ns, part, file_row_number) TO {quoted(ordered)} (FORMAT parquet)"
        )
        with pq.ParquetWriter(target, names.schema, **options) as writer:
            for batch in pq.ParquetFile(ordered).iter_batches():
                columns = zip(batch.schema.names, batch.columns, strict=True)
                writer.write_batch(names.encoded(dict(columns)))
            writer.add_key_value_metadata({"ligament": json.dumps(metadata)})
    finally:
        ordered.unlink(missing_ok=True)


def _metadata(table: Path) -> dict[str, Any]:
    raw = pq.read_metadata(table).metadata or {}
    found: dict[str, Any] = json.loads(raw.get(b"ligament", b"{}"))
    return found
