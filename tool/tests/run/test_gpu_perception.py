# SPDX-License-Identifier: Apache-2.0
"""The perception example with its kernels: generated, built, run, each device model, each frame."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
import uuid
from pathlib import Path
from typing import Any

import pytest
from run_chat import LIGAMENT

from ligament.demo.reference import run_reference
from ligament.demo.runs import DemoOptions
from ligament.pipeline import Request, built
from ligament.report.counters import NodeCounters, read_counters
from ligament.report.equality import compare_frames, read_frames
from ligament.report.variant import WARM_UP_FRAMES
from ligament.resources import node_packages_dir, platforms_dir

GRAPH = node_packages_dir().parent / "examples" / "perception" / "graph.yaml"
FRAMES = 5 + WARM_UP_FRAMES
# Of one frame: 640x480 rgb8, and half of it in each direction.
WHOLE = 640 * 480 * 3
HALF = 320 * 240 * 3

pytestmark = pytest.mark.timeout(1800)  # the first one builds the graph


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("perception")
    return built(Request(GRAPH, "gpu", out=out)).build


def run(build: Path, model: str) -> tuple[Path, dict[str, NodeCounters]]:
    """What the sink recorded, and what each node counted."""
    before = set(build.parent.glob("runs/*"))
    options = [f"--set={node}.frames={FRAMES}" for node in ("camera", "sink")]
    options.append(f"--domain=gpu_perception_{uuid.uuid4().hex[:12]}")  # others run this graph too
    done = subprocess.run(
        [*LIGAMENT, "run", str(build), *options],
        env=os.environ | {"LIGAMENT_GPU_MODEL": model, "LIGAMENT_GPU_BACKEND": "opencl"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (folder,) = set(build.parent.glob("runs/*")) - before
    return folder / "outputs" / "sink.jsonl", read_counters(folder / "status.jsonl").nodes


@pytest.mark.parametrize("model", ["zero_copy", "standard_copy", "unified_memory"])
def test_every_frame_equals_the_reference_and_its_copies_are_counted(
    build: Path, model: str, tmp_path: Path
) -> None:
    recorded, nodes = run(build, model)
    demo = DemoOptions(GRAPH, frames=FRAMES - WARM_UP_FRAMES)
    reference = run_reference(demo, tmp_path / "reference", recorded, lambda text: None)
    compared = compare_frames(read_frames(recorded), read_frames(reference.frames), "the reference")
    assert compared.equal, compared.text
    assert compared.frames == FRAMES
    counted = {name: (nodes[name].copies, nodes[name].bytes_copied) for name in nodes}
    if model == "zero_copy":
        assert counted["/rectify"] == counted["/resize"] == (0, 0)
    else:  # one transfer each way, whole payloads
        assert counted["/rectify"] == (2 * FRAMES, 2 * WHOLE * FRAMES)
        assert counted["/resize"] == (2 * FRAMES, (WHOLE + HALF) * FRAMES)


def test_the_mapping_says_which_model_and_why(build: Path) -> None:
    mapping: dict[str, Any] = json.loads((build.parent / "mapping.json").read_text())
    for node in ("/rectify", "/resize"):
        chosen = mapping["nodes"][node]["device_model"]
        assert chosen["model"] == "automatic"
        assert "asks the device" in chosen["reason"]["text"]


def test_what_a_device_cannot_open_is_refused_by_name_and_the_run_goes_on_and_ends(
    build: Path, tmp_path: Path
) -> None:
    """A queue between two processes, on a platform that promises more than OpenCL has."""
    text = (platforms_dir() / "host" / "platform.yaml").read_text()
    promise = "addresses_pool: true\n    peer_buffers: true"
    platform = tmp_path / "platform.yaml"
    platform.write_text(text.replace("addresses_pool: true", promise))
    promised = built(Request(GRAPH, "gpu", str(platform), build.parents[2])).build
    mapping: dict[str, Any] = json.loads((promised.parent / "mapping.json").read_text())
    assert mapping["topics"]["/image_rect"]["transports"] == ["queue"]
    before = set(promised.parent.glob("runs/*"))
    running = subprocess.Popen(
        [*LIGAMENT, "run", str(promised), f"--domain=gpu_peers_{uuid.uuid4().hex[:12]}"],
        env=os.environ | {"LIGAMENT_GPU_BACKEND": "opencl"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    refused = wait_for_error(promised.parent, before, "/resize")
    assert running.poll() is None, "one device that cannot must not end the graph"
    running.send_signal(signal.SIGINT)
    said, _ = running.communicate(timeout=300)
    assert "leave `peer_buffers` out of the platform" in refused
    assert "/resize gave no output for" in said


def wait_for_error(variant: Path, before: set[Path], node: str) -> str:
    """The first error that a node of a new run tells."""
    limit = time.monotonic() + 300
    while time.monotonic() < limit:
        for folder in set(variant.glob("runs/*")) - before:
            status = folder / "status.jsonl"
            for line in status.read_text().splitlines(True) if status.is_file() else ():
                event = json.loads(line) if line.endswith("\n") else {}
                if event.get("event") == "error" and event.get("node") == node:
                    return str(event["text"])
        time.sleep(0.1)
    raise AssertionError(f"{node} tells no error")
