# SPDX-License-Identifier: Apache-2.0
"""A snapshot as two tables: topics, and containers."""

from __future__ import annotations

from typing import Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

from ligament.run.display import duration_text

_COLOURS = {"running": "green", "silent": "bold yellow", "stuck": "bold yellow", "stopped": "dim",
            "starting": "yellow", "crashed": "bold red"}  # fmt: skip


def picture(snapshot: dict[str, Any]) -> Group:
    """Everything that is to be seen at one moment. Names are text, never markup."""
    title = Text.assemble(
        (snapshot["graph"], "bold"), f"  {snapshot['variant']}  {snapshot['run_id']}  ",
        (snapshot["state"], "green" if snapshot["state"] == "running" else "yellow"),
    )  # fmt: skip
    parts: list[Any] = [title, _topics(snapshot["topics"]), _containers(snapshot["containers"])]
    if snapshot["cores"]:
        parts.append(_cores(snapshot["cores"]))
    if snapshot["edge"]:
        parts.append(_edge(snapshot["edge"]))
    parts += [Text(text, style="red") for text in snapshot["errors"]]
    if snapshot["unreadable_lines"]:
        parts.append(Text(f"{snapshot['unreadable_lines']} lines of status.jsonl were unreadable"))
    return Group(*parts)


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False)
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="left" if number == 0 else "right", no_wrap=number > 0)
    return table


def _topics(rows: list[dict[str, Any]]) -> Table:
    table = _table("topic", "pub", "sub", "rate", "data", "p50", "p99", "drops", "now", "copies",
                   "waits", "late", "pool")  # fmt: skip
    for row in rows:
        dropping = row["dropped_hz"] or 0.0
        table.add_row(
            Text(row["topic"]),
            str(row["publishers"]),
            str(row["subscriptions"]),
            _hertz(row["published_hz"] if row["publishers"] else row["taken_hz"]),
            _bytes(row["bytes_hz"], "/s"),
            duration_text(row["latency_p50_ns"]),
            duration_text(row["latency_p99_ns"]),
            str(row["dropped"]),
            Text(_hertz(row["dropped_hz"]), style="bold red" if dropping > 0 else ""),
            str(row["copies"]),
            str(row["waits"]),
            str(row["late"]),
            _fill(row["pool"]),
        )
    return table


def _containers(rows: list[dict[str, Any]]) -> Table:
    table = _table("container", "CPU", "peak memory", "nodes", "heard", "state")
    for row in rows:
        cpu = row["cpu_percent"]
        table.add_row(
            Text(row["container"]),
            "-" if cpu is None else f"{cpu:.0f} %",
            _bytes(row["peak_rss_bytes"]),
            str(len(row["nodes"])),
            "-" if row["age_ns"] is None else f"{row['age_ns'] / 1e9:.0f} s ago",
            Text(row["state"], style=_COLOURS.get(row["state"], "")),
        )
    return table


def _cores(rows: list[dict[str, Any]]) -> Table:
    table = _table("core", "starts", "ends", "state", "last end")
    for row in rows:
        table.add_row(
            Text(row["device"]),
            str(row["starts"]),
            str(row["ends"]),
            Text(row["state"], style=_COLOURS.get(row["state"], "")),
            Text(row["last_end"] or "-"),
        )
    return table


def _edge(rows: list[dict[str, Any]]) -> Table:
    table = _table("edge", "sent", "rate", "received", "rate", "dropped")
    for row in rows:
        table.add_row(
            Text(row["topic"]),
            str(row["sent"]),
            _hertz(row["sent_hz"]),
            str(row["received"]),
            _hertz(row["received_hz"]),
            str(row["dropped"]),
        )
    return table


def _hertz(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f} Hz"


def _bytes(value: float | None, per: str = "") -> str:
    if value is None:
        return "-"
    for factor, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if value >= factor:
            return f"{value / factor:.3g} {unit}{per}"
    return f"{value:.0f} B{per}"


def _fill(pool: dict[str, int] | None) -> str:
    if pool is None:
        return "-"
    return f"{pool['blocks_used']}/{pool['blocks']} {_bytes(pool['memory_bytes'])}"
