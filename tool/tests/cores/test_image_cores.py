# SPDX-License-Identifier: Apache-2.0
"""The image nodes that work on bytes, and convert, as one design: every frame as the CPU's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

LIGAMENT = [sys.executable, "-m", "ligament.cli.main"]
FRAMES = 3
GRAPH = f"""schema: ligament/graph/1
name: case_image_cores
nodes:
  camera:
    type: image/camera
    parameters: {{frames: {FRAMES}, encoding: rgb8, pacing: ack, ack_timeout_ms: 60000}}
    remap: {{image_raw: raw}}
  swap:
    type: image/convert
    parameters: {{encoding: bgra8}}
    remap: {{image: raw, image_converted: swapped}}
  grey:
    type: image/convert
    parameters: {{encoding: mono8}}
    remap: {{image: swapped, image_converted: greyed}}
  level:
    type: image/threshold
    parameters: {{type: to_zero, threshold: 60}}
    remap: {{image: greyed, image_thresholded: levelled}}
  spread: {{type: image/equalise, remap: {{image: levelled, image_equalised: even}}}}
  sum: {{type: image/checksum, remap: {{image: even, image_copy: copied}}}}
  sink: {{type: image/sink, parameters: {{frames: {FRAMES}}}, remap: {{image: copied}}}}
topics:
  raw: {{bound_bytes: 1000000}}
  even: {{bound_bytes: 400000}}
  copied: {{bound_bytes: 400000}}
  checksum: {{bound_bytes: 64}}
variants:
  software: {{containers: separate}}
  hardware: {{devices: {{swap: fpga0, grey: fpga0, level: fpga0, spread: fpga0, sum: fpga0}}}}
  wide:
    devices: {{swap: fpga0, grey: fpga0, level: fpga0, spread: fpga0, sum: fpga0}}
    fpga: {{pixels: 4}}
  natively: {{devices: {{sum: fpga0}}}}
"""


def run(folder: Path, variant: str, platform: str) -> list[dict[str, Any]]:
    """What the sink recorded."""
    words = ["--variant", variant, "--platform", platform, "--out", str(folder / "build")]
    domain = f"cores_{uuid.uuid4().hex[:12]}"
    for command in (["build", *words], ["run", *words, "--domain", domain]):
        result = subprocess.run(
            [*LIGAMENT, command[0], str(folder / "graph.yaml"), *command[1:]],
            capture_output=True, text=True, check=False, env=os.environ,
        )  # fmt: skip
        assert result.returncode == 0, result.stdout + result.stderr
    last = max((folder / "build" / "case_image_cores" / variant / "runs").iterdir())
    lines = (last / "outputs" / "sink.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def test_cores_give_the_frames_of_the_cpu(tmp_path: Path) -> None:
    (tmp_path / "graph.yaml").write_text(GRAPH)
    expected = run(tmp_path, "software", "fpga_sim")
    assert len(expected) == FRAMES
    assert run(tmp_path, "hardware", "fpga_sim") == expected
    # All on streams of 128 bits: four pixels of four channels per cycle.
    assert run(tmp_path, "wide", "fpga_sim") == expected
    assert run(tmp_path, "natively", "fpga_sw_emu") == expected
