# SPDX-License-Identifier: Apache-2.0
"""From a recording to the event table, once, in bounded memory.

`ligament-trace-convert` reads the recording natively and sends batches of columns through a pipe;
here they become Arrow arrays without a copy and are written to Parquet batch by batch.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from ligament import resources
from ligament.errors import InputError, Problem
from ligament.trace.errors import INSTALL_CONVERTER, TraceError
from ligament.trace.events import EventSet, load_events

TABLE_SCHEMA = "ligament/event-table/1"
ARROW_TYPES: dict[str, Any] = {
    "u8": pa.uint8(),
    "u32": pa.uint32(),
    "u64": pa.uint64(),
    "i64": pa.int64(),
    "f64": pa.float64(),
    "string": pa.string(),
}
FIXED: dict[str, Any] = {
    "clock_id": pa.uint8(),
    "ticks": pa.uint64(),
    "time_ns": pa.int64(),
    "bound_ns": pa.int64(),
    "host": pa.uint8(),
    "event": pa.uint8(),
}
CODED = ("clock_id", "host", "event")
"""Sent as small numbers; each batch's header holds the names that they stand for."""


@dataclass(frozen=True)
class Conversion:
    """What a recording held."""

    path: Path
    events: int
    calibration_events: int
    discarded_events: int
    discarded_packets: int
    unknown_losses: int
    foreign_events: int
    foreign_names: dict[str, int] = field(default_factory=dict)


def event_set() -> EventSet:
    """The declared events."""
    return load_events(resources.spec_dir() / "events" / "events.yaml")


def wire_types(events: EventSet) -> dict[str, Any]:
    """Column name to Arrow type, as the converter sends them."""
    return FIXED | {column.name: ARROW_TYPES[column.type] for column in events.columns()}


def table_schema(events: EventSet) -> pa.Schema:
    """The columns of events.parquet."""
    text = pa.dictionary(pa.int8(), pa.string())
    return pa.schema(
        [(name, text if name in CODED else kind) for name, kind in wire_types(events).items()]
    )


def converter_path() -> Path:
    """The native reader, where the runtime's installation puts it."""
    path = resources.prefix() / "lib" / "ligament" / "ligament-trace-convert"
    if not path.is_file():
        raise TraceError(
            f"{path} is missing: libbabeltrace2 was not there when the runtime was built",
            hint=INSTALL_CONVERTER,
        )
    return path


def convert(recording: Path, table: Path, *, converter: Path | None = None) -> Conversion:
    """Write the event table of a recording. A damaged one raises after what could be read."""
    command = [str(converter or converter_path()), str(recording)]
    events = event_set()
    with tempfile.TemporaryFile() as complaints:
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=complaints) as process:
            assert process.stdout is not None
            trailer = _write_table(process.stdout, table, events)
        complaints.seek(0)
        said = complaints.read().decode(errors="replace").strip()
    if process.returncode == 2:
        hint = "only runs with --trace hold one: ligament run --trace"
        raise InputError(Problem("recording-missing", said, hint=hint))
    if process.returncode != 0 or not trailer:
        read = trailer.get("events", 0)
        raise TraceError(
            f"the recording could not be read to its end: {said or 'the converter died'} "
            f"({read} events before that are in {table})",
            command=command,
        )
    return _conversion(recording, table, trailer)


def _conversion(recording: Path, table: Path, trailer: dict[str, Any]) -> Conversion:
    if trailer["events"] == 0:
        table.unlink(missing_ok=True)
        foreign = ", ".join(sorted(trailer["foreign_names"])[:5])
        found = f"it holds {trailer['foreign_events']} events of others ({foreign}, ...)"
        raise InputError(
            Problem(
                "recording-empty",
                f"{recording} holds no event of the provider `ligament`",
                expected="a recording that `ligament run --trace` made",
                hint=found if trailer["foreign_events"] else "was any container started?",
            )
        )
    keys = (
        "events", "calibration_events", "discarded_events", "discarded_packets", "unknown_losses",
        "foreign_events",
    )  # fmt: skip
    return Conversion(
        table, foreign_names=trailer["foreign_names"], **{k: trailer[k] for k in keys}
    )


def _write_table(stream: IO[bytes], table: Path, events: EventSet) -> dict[str, Any]:
    """Write all batches; returns the stream's last line, or nothing if it broke off."""
    types = wire_types(events)
    schema = table_schema(events)
    names = [event.name for event in events.events]
    table.parent.mkdir(parents=True, exist_ok=True)
    partial = table.with_name(f".{table.name}.partial")
    trailer: dict[str, Any] = {}
    # Dictionaries of numbers that never repeat cost most of the time and save nothing.
    options = {"compression": "lz4", "use_dictionary": _text_columns(schema)}
    with pq.ParquetWriter(partial, schema, **options) as writer:
        while line := stream.readline():
            header = json.loads(line)
            if header.get("end"):
                trailer = header
                writer.add_key_value_metadata({"ligament": json.dumps(_metadata(trailer))})
                break
            batch = _read_batch(stream, header, types)
            if batch is None:
                break
            codes = {"event": names, "host": header["hosts"], "clock_id": header["clocks"]}
            writer.write_batch(pa.record_batch(_decode(batch, codes), schema=schema))
    partial.replace(table)
    return trailer


def _text_columns(schema: pa.Schema) -> list[str]:
    return [f.name for f in schema if pa.types.is_dictionary(f.type) or f.type == pa.string()]


def _metadata(trailer: dict[str, Any]) -> dict[str, Any]:
    return {"schema": TABLE_SCHEMA} | {k: v for k, v in trailer.items() if k != "event_names"}


def _read_batch(
    stream: IO[bytes], header: dict[str, Any], types: dict[str, Any]
) -> dict[str, pa.Array] | None:
    """The columns of one batch; None if the stream ends inside it."""
    rows = header["rows"]
    columns: dict[str, pa.Array] = {}
    for column in header["columns"]:
        kind = types[column["name"]]
        if "values" not in column:
            columns[column["name"]] = pa.nulls(rows, kind)
            continue
        sizes = [column["valid"], column["values"], column["offsets"]]
        buffers = [stream.read(size) for size in sizes]
        if [len(buffer) for buffer in buffers] != sizes:
            return None
        valid, values, offsets = (pa.py_buffer(buffer) for buffer in buffers)
        layout = [valid, offsets, values] if kind == pa.string() else [valid, values]
        columns[column["name"]] = pa.Array.from_buffers(kind, rows, layout)
    return columns


def _decode(batch: dict[str, pa.Array], codes: dict[str, list[str]]) -> list[pa.Array]:
    """Numbers that stand for names become dictionary columns; the rest stays."""
    return [
        pa.DictionaryArray.from_arrays(column.cast(pa.int8()), pa.array(codes[name], pa.string()))
        if name in codes
        else column
        for name, column in batch.items()
    ]
