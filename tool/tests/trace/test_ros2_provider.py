# SPDX-License-Identifier: Apache-2.0
"""`--trace=ros2`: a real graph of ours, recorded with the names and fields of ros2_tracing.

Both providers record the same run, so what an import of the one finds must be what the other says.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import uuid
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from ctf_types import declared_contexts, declared_events
from runtime_programs import find_helper

from ligament.report.options import ReportOptions
from ligament.report.stage import make_report
from ligament.trace.convert import convert, import_set
from ligament.trace.errors import TraceError
from ligament.trace.imported import import_recording
from ligament.trace.session import ROS2, TraceSession, provider_path, require_lttng

FIXTURES = Path(__file__).parent / "fixtures"
REAL = ("chain_processes_cyclonedds", "chain_processes_fastrtps", "chain_composed_intra")
NODES = ["/camera", "/rectify", "/sink"]
FRAMES = 40
MIB = 1024 * 1024
EMITTED = {event.name for event in import_set().events if event.emitted}
LINE = re.compile(r"\bros2:(\w+): \{ cpu_id = \d+ \}, \{ (.*?) \}, \{(.*)\}$")
FIELD = re.compile(r'(\w+) = (?:"((?:[^"\\]|\\.)*)"|(-?(?:0x)?[0-9A-Fa-f]+))')


def record(folder: Path, groups: list[list[str]]) -> Path:
    """A recording of the graph; each group of nodes is a process."""
    try:
        require_lttng(ROS2)
    except TraceError as error:
        pytest.skip(str(error))
    program = find_helper("traced_graph")
    domain = f"traced{uuid.uuid4().hex[:12]}"
    with TraceSession(folder, provider=ROS2, subbuffer_bytes=MIB) as session:
        processes = [
            subprocess.Popen(
                [program, provider_path(), provider_path(ROS2), domain, str(FRAMES), *nodes],
                env={**os.environ, **session.environment()},
            )
            for nodes in groups
        ]
        try:
            assert processes[-1].wait(120) == 0  # the sink's: it ends when it has all frames
            for process in processes[:-1]:
                process.send_signal(signal.SIGTERM)
                assert process.wait(60) == 0
        finally:
            for process in processes:
                process.kill()
                process.wait()
    return folder


@pytest.fixture(scope="module", params=["composed", "separate"])
def recording(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One run in one process, and one with a process for each node."""
    names = [name.lstrip("/") for name in NODES]
    groups = [names] if request.param == "composed" else [[name] for name in names]
    return record(tmp_path_factory.mktemp(request.param) / "trace", groups)


def printed(recording: Path) -> list[tuple[str, dict[str, str]]]:
    """Every ros2 event as babeltrace2 prints it: name, and fields with the contexts."""
    result = subprocess.run(
        ["babeltrace2", "--clock-seconds", str(recording)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert not result.stderr.strip()
    found = []
    for line in result.stdout.splitlines():
        if " ros2:" in line:
            match = LINE.search(line)
            assert match, line
            name, contexts, fields = match.groups()
            values = {k: text or number for k, text, number in FIELD.findall(contexts + fields)}
            found.append((name, values))
    return found


def test_names_fields_and_types_are_those_of_ros2_tracing(recording: Path) -> None:
    real: dict[str, list[str]] = {}
    for name in REAL:
        real |= declared_events(FIXTURES / name, "ros2")
    ours = declared_events(recording, "ros2")
    assert ours.keys() == EMITTED
    assert {name: fields for name, fields in ours.items() if real[name] != fields} == {}


def test_the_contexts_are_those_of_ros2_tracing(recording: Path) -> None:
    assert declared_contexts(recording) == declared_contexts(FIXTURES / REAL[0])


def test_every_event_that_has_a_counterpart_occurs_and_no_other(recording: Path) -> None:
    counts = Counter(name for name, _ in printed(recording))
    assert counts.keys() == EMITTED
    both_ways = 2 * FRAMES
    # The sink ends the run inside its last callback, so that one's end is recorded too.
    for name in ("rclcpp_publish", "rmw_publish", "rmw_take", "rclcpp_take"):
        assert counts[name] == both_ways, name
    assert counts["callback_start"] == counts["callback_end"] > both_ways


def test_every_handle_leads_to_a_name(recording: Path) -> None:
    """What tracetools_analysis joins: it looks handles up in signed 64-bit integers."""
    tables: dict[str, dict[str, dict[str, str]]] = {}
    keys = {
        "rcl_node_init": "node_handle", "rcl_publisher_init": "publisher_handle",
        "rcl_subscription_init": "subscription_handle", "rclcpp_subscription_init": "subscription",
        "rcl_service_init": "service_handle", "rcl_client_init": "client_handle",
        "rcl_timer_init": "timer_handle", "rclcpp_timer_link_node": "timer_handle",
        "rclcpp_subscription_callback_added": "callback", "rclcpp_callback_register": "callback",
        "rclcpp_service_callback_added": "callback", "rclcpp_timer_callback_added": "callback",
        "rmw_publisher_init": "rmw_publisher_handle",
        "rmw_subscription_init": "rmw_subscription_handle",
    }  # fmt: skip
    events = printed(recording)
    for name, fields in events:
        if name in keys:
            handle = fields[keys[name]]
            assert 0 < int(handle, 16) < 2**63
            assert handle not in tables.setdefault(name, {}), f"{name} twice for one handle"
            tables[name][handle] = fields
    for kind in ("publisher", "subscription", "service", "client"):
        for fields in tables[f"rcl_{kind}_init"].values():
            assert fields["node_handle"] in tables["rcl_node_init"]
    for fields in tables["rcl_publisher_init"].values():
        assert fields["rmw_publisher_handle"] in tables["rmw_publisher_init"]
    for fields in tables["rclcpp_subscription_callback_added"].values():
        owner = tables["rclcpp_subscription_init"][fields["subscription"]]
        assert owner["subscription_handle"] in tables["rcl_subscription_init"]
    for fields in tables["rclcpp_timer_link_node"].values():
        assert fields["node_handle"] in tables["rcl_node_init"]
        assert fields["timer_handle"] in tables["rcl_timer_init"]
    for name, fields in events:
        if name == "callback_start":
            assert tables["rclcpp_callback_register"][fields["callback"]]["symbol"]
            assert fields["is_intra_process"] == "0"


READ_BY_TRACETOOLS_ANALYSIS = {
    "rcl_init": "context_handle version",
    "rcl_node_init": "node_handle rmw_handle node_name namespace",
    "rmw_publisher_init": "rmw_publisher_handle gid",
    "rcl_publisher_init":
        "publisher_handle node_handle rmw_publisher_handle topic_name queue_depth",
    "rclcpp_publish": "message",
    "rcl_publish": "publisher_handle message",
    "rmw_publish": "message",
    "rmw_subscription_init": "rmw_subscription_handle gid",
    "rcl_subscription_init":
        "subscription_handle node_handle rmw_subscription_handle topic_name queue_depth",
    "rclcpp_subscription_init": "subscription subscription_handle",
    "rclcpp_subscription_callback_added": "subscription callback",
    "rmw_take": "rmw_subscription_handle message source_timestamp taken",
    "rcl_take": "message",
    "rclcpp_take": "message",
    "rcl_service_init": "service_handle node_handle rmw_service_handle service_name",
    "rclcpp_service_callback_added": "service_handle callback",
    "rcl_client_init": "client_handle node_handle rmw_client_handle service_name",
    "rcl_timer_init": "timer_handle period",
    "rclcpp_timer_callback_added": "timer_handle callback",
    "rclcpp_timer_link_node": "timer_handle node_handle",
    "rclcpp_callback_register": "callback symbol",
    "callback_start": "callback is_intra_process",
    "callback_end": "callback",
}  # fmt: skip
"""Per event the fields that tracetools_analysis 3.1 (Ros2Handler) reads; one that lacks stops it.
It is in no package registry, so what it does with a recording is done here after its rules."""


def test_every_field_that_tracetools_analysis_reads_is_there(recording: Path) -> None:
    names = set()
    for name, fields in printed(recording):
        names.add(name)
        if wanted := READ_BY_TRACETOOLS_ANALYSIS.get(name):
            # gid is an array of bytes, which the printed form shows in brackets.
            lacking = set(wanted.split()) - fields.keys() - {"gid"}
            assert not lacking, f"{name} lacks {lacking}"
        assert {"vtid", "vpid", "procname"} <= fields.keys()
    assert "rcl_init" in names  # the one event without which it refuses a recording


def test_callbacks_pair_up_as_tracetools_analysis_pairs_them(recording: Path) -> None:
    """By the callback alone, over all threads: a start is kept until an end of the same callback.

    Its tables then say whose each callback was: its subscription's, timer's or service's.
    """
    owners: dict[str, str] = {}
    tables: dict[str, dict[str, dict[str, str]]] = {
        "rcl_node_init": {}, "rcl_subscription_init": {}, "rclcpp_subscription_init": {},
        "rcl_timer_init": {}, "rclcpp_timer_link_node": {}, "rcl_service_init": {},
    }  # fmt: skip
    keys = {
        "rcl_node_init": "node_handle", "rcl_subscription_init": "subscription_handle",
        "rclcpp_subscription_init": "subscription", "rcl_timer_init": "timer_handle",
        "rclcpp_timer_link_node": "timer_handle", "rcl_service_init": "service_handle",
    }  # fmt: skip
    running: dict[str, str] = {}
    ended: Counter[str] = Counter()
    for name, fields in printed(recording):
        if name in keys:
            tables[name][fields[keys[name]]] = fields
        elif name.endswith("_callback_added"):
            (reference,) = (v for k, v in fields.items() if k in (
                "subscription", "timer_handle", "service_handle"))  # fmt: skip
            owners[fields["callback"]] = reference
        elif name == "callback_start":
            assert fields["callback"] not in running, "begins again before it ended"
            running[fields["callback"]] = fields["callback"]
        elif name == "callback_end":
            del running[fields["callback"]]
            ended[_owner(owners[fields["callback"]], tables)] += 1
    assert not running
    assert ended["subscription of /rectify to /image"] == FRAMES
    assert ended["timer of /camera, 3000000 ns"] >= FRAMES
    assert any(name.startswith("service /rectify/") for name in ended)


def _owner(reference: str, tables: dict[str, dict[str, dict[str, str]]]) -> str:
    def node(handle: str) -> str:
        found = tables["rcl_node_init"][handle]
        return found["namespace"].rstrip("/") + "/" + found["node_name"]

    if reference in tables["rcl_timer_init"]:
        link = tables["rclcpp_timer_link_node"][reference]
        period = tables["rcl_timer_init"][reference]["period"]
        return f"timer of {node(link['node_handle'])}, {period} ns"
    if reference in tables["rcl_service_init"]:
        return f"service {tables['rcl_service_init'][reference]['service_name']}"
    handle = tables["rclcpp_subscription_init"][reference]["subscription_handle"]
    found = tables["rcl_subscription_init"][handle]
    return f"subscription of {node(found['node_handle'])} to {found['topic_name']}"


def test_events_stand_in_the_order_that_their_names_say(recording: Path) -> None:
    """On each thread: publish before send, execute before take before callback."""
    last: dict[str, list[str]] = {}
    for name, fields in printed(recording):
        before = last.setdefault(fields["vtid"], [])
        if name == "rmw_take":
            assert before[-1] == "rclcpp_executor_execute"
        elif name == "rclcpp_take":
            assert before[-1] == "rmw_take"
        elif name == "rmw_publish":
            assert before[-1] == "rclcpp_publish"
        elif name == "rclcpp_executor_wait_for_work":
            assert before[-1] == "rclcpp_executor_get_next_ready"
        before.append(name)


@pytest.fixture
def both(recording: Path, tmp_path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The report by our own events, and that of the imported ros2 events, of one run."""
    folder = tmp_path / "run"
    folder.mkdir()
    run = {
        "schema": "ligament/run/1", "graph": "small", "variant": "here", "run_id": "run-1",
        "state": "finished", "trace": {"dir": "trace", "provider": ROS2}, "outputs": [],
        "context": {"machine": {}, "commit": None, "command": [], "versions": {}},
    }  # fmt: skip
    (folder / "run.json").write_text(json.dumps(run))
    own = convert(recording, folder / "events.parquet")
    assert own.foreign_names.keys() == {f"ros2:{name}" for name in EMITTED}
    imported = import_recording(recording, out=tmp_path / "imported")
    assert not imported.conversion.error
    reports = [make_report([path], ReportOptions()) for path in (folder, imported.folder)]
    return reports[0]["variants"][0], reports[1]["variants"][0]


def test_an_import_finds_what_our_own_events_say(
    both: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    own, imported = both
    assert imported["missing"] == []
    (beside,) = own["missing"]
    assert "events of ros2_tracing were recorded beside ours" in beside
    assert own["chain"]["nodes"] == imported["chain"]["nodes"] == NODES
    assert imported["found"]["nodes"] == NODES
    assert own["frames"] == imported["frames"] == FRAMES - 10
    assert imported["incomplete"]["count"] == 0
    topics = {topic["name"]: topic["message"] for topic in imported["found"]["topics"]}
    assert topics["/image"] == "sensor_msgs/msg/Image"
    assert topics["/text"] == "std_msgs/msg/String"
    assert imported["found"]["timers"] == [{"node": "/camera", "period_ns": 3_000_000}]
    services = {(one["node"], one["name"]) for one in imported["found"]["services"]}
    assert ("/rectify", "/rectify/get_parameters") in services


def test_latencies_and_compute_times_are_the_same(
    both: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    own, imported = both
    assert imported["latency_ns"]["p50"] == pytest.approx(own["latency_ns"]["p50"], rel=0.5)
    busy = 300_000
    by_span = own["hops"][0]["node_ns"]["compute"]
    by_callback = imported["hops"][0]["node_ns"]["compute"]
    # A callback holds its span, and what is around it.
    assert busy <= by_span <= by_callback
    spans = {span["span"]: span["time_ns"]["p50"] for span in own["spans"]}
    callbacks = {(c["node"], c["name"]): c["time_ns"] for c in imported["callbacks"]}
    assert callbacks["/rectify", "/image"]["n"] == FRAMES
    assert spans["remap"] <= callbacks["/rectify", "/image"]["p50"]
    assert callbacks["/rectify", "/rectify/get_parameters"]["n"] == 1
