# SPDX-License-Identifier: Apache-2.0
"""Which figures of report.json stand in which table: places and forms, no values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ligament.draw.palette import SHARES

MOST_ROWS = 2000


@dataclass(frozen=True)
class Column:
    """A column: its heading, the way from the row's entry to the figure, the figure's form."""

    heading: str
    path: str
    kind: str = "text"

    @property
    def number(self) -> bool:
        """Whether it is set to the right."""
        return self.kind != "text"


@dataclass(frozen=True)
class Table:
    """Rows of one list of a variant; `left_out` of them have no place on the page."""

    title: str
    note: str
    columns: tuple[Column, ...]
    rows: tuple[str, ...]
    left_out: int = 0


_SUMMARY: tuple[tuple[str, str, str], ...] = (
    ("Outputs equal", "equal", "text"),
    ("Frames", "frames", "count"),
    ("Latency, median", "latency_ns/p50", "time"),
    ("… 95 % interval, low", "latency_ns/p50_low", "time"),
    ("… 95 % interval, high", "latency_ns/p50_high", "time"),
    ("… beside the reference", "against_reference/p50_ratio", "ratio"),
    ("Latency, 99th percentile", "latency_ns/p99", "time"),
    ("Latency, mean", "latency_ns/mean", "time"),
    ("Latency, standard deviation", "latency_ns/sd", "time"),
    ("Latency, smallest", "latency_ns/min", "time"),
    ("Latency, largest", "latency_ns/max", "time"),
    ("Jitter", "latency_ns/jitter", "time"),
    ("Message passing", "message_passing", "share"),
    ("… median of the frames", "message_passing_p50", "share"),
    ("Throughput", "throughput_hz", "rate"),
    ("Drops", "drops", "count"),
    ("Expired", "expired", "count"),
    ("Publisher waits", "publisher_waits", "count"),
    ("Overrun", "overrun", "count"),
    ("Deadlines missed", "deadlines_missed", "count"),
    ("Chains not completed", "incomplete/count", "count"),
    ("… of", "incomplete/of", "count"),
    ("Copies", "copies", "count"),
    ("Bytes copied", "bytes_copied", "size"),
    ("Loans refused", "loans_failed", "count"),
    ("Heap allocations", "heap_allocs", "count"),
    ("CPU time", "cpu_ns", "time"),
    ("Peak memory", "peak_memory_bytes", "size"),
    ("Energy per message", "energy/per_message_j", "energy"),
    ("Lost events", "lost_events", "count"),
    ("Probe overhead, per message", "probe_overhead_ns", "time"),
)

_SELDOM = {"expired", "publisher_waits", "overrun", "deadlines_missed", "loans_failed"}
"""Rows that are shown only where a variant has anything in them."""

_SUMMED = tuple(
    (name.replace("_", " "), f"between_ns/{name}", f"node_ns/{name}") for name in SHARES
)

_TABLES: tuple[tuple[str, str, str, tuple[Column, ...]], ...] = (
    (
        "topics",
        "Topics",
        "As the containers counted them, from start to end; else as the trace tells.",
        (
            Column("topic", "topic"),
            Column("published", "published", "count"),
            Column("rate", "rate_hz", "rate"),
            Column("bytes", "bytes", "size"),
            Column("taken", "taken", "count"),
            Column("dropped", "dropped", "count"),
            Column("copies", "copies", "count"),
            Column("bytes copied", "bytes_copied", "size"),
            Column("late", "deadline_missed", "count"),
        ),
    ),
    (
        "nodes",
        "Nodes",
        "As the containers counted them; CPU time is shared out where a container holds several.",
        (
            Column("node", "node"),
            Column("container", "container"),
            Column("published", "published", "count"),
            Column("taken", "taken", "count"),
            Column("dropped", "dropped", "count"),
            Column("copies", "copies", "count"),
            Column("CPU time", "cpu_ns", "time"),
            Column("heap allocations", "heap_allocs", "count"),
        ),
    ),
    (
        "spans",
        "Spans",
        "Named work of all nodes, on the chain or not, warm-up included.",
        (
            Column("node", "node"),
            Column("span", "span"),
            Column("category", "category"),
            Column("n", "time_ns/n", "count"),
            Column("median", "time_ns/p50", "time"),
            Column("p99", "time_ns/p99", "time"),
            Column("mean", "time_ns/mean", "time"),
            Column("largest", "time_ns/max", "time"),
        ),
    ),
    (
        "span_values",
        "Values told with spans",
        "What the nodes' authors told, warm-up included.",
        (
            Column("node", "node"),
            Column("span", "span"),
            Column("value", "value"),
            Column("n", "n", "count"),
            Column("median", "p50", "number"),
            Column("p99", "p99", "number"),
            Column("mean", "mean", "number"),
            Column("smallest", "min", "number"),
            Column("largest", "max", "number"),
        ),
    ),
    (
        "callbacks",
        "Callbacks",
        "Every callback that ran, on the chain or not, warm-up included.",
        (
            Column("node", "node"),
            Column("called by", "kind"),
            Column("name", "name"),
            Column("n", "time_ns/n", "count"),
            Column("median", "time_ns/p50", "time"),
            Column("p99", "time_ns/p99", "time"),
            Column("largest", "time_ns/max", "time"),
            Column("rate", "rate_hz", "rate"),
        ),
    ),
    (
        "other_chains",
        "Other chains",
        "Found besides; the figures above are not about them.",
        (
            Column("chain", "id"),
            Column("started", "started", "count"),
            Column("complete", "complete", "count"),
        ),
    ),
)


def summary_rows(report: Mapping[str, Any]) -> list[tuple[str, list[str], str]]:
    """Label, the place of each variant's figure, form: the variants side by side."""
    variants = report["variants"]
    rows = []
    for label, path, kind in _SUMMARY:
        head = path.split("/", maxsplit=1)[0]
        if head in _SELDOM and not any(variant.get(head) for variant in variants):
            continue
        if not any(head in variant for variant in variants):
            continue
        rows.append((label, [f"variants/{i}/{path}" for i in range(len(variants))], kind))
        if path == "message_passing_p50":
            rows += [
                (f"Share of {name.replace('_', ' ')}", places, "share")
                for name, places in _share_places(variants)
            ]
    return rows


def _share_places(variants: list[dict[str, Any]]) -> list[tuple[str, list[str]]]:
    found = {name for variant in variants for name in variant.get("shares") or {}}
    names = [name for name in SHARES if name in found] + sorted(found - set(SHARES))
    return [(n, [f"variants/{i}/shares/{n}" for i in range(len(variants))]) for n in names]


def sections(report: Mapping[str, Any]) -> list[list[Table]]:
    """The tables of each variant, in the variants' order."""
    return [_of_variant(i, variant) for i, variant in enumerate(report["variants"])]


def _of_variant(index: int, variant: Mapping[str, Any]) -> list[Table]:
    tables = []
    if variant.get("hops"):
        tables.append(_hops(index, variant["hops"]))
    for key, title, note, columns in _TABLES:
        entries = variant.get(key) or []
        if entries:
            tables.append(_table(title, note, columns, f"variants/{index}/{key}", len(entries)))
    return tables


def _hops(index: int, hops: list[dict[str, Any]]) -> Table:
    present = {name for hop in hops for name in hop["between_ns"]}
    parts = [
        column
        for name, between, node in _SUMMED
        if between.split("/")[1] in present
        for column in (
            Column(f"{name}, hand-over", between, "time"),
            Column(f"{name}, in the node", node, "time"),
        )
    ]
    columns = (
        Column("from", "from"),
        Column("to", "to"),
        Column("topic", "topic"),
        Column("median", "total_ns/p50", "time"),
        Column("p99", "total_ns/p99", "time"),
        Column("wakes", "wakes", "number"),
        *parts,
    )
    note = "Means over the messages: hand-over from publish to take; in the node on to its publish."
    return _table("Hops", note, columns, f"variants/{index}/hops", len(hops))


def _table(title: str, note: str, columns: tuple[Column, ...], path: str, count: int) -> Table:
    rows = tuple(f"{path}/{i}" for i in range(min(count, MOST_ROWS)))
    return Table(title, note, columns, rows, count - len(rows))
