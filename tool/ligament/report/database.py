# SPDX-License-Identifier: Apache-2.0
"""The event table in DuckDB, with the documented tables of the *.sql files beside this module."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

SQL_FILES = ("names.sql", "intervals.sql", "messages.sql")

Column = NDArray[Any]


def open_events(table: Path, memory_limit: str = "1GB") -> duckdb.DuckDBPyConnection:
    """Open an event table and derive names, intervals and messages from it."""
    connection = duckdb.connect(":memory:")
    connection.execute(f"SET memory_limit = '{memory_limit}'")
    # The progress bar would draw over the tool's own.
    connection.execute("SET enable_progress_bar = false")
    path = str(table).replace("'", "''")
    connection.execute(
        "CREATE VIEW events AS SELECT file_row_number AS row, * EXCLUDE (file_row_number) "
        f"FROM read_parquet('{path}', file_row_number = true)"
    )
    for name in SQL_FILES:
        connection.execute((Path(__file__).parent / name).read_text(encoding="utf-8"))
    return connection


def columns(connection: duckdb.DuckDBPyConnection, query: str) -> dict[str, Column]:
    """The result of a query as NumPy columns. The query leaves no number missing."""
    fetched: dict[str, Column] = connection.execute(query).fetchnumpy()
    return {name: np.ma.getdata(values) for name, values in fetched.items()}
