# SPDX-License-Identifier: Apache-2.0
"""The perception example over DDS, between hosts and between containers: its frames equal those of
the reference program.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from dds_domain import LOOPBACK, take_dds_domain
from run_chat import LIGAMENT
from two_hosts import TwoHosts

from ligament.bench.fleet.hosts import why_not
from ligament.demo.reference import run_reference
from ligament.demo.runs import DemoOptions
from ligament.pipeline import Request, built
from ligament.report.equality import compare_frames, read_frames
from ligament.report.options import WARM_UP_FRAMES
from ligament.resources import node_packages_dir

GRAPH = node_packages_dir().parent / "examples" / "perception" / "graph.yaml"
FRAMES = 20 + WARM_UP_FRAMES
NO_NAMESPACES = why_not()


@pytest.mark.skipif(bool(NO_NAMESPACES), reason=f"this machine has no such thing: {NO_NAMESPACES}")
def test_frames_that_crossed_a_bad_cable_equal_the_reference(tmp_path: Path) -> None:
    build = built(Request(GRAPH, "two_hosts", out=tmp_path / "out")).build
    options = ["--set", f"camera.frames={FRAMES}", "--set", f"sink.frames={FRAMES}", "--quiet"]
    with TwoHosts() as hosts:
        for words in ("delay 1", "reorder 0.05", "loss 0.005"):
            hosts.cable(words)
        logs = {name: (tmp_path / f"{name}.log") for name in ("a", "b")}
        runs: dict[str, subprocess.Popen[str]] = {}
        for name, host in (("b", "desk"), ("a", "robot")):
            command = [*LIGAMENT, "run", str(build), "--host", host, *options]
            with logs[name].open("w") as log:
                runs[name] = hosts.start(name, command, log)
        said = "".join(path.read_text() for path in logs.values())
        assert runs["b"].wait(120) == 0, said
        assert runs["a"].wait(30) == 0, logs["a"].read_text()
        lost = int(hosts.cable("count").split()[2])
    _require_equal(build, tmp_path)
    assert lost > 0


def test_frames_between_containers_on_dds_equal_the_reference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CYCLONEDDS_URI", LOOPBACK)
    build = built(Request(GRAPH, "dds", out=tmp_path / "out")).build
    options = ["--set", f"camera.frames={FRAMES}", "--set", f"sink.frames={FRAMES}", "--quiet"]
    command = [*LIGAMENT, "run", str(build), "--domain-id", str(take_dds_domain()), *options]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert result.returncode == 0, result.stderr
    _require_equal(build, tmp_path)


def _require_equal(build: Path, folder: Path) -> None:
    (recorded,) = build.parent.glob("runs/*/outputs/sink.jsonl")
    demo = DemoOptions(GRAPH, frames=FRAMES - WARM_UP_FRAMES)
    reference = run_reference(demo, folder / "reference", recorded, lambda text: None)
    compared = compare_frames(read_frames(recorded), read_frames(reference.frames), "the reference")
    assert compared.equal, compared.text
    assert compared.frames == FRAMES
