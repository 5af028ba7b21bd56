# SPDX-License-Identifier: Apache-2.0
"""Devices' work is told from waiting for it, and simulators' time is taken out."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from made_up_traces import COPY_IN, PACK, PUB_RAW, SUB_RAW, SUB_RECT, WAIT, Trace
from rich.console import Console

from ligament import resources
from ligament.report.breakdown import Breakdown, Timeline
from ligament.report.chains import find_chains, instances
from ligament.report.database import open_events
from ligament.report.found import span_times
from ligament.report.names import SHARES
from ligament.report.options import ReportOptions
from ligament.report.page.timeline import read_timeline
from ligament.report.stage import make_report
from ligament.report.terminal import print_report, remarks
from ligament.trace.perfetto import write_timeline


def broken_down(trace: Trace, tmp_path: Path) -> Breakdown:
    database = open_events(trace.write(tmp_path / "events.parquet"))
    parts = Timeline(database).break_down(instances(database, find_chains(database)[0]))
    assert (np.sum([parts.total(name) for name in SHARES], axis=0) == parts.latency).all()
    assert all((parts.total(name) >= 0).all() for name in SHARES)
    return parts


def totals(parts: Breakdown, row: int = 0) -> dict[str, int]:
    return {name: int(parts.total(name)[row]) for name in SHARES if parts.total(name)[row]}


def test_a_kernel_is_compute_and_waiting_for_it_is_not(trace: Trace, tmp_path: Path) -> None:
    trace.device().device_frame(10_000, 1)
    trace.work(10_200, 10_600, told=10_740, seq=1)
    parts = broken_down(trace, tmp_path)
    assert totals(parts) == {"compute": 400, "transport": 600}
    assert [(one.base, list(one.bound_ns)) for one in parts.devices] == [("device", [7])]
    assert list(parts.wall) == list(parts.latency) == [1000]


def test_a_kernel_that_began_before_anybody_waited_counts_whole(
    trace: Trace, tmp_path: Path
) -> None:
    """The waiting thread got the core late: its span is much shorter than the kernel's work."""
    trace.device().device_frame(10_000, 1, wait=(700, 750)).work(10_120, 10_690, 10_740, seq=1)
    assert totals(broken_down(trace, tmp_path)) == {"compute": 570, "transport": 430}


def test_copies_are_told_from_kernels(trace: Trace, tmp_path: Path) -> None:
    trace.device().device_frame(10_000, 1)
    trace.work(10_160, 10_300, 10_740, seq=1, span=COPY_IN).work(10_300, 10_600, 10_741, seq=1)
    assert totals(broken_down(trace, tmp_path)) == {"compute": 300, "copy": 140, "transport": 560}


def test_what_a_device_does_at_once_counts_once(trace: Trace, tmp_path: Path) -> None:
    trace.device().device_frame(10_000, 1)
    trace.work(10_200, 10_500, 10_740, seq=1).work(10_400, 10_600, 10_741, seq=1)
    trace.work(10_160, 10_700, 10_742, seq=1, span=COPY_IN)
    assert totals(broken_down(trace, tmp_path)) == {"compute": 400, "copy": 140, "transport": 460}


def test_the_hosts_own_spans_go_before_a_devices(trace: Trace, tmp_path: Path) -> None:
    trace.device().device_frame(10_000, 1, wait=(500, 750)).work(10_200, 10_600, 10_740, seq=1)
    trace.span(10_300, 10_400, 2, PACK)
    assert totals(broken_down(trace, tmp_path)) == {
        "compute": 300, "serialise": 100, "transport": 600,
    }  # fmt: skip


def test_a_device_that_works_for_another_message_is_a_queue(trace: Trace, tmp_path: Path) -> None:
    trace.device().device_frame(10_000, 1).work(10_300, 10_600, 10_740, seq=1)
    trace.work(10_050, 10_250, 10_742, seq=7)  # of it, 150 are after the take
    assert totals(broken_down(trace, tmp_path)) == {
        "compute": 300, "queue_wait": 150, "transport": 550,
    }  # fmt: skip


def test_work_beyond_the_visit_is_not_counted(trace: Trace, tmp_path: Path) -> None:
    trace.device().device_frame(10_000, 1).work(10_050, 10_900, 10_740, seq=1)
    assert totals(broken_down(trace, tmp_path)) == {"compute": 700, "transport": 300}


def test_a_wait_without_times_of_the_device_is_all_that_is_known(
    trace: Trace, tmp_path: Path
) -> None:
    trace.device().device_frame(10_000, 1).device_frame(20_000, 2)
    trace.work(20_200, 20_300, told=20_740, seq=2)
    parts = broken_down(trace, tmp_path)
    assert totals(parts, 0) == {"compute": 600, "transport": 400}
    assert totals(parts, 1) == {"compute": 100, "transport": 900}


def test_a_simulators_time_is_taken_out(trace: Trace, tmp_path: Path) -> None:
    trace.device("modelled").device_frame(10_000, 1).work(10_150, 10_190, 10_740, seq=1)
    parts = broken_down(trace, tmp_path)
    assert totals(parts) == {"compute": 40, "transport": 400}
    assert (list(parts.latency), list(parts.wall)) == ([440], [1000])
    assert parts.devices[0].base == "modelled"


def test_hardware_may_be_slower_than_its_simulator(trace: Trace, tmp_path: Path) -> None:
    trace.device("modelled").device_frame(10_000, 1).work(10_150, 12_150, 10_740, seq=1)
    parts = broken_down(trace, tmp_path)
    assert totals(parts) == {"compute": 2000, "transport": 400}
    assert list(parts.latency) == [2400]


def test_waiting_behind_a_simulation_is_as_long_as_the_hardware_would_be(
    trace: Trace, tmp_path: Path
) -> None:
    """The second message is there while the first is simulated for 600 ns that are 60 modelled."""
    trace.device("modelled").device_frame(10_000, 1).work(10_150, 10_210, 10_740, seq=1)
    trace.publish(10_400, 10_450, 1, PUB_RAW, 2)
    trace.take(10_900, 2, SUB_RAW, PUB_RAW, 2).end(10_950, 2, SUB_RAW)
    database = open_events(trace.write(tmp_path / "events.parquet"))
    chain = find_chains(database)[0]
    first = Timeline(database).break_down(instances(database, type(chain)(chain.hops[:1])))
    # Behind it in the queue: from 10,450 to 10,850, 300 of them the simulator's, which are 30.
    assert list(first.total("queue_wait")) == [0, 130]
    assert list(first.latency) == [100, 230]
    assert list(first.wall) == [100, 500]


def test_several_messages_simulated_in_one_stretch(trace: Trace, tmp_path: Path) -> None:
    """A design that works on several at once: the stretch is as long as their work together."""
    trace.device("modelled").device_frame(10_000, 1)
    trace.work(10_150, 10_250, 10_740, seq=1).work(10_200, 10_300, 10_741, seq=2)
    parts = broken_down(trace, tmp_path)
    assert totals(parts) == {"compute": 100, "queue_wait": 50, "transport": 400}


def test_a_design_of_several_nodes_is_passed_in_one_callback(trace: Trace, tmp_path: Path) -> None:
    """/rectify takes the message and /shrink, behind it in the same design, publishes."""
    shrink, kernel, publisher = 4, 499, 104
    trace.device("modelled").add(0, "node_init", node=shrink, name="/shrink")
    trace.add(0, "publisher_init", publisher=publisher, topic=11, node=shrink)
    trace.add(0, "span_name", span=kernel, node=shrink, name="hardware", category="compute")
    trace.add(0, "device_name", span=kernel, device="fpga0", time_base="modelled")
    trace.publish(10_000, 10_020, 1, PUB_RAW, 1).take(10_100, 2, SUB_RAW, PUB_RAW, 1)
    trace.span(10_150, 10_750, 2, WAIT, publisher=PUB_RAW, seq=1)
    trace.work(10_150, 10_190, 10_740, seq=1).work(10_180, 10_220, 10_741, seq=1, span=kernel)
    trace.publish(10_800, 10_820, 2, publisher, 1).end(10_850, 2, SUB_RAW)
    trace.take(11_000, 3, SUB_RECT, publisher, 1).end(11_100, 3, SUB_RECT)
    database = open_events(trace.write(tmp_path / "events.parquet"))
    (chain,) = find_chains(database)
    assert chain.nodes == ["/camera", "/rectify", "/shrink", "/sink"]
    parts = Timeline(database).break_down(instances(database, chain))
    assert totals(parts) == {"compute": 70, "transport": 400}


def queue_frame(trace: Trace, taken: int, busy: int = 0) -> Trace:
    """/rectify sends to /shrink before its kernel has run; /shrink publishes when both have.

    `taken`: when /shrink took it; `busy`: for how long the thread worked on it then."""
    shrink, resize, queue, small = 4, 499, 14, 15
    trace.device().add(0, "node_init", node=shrink, name="/shrink")
    trace.add(0, "topic_init", topic=queue, name="/image_queue", message="m@device")
    trace.add(0, "topic_init", topic=small, name="/image_small", message="m")
    trace.add(0, "publisher_init", publisher=105, topic=queue, node=2)
    trace.add(0, "publisher_init", publisher=106, topic=small, node=shrink)
    trace.add(0, "subscription_init", subscription=204, topic=queue, node=shrink)
    trace.add(0, "subscription_init", subscription=205, topic=small, node=3)
    trace.add(0, "span_name", span=resize, node=shrink, name="resize", category="compute")
    trace.add(0, "device_name", span=resize, device="a GPU", time_base="device")
    trace.publish(10_000, 10_020, 1, PUB_RAW, 1).take(10_100, 2, SUB_RAW, PUB_RAW, 1)
    trace.publish(10_140, 10_150, 2, 105, 1).end(10_160, 2, SUB_RAW)
    trace.take(taken, 2, 204, 105, 1).span(taken + 10, taken + 10 + busy, 2, PACK)
    trace.end(taken + 20 + busy, 2, 204)
    trace.work(10_250, 10_550, told=10_850, seq=1)
    trace.add(10_850, "device_span", 5, span=resize, publisher=105, seq=1,
              device_begin_ns=10_560, device_end_ns=10_800, device_bound_ns=7)  # fmt: skip
    trace.add(10_840, "callback_start", 5, handle=302, publisher=105, seq=1)
    trace.publish(10_900, 10_910, 5, 106, 1).end(10_920, 5, 302)
    return trace.take(11_000, 3, 205, 106, 1).end(11_100, 3, 205)


def test_a_message_on_a_queue_stays_until_the_device_is_done(trace: Trace, tmp_path: Path) -> None:
    parts = broken_down(queue_frame(trace, taken=10_200), tmp_path)
    assert totals(parts) == {"compute": 300 + 240, "transport": 460}
    assert [int(hop.node["compute"][0]) for hop in parts.hops if hop.node] == [300, 240]
    assert [int(hop.between["transport"][0]) for hop in parts.hops] == [100, 0, 100]


def test_a_host_that_is_late_for_a_queue_is_transport(trace: Trace, tmp_path: Path) -> None:
    parts = broken_down(queue_frame(trace, taken=10_555), tmp_path)
    assert totals(parts) == {"compute": 540, "transport": 460}
    assert [int(hop.between["transport"][0]) for hop in parts.hops] == [100, 5, 100]


def test_what_a_thread_does_after_sending_to_a_queue_is_not_of_that_node(
    trace: Trace, tmp_path: Path
) -> None:
    """/shrink's own work, on /rectify's thread while its kernel runs, is none of /rectify's."""
    parts = broken_down(queue_frame(trace, taken=10_200, busy=200), tmp_path)
    assert totals(parts) == {"compute": 540, "transport": 460}


def test_the_report_names_the_queues(trace: Trace, make_run: Callable[..., Path]) -> None:
    report = make_report([make_run(queue_frame(trace, taken=10_200))], ReportOptions(warm_up=0))
    schema = json.loads((resources.spec_dir() / "report" / "report.schema.json").read_text())
    jsonschema.validate(json.loads(json.dumps(report)), schema)
    assert [hop.get("queue", False) for hop in report["variants"][0]["hops"]] == [
        False, True, False,
    ]  # fmt: skip
    (told,) = [line for line in remarks(report) if "(queue)" in line]
    assert "payloads of /image_queue stay on the device" in told


def test_spans_of_devices_stand_beside_those_of_the_host(trace: Trace, tmp_path: Path) -> None:
    trace.device().device_frame(10_000, 1).work(10_200, 10_600, told=10_740, seq=1)
    database = open_events(trace.write(tmp_path / "events.parquet"))
    rows = [
        (s["span"], s["category"], s["device"], s["time_base"], s["time_ns"]["p50"])
        for s in span_times(database)
    ]
    assert rows == [
        ("remap", "compute", "a GPU", "device", 400),
        ("wait", "device", None, "host", 600),
    ]


@pytest.mark.parametrize("base", ["host", "device", "modelled"])
def test_the_report_says_whose_clock_it_is(
    trace: Trace, make_run: Callable[..., Path], base: str
) -> None:
    for seq in range(1, 13):
        start = 10_000 * seq
        if base == "host":
            trace.frame(start, seq)
        elif seq == 1:
            trace.device(base)
        if base != "host":
            trace.device_frame(start, seq).work(start + 150, start + 190, start + 740, seq)
    report = make_report([make_run(trace)], ReportOptions(warm_up=0))
    schema = json.loads((resources.spec_dir() / "report" / "report.schema.json").read_text())
    jsonschema.validate(json.loads(json.dumps(report)), schema)
    (variant,) = report["variants"]
    assert variant["time_base"] == base
    assert variant["device_bound_ns"] == (None if base == "host" else 7)
    assert variant["latency_ns"]["p50"] == (440 if base == "modelled" else 1000)
    wall = variant["wall_latency_ns"]
    assert (wall and wall["p50"]) == (1000 if base == "modelled" else None)
    told = "\n".join(remarks(report))
    assert ("by the device's own clock, right to within 7 ns" in told) == (base == "device")
    assert ("latency as it passed: median 1 us" in told) == (base == "modelled")
    console = Console(record=True, width=200, file=io.StringIO())
    print_report(report, console)
    assert ("time base" in console.export_text()) == (base != "host")


def test_a_table_without_devices_columns_is_read(trace: Trace, tmp_path: Path) -> None:
    added = ["device", "time_base", "device_begin_ns", "device_end_ns", "device_bound_ns"]
    path = trace.frame(10_000, 1).write(tmp_path / "events.parquet", without=added)
    database = open_events(path)
    parts = Timeline(database).break_down(instances(database, find_chains(database)[0]))
    assert totals(parts)["compute"] == 600
    timeline = read_timeline(path)
    assert timeline is not None
    assert timeline["tracks"]


@pytest.mark.parametrize("base", ["device", "modelled"])
def test_devices_have_tracks(trace: Trace, tmp_path: Path, base: str) -> None:
    trace.device(base).device_frame(10_000, 1).work(10_200, 10_600, told=10_740, seq=1)
    trace.work(10_160, 10_220, 10_741, seq=1, span=COPY_IN)
    table = trace.write(tmp_path / "events.parquet")
    timeline = read_timeline(table)
    assert timeline is not None
    mark = " (modelled)" if base == "modelled" else ""
    assert timeline["tracks"][-2:] == [
        f"a GPU: /rectify copies{mark}", f"a GPU: /rectify{mark}",
    ]  # fmt: skip
    assert timeline["slices"]["length"][-2:] == [60, 400]
    word = "stated clock" if base == "modelled" else "right to within"
    assert all(word in text for text in timeline["slices"]["told"][-2:])

    write_timeline(table, tmp_path / "timeline.json")
    events = json.loads((tmp_path / "timeline.json").read_text())["traceEvents"]
    kernel = next(e for e in events if e.get("cat") == "compute" and e["ph"] == "X")
    assert (kernel["dur"], kernel["args"]["time base"]) == (0.4, base)
    names = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    assert names[kernel["tid"]] == "a GPU: /rectify"
