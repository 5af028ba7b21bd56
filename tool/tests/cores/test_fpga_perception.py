# SPDX-License-Identifier: Apache-2.0
"""The perception example with its kernels in hardware: every frame as cv::remap and cv::resize."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from ligament.demo.reference import run_reference
from ligament.demo.runs import FOR_LARGER, DemoOptions, platform_for
from ligament.graph import load_graph
from ligament.pipeline import Request, built
from ligament.report.equality import compare_frames, read_frames
from ligament.report.options import WARM_UP_FRAMES, ReportOptions
from ligament.report.stage import make_report
from ligament.resources import node_packages_dir

GRAPH = node_packages_dir().parent / "examples" / "perception" / "graph.yaml"
#: Frames take as many cycles each: none has to be left out as much as on a processor.
WARM_UP = 1
FRAMES = 3 + WARM_UP
STREAMED = ("fpga_streamed", "fpga_wide", "fpga_widest")
VARIANTS = [
    # The simulator of 8 pixels per cycle takes minutes to compile.
    pytest.param(name, marks=pytest.mark.full) if name in FOR_LARGER else name
    for name in load_graph(GRAPH).variants
    if name.startswith("fpga_")
]
#: The FPGA as a board, whose stand-in is another process.
BOARD = "fpga_uio_sim"


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("perception")


def check_report(folder: Path, frames: Path, variant: str, time_base: str) -> None:
    """The chain goes through the hardware; each of its nodes has answered each message."""
    (entry,) = make_report([folder], ReportOptions(expected=frames, warm_up=WARM_UP))["variants"]
    assert entry["equal"]
    assert entry["time_base"] == time_base
    assert entry["frames"] == FRAMES - WARM_UP
    nodes = {row["node"]: row["messages"] for row in entry["hardware"]["nodes"]}
    assert set(nodes.values()) == {FRAMES}
    assert entry["chain"]["nodes"][0] == "/camera" and entry["chain"]["nodes"][-1] == "/sink"
    assert set(nodes) <= set(entry["chain"]["nodes"])
    streams = {row["topic"]: row["frames"] for row in entry["hardware"]["topics"]}
    assert streams == ({"/image_rect": FRAMES} if variant in STREAMED else {})
    # A board has memory of its own; a simulation writes into the pool.
    copied = [span for span in entry["spans"] if span["category"] == "copy"]
    assert bool(copied) == (time_base != "modelled")


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_frame_equals_the_reference(out: Path, variant: str) -> None:
    platform = platform_for(load_graph(GRAPH), variant)
    assert platform == ("fpga_sim_zu7ev" if variant in FOR_LARGER else "fpga_sim")
    run_frames(out, variant, platform, "modelled")


@pytest.mark.full  # the stand-in is compiled for it alone: a minute of a processor
@pytest.mark.timeout(1800)
def test_every_frame_of_a_board_equals_the_reference(out: Path) -> None:
    run_frames(out / "board", "fpga_streamed", BOARD, "emulated")


def run_frames(out: Path, variant: str, platform: str, time_base: str) -> None:
    build = built(Request(GRAPH, variant, platform, out)).build
    options = [f"--set={node}.frames={FRAMES}" for node in ("camera", "sink")]
    # A simulated frame may take longer on a busy computer than the camera waits by default.
    options += ["--set=camera.ack_timeout_ms=60000", "--trace"]
    options.append(f"--domain=fpga_perception_{uuid.uuid4().hex[:12]}")  # others run this graph too
    command = [sys.executable, "-m", "ligament.cli.main", "run", str(build), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ)
    assert done.returncode == 0, done.stdout + done.stderr
    (folder,) = (build.parent / "runs").iterdir()
    recorded = folder / "outputs" / "sink.jsonl"
    demo = DemoOptions(GRAPH, frames=FRAMES - WARM_UP_FRAMES)  # to which it adds the warm-up
    reference = run_reference(demo, out / "reference", recorded, lambda text: None)
    compared = compare_frames(read_frames(recorded), read_frames(reference.frames), "the reference")
    assert compared.equal, compared.text
    assert compared.frames == FRAMES
    check_report(folder, reference.frames, variant, time_base)
    kinds = {
        n["kind"] for n in json.loads((build.parent / "mapping.json").read_text())["nodes"].values()
    }
    assert kinds == {"cpu", "fpga"}
