# SPDX-License-Identifier: Apache-2.0
"""The programs' lines of JSON, checked: benchmarks/transport/README.md has their form."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ligament.bench.transport import cells as table
from ligament.bench.transport.cells import Cell
from ligament.errors import FailureError


@dataclass
class Figures:
    """What one run of one contestant in one cell measured."""

    #: Per subscriber: its messages' times; for a round trip one list.
    latencies: list[list[float]] = field(default_factory=list)
    publish_ns: list[float] = field(default_factory=list)
    loan_publish_ns: list[float] = field(default_factory=list)
    lost: int = 0
    #: Of the lost ones: those that came, but changed while they were read, or late or twice.
    spoilt: int = 0
    #: Processor time of all processes, and messages sent.
    cpu_ns: float = 0
    sent: int = 0
    #: Per subscriber: messages it got per second, from the first that was sent to its last.
    rates: list[float] = field(default_factory=list)
    #: From the publisher's first to its last.
    wall_ns: float = 0
    system_calls: dict[str, int] = field(default_factory=dict)
    clock_ns: float | None = None


def read_figures(lines: Sequence[str], cell: Cell, subscribers: int) -> Figures:
    """The figures of a run from all lines that its programs printed."""
    results = [_parse(line) for line in lines if line.startswith("{")]
    figures = Figures()
    by_role: dict[str, list[dict[str, Any]]] = {}
    for result in results:
        by_role.setdefault(_text(result, "role"), []).append(result)
    for result in by_role.get("publish", []):
        _add_publisher(figures, result)
    for result in by_role.get("subscribe", []):
        _add_subscriber(figures, result)
    for result in by_role.get("ping", []):
        figures.latencies.append(_series(result, "round_trip_ns"))
        figures.sent += len(figures.latencies[-1])
    _check(figures, by_role, cell, subscribers)
    return figures


def _add_subscriber(figures: Figures, result: dict[str, Any]) -> None:
    series = _series(result, "latency_ns")
    received = _number(result, "received")
    # A subscriber that woke for the last few messages only was not fast.
    wall_ns = max(_number(result, "wall_ns"), figures.wall_ns)
    if received != len(series):
        raise FailureError(f"says that it received {received:g} messages and lists {len(series)}")
    figures.latencies.append(series)
    figures.lost += int(_number(result, "lost"))
    figures.spoilt += sum(int(_number(result, k)) for k in ("torn", "disorder") if k in result)
    figures.cpu_ns += _number(result, "cpu_ns")
    if wall_ns > 0:
        figures.rates.append(len(series) / wall_ns * 1e9)


def _add_publisher(figures: Figures, result: dict[str, Any]) -> None:
    figures.publish_ns = _series(result, "publish_ns")
    figures.loan_publish_ns = _series(result, "loan_publish_ns")
    figures.sent += int(_number(result, "sent"))
    figures.cpu_ns += _number(result, "cpu_ns")
    figures.wall_ns = _number(result, "wall_ns")
    if failed := int(_number(result, "failed")):
        raise FailureError(f"the publisher failed to send {failed} messages")
    figures.clock_ns = _number(result, "clock_ns") if "clock_ns" in result else None
    calls = result.get("system_calls", {})
    if not isinstance(calls, dict):
        raise FailureError(f"system_calls is no object: {calls!r:.100}")
    figures.system_calls = {str(key): int(_number(calls, key)) for key in calls}


def _check(
    figures: Figures, by_role: dict[str, list[dict[str, Any]]], cell: Cell, subscribers: int
) -> None:
    wanted = {"ping": 1} if cell.metric == table.ROUND_TRIP else {"subscribe": subscribers}
    for role, count in wanted.items():
        if len(by_role.get(role, [])) != count:
            got = len(by_role.get(role, []))
            raise FailureError(f"{got} results with the role '{role}' came, {count} were expected")
    needs_latencies = cell.metric != table.PUBLISH_COST
    if needs_latencies and not all(figures.latencies):
        raise FailureError("a subscriber received no message at all")
    if cell.metric == table.PUBLISH_COST and not figures.publish_ns:
        raise FailureError("the publisher's times are missing")
    if cell.metric == table.THROUGHPUT and len(figures.rates) != subscribers:
        raise FailureError("the times between first and last message are missing")


def _parse(line: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError as error:
        raise FailureError(f"a line is no JSON ({error}): {line[:100]}") from error
    if not isinstance(found, dict):
        raise FailureError(f"a line is no object: {line[:100]}")
    return found


def _text(result: dict[str, Any], key: str) -> str:
    value = result.get(key)
    if not isinstance(value, str):
        raise FailureError(f"'{key}' is no text: {value!r:.100}")
    return value


def _number(result: dict[str, Any], key: str) -> float:
    value: Any = result.get(key)
    if not _is_figure(value):
        raise FailureError(f"'{key}' is no number that can be: {value!r:.100}")
    return float(value)


def _series(result: dict[str, Any], key: str) -> list[float]:
    values = result.get(key)
    if not isinstance(values, list):
        raise FailureError(f"'{key}' is no list: {values!r:.100}")
    for value in values:
        if not _is_figure(value):
            raise FailureError(f"'{key}' holds {value!r:.100}, which is no time")
    return values


def _is_figure(value: Any) -> bool:
    """Times and counts: negative ones are a clock or a stamp that went wrong."""
    return type(value) in (int, float) and math.isfinite(value) and value >= 0
