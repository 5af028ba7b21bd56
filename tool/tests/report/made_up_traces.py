# SPDX-License-Identifier: Apache-2.0
"""Made-up event tables: a tiny trace, a query, the expected numbers."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ligament.trace.convert import TABLE_SCHEMA, table_events, table_schema

CAMERA, RECTIFY, SINK = 1, 2, 3
RAW, RECT, DONE = 10, 11, 12
PUB_RAW, PUB_RECT, PUB_DONE = 101, 102, 103
SUB_RAW, SUB_RECT, SUB_DONE = 202, 203, 201
TIMER, REMAP, PACK = 301, 401, 402
WAIT, KERNEL, COPY_IN = 403, 404, 405


class Trace:
    """Collects events; the rows are written in order of time."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []

    def add(self, time_ns: int, event: str, tid: int = 1, **fields: Any) -> Trace:
        base = {"clock_id": "monotonic", "ticks": time_ns, "time_ns": time_ns, "bound_ns": 0}
        self.rows.append(base | {"host": "h", "event": event, "tid": tid, "pid": tid} | fields)
        return self

    def names(self) -> Trace:
        """The perception graph: camera -> rectify -> sink, and done back to the camera."""
        for node, name in ((CAMERA, "/camera"), (RECTIFY, "/rectify"), (SINK, "/sink")):
            self.add(0, "node_init", node=node, name=name)
        for topic, name in ((RAW, "/image_raw"), (RECT, "/image_rect"), (DONE, "/done")):
            self.add(0, "topic_init", topic=topic, name=name, message="m")
        for publisher, topic, node in (
            (PUB_RAW, RAW, CAMERA), (PUB_RECT, RECT, RECTIFY), (PUB_DONE, DONE, SINK),
        ):  # fmt: skip
            self.add(0, "publisher_init", publisher=publisher, topic=topic, node=node)
        for subscription, topic, node in (
            (SUB_RAW, RAW, RECTIFY), (SUB_RECT, RECT, SINK), (SUB_DONE, DONE, CAMERA),
        ):  # fmt: skip
            self.add(0, "subscription_init", subscription=subscription, topic=topic, node=node)
        self.add(0, "span_name", span=REMAP, node=RECTIFY, name="remap", category="compute")
        self.add(0, "span_name", span=PACK, node=RECTIFY, name="pack", category="serialise")
        return self.add(0, "probe_cost", cost_ns=100.0, count=10)

    def publish(self, begin: int, end: int, tid: int, publisher: int, seq: int) -> Trace:
        return self.add(end, "publish", tid, publisher=publisher, seq=seq, bytes=9, source_ns=0,
                        begin_ns=begin)  # fmt: skip

    def take(self, time: int, tid: int, subscription: int, publisher: int, seq: int) -> Trace:
        ids = {"publisher": publisher, "seq": seq}
        self.add(time, "take", tid, subscription=subscription, **ids)
        return self.add(time, "callback_start", tid, handle=subscription, **ids)

    def end(self, time: int, tid: int, handle: int) -> Trace:
        return self.add(time, "callback_end", tid, handle=handle)

    def span(self, begin: int, end: int, tid: int, span: int = REMAP, **identity: int) -> Trace:
        ids = {"publisher": 0, "seq": 0} | identity
        self.add(begin, "span_begin", tid, span=span, **ids)
        return self.add(end, "span_end", tid, span=span)

    def device(self, base: str = "device") -> Trace:
        """A device of /rectify: the span of the thread that waits, a kernel, a copy."""
        for span, name, category in (
            (WAIT, "wait", "device"), (KERNEL, "remap", "compute"), (COPY_IN, "copy in", "copy"),
        ):  # fmt: skip
            self.add(0, "span_name", span=span, node=RECTIFY, name=name, category=category)
        for span in (KERNEL, COPY_IN):
            self.add(0, "device_name", span=span, device="a GPU", time_base=base)
        return self

    def work(self, begin: int, end: int, told: int, seq: int, span: int = KERNEL) -> Trace:
        """What the device did for a message of the camera, told by thread 2."""
        return self.add(
            told, "device_span", 2, span=span, publisher=PUB_RAW, seq=seq,
            device_begin_ns=begin, device_end_ns=end, device_bound_ns=7,
        )  # fmt: skip

    def device_frame(self, start: int, seq: int, wait: tuple[int, int] = (150, 750)) -> Trace:
        """As frame(), with a wait for the device in place of the remap."""
        self.publish(start, start + 20, 1, PUB_RAW, seq)
        self.take(start + 100, 2, SUB_RAW, PUB_RAW, seq)
        self.span(start + wait[0], start + wait[1], 2, WAIT, publisher=PUB_RAW, seq=seq)
        self.publish(start + 800, start + 820, 2, PUB_RECT, seq).end(start + 850, 2, SUB_RAW)
        return self.take(start + 1000, 3, SUB_RECT, PUB_RECT, seq).end(start + 1100, 3, SUB_RECT)

    def frame(self, start: int, seq: int, *, sink: bool = True) -> Trace:
        """One frame over three threads. Latency 1000, compute 600, wait 0, the rest transport."""
        self.add(start - 5, "callback_start", 1, handle=TIMER, publisher=0, seq=0)
        self.publish(start, start + 20, 1, PUB_RAW, seq).end(start + 30, 1, TIMER)
        self.take(start + 100, 2, SUB_RAW, PUB_RAW, seq)
        self.span(start + 150, start + 750, 2)
        self.publish(start + 800, start + 820, 2, PUB_RECT, seq).end(start + 850, 2, SUB_RAW)
        if sink:
            self.take(start + 1000, 3, SUB_RECT, PUB_RECT, seq).end(start + 1100, 3, SUB_RECT)
        return self

    def write(self, path: Path, without: Sequence[str] = (), **metadata: Any) -> Path:
        """Write the table; `without` are columns that it lacks, as those of earlier versions do."""
        schema = table_schema(table_events())
        rows = sorted(self.rows, key=lambda row: row["time_ns"])
        table = pa.Table.from_pylist(
            [{name: row.get(name) for name in schema.names} for row in rows],
            schema=pa.schema([(f.name, pa.string() if pa.types.is_dictionary(f.type) else f.type)
                              for f in schema]),
        )  # fmt: skip
        described = {"schema": TABLE_SCHEMA, "discarded_events": 0} | metadata
        table = table.drop_columns(list(without))
        pq.write_table(table.replace_schema_metadata({"ligament": json.dumps(described)}), path)
        return path


MakeRun = Callable[..., Path]


def run_maker(tmp_path: Path) -> MakeRun:
    """What makes run folders below a folder."""

    def make(trace: Trace, variant: str = "one", hashes: dict[int, str] | None = None,
             lost: int = 0, **metadata: Any) -> Path:  # fmt: skip
        folder = tmp_path / variant / "runs" / "r1"
        (folder / "outputs").mkdir(parents=True)
        (tmp_path / variant / "build.json").write_text(json.dumps({"check": {"sink": "/sink"}}))
        frames = hashes if hashes is not None else {0: "a", 1: "b", 2: "c"}
        lines = [json.dumps({"index": index, "hash": text}) for index, text in frames.items()]
        (folder / "outputs" / "sink.jsonl").write_text("\n".join(lines))
        status = {"event": "status", "container": "c", "nodes": [
            {"id": "/sink", "cpu_ns": 7, "subscriptions": [{"lost": 2, "copies": 1}]}]}  # fmt: skip
        (folder / "status.jsonl").write_text(json.dumps(status) + '\n{"event": "cut')
        run = {
            "schema": "ligament/run/1", "graph": "g", "variant": variant, "run_id": variant,
            "state": "finished", "trace": {"dir": "trace", "events_discarded": lost},
            "outputs": [{"path": "outputs/sink.jsonl", "node": "/sink", "size_bytes": 1}],
            "context": {"machine": {}, "commit": None, "command": [], "versions": {}},
        }  # fmt: skip
        (folder / "run.json").write_text(json.dumps(run))
        trace.write(folder / "events.parquet", **metadata)
        return folder

    return make
