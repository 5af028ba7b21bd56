# SPDX-License-Identifier: Apache-2.0
"""Graphs with every image kernel: generated, built, run, each device model, each frame."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from run_chat import LIGAMENT
from runtime_programs import find_helper

from ligament.demo.reference import run_reference
from ligament.demo.runs import DemoOptions
from ligament.graph.json_source import parse_json
from ligament.graph.schema import validate
from ligament.pipeline import Request, built
from ligament.report.counters import read_counters
from ligament.report.equality import compare_frames, read_frames
from ligament.report.options import WARM_UP_FRAMES
from ligament.resources import node_packages_dir, platforms_dir

GRAPH = node_packages_dir().parent / "examples" / "filters" / "graph.yaml"
FRAMES = 5 + WARM_UP_FRAMES
# Of one frame: 640x480 rgb8, half of it in each direction, and that in grey.
WHOLE = 640 * 480 * 3
HALF = 320 * 240 * 3
GREY = 320 * 240
# Nodes with kernels, and where their results go.
KERNELS = {
    "/rectify": "/image_rect",
    "/resize": "/resize/image_raw",
    "/blur": "/image_blurred",
    "/convert": "/image_converted",
}
OPENCL = {"LIGAMENT_GPU_BACKEND": "opencl"}

# What each kernel's node copied of a frame, or had copied: how often, and how many bytes.
Copied = tuple[tuple[int, int], ...]
NOTHING: Copied = ((0, 0),) * 4
# One transfer each way, whole payloads.
BOTH_WAYS: Copied = ((2, 2 * WHOLE), (2, WHOLE + HALF), (2, 2 * HALF), (2, HALF + GREY))
# Into the first kernel, and out of the last.
ENDS: Copied = ((1, WHOLE), (0, 0), (0, 0), (1, GREY))
# A card registers no memory that may only be read: what comes in is copied once more, by the host.
CARD_BOTH_WAYS: Copied = (
    (3, 3 * WHOLE),
    (3, 2 * WHOLE + HALF),
    (3, 3 * HALF),
    (3, 2 * HALF + GREY),
)
CARD_ENDS: Copied = ((2, 2 * WHOLE), (0, 0), (0, 0), (1, GREY))

pytestmark = pytest.mark.timeout(1800)  # the first one builds the graph


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("filters")


@pytest.fixture(scope="module")
def card() -> dict[str, str]:
    """The environment in which CUDA is a card's, played by the processors."""
    twin = str(find_helper("libcuda_twin.so"))
    return {
        "LIGAMENT_GPU_BACKEND": "cuda",
        "LIGAMENT_CUDA_DRIVER": twin,
        "LIGAMENT_NVRTC": twin,
        "CUDA_TWIN": "discrete no-read-only",
    }


def build(out: Path, variant: str = "gpu", platform: str = "host") -> Path:
    """Its build.json; all variants and platforms share what was compiled."""
    return built(Request(GRAPH, variant, platform, out)).build


def promising_platform(folder: Path) -> str:
    """The host's, whose processes may open each other's buffers on the device."""
    text = (platforms_dir() / "host" / "platform.yaml").read_text()
    platform = folder / "platform.yaml"
    promise = "addresses_pool: true\n    peer_buffers: true"
    platform.write_text(text.replace("addresses_pool: true", promise))
    return str(platform)


def run(build: Path, settings: Mapping[str, str]) -> Path:
    """The run's folder."""
    before = set(build.parent.glob("runs/*"))
    options = [f"--set={node}.frames={FRAMES}" for node in ("camera", "sink")]
    options.append(f"--domain=gpu_filters_{uuid.uuid4().hex[:12]}")  # others run this graph too
    done = subprocess.run(
        [*LIGAMENT, "run", str(build), *options],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (folder,) = set(build.parent.glob("runs/*")) - before
    expect_status_lines_as_promised(folder / "status.jsonl")
    return folder


def results_of(status: Path) -> dict[str, int]:
    """How many results each kernel's node gave: a frame that waits for long is sent again."""
    found = {}
    for text in status.read_text().splitlines():
        for node in json.loads(text).get("nodes", ()):
            for publisher in node["publishers"]:
                if publisher["topic"] == KERNELS.get(node["id"]):
                    found[node["id"]] = publisher["published"]
    return found


def expect_status_lines_as_promised(path: Path) -> None:
    """The containers', to each of which the run has added whose it is."""
    for text in path.read_text().splitlines():
        line = json.loads(text)
        del line["container"]
        assert validate(parse_json(json.dumps(line), str(path)), "status") == []


def expect_equal(build: Path, settings: Mapping[str, str], copied: Copied, folder: Path) -> None:
    """Every frame is what bare OpenCV makes of it, and this was copied for each of them."""
    ran = run(build, settings)
    recorded, status = ran / "outputs" / "sink.jsonl", ran / "status.jsonl"
    demo = DemoOptions(GRAPH, frames=FRAMES - WARM_UP_FRAMES)
    reference = run_reference(demo, folder / "reference", recorded, lambda text: None)
    compared = compare_frames(read_frames(recorded), read_frames(reference.frames), "the reference")
    assert compared.equal, compared.text
    assert compared.frames == FRAMES
    nodes, results = read_counters(status).nodes, results_of(status)
    for name, (times, size) in zip(KERNELS, copied, strict=True):
        assert results[name] >= FRAMES
        counted = (nodes[name].copies, nodes[name].bytes_copied)
        assert counted == (results[name] * times, results[name] * size), name


@pytest.mark.parametrize(
    ("model", "copied"),
    [("zero_copy", NOTHING), ("standard_copy", BOTH_WAYS), ("unified_memory", BOTH_WAYS)],
)
def test_every_frame_equals_the_reference_and_its_copies_are_counted(
    out: Path, model: str, copied: Copied, tmp_path: Path
) -> None:
    expect_equal(build(out), OPENCL | {"LIGAMENT_GPU_MODEL": model}, copied, tmp_path)


@pytest.mark.parametrize(("model", "copied"), [("zero_copy", NOTHING), ("standard_copy", ENDS)])
def test_payloads_between_kernels_of_one_process_stay_on_the_device(
    out: Path, model: str, copied: Copied, tmp_path: Path
) -> None:
    expect_equal(build(out, "gpu_queue"), OPENCL | {"LIGAMENT_GPU_MODEL": model}, copied, tmp_path)


@pytest.mark.parametrize(("variant", "copied"), [("gpu", CARD_BOTH_WAYS), ("gpu_queue", CARD_ENDS)])
def test_a_whole_graph_runs_on_cuda_as_on_a_card(
    out: Path, card: dict[str, str], variant: str, copied: Copied, tmp_path: Path
) -> None:
    expect_equal(build(out, variant), card, copied, tmp_path)


def test_processes_open_each_others_buffers_on_a_card(
    out: Path, card: dict[str, str], tmp_path: Path
) -> None:
    promised = build(out, "gpu", promising_platform(tmp_path))
    expect_equal(promised, card, CARD_ENDS, tmp_path)


def test_the_mapping_says_which_model_and_why(out: Path) -> None:
    mapping: dict[str, Any] = json.loads((build(out).parent / "mapping.json").read_text())
    for node in KERNELS:
        chosen = mapping["nodes"][node]["device_model"]
        assert chosen["model"] == "automatic"
        assert "asks the device" in chosen["reason"]["text"]


def test_what_a_device_cannot_open_is_refused_by_name_and_the_run_goes_on_and_ends(
    out: Path, tmp_path: Path
) -> None:
    """A queue between two processes, on a platform that promises more than OpenCL has."""
    promised = build(out, "gpu", promising_platform(tmp_path))
    mapping: dict[str, Any] = json.loads((promised.parent / "mapping.json").read_text())
    assert mapping["topics"]["/image_rect"]["transports"] == ["queue"]
    before = set(promised.parent.glob("runs/*"))
    running = subprocess.Popen(
        [*LIGAMENT, "run", str(promised), f"--domain=gpu_peers_{uuid.uuid4().hex[:12]}"],
        env=os.environ | OPENCL,
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
