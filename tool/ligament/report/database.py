# SPDX-License-Identifier: Apache-2.0
"""The event table in DuckDB, with the documented tables of the *.sql files beside this module."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from ligament.errors import InputError, Problem
from ligament.trace.convert import TABLE_SCHEMA, table_events, table_schema

NAMES, RELAYS = "names.sql", "relays.sql"
SQL_FILES = ("links.sql", "intervals.sql", "messages.sql")
SQL_TYPES: dict[Any, str] = {
    pa.uint8(): "UTINYINT",
    pa.uint32(): "UINTEGER",
    pa.uint64(): "UBIGINT",
    pa.int64(): "BIGINT",
    pa.float64(): "DOUBLE",
    pa.string(): "VARCHAR",
}

Column = NDArray[Any]


def read_metadata(table: Path) -> dict[str, Any]:
    """What the table says of itself; a file that is none of this version is refused."""
    try:
        raw = pq.read_metadata(table).metadata or {}
        metadata: dict[str, Any] = json.loads(raw.get(b"ligament", b"{}"))
    except (OSError, pa.ArrowInvalid, ValueError) as error:
        raise InputError(
            Problem("table-unreadable", f"{table} is no event table: {error}")
        ) from error
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


def open_events(
    table: Path, memory_limit: str = "400MB", rows: int | None = None
) -> duckdb.DuckDBPyConnection:
    """Open an event table and derive names, links, intervals and messages from it.

    `rows`: look at the first ones only.

    Memory is bounded: what does not fit is put into files beside the table, which go away with the
    connection.
    """
    metadata = read_metadata(table)
    connection = duckdb.connect(":memory:")
    connection.execute(f"SET memory_limit = '{memory_limit}'")
    connection.execute(f"SET temp_directory = {_quoted(table.parent / '.spill')}")
    # The order of rows is in the column `row`; keeping it everywhere else costs memory.
    connection.execute("SET preserve_insertion_order = false")
    # The progress bar would draw over the tool's own.
    connection.execute("SET enable_progress_bar = false")
    only = "" if rows is None else f" WHERE file_row_number < {rows}"
    connection.execute(f"CREATE VIEW events AS {_select(table)}{only}")
    connection.execute(_thread_macro(connection, metadata))
    connection.execute(
        "CREATE TEMP TABLE recording AS SELECT ?::BIGINT AS real_time_offset_ns",
        [metadata.get("real_time_offset_ns", 0)],
    )
    for name in (NAMES, RELAYS):
        _execute_file(connection, name)
    _name_relayed(connection, table)
    for name in SQL_FILES:
        _execute_file(connection, name)
    return connection


def _execute_file(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    connection.execute((Path(__file__).parent / name).read_text(encoding="utf-8"))


def _name_relayed(connection: duckdb.DuckDBPyConnection, table: Path) -> None:
    """Give messages that came through an edge their publisher's name in all events of a table.

    Only where there are some: every other trace is read as it lies.
    """
    found = connection.execute("SELECT count(*) FROM relays").fetchone()
    if found is None or found[0] == 0:
        return
    connection.execute(
        "CREATE OR REPLACE VIEW events AS SELECT e.* REPLACE ("
        "coalesce(r.origin_publisher, e.publisher) AS publisher, "
        "coalesce(r.origin_seq, e.seq) AS seq) "
        f"FROM ({_select(table)}) e "
        "LEFT JOIN relays r ON r.publisher = e.publisher AND r.seq = e.seq"
    )


def _quoted(text: object) -> str:
    return "'" + str(text).replace("'", "''") + "'"


def _select(table: Path) -> str:
    """All columns of this version: those that an older table lacks are null."""
    present = set(pq.read_schema(table).names)
    lacking = "".join(
        f", NULL::{SQL_TYPES[column.type]} AS {column.name}"
        for column in table_schema(table_events())
        if column.name not in present
    )
    return (
        f"SELECT file_row_number AS row, * EXCLUDE (file_row_number){lacking} "
        f"FROM read_parquet({_quoted(table)}, file_row_number = true)"
    )


def _thread_macro(connection: duckdb.DuckDBPyConnection, metadata: dict[str, Any]) -> str:
    """`thread_of(host, tid)`: one number for a thread of any host."""
    hosts = metadata.get("hosts")
    if hosts is None:
        hosts = [
            row[0] for row in connection.execute("SELECT DISTINCT host FROM events").fetchall()
        ]
    if len(hosts) < 2:
        return "CREATE MACRO thread_of(host, tid) AS tid::BIGINT"
    listed = ", ".join(_quoted(host) for host in hosts)
    return (
        "CREATE MACRO thread_of(host, tid) AS "
        f"tid::BIGINT + 4294967296 * list_position([{listed}], host)"
    )


def columns(connection: duckdb.DuckDBPyConnection, query: str) -> dict[str, Column]:
    """The result of a query as NumPy columns. The query leaves no number missing."""
    fetched: dict[str, Column] = connection.execute(query).fetchnumpy()
    return {name: np.ma.getdata(values) for name, values in fetched.items()}
