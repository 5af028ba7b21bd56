# SPDX-License-Identifier: Apache-2.0
"""Checks of kernels can fail: a verdict is of what the report says, and of what the device told."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from ligament.acceleration.capabilities import NO, NOT_HERE, YES, Context
from ligament.acceleration.check_graphs import GRAPH, HOPS, VARIANT, write_graphs
from ligament.acceleration.checks import kernels
from ligament.acceleration.workspace import Workspace
from ligament.graph import load_graph

FRAMES = 6


def span(name: str, category: str, device: str | None, count: int = FRAMES) -> dict[str, Any]:
    time = {"n": count, "p50": 2000.0}
    return {"node": "/conformance", "span": name, "category": category, "device": device,
            "time_ns": time}  # fmt: skip


#: What the report of a run on a core says, as far as the checks read it.
GOOD: dict[str, Any] = {
    "equal": True,
    "equality": {"frames": FRAMES},
    "lost_events": 0,
    "frames": FRAMES,
    "latency_ns": {"p50": 9000.0},
    "hops": [{"topic": "/camera/image_raw"}, {"topic": "/resize/image_raw"}, {"topic": "/result"}],
    "spans": [span("take image", "serialise", "mcu0"), span("on_image", "compute", "mcu0")],
}
TRACED = ("tracing", "kernel-measured", "graph-measured", "node-kernels")


def without(*path: str | int, value: Any = None) -> dict[str, Any]:
    """The report with a part exchanged; None: left out."""
    found = copy.deepcopy(GOOD)
    *folders, last = path
    here: Any = found
    for part in folders:
        here = here[part]
    if value is None:
        del here[last]
    else:
        here[last] = value
    return found


def states(tmp_path, monkeypatch, report: dict[str, Any], platform: str = "mps2-m4-qemu"):
    monkeypatch.setattr(kernels, "_lacking", lambda _: "")
    monkeypatch.setattr(kernels, "reported", lambda *_: report)
    context = Context(Workspace(tmp_path).platform(platform), tmp_path)
    return {name: kernels.CHECKS[name](context) for name in TRACED}


def test_what_a_core_told_of_each_message_is_traced(tmp_path, monkeypatch):
    found = states(tmp_path, monkeypatch, GOOD)
    assert {verdict.state for verdict in found.values()} == {YES}
    assert "the core told of each of 6 messages" in found["tracing"].evidence
    assert "on_image" in found["kernel-measured"].evidence


@pytest.mark.parametrize(
    ("report", "failing"),
    [
        (without("hops", 1), "tracing"),
        (without("lost_events", value=1), "tracing"),
        # The process beside the core tells hops without the core.
        (without("spans", 1), "tracing kernel-measured"),
        (without("spans", 1, value=span("on_image", "compute", None)), "tracing kernel-measured"),
        (without("spans", 1, value=span("on_image", "compute", "mcu0", 5)), "tracing"),
        (without("equality", value={"frames": 0}), "tracing node-kernels"),
        (without("equal", value=False), "node-kernels"),
        (without("latency_ns", value={}), "graph-measured"),
    ],
)
def test_what_is_not_told_is_a_no(tmp_path, monkeypatch, report, failing):
    found = states(tmp_path, monkeypatch, report)
    assert {name for name, verdict in found.items() if verdict.state == NO} == set(failing.split())


def test_the_first_kind_of_device_that_can_be_tested_is(tmp_path, monkeypatch):
    asked = []
    check = kernels.with_kernel(lambda _, kind: asked.append(kind))
    board = Context(Workspace(tmp_path).platform("kv260"), tmp_path)
    for lacking in ({}, {"fpga": "Verilator"}):
        monkeypatch.setattr(kernels, "_lacking", lambda kind, lacking=lacking: lacking.get(kind))
        check(board)
    assert asked == ["fpga", "mcu"]
    monkeypatch.setattr(kernels, "_lacking", lambda kind: f"tools of {kind}")
    assert check(board).state == NOT_HERE
    assert "tools of fpga" in check(board).evidence
    arm = Context(Workspace(tmp_path).platform("qemu-arm64"), tmp_path)
    assert (check(arm).state, check(arm).evidence) == (
        NO, "the platform has no device of kind fpga, gpu, mcu",
    )  # fmt: skip


def test_the_graph_for_a_core_is_valid_and_has_as_many_hops(tmp_path):
    write_graphs(tmp_path / "graphs", "mcu", "mcu0")
    graph = load_graph(tmp_path / "graphs" / GRAPH)
    assert {*graph.variants} == {"software", VARIANT["mcu"]}
    on_the_way = {topic for topic in graph.topics if "info" not in topic and "done" not in topic}
    assert len(on_the_way) == HOPS["mcu"], on_the_way
