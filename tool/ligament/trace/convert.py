# SPDX-License-Identifier: Apache-2.0
"""From a recording to the event table, once, in bounded memory.

`ligament-trace-convert` reads the recording natively and sends batches of columns through a pipe;
here they become Arrow arrays without a copy and are written to Parquet batch by batch.
"""

from __future__ import annotations

import functools
import json
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from ligament import resources
from ligament.disk import replacing, writing
from ligament.errors import InputError, Problem, listing
from ligament.trace.errors import INSTALL_CONVERTER, TraceError
from ligament.trace.events import EventSet, ImportSet, event_set, load_import

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
OWN = "ligament"
EXPECTED = {
    OWN: "a recording that `ligament run --trace` made",
    "ros2": "a recording of ros2_tracing (`ros2 trace`, or LTTng with ros2:*)",
}
HINTS = {
    OWN: "only runs with --trace hold one: ligament run --trace",
    "ros2": "name the folder that `ros2 trace` wrote; it holds `ust/.../metadata`",
}
CODED = ("clock_id", "host", "event")
"""Sent as small numbers; each batch's header holds the names that they stand for."""


@dataclass(frozen=True)
class Conversion:
    """What a recording held. `events`: rows; `provider_events`: events they were made from."""

    path: Path
    events: int
    calibration_events: int
    discarded_events: int
    discarded_packets: int
    unknown_losses: int
    foreign_events: int
    foreign_names: dict[str, int] = field(default_factory=dict)
    provider_events: int = 0
    error: str = ""
    """Why the recording could not be read to its end; the rows are what came before."""


@functools.cache
def import_set() -> ImportSet:
    """The declared events of ros2_tracing, and what they add to the table."""
    return load_import(resources.spec_dir() / "events" / "ros2.yaml", event_set())


@functools.cache
def table_events() -> EventSet:
    """All rows and columns that an event table may hold."""
    return event_set().extended(import_set())


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


def convert(
    recording: Path,
    table: Path,
    *,
    provider: str = OWN,
    salvage: bool = False,
    known_error: str = "",
    converter: Path | None = None,
) -> Conversion:
    """Write the event table of a recording.

    A damaged one raises after what could be read was written; with `salvage` it is returned, and
    its `error` says what is wrong. `known_error`: what is known to be missing before it is read.
    """
    words = [] if provider == OWN else [provider]
    command = [str(converter or converter_path()), str(recording), *words]
    with tempfile.TemporaryFile() as complaints:
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=complaints) as process:
            assert process.stdout is not None
            trailer = _write_table(process.stdout, table, table_events(), known_error)
        complaints.seek(0)
        said = complaints.read().decode(errors="replace").strip()
    if process.returncode == 2:
        table.unlink(missing_ok=True)
        raise InputError(Problem("recording-missing", said, hint=HINTS[provider]))
    if process.returncode != 0 or not trailer:
        read = trailer.get("events", 0)
        if salvage and read:
            return _conversion(table, trailer)
        raise TraceError(
            f"the recording could not be read to its end: {said or 'the converter died'} "
            f"({read} events before that are in {table})",
            command=command,
        )
    if trailer["events"] == 0:
        table.unlink(missing_ok=True)
        raise InputError(_nothing_found(recording, provider, trailer))
    return _conversion(table, trailer)


def _nothing_found(recording: Path, provider: str, trailer: dict[str, Any]) -> Problem:
    foreign = listing(trailer["foreign_names"], 5)
    found = f"it holds {trailer['foreign_events']} events of others ({foreign})"
    if provider == OWN and any(name.startswith("ros2:") for name in trailer["foreign_names"]):
        found += "; a recording of ros2_tracing is read by: ligament trace import DIR"
    started = "was any container started?" if provider == OWN else "was any node started in it?"
    return Problem(
        "recording-empty",
        f"{recording} holds no event of the provider `{provider}`",
        expected=EXPECTED[provider],
        hint=found if trailer["foreign_events"] else started,
    )


def _conversion(table: Path, trailer: dict[str, Any]) -> Conversion:
    keys = (
        "events", "calibration_events", "discarded_events", "discarded_packets", "unknown_losses",
        "foreign_events", "foreign_names",
    )  # fmt: skip
    return Conversion(
        table,
        provider_events=trailer.get("provider_events", trailer["events"]),
        error=trailer.get("error", ""),
        **{key: trailer[key] for key in keys},
    )


def _write_table(
    stream: IO[bytes], table: Path, events: EventSet, known_error: str = ""
) -> dict[str, Any]:
    """Write all batches; returns the stream's last line, or nothing if it broke off."""
    types = wire_types(events)
    schema = table_schema(events)
    names = events.names()
    trailer: dict[str, Any] = {}
    # Dictionaries of numbers that never repeat cost most of the time and save nothing; smallest and
    # largest value of a part of the table help nobody, since every part has every kind of event.
    options = {
        "compression": "lz4", "use_dictionary": _text_columns(schema), "write_statistics": False
    }  # fmt: skip
    with writing(table):
        table.parent.mkdir(parents=True, exist_ok=True)
    with replacing(table) as partial, pq.ParquetWriter(partial, schema, **options) as writer:
        while line := stream.readline():
            header = json.loads(line)
            if header.get("end"):
                errors = [e for e in (known_error, _in_words(header.get("error", ""))) if e]
                trailer = header | {"error": "; ".join(errors)}
                writer.add_key_value_metadata({"ligament": json.dumps(_metadata(trailer))})
                break
            batch = _read_batch(stream, header, types)
            if batch is None:
                break
            # The names as the converter was built with them; an older one does not tell.
            told = header.get("names", names)
            codes = {"event": told, "host": header["hosts"], "clock_id": header["clocks"]}
            rows = _decode(batch, codes, schema, header["rows"])
            writer.write_batch(pa.record_batch(rows, schema=schema))
    return trailer


def _in_words(error: str) -> str:
    """Babeltrace's sentence, with what it means where that is hard to see."""
    if "last-returned-ts" in error:
        return f"an event is earlier than the one before it, so a clock stepped back ({error})"
    return error


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


def _decode(
    batch: dict[str, pa.Array], codes: dict[str, list[str]], schema: pa.Schema, rows: int
) -> list[pa.Array]:
    """Numbers that stand for names become dictionary columns; a column not sent has no values."""
    return [
        pa.DictionaryArray.from_arrays(
            batch[column.name].cast(pa.int8()), pa.array(codes[column.name], pa.string())
        )
        if column.name in codes
        else batch.get(column.name, pa.nulls(rows, column.type))
        for column in schema
    ]
