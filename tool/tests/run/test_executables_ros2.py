# SPDX-License-Identifier: Apache-2.0
"""Graphs with executables: real rclpy programs of two distributions beside a node of ours."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dds_domain import dds_domain
from ros2_wheels import DISTROS, WHEELS, wheels_environment, wheels_python
from run_chat import LIGAMENT

from ligament.run.status import StatusBoard
from ligament.top.tail import StatusTail

HERE = Path(__file__).parent
PROGRAMS = HERE / "executable_programs.py"
COUNT = 10
WATCHDOG_S = 120.0
GRAPH = """\
schema: ligament/graph/1
name: {name}
packages: [{nodes}]
nodes:
  relay: {{type: run_test/relay, remap: {{in: /to/relay, out: /from/relay}}}}
executables:
  sender:
    executable: run_test_programs/program
    arguments: [send, 100000]
    ros_arguments: {{remap: {{out: to/relay}}}}
    environment: {sender}
    publishes: {{to/relay: std_msgs/msg/UInt8MultiArray}}
  hearer:
    executable: {programs}
    arguments: [hear, {count}, {told}]
    ros_arguments:
      {{name: ear, namespace: /right, parameters: {{gain: 4.0, mode: "on"}}, log_level: debug,
       remap: {{heard: /from/relay}}}}
    subscribes: {{/from/relay: std_msgs/msg/UInt8MultiArray}}
"""


@pytest.fixture
def domain_id() -> Iterator[int]:
    with dds_domain() as taken:
        yield taken


def prefix_with_package(folder: Path, distro: str) -> Path:
    """Where a ROS 2 package with an executable is installed."""
    program = folder / "lib" / "run_test_programs" / "program"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nexec {wheels_python(distro)} {PROGRAMS} "$@"\n')
    program.chmod(0o755)
    return folder


def run(
    tmp_path: Path, distro: str, domain_id: int, sender: str = "{}", options: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Run the graph to its end; what the hearer wrote, and run.json."""
    if not (WHEELS / distro / "lib" / "librmw_ligament_cpp.so").exists():
        pytest.skip(f"rmw_ligament_cpp is not built for ROS 2 {distro} (dev/setup --test)")
    graph, told = tmp_path / "graph.yaml", tmp_path / "told.json"
    name = f"executables_{domain_id}"
    places = {"nodes": HERE / "nodes", "programs": PROGRAMS, "told": told}
    graph.write_text(GRAPH.format(name=name, count=COUNT, sender=sender, **places))
    prefix = prefix_with_package(tmp_path / "prefix", distro)
    environment = wheels_environment(distro, domain_id)
    environment["AMENT_PREFIX_PATH"] = f"{prefix}:{environment['AMENT_PREFIX_PATH']}"
    environment["PATH"] = f"{WHEELS / distro / 'bin'}:{os.environ['PATH']}"
    environment["PYTHONPATH"] = os.pathsep.join(["", str(HERE.parents[1])]).strip(os.pathsep)
    words = ["run", str(graph), "--out", str(tmp_path / "out"), "--json", *options]
    done = subprocess.run(
        [*LIGAMENT, *words], capture_output=True, text=True, timeout=WATCHDOG_S, env=environment
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found: dict[str, Any] = json.loads(told.read_text())
    return {**found, "run": json.loads(done.stdout), "notes": done.stderr, "folder": tmp_path}


def in_order(heard: list[int]) -> bool:
    """As many as were wanted, each the next of the one before."""
    steps = {(b - a) % 256 for a, b in itertools.pairwise(heard)}
    return len(heard) == COUNT and steps == {1}


def edge_bytes(told: dict[str, Any]) -> int:
    """Of the topics of this graph, what its edge sent and received; 0 without one."""
    (status,) = told["folder"].glob("out/*/default/runs/*/status.jsonl")
    lines = [json.loads(line) for line in status.read_text().splitlines()]
    edges = [line for line in lines if line["event"] == "edge"]
    topics = [t for line in edges[-1:] for t in line["topics"] if "relay" in t["topic"]]
    return sum(topic["bytes_sent"] + topic["bytes_received"] for topic in topics)


@pytest.mark.parametrize("distro", DISTROS)
def test_rclpy_programs_are_started_told_and_joined(
    tmp_path: Path, distro: str, domain_id: int
) -> None:
    told = run(tmp_path, distro, domain_id)
    assert in_order(told["heard"])
    assert (told["node"], told["gain"], told["mode"]) == ("/right/ear", 4.0, "on")
    assert told["rmw"] == "rmw_ligament_cpp"
    assert told["run"]["domain"] == f"ros.{domain_id}"
    assert told["run"]["state"] == "finished"
    exits = {p["container"]: p["exit"] for p in told["run"]["processes"]}
    assert exits == {"relay": "exit 0", "sender": "exit 0", "hearer": "exit 0"}
    (log,) = tmp_path.glob("out/*/default/runs/*/log/hearer.log")
    assert "heard all" in log.read_text()
    (status,) = tmp_path.glob("out/*/default/runs/*/status.jsonl")
    board = StatusBoard({}, ["hearer"])
    for event in StatusTail(status).read():
        board.take_told(event, 0)
    hearer = board.executables["hearer"]
    assert (hearer.taken >= COUNT, hearer.drops) == (True, 0)
    assert edge_bytes(told) == 0


def test_they_are_in_the_figures_the_recording_and_the_report(
    tmp_path: Path, domain_id: int
) -> None:
    if shutil.which("lttng-sessiond") is None:
        pytest.skip("LTTng is not installed (Debian: lttng-tools)")
    told = run(tmp_path, "jazzy", domain_id, options=("--trace",))
    (folder,) = tmp_path.glob("out/*/default/runs/*")
    lines = [json.loads(line) for line in (folder / "status.jsonl").read_text().splitlines()]
    assert {"sender", "hearer", "relay"} <= {line["container"] for line in lines}
    report = tmp_path / "report.json"
    words = [*LIGAMENT, "report", str(folder), "--out", str(report)]
    subprocess.run(words, check=True, capture_output=True, timeout=WATCHDOG_S)
    (variant,) = json.loads(report.read_text())["variants"]
    assert variant["chain"]["nodes"] == ["/sender", "/relay", "/right/ear"]
    assert [one["name"] for one in variant["executables"]] == ["hearer", "sender"]
    assert told["run"]["executables"]["sender"]["middleware"] == "rmw_ligament_cpp"


def test_one_on_another_middleware_joins_through_the_edge(tmp_path: Path, domain_id: int) -> None:
    told = run(tmp_path, "jazzy", domain_id, sender="{RMW_IMPLEMENTATION: rmw_fastrtps_cpp}")
    assert in_order(told["heard"])
    assert "sender: on another middleware, as the graph says, so through DDS" in told["notes"]
    assert edge_bytes(told) > 0


def test_a_missing_package_is_said_before_anything_is_built_or_started(tmp_path: Path) -> None:
    graph = tmp_path / "graph.yaml"
    graph.write_text(
        "schema: ligament/graph/1\nname: run_test_missing\nnodes: {}\nexecutables:\n"
        "  viewer: {executable: rqt_image_view/rqt_image_view}\n"
    )
    words = ["run", str(graph), "--out", str(tmp_path / "out"), "--quiet"]
    environment = {**os.environ, "AMENT_PREFIX_PATH": ""}
    done = subprocess.run(
        [*LIGAMENT, *words], capture_output=True, text=True, timeout=WATCHDOG_S, env=environment
    )
    assert done.returncode == 2
    assert "graph.yaml:5:3: error: executable 'viewer': AMENT_PREFIX_PATH is empty" in done.stderr
    assert not list(tmp_path.glob("out/*"))
