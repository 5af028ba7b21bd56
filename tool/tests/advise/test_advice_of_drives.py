# SPDX-License-Identifier: Apache-2.0
"""Advice on runs of graphs with programs beside the nodes, of busy computers, and without spans."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from made_up_runs import GRAPH, WAKE, case_of, line, write_run

from ligament.advise.blockers import waited_for
from ligament.advise.changes import find_changes
from ligament.advise.check import check, plan_of
from ligament.advise.holds import what_holds
from ligament.advise.jobs import Job
from ligament.advise.stage import Advice, Asked, advise
from ligament.errors import FailureError
from ligament.graph import load_graph
from ligament.mapping import load_platform, map_graph
from ligament.report.names import SHARES
from ligament.run.graph_run import RunRequest

PROGRAM = """executables:
  simulator:
    executable: ./simulator.py
    publishes: {/clock: rosgraph_msgs/msg/Clock}
"""


def advice_of(graph: Path, run: Path) -> Advice:
    return advise(Asked(graph, "my graph.yaml", [run], run.parents[3]))


def test_a_run_without_spans_says_what_to_record(tmp_path: Path) -> None:
    run = write_run(tmp_path / "build", bare=True)
    (warning,) = advice_of(tmp_path / "graph.yaml", run).data["warnings"]
    assert warning.startswith("/rectify, /resize told no span, so all of their callbacks counts as")
    assert "docs/how-to/spans.md" in warning
    assert warning.endswith("ligament run my graph.yaml --variant processes --trace")


def test_a_busy_computer_is_a_warning(
    graph_file: Path, run_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert advice_of(graph_file, run_dir).data["warnings"] == []
    monkeypatch.setattr("ligament.advise.stage.interrupted_share", lambda _: 0.4)
    (warning,) = advice_of(graph_file, run_dir).data["warnings"]
    assert warning.startswith("callbacks had no core for 40 % of their time")
    assert "record again when nothing else runs" in warning


def test_a_change_is_tried_with_the_parameters_of_the_run(tmp_path: Path) -> None:
    words = ["ligament", "run", "g", "--set", "camera.frames=60", "--trace", "--set=sink.name=a b"]
    context = {"machine": {"cores": 4}, "commit": None, "command": words, "versions": {}}
    run = write_run(tmp_path / "build", run={"context": context})
    found = advice_of(tmp_path / "graph.yaml", run)
    commands = {line["name"]: shlex.split(line["command"]) for line in found.data["changes"]}
    tail = ["--set", "camera.frames=60", "--set", "sink.name=a b", "--trace"]
    assert commands["one_process"][-5:] == tail
    assert plan_of(found, 2).parameters == {"/camera": {"frames": 60}, "/sink": {"name": "a b"}}


def test_who_is_waited_for_is_named_and_may_go(graph_file: Path) -> None:
    # In one thread, a callback of the sink runs from the camera's message to rectify's callback.
    work = line(40, 5000)
    taken = {job.trigger: job for job in work.jobs if job.node == "/rectify"}
    slow = [
        Job("/sink", 1, 1, work.sent[trigger].end_ns - 10, job.begin_ns, None, 900)
        for trigger, job in taken.items()
        if trigger
    ]
    for job in work.jobs:
        job.server = 1
    work.jobs += slow
    graph = load_graph(graph_file)
    between = dict.fromkeys(SHARES, 0.0) | {"executor_wait": float(WAKE)}
    hop = {"topic": "/raw", "from": "/camera", "to": "/rectify", "between_ns": between}
    entry = {"hops": [hop | {"node_ns": None}], "message_passing": 0.1, "drops": 0}
    case = case_of(work, graph_file, **entry)
    case = replace(case, mapping=map_graph(graph, load_platform("host"), "together"))
    assert waited_for(case)["/rectify"] == {"/sink": 40 * WAKE}
    (first, *_) = what_holds(case)
    assert "waits for another callback in the same thread, mostly of /sink, for 6.67 %" in first
    names = [change.name for change in find_changes(case, graph)]
    assert names.index("own_sink") < names.index("own_rectify")


def test_a_graph_with_programs_is_checked_in_their_ros_domain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = write_run(tmp_path / "build")
    graph = tmp_path / "graph.yaml"
    program = tmp_path / "simulator.py"
    program.write_text("#!/usr/bin/env python3\n")
    program.chmod(0o755)
    graph.write_text(GRAPH + PROGRAM)
    asked: list[RunRequest] = []

    def no_run(request: RunRequest, _: Any) -> None:
        asked.append(request)
        raise FailureError("no run here")

    monkeypatch.setattr("ligament.advise.check.built", lambda _: SimpleNamespace(build=run))
    monkeypatch.setattr("ligament.advise.check.run_graph", no_run)
    advice = advise(Asked(graph, str(graph), [run], run.parents[3], ("one_process",)))
    (checked,) = check(Asked(graph, "g", [run], run.parents[3]), advice, plan_of(advice, 1), print)
    assert checked.left_out == "no run here"
    # Another domain than the user's, and no name of shared memory, which programs would not find.
    assert asked[0].domain is None
    assert 1 <= (asked[0].edge.domain_id or 0) <= 100
