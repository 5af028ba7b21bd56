# SPDX-License-Identifier: Apache-2.0
"""The driving graph's pixel nodes as one design: every frame as the CPU's, in dataflow and wide."""

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
ON_FPGA = "{compensate: fpga0, smooth: fpga0, project: fpga0}"
GRAPH = f"""schema: ligament/graph/1
name: case_drive_cores
nodes:
  camera:
    type: image/camera
    parameters: {{frames: {FRAMES}, encoding: bgr8, pacing: ack, ack_timeout_ms: 60000}}
    remap: {{image_raw: raw}}
  compensate: {{type: driving/compensation, remap: {{image: raw, image_compensated: spread}}}}
  smooth: {{type: image/blur, remap: {{image: spread, image_blurred: smoothed}}}}
  project:
    type: driving/projection
    parameters: {{camera_height: 0.2, camera_pitch: 30.0, far_edge: 0.9}}
    remap: {{image: smoothed, image_projected: projected}}
  sink: {{type: image/sink, parameters: {{frames: {FRAMES}}}, remap: {{image: projected}}}}
topics:
  raw: {{bound_bytes: 1000000}}
  projected: {{bound_bytes: 2000000}}
variants:
  software: {{containers: separate}}
  hardware: {{devices: {ON_FPGA}}}
  wide: {{devices: {ON_FPGA}, fpga: {{pixels: 4, in_flight: {FRAMES}}}}}
"""


def run(folder: Path, variant: str) -> list[dict[str, Any]]:
    """What the sink recorded."""
    words = ["--variant", variant, "--platform", "fpga_sim", "--out", str(folder / "build")]
    domain = f"drive_{uuid.uuid4().hex[:12]}"
    for command in (["build", *words], ["run", *words, "--domain", domain]):
        result = subprocess.run(
            [*LIGAMENT, command[0], str(folder / "graph.yaml"), *command[1:]],
            capture_output=True, text=True, check=False, env=os.environ,
        )  # fmt: skip
        assert result.returncode == 0, result.stdout + result.stderr
    last = max((folder / "build" / "case_drive_cores" / variant / "runs").iterdir())
    lines = (last / "outputs" / "sink.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def test_pixel_cores_give_the_frames_of_the_cpu(tmp_path: Path) -> None:
    (tmp_path / "graph.yaml").write_text(GRAPH)
    expected = run(tmp_path, "software")
    assert len(expected) == FRAMES
    assert run(tmp_path, "hardware") == expected
    assert run(tmp_path, "wide") == expected
