# SPDX-License-Identifier: Apache-2.0
"""Which figures of report.json stand in which table: places and forms, no values.

The tables have one form, so their lines look alike: they are data, and a reader looks for a column.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ligament.draw.palette import SHARES
from ligament.report.page.text import look_up

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
    """A list of a variant, by its key, and how it is shown; `left_out` rows have no place."""

    key: str
    title: str
    note: str
    columns: tuple[Column, ...]
    rows: tuple[str, ...] = ()
    left_out: int = 0


_SUMMARY = (
    Column("Outputs equal", "equal"),
    Column("Frames", "frames", "count"),
    Column("Time base", "time_base"),
    Column("… right to within", "device_bound_ns", "time"),
    Column("Latency, median", "latency_ns/p50", "time"),
    Column("… 95 % interval, low", "latency_ns/p50_low", "time"),
    Column("… 95 % interval, high", "latency_ns/p50_high", "time"),
    Column("… beside the reference", "against_reference/p50_ratio", "ratio"),
    Column("Latency as it passed, median", "wall_latency_ns/p50", "time"),
    Column("Latency, 99th percentile", "latency_ns/p99", "time"),
    Column("Latency, mean", "latency_ns/mean", "time"),
    Column("Latency, standard deviation", "latency_ns/sd", "time"),
    Column("Latency, smallest", "latency_ns/min", "time"),
    Column("Latency, largest", "latency_ns/max", "time"),
    Column("Jitter", "latency_ns/jitter", "time"),
    Column("Message passing", "message_passing", "share"),
    Column("… median of the frames", "message_passing_p50", "share"),
    Column("Throughput", "throughput_hz", "rate"),
    Column("Drops", "drops", "count"),
    Column("Expired", "expired", "count"),
    Column("Publisher waits", "publisher_waits", "count"),
    Column("Overrun", "overrun", "count"),
    Column("Deadlines missed", "deadlines_missed", "count"),
    Column("Chains not completed", "incomplete/count", "count"),
    Column("… of", "incomplete/of", "count"),
    Column("Copies", "copies", "count"),
    Column("Bytes copied", "bytes_copied", "size"),
    Column("Loans refused", "loans_failed", "count"),
    Column("Heap allocations", "heap_allocs", "count"),
    Column("CPU time", "cpu_ns", "time"),
    Column("Peak memory", "peak_memory_bytes", "size"),
    Column("Energy per message", "energy/per_message_j", "energy"),
    Column("Lost events", "lost_events", "count"),
    Column("Probe overhead, per message", "probe_overhead_ns", "time"),
)

_SELDOM = {
    "expired", "publisher_waits", "overrun", "deadlines_missed", "loans_failed", "device_bound_ns",
    "wall_latency_ns",
}  # fmt: skip
"""Rows that are shown only where a variant has anything in them."""

_SUMMED = tuple(
    (name.replace("_", " "), f"between_ns/{name}", f"node_ns/{name}") for name in SHARES
)

_LOSSES = (Column("dropped", "dropped", "count"), Column("copies", "copies", "count"))


def _spread(path: str, kind: str) -> tuple[Column, ...]:
    """Count, median and tail of a figure that has them."""
    return (
        Column("n", f"{path}n", "count"),
        Column("median", f"{path}p50", kind),
        Column("p99", f"{path}p99", kind),
    )


_CELLS = tuple(Column(name, name, "count") for name in ("lut", "ff", "bram18", "dsp"))

_HARDWARE = (
    Table(
        "hardware/nodes",
        "Nodes in hardware",
        "As their designs counted them, warm-up included; of several messages at once each counts.",
        (
            Column("node", "node"),
            Column("answered", "messages", "count"),
            Column("refused", "refused", "count"),
            Column("left", "left", "count"),
            Column("cycles", "cycles", "count"),
            Column("isolated", "isolated"),
        ),
    ),
    Table(
        "hardware/designs",
        "What holds the designs back",
        "A core whose input waits for it though it waits for nobody; else the way from or to "
        "memory, or a topic. Share: of the design's cycles, warm-up included.",
        (
            Column("device", "device"),
            Column("cycles", "cycles", "count"),
            Column("share", "share", "share"),
            Column("in words", "text"),
        ),
    ),
    Table(
        "hardware/streams",
        "Streams of cores",
        "Busy: the share of the design's cycles in which a beat passed. "
        "Stalled: that in which a beat waited; of an input, for the core. "
        "Starved: in which a message had begun and no beat came.",
        (
            Column("node", "node"),
            Column("port", "port"),
            Column("direction", "direction"),
            Column("in memory", "memory"),
            Column("beats", "beats", "count"),
            Column("busy", "busy", "share"),
            Column("stalled", "stalled", "share"),
            Column("starved", "missing", "share"),
        ),
    ),
    Table(
        "hardware/topics",
        "Topics in hardware",
        "Stalled: cycles in which a beat waited for a subscription. Starved: cycles within a "
        "message in which its publisher had no beat. Fullest queue: in beats.",
        (
            Column("topic", "topic"),
            *(Column(name, name, "count") for name in ("frames", "beats")),
            Column("stalled", "stalls", "count"),
            Column("starved", "gaps", "count"),
            Column("drops", "drops", "count"),
            Column("fullest queue", "peak_beats", "count"),
        ),
    ),
    Table(
        "hardware/area/rows",
        "Cells of the designs",
        "Synthesised by `build --synth`, of the sources that ran.",
        (Column("part", "part"), Column("of", "of"), *_CELLS),
    ),
)

# Data, and alike because tables are: each row is a column, which has its own name and place.
_SECTIONS = (
    Table(
        "topics",
        "Topics",
        "As the containers counted them, from start to end; else as the trace tells.",
        (
            Column("topic", "topic"),
            Column("published", "published", "count"),
            Column("rate", "rate_hz", "rate"),
            Column("bytes", "bytes", "size"),
            Column("taken", "taken", "count"),
            *_LOSSES,
            Column("bytes copied", "bytes_copied", "size"),
            Column("late", "deadline_missed", "count"),
        ),
    ),
    Table(
        "nodes",
        "Nodes",
        "As the containers counted them; CPU time is shared out where a container holds several.",
        (
            Column("node", "node"),
            Column("container", "container"),
            Column("published", "published", "count"),
            Column("taken", "taken", "count"),
            *_LOSSES,
            Column("CPU time", "cpu_ns", "time"),
            Column("heap allocations", "heap_allocs", "count"),
        ),
    ),
    Table(
        "spans",
        "Spans",
        "Named work of all nodes, on the chain or not, warm-up included.",
        (
            Column("node", "node"),
            Column("span", "span"),
            Column("category", "category"),
            *_spread("time_ns/", "time"),
            Column("mean", "time_ns/mean", "time"),
            Column("largest", "time_ns/max", "time"),
        ),
    ),
    Table(
        "span_values",
        "Values told with spans",
        "What the nodes' authors told, warm-up included.",
        (
            Column("node", "node"),
            Column("span", "span"),
            Column("value", "value"),
            *_spread("", "number"),
            Column("mean", "mean", "number"),
            Column("smallest", "min", "number"),
            Column("largest", "max", "number"),
        ),
    ),
    Table(
        "callbacks",
        "Callbacks",
        "Every callback that ran, on the chain or not, warm-up included.",
        (
            Column("node", "node"),
            Column("called by", "kind"),
            Column("name", "name"),
            *_spread("time_ns/", "time"),
            Column("largest", "time_ns/max", "time"),
            Column("rate", "rate_hz", "rate"),
        ),
    ),
    Table(
        "device_timers",
        "Timers on cores",
        "The loop's jitter: from call to call, by the core's own clock.",
        (
            Column("node", "node"),
            Column("timer", "timer"),
            Column("device", "device"),
            *_spread("period_ns/", "time"),
            Column("mean", "period_ns/mean", "time"),
            Column("standard deviation", "period_ns/sd", "time"),
            Column("smallest", "period_ns/min", "time"),
            Column("largest", "period_ns/max", "time"),
        ),
    ),
    Table(
        "device_tracks",
        "Tasks and interrupts of cores",
        "An interrupt's time is in that of the task that it interrupts, too.",
        (
            Column("device", "device"),
            Column("kind", "kind"),
            Column("name", "name"),
            Column("share of the time", "share", "share"),
            *_spread("time_ns/", "time"),
            Column("largest", "time_ns/max", "time"),
        ),
    ),
    Table(
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
    for column in _SUMMARY:
        path = column.path
        head = path.split("/", maxsplit=1)[0]
        if head in _SELDOM and not any(variant.get(head) for variant in variants):
            continue
        if head == "time_base" and not any(map(_has_other_clock, variants)):
            continue
        if not any(head in variant for variant in variants):
            continue
        places = [f"variants/{i}/{path}" for i in range(len(variants))]
        rows.append((column.heading, places, column.kind))
        if path == "message_passing_p50":
            rows += [
                (f"Share of {name.replace('_', ' ')}", shares, "share")
                for name, shares in _share_places(variants)
            ]
    return rows


def _has_other_clock(variant: Mapping[str, Any]) -> bool:
    return (variant.get("time_base") or "host") != "host"


def _share_places(variants: list[dict[str, Any]]) -> list[tuple[str, list[str]]]:
    found = {name for variant in variants for name in variant.get("shares") or {}}
    names = [name for name in SHARES if name in found] + sorted(found - set(SHARES))
    return [(n, [f"variants/{i}/shares/{n}" for i in range(len(variants))]) for n in names]


def sections(report: Mapping[str, Any]) -> list[list[Table]]:
    """The tables of each variant, in the variants' order."""
    return [_of_variant(f"variants/{i}", variant) for i, variant in enumerate(report["variants"])]


def hardware_sections(report: Mapping[str, Any]) -> list[list[Table]]:
    """The same of the demo's variants on the FPGA, of which the report keeps less."""
    variants = look_up(report, "hardware/variants") or []
    return [_of_variant(f"hardware/variants/{i}", variant) for i, variant in enumerate(variants)]


def _of_variant(place: str, variant: Mapping[str, Any]) -> list[Table]:
    hops = variant.get("hops") or []
    wanted = [*([_hops(hops)] if hops else []), *_HARDWARE, *_SECTIONS]
    return [
        _table(_with_devices(section, variant), place, len(rows))
        for section in wanted
        if (rows := look_up(variant, section.key))
    ]


def _with_devices(section: Table, variant: Mapping[str, Any]) -> Table:
    """Spans say whose work they are, and by whose clock, where a device is among them."""
    if section.key != "spans" or not any(span.get("device") for span in variant["spans"]):
        return section
    at = section.columns.index(Column("category", "category")) + 1
    added = (Column("device", "device"), Column("time base", "time_base"))
    return replace(section, columns=(*section.columns[:at], *added, *section.columns[at:]))


def _hops(hops: list[dict[str, Any]]) -> Table:
    parts = [
        column
        for name, between, node in _SUMMED
        for column in (
            Column(f"{name}, hand-over", between, "time"),
            Column(f"{name}, in the node", node, "time"),
        )
        if any(look_up(hop, column.path) for hop in hops)
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
    note = (
        "Means over the messages: hand-over from publish to take; in the node on to its publish. "
        "Parts that are 0 in every hop are left out."
    )
    return Table("hops", "Hops", note, columns)


def _table(section: Table, place: str, count: int) -> Table:
    shown = range(min(count, MOST_ROWS))
    rows = tuple(f"{place}/{section.key}/{i}" for i in shown)
    return replace(section, rows=rows, left_out=count - len(rows))
