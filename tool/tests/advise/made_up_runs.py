# SPDX-License-Identifier: Apache-2.0
"""Made-up work and runs: a line of nodes, each in a process of its own, with known times."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ligament.advise.case import Case
from ligament.advise.jobs import Job, Output, Sent, Work
from ligament.advise.setting import Setting
from ligament.artefacts import write_json
from ligament.graph import load_graph
from ligament.mapping import load_platform, map_graph
from ligament.report.variant import RunFolder
from ligament.trace.convert import TABLE_SCHEMA, table_events, table_schema

GRAPH = """schema: ligament/graph/1
name: made_up
nodes:
  camera: {type: image/camera, remap: {image_raw: raw, camera_info: info}}
  rectify: {type: image/rectify, remap: {image: raw, camera_info: info, image_rect: rect}}
  resize: {type: image/resize, remap: {image/image_raw: rect, image/camera_info: info}}
  sink: {type: image/sink, remap: {image: /resize/image_raw}}
variants:
  processes: {containers: separate}
  together: {containers: one}
check: {sink: sink}
"""
NODES = ("/camera", "/rectify", "/resize", "/sink")
TOPICS = ("/raw", "/rect", "/resize/image_raw")
WORKED = (100, 600, 300, 50)
"""Times of the nodes from take to publish, of the sink to its end."""
CALL, WAKE, TAIL = 20, 80, 10
"""A publish call, the wait of a reader that slept, and what a callback does after it."""
LATENCY = 3 * (CALL + WAKE) + 600 + 300
"""Of each frame, from the beginning of the camera's publish call to the sink's take."""
BYTES = 921_600
KERNEL = 499


def line(
    frames: int, period: int, worked: Callable[[int, int], int] | None = None, wake: int = WAKE
) -> Work:
    """A camera that sends every `period`, and nodes behind it that never wait for each other.

    `worked(node, frame)`: the time of a node; it must be less than the period.
    """
    time_of = worked or (lambda node, _: WORKED[node])
    jobs: list[Job] = []
    sent: dict[tuple[int, int], Sent] = {}
    takers: dict[tuple[int, int], list[int]] = {}
    for frame in range(1, frames + 1):
        begin, trigger = frame * period, None
        for node, name in enumerate(NODES):
            took = time_of(node, frame)
            job = Job(name, node + 1, node + 1, begin, begin + took, trigger, 200 + node)
            if trigger is not None:
                takers[trigger] = [len(jobs)]
            if node < len(TOPICS):
                message = (100 + node, frame)
                job.outputs = [Output(message, took, CALL)]
                job.end_ns += CALL + TAIL
                job.compute_ns = took if node else 0
                end = begin + took + CALL
                sent[message] = Sent(TOPICS[node], name, len(jobs), end, BYTES)
                begin, trigger = end + wake, message
            jobs.append(job)
    return Work(jobs, sent, takers, dict.fromkeys(range(1, len(NODES) + 1), 1))


def ends_of(work: Work) -> list[tuple[tuple[int, int], int]]:
    """The first message and the sink's job of each frame."""
    return [
        ((100, job.trigger[1]), at)
        for at, job in enumerate(work.jobs)
        if job.node == "/sink" and job.trigger
    ]


def case_of(work: Work, graph_file: Path, cores: int = 8, **entry: Any) -> Case:
    """A case without files: what is replayed, and the mapping of the variant `processes`."""
    graph = load_graph(graph_file)
    mapping = map_graph(graph, load_platform("host"), "processes")
    described: dict[str, Any] = {"chain": {"id": "c", "nodes": list(NODES)}}
    described |= {"nodes": [], "spans": [], "hops": [], "latency_ns": {"mean": 1200.0}}
    run = RunFolder(graph_file.parent, {"run_id": "r", "variant": "processes"})
    setting = Setting(work.server_of(), work.threads, cores)
    return Case(run, described | entry, mapping, work, setting, ends_of(work), cores)


def write_run(out: Path, frames: int = 60, **changes: Any) -> Path:
    """A run's folder: an event table, run.json, and mapping.json above it.

    `bare`: its nodes told no spans.
    """
    graph_file = out.parent / "graph.yaml"
    graph_file.write_text(GRAPH)
    folder = out / "made_up" / "processes" / "runs" / "r1"
    folder.mkdir(parents=True)
    mapping = map_graph(load_graph(graph_file), load_platform("host"), "processes")
    write_json(folder.parent.parent / "mapping.json", mapping.to_json())
    (folder.parent.parent / "build.json").write_text(json.dumps({"check": {"sink": "/sink"}}))
    run = {
        "schema": "ligament/run/1", "graph": "made_up", "variant": "processes", "run_id": "r1",
        "state": "finished", "trace": {"dir": "trace"}, "outputs": [],
        "context": {"machine": {"cores": 4}, "commit": None, "command": [], "versions": {}},
    }  # fmt: skip
    (folder / "run.json").write_text(json.dumps(run | changes.pop("run", {})))
    simulated = changes.pop("simulated", 0)
    work = line(frames, 5000)
    if simulated:
        work = line(frames, 50_000, lambda node, _: simulated if node == 1 else WORKED[node])
    for job in work.jobs if changes.pop("bare", False) else ():
        job.compute_ns = 0
    _write_events(work, folder / "events.parquet", simulated, **changes)
    return folder


def _write_events(work: Work, path: Path, simulated: int, **metadata: Any) -> None:
    """`simulated`: /rectify is on a device that takes WORKED[1], and its simulator so much."""
    rows = [*_names(simulated)]
    for job in work.jobs:
        rows += _rows_of(job, work)
        if simulated and job.node == "/rectify" and job.trigger:
            ids = {"span": KERNEL, "publisher": job.trigger[0], "seq": job.trigger[1]}
            times = {"device_begin_ns": job.begin_ns, "device_end_ns": job.begin_ns + WORKED[1]}
            told = job.begin_ns + simulated - 1
            rows.append(_event(told, "device_span", job.thread, **ids, **times, device_bound_ns=0))
    rows.sort(key=lambda row: row["time_ns"])
    schema = table_schema(table_events())
    plain = pa.schema(
        [(f.name, pa.string() if pa.types.is_dictionary(f.type) else f.type) for f in schema]
    )
    table = pa.Table.from_pylist([{n: row.get(n) for n in schema.names} for row in rows], plain)
    described = {"schema": TABLE_SCHEMA, "discarded_events": 0} | metadata
    pq.write_table(table.replace_schema_metadata({"ligament": json.dumps(described)}), path)


def _event(time: int, event: str, thread: int, **fields: Any) -> dict[str, Any]:
    base = {"clock_id": "monotonic", "ticks": time, "time_ns": time, "bound_ns": 0, "host": "h"}
    return base | {"event": event, "tid": thread, "pid": thread} | fields


def _names(simulated: int) -> list[dict[str, Any]]:
    rows = []
    if simulated:
        names = {"span": KERNEL, "node": 1, "name": "kernel", "category": "compute"}
        rows.append(_event(0, "span_name", 2, **names))
        rows.append(_event(0, "device_name", 2, span=KERNEL, device="x", time_base="modelled"))
    for node, name in enumerate(NODES):
        rows.append(_event(0, "node_init", node + 1, node=node, name=name))
        category = "device" if simulated and node == 1 else "compute"
        named = {"span": 400 + node, "node": node, "name": "w", "category": category}
        rows.append(_event(0, "span_name", node + 1, **named))
    for topic, name in enumerate(TOPICS):
        rows.append(_event(0, "topic_init", 1, topic=topic + 10, name=name, message="m"))
        ends: Mapping[str, int] = {"publisher": 100 + topic, "topic": topic + 10, "node": topic}
        rows.append(_event(0, "publisher_init", topic + 1, **ends))
        taking = {"subscription": 201 + topic, "topic": topic + 10, "node": topic + 1}
        rows.append(_event(0, "subscription_init", topic + 2, **taking))
    rows.append(_event(0, "timer_init", 1, handle=200, node=0, period_ns=5000))
    return rows


def _rows_of(job: Job, work: Work) -> list[dict[str, Any]]:
    publisher, seq = job.trigger or (0, 0)
    rows = []
    if job.trigger:
        rows.append(
            _event(job.begin_ns, "take", job.thread, subscription=job.handle, publisher=publisher,
                   seq=seq)
        )  # fmt: skip
    rows.append(
        _event(job.begin_ns, "callback_start", job.thread, handle=job.handle, publisher=publisher,
               seq=seq)
    )  # fmt: skip
    if job.compute_ns:
        span = 400 + NODES.index(job.node)
        ids = {"span": span, "publisher": 0, "seq": 0}
        rows.append(_event(job.begin_ns, "span_begin", job.thread, **ids))
        rows.append(_event(job.begin_ns + job.compute_ns, "span_end", job.thread, span=span))
    for out in job.outputs:
        end = work.sent[out.message].end_ns
        rows.append(
            _event(end, "publish", job.thread, publisher=out.message[0], seq=out.message[1],
                   bytes=BYTES, source_ns=0, begin_ns=end - out.call_ns)
        )  # fmt: skip
    rows.append(_event(job.end_ns, "callback_end", job.thread, handle=job.handle))
    return rows
