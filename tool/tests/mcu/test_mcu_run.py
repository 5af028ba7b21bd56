# SPDX-License-Identifier: Apache-2.0
"""Nodes on an emulated core, beside those on all other kinds of device: results, chains, faults."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from mcu_runs import (
    EXAMPLES,
    LIGAMENT,
    events,
    ligament,
    newest_run,
    on_freertos,
    own_domain,
    require_core,
)

PATIENCE_S = 120
CHAIN = ["/camera", "/resize", "/threshold", "/outline", "/sink"]


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    require_core()
    out = tmp_path_factory.mktemp("mixed")
    for variant in ("software", "mixed"):
        words = ["--variant", variant, "--platform", "soc_sim", "--out", out, "--trace"]
        words += own_domain()
        ligament("run", EXAMPLES / "mixed" / "graph.yaml", *words)
    return out / "mixed"


def test_a_graph_on_four_kinds_of_device_gives_what_software_gives(mixed: Path) -> None:
    runs = [newest_run(mixed / variant) for variant in ("software", "mixed")]
    said = ligament("report", *runs)
    assert "mixed: all 12 frames equal variant software" in said
    report = json.loads((runs[0] / "report.json").read_text())
    placed = json.loads((mixed / "mixed" / "mapping.json").read_text())["nodes"]
    kinds = {node["kind"] for node in placed.values()}
    assert kinds == {"cpu", "gpu", "fpga", "mcu"}
    for variant in report["variants"]:
        assert variant["chain"]["nodes"] == CHAIN
        assert variant["incomplete"]["count"] == 0 and variant["incomplete"]["of"] == 12


def test_a_message_keeps_its_identity_through_the_core(mixed: Path) -> None:
    run = newest_run(mixed / "mixed")
    ligament("trace", run)
    work = events(
        run,
        "select distinct w.publisher, w.seq, w.device_begin_ns, w.device_end_ns, "
        "w.device_bound_ns from t w "
        "join t d on d.event = 'device_name' and d.span = w.span and d.device = 'mcu0' "
        "join t s on s.event = 'span_name' and s.span = w.span and s.category = 'compute' "
        "where w.event = 'device_span' order by w.seq",
    )
    published = events(
        run,
        "select distinct p.publisher, p.seq, p.begin_ns from t p "
        "join t i on i.event = 'publisher_init' and i.publisher = p.publisher "
        "join t n on n.event = 'topic_init' and n.topic = i.topic and n.name = '/thresholded' "
        "where p.event = 'publish' order by p.seq",
    )
    assert [row[:2] for row in work] == [row[:2] for row in published]
    assert len(work) == 12
    for (_, _, begin, end, bound), (_, _, sent) in zip(work, published, strict=True):
        assert begin <= end
        assert begin + bound >= sent, "the core cannot begin before the message was sent"


def test_a_core_that_is_killed_is_started_again_and_the_graph_goes_on(tmp_path: Path) -> None:
    require_core()
    graph = EXAMPLES / "motor" / "graph.yaml"
    place = ["--variant", "mcu", "--platform", "mcu_sim", "--out", tmp_path]
    options = [*own_domain(), "--set", "planner.messages=600"]
    ligament("build", graph, *place)
    process = subprocess.Popen(
        [*LIGAMENT, "run", str(graph), *map(str, place), *options],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    said = ""
    while "are ready" not in (line := process.stdout.readline()):
        said += line
        assert line, f"it ended before it was ready: {said}"
    os.kill(_core_of(process.pid), signal.SIGKILL)
    said, _ = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 1, said  # the work is done, and the graph's owner is told
    assert "motor/mcu: finished" in said
    run = newest_run(tmp_path / "motor" / "mcu")
    (error,) = json.loads((run / "run.json").read_text())["errors"]
    assert "the core is gone (killed by signal 9), and is started again" in error["text"]
    assert "the core is gone" in said
    lines = (run / "outputs" / "planner.txt").read_text()
    assert len(lines.splitlines()) == 600


def test_another_kind_of_core_runs_the_same_node(tmp_path: Path) -> None:
    require_core()
    words = ["--variant", "mcu", "--platform", "mcu_r5_sim", "--out", tmp_path, *own_domain()]
    ligament("run", EXAMPLES / "motor" / "graph.yaml", *words, "--set", "planner.messages=40")
    lines = (newest_run(tmp_path / "motor" / "mcu") / "outputs" / "planner.txt").read_text()
    assert len(lines.splitlines()) == 40


@pytest.mark.parametrize("platform", ["mcu_sim", "mcu_r5_sim"])
def test_freertos_runs_the_same_node(tmp_path: Path, platform: str) -> None:
    file = on_freertos(platform, tmp_path)
    words = ["--variant", "mcu", "--platform", file, "--out", tmp_path, *own_domain()]
    ligament("run", EXAMPLES / "motor" / "graph.yaml", *words, "--set", "planner.messages=40")
    project = tmp_path / "motor" / "mcu" / "gen" / "mcu" / "mcu0" / "CMakeLists.txt"
    assert "OS freertos" in project.read_text()
    lines = (newest_run(tmp_path / "motor" / "mcu") / "outputs" / "planner.txt").read_text()
    assert len(lines.splitlines()) == 40


def _core_of(tool: int) -> int:
    """The emulator among a process's descendants, as soon as its client is there."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        for process in _descendants(tool):
            words = Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
            if words[0].endswith(b"qemu-system-arm"):
                return process
        time.sleep(0.05)
    raise AssertionError("no core was started")


def _descendants(process: int) -> list[int]:
    listed = subprocess.run(
        ["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True
    ).stdout
    parents = {int(p): int(parent) for p, parent in map(str.split, listed.splitlines())}
    found = {process}
    while grown := {p for p, parent in parents.items() if parent in found} - found:
        found |= grown
    return sorted(found - {process})
