# SPDX-License-Identifier: Apache-2.0
"""The demo's last words: what was computed, whether it is equal, where the time went, what next."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from ligament.report.differences import median_of, ratio_interval, ratio_text
from ligament.report.terminal import duration, percent

MOST_LINES = 20
MOST_COLUMNS = 100
_MOST_ROWS = 7
"""Variants in the table: with the other lines they stay within `MOST_LINES`."""
_BASES = {"host": "measured", "device": "measured", "modelled": "cycles"}
"""What a chain's time is, by a report's `time_base`; a mixed chain is told by its own name."""

Entry = Mapping[str, Any]


def ending(report: Mapping[str, Any], seconds: float) -> list[str]:
    """At most `MOST_LINES` lines of at most `MOST_COLUMNS` characters, but for long paths."""
    entries = judged(report)
    lines = [_computed(report), _equal(entries), "", *_table(report), ""]
    lines.append("Message passing: all of the chain's time outside the nodes' own kernels.")
    lines += _any_core(report)
    lines += [f"{what:9}{_short(report[key])}" for what, key in _FILES if key in report]
    lines += [
        "More:    all tables: ligament demo --tables; your own frames: ligament demo --input PATH",
        f"Next:    {_NEXT}; took {seconds:.0f} s",
    ]
    return [line[:MOST_COLUMNS] if "/" not in line else line for line in lines]


def beginning(report: Mapping[str, Any]) -> list[str]:
    """What is known as soon as the variants without simulated hardware have run."""
    return [_equal(judged(report)), *_table(report), f"Picture: {_short(report['picture'])}"]


_FILES = (("Page:", "page"), ("Picture:", "picture"), ("Report:", "path"))
_NEXT = "ligament top, beside ligament run examples/perception"


def judged(report: Mapping[str, Any]) -> list[Entry]:
    """Every run whose outputs were compared with the reference's."""
    names = ("hardware", "unpinned", "paced", "filters")
    parts = (report.get(part, {}).get("variants", []) for part in names)
    return [*report["variants"], *(entry for part in parts for entry in part)]


def _computed(report: Mapping[str, Any]) -> str:
    runs, names = judged(report), {entry["name"] for entry in judged(report)}
    frames = sum(entry["frames"] for entry in runs)
    return f"{report['graph']}: {frames} frames through {len(names)} variants, {len(runs)} runs."


def _equal(entries: list[Entry]) -> str:
    wrong = [entry for entry in entries if not entry["equal"]]
    if not wrong:
        return "All outputs equal those of the reference program, frame by frame."
    first = wrong[0]
    why = (first.get("equality") or {}).get("text", "no reason is told")
    others = f" ({len(wrong)} of {len(entries)} runs differ)" if len(wrong) > 1 else ""
    return f"NOT EQUAL{others}: {first['name']}: {why}"


def _any_core(report: Mapping[str, Any]) -> Iterator[str]:
    """What a run of the table, which is on one core, takes as the system schedules it."""
    for entry in report.get("unpinned", {}).get("variants", [])[:1]:
        yield (
            f"Pinned to one core; on any core {entry['name']} takes {duration(_p50(entry))}, "
            f"{percent(entry['message_passing'])} of it message passing."
        )


def _table(report: Mapping[str, Any]) -> Iterator[str]:
    entries = [*report["variants"], *report.get("hardware", {}).get("variants", [])]
    first = report["variants"][0] if report["variants"] else {}
    against = f"against {first['name']} (95 %)" if first else "ratio"
    yield f"{'variant':34}{'chain p50':>12}{'message passing':>18}{against[:26]:>26}  time"
    for entry in entries[:_MOST_ROWS]:
        ratio = "-" if entry is first else _against(entry, first)
        base = str(entry.get("time_base") or "host")
        yield (
            f"{_name(entry)[:33]:34}{duration(_p50(entry)):>12}{percent(entry['message_passing']):>18}"
            f"{ratio:>26}  {_BASES.get(base, base)}"[:MOST_COLUMNS]
        )
    if len(entries) > _MOST_ROWS:
        yield f"and {len(entries) - _MOST_ROWS} more: --tables"


def _name(entry: Entry) -> str:
    clock = entry.get("clock_hz")
    return f"{entry['name']} at {clock / 1e6:g} MHz" if clock else str(entry["name"])


def _against(entry: Entry, first: Entry) -> str:
    """The ratio of the medians with its interval; the words where it shows no difference."""
    base, new = median_of(first.get("latency_ns")), median_of(entry["latency_ns"])
    return ratio_text(ratio_interval(base, new)) if base and new else "-"


def _p50(entry: Entry) -> float | None:
    return (entry["latency_ns"] or {}).get("p50")


def _short(path: object) -> str:
    """A path as it would be typed from here."""
    near = os.path.relpath(str(path))
    return str(path) if near.startswith("..") else near
