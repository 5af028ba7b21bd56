# SPDX-License-Identifier: Apache-2.0
"""Lane Following and Lane Planner in an FPGA: the robot drives as with the CPU's, frame by frame.

Each frame that the camera draws follows from the command to the one before: a lane that differed in
a bit would show in all later frames.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

LIGAMENT = [sys.executable, "-m", "ligament.cli.main"]
FRAMES = 25
GRAPH = f"""schema: ligament/graph/1
name: case_lane_cores
nodes:
  camera:
    type: driving/road
    parameters:
      {{frames: {FRAMES}, width: 320, height: 240, start: 1.5, offset: 0.05, patience_s: 20.0}}
    remap: {{image_raw: raw, clock: /clock}}
  project:
    type: driving/projection
    parameters: {{width: 250, height: 150}}
    remap: {{image: raw, image_projected: view}}
  follow: {{type: driving/lane_following, remap: {{image: view}}}}
  control: {{type: driving/lane_control, parameters: {{use_sim_time: true}}}}
  plan:
    type: driving/lane_planner
    parameters: {{width: 250, height: 150}}
    remap: {{image: raw, lane_mask: mask}}
  frames: {{type: image/sink, remap: {{image: raw}}}}
  masks: {{type: image/sink, parameters: {{frames: {FRAMES}}}, remap: {{image: mask}}}}
topics:
  raw: {{bound_bytes: 300000}}
  view: {{bound_bytes: 200000}}
  lane: {{bound_bytes: 256}}
  mask: {{bound_bytes: 50000}}
variants:
  software: {{containers: separate}}
  hardware: {{devices: {{follow: fpga0, plan: fpga0}}}}
  wide: {{devices: {{follow: fpga0, plan: fpga0}}, fpga: {{pixels: 4}}}}
"""


def run(folder: Path, variant: str) -> list[list[dict[str, Any]]]:
    """What the sinks recorded."""
    words = ["--variant", variant, "--platform", "fpga_sim", "--out", str(folder / "build")]
    domain = f"lanes_{uuid.uuid4().hex[:12]}"
    for command in (["build", *words], ["run", *words, "--domain", domain]):
        result = subprocess.run(
            [*LIGAMENT, command[0], str(folder / "graph.yaml"), *command[1:]],
            capture_output=True, text=True, check=False, env=os.environ,
        )  # fmt: skip
        assert result.returncode == 0, result.stdout + result.stderr
    last = max((folder / "build" / "case_lane_cores" / variant / "runs").iterdir())
    texts = [(last / "outputs" / f"{name}.jsonl").read_text() for name in ("frames", "masks")]
    return [[json.loads(line) for line in text.splitlines()][:FRAMES] for text in texts]


def test_the_robot_drives_as_with_the_nodes_of_the_cpu(tmp_path: Path) -> None:
    (tmp_path / "graph.yaml").write_text(GRAPH)
    frames, masks = run(tmp_path, "software")
    assert len(frames) == len(masks) == FRAMES
    assert len({frame["hash"] for frame in frames}) == FRAMES  # it does drive
    assert run(tmp_path, "hardware") == [frames, masks]
    assert run(tmp_path, "wide") == [frames, masks]
